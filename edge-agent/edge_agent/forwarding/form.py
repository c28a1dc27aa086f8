"""What a form for the options of each kind needs, as scripts/generate writes it for the portal.

Words, sections and faults come from `form.toml` of the kind's package; ranges, choices and defaults from its
options; codes from the kind.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Any

import msgspec

from edge_agent.config.model import ForwarderEntry
from edge_agent.forwarding.base import Kind
from edge_contract.document.masking import is_secret

Json = dict[str, Any]
FILE = "form.toml"
COMMON = ("name", "enable", "max_mb", "max_age_h", "start")
"""Fields of ForwarderEntry that a form asks for; kind and options have their own place."""


class FormText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text of a form."""

    zh: str
    en: str


class FieldWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A field or a column. section: of the form, of a field. choices: words by value, without any the value.

    picker: "point": of the gateway; "code": of the kind's list. suggest: "point_name": a proposal for
    it. more: of a column, shown on demand. columns, unique: of a list of rows; together unique in it.
    """

    name: str
    zh: str
    en: str
    section: str = ""
    hint: FormText | None = None
    choices: Mapping[str, FormText] = {}
    picker: str = ""
    suggest: str = ""
    more: bool = False
    unique: tuple[str, ...] = ()
    columns: tuple[FieldWords, ...] = ()


class FaultWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """pattern: regular expression of a reason of the agent, for Python and browsers. fields: that mend it.

    page: it is mended on the gateway's own page.
    """

    pattern: str
    zh: str
    en: str
    fields: tuple[str, ...] = ()
    page: bool = False


class RuleWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """pattern: regular expression of a rule, with named groups for the words' {{names}}."""

    pattern: str
    zh: str
    en: str


class FormWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One form.toml."""

    fields: tuple[FieldWords, ...]
    title: FormText | None = None
    sections: Mapping[str, FormText] = {}
    faults: tuple[FaultWords, ...] = ()
    rules: tuple[RuleWords, ...] = ()


def document(kinds: Iterable[Kind]) -> Json:
    """Of every kind that has a form: sections, fields that all have, and by name of the kind the rest."""
    common = words_of(__package__)
    schema = msgspec.json.schema(ForwarderEntry)
    return {
        "sections": [{"name": name, **_words(words)} for name, words in common.sections.items()],
        "fields": [field for field in _fields(common.fields, schema, schema) if field["name"] in COMMON],
        "kinds": {kind.name: _kind(kind, words) for kind in kinds if (words := form_of(kind)) is not None},
    }


def words_of(package: str) -> FormWords:
    """Of a package; a validation error names what is wrong with its file."""
    text = resources.files(package).joinpath(FILE).read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), FormWords)


def form_of(kind: Kind) -> FormWords | None:
    """None for a kind whose package has no form.toml."""
    package = kind.options.__module__.rpartition(".")[0]
    return words_of(package) if resources.files(package).joinpath(FILE).is_file() else None


def _kind(kind: Kind, words: FormWords) -> Json:
    schema = msgspec.json.schema(kind.options)
    return {
        "title": _words(words.title or FormText(kind.name, kind.name)),
        "fields": _fields(words.fields, schema, schema),
        "codes": msgspec.to_builtins(kind.codes()),
        "faults": [msgspec.to_builtins(fault) for fault in words.faults],
        "rules": [msgspec.to_builtins(rule) for rule in words.rules],
    }


def _fields(fields: Iterable[FieldWords], schema: Json, root: Json) -> list[Json]:
    """KeyError for a field that the options do not have."""
    shape = _resolved(schema, root)
    return [_field(one, shape["properties"][one.name], shape.get("required", ()), root) for one in fields]


def _field(words: FieldWords, schema: Json, required: Iterable[str], root: Json) -> Json:
    parts = [_resolved(part, root) for part in schema.get("anyOf", [schema])]
    shape = next(part for part in parts if part.get("type") != "null")
    field: Json = {
        "name": words.name,
        **_words(words),
        "kind": _kind_of(shape, root),
        "required": words.name in required,
        "optional": len(parts) > 1,
        "default": schema.get("default"),
    }
    for name in ("section", "picker", "suggest", "more", "unique"):
        if value := getattr(words, name):
            field[name] = value
    if words.hint is not None:
        field["hint"] = _words(words.hint)
    if is_secret(words.name):
        field["secret"] = True
    _add_limits(field, shape, root)
    _add_choices(field, words, shape, root)
    if words.columns:
        field["columns"] = _fields(words.columns, shape["items"], root)
    return field


def _add_limits(field: Json, shape: Json, root: Json) -> None:
    names = {"minimum": "min", "maximum": "max", "exclusiveMinimum": "above", "pattern": "pattern"}
    names |= {"maxLength": "max_length", "minLength": "min_length", "minItems": "min_items"}
    for key, name in (names | {"maxItems": "max_items"}).items():
        if key in shape:
            value = shape[key]
            field[name] = value.replace("(?!\\n)", "") if key == "pattern" else value
    items = _resolved(shape.get("items", {}), root)
    if "maxLength" in items:
        field["max_length"] = items["maxLength"]


def _add_choices(field: Json, words: FieldWords, shape: Json, root: Json) -> None:
    values = shape.get("enum") or _resolved(shape.get("items", {}), root).get("enum")
    if values:
        field["choices"] = [
            {"value": value, **_words(words.choices.get(str(value), FormText(str(value), str(value))))}
            for value in (sorted(values) if not words.choices else _by_words(values, words.choices))
        ]


def _by_words(values: Iterable[Any], choices: Mapping[str, FormText]) -> list[Any]:
    """In the order of their words; KeyError for a value without any."""
    order = list(choices)
    return sorted(values, key=lambda value: order.index(str(value)))


KINDS = {"boolean": "switch", "integer": "integer", "number": "number", "string": "text", "object": "pairs"}


def _kind_of(shape: Json, root: Json) -> str:
    """switch, integer, number, text, choice, choices (some of them), texts, pairs (of texts) or rows."""
    if "enum" in shape:
        return "choice"
    if shape["type"] != "array":
        return KINDS[shape["type"]]
    items = _resolved(shape["items"], root)
    return "choices" if "enum" in items else "rows" if "properties" in items else "texts"


def _resolved(schema: Json, root: Json) -> Json:
    while "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    return schema


def _words(words: FormText | FieldWords) -> Json:
    return {"zh": words.zh, "en": words.en}
