"""What of a request may be written down, by the JSON schema of what its operation takes. Pure.

Only what a field of the schema takes and that is no secret is written unmasked: a text where no text is
expected, or a field that nobody knows, may be a secret in the wrong place. Free-form parts are checked by
names.

Free-form parts: what names a secret (password, secret, token, pw, key ...), options that protocols mark as
secret, the value of an object that names one ({"name": "password", "value": ...}), and what stands before an
@ in an address. Rows of releases that masked by names alone lost their secrets by migration 0028. Copies of
the database from before still have them: change the passwords that were changed in the portal meanwhile, or
destroy the copies. VACUUM FULL audit_entry removes them from PostgreSQL's file at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cloud.core.masking import CUT, MAX_DEPTH, MAX_ITEMS, MAX_TEXT, Names, masked
from cloud.core.secret import FORMAT, MASK
from cloud.core.text import without_surrogates

JsonSchema = Mapping[str, Any]

_UNIONS = ("anyOf", "oneOf", "allOf")
_TYPES: tuple[tuple[type, str], ...] = (
    (bool, "boolean"),
    (int, "integer"),
    (float, "number"),
    (str, "string"),
)
_REF = "#/$defs/"


class Shape:
    """The schema of one body or parameter, with its $defs. secret_names: of free-form parts."""

    def __init__(self, schema: JsonSchema, secret_names: Names = frozenset()) -> None:
        self._schema = schema
        self._defs: Mapping[str, JsonSchema] = schema.get("$defs", {})
        self._names = secret_names

    def mask(self, value: Any) -> Any:
        """The value with everything masked that may not be written down, long things cut."""
        return self._mask(self._alternatives([self._schema]), value, 0)

    def _mask(self, schemas: list[JsonSchema], value: Any, depth: int) -> Any:
        if value is None or value == "":
            return value
        if any(schema.get("format") == FORMAT for schema in schemas):
            return MASK
        if any(map(_takes_anything, schemas)):
            return masked(value, depth, self._names)
        if isinstance(value, dict | list):
            if depth >= MAX_DEPTH:
                return CUT
            if isinstance(value, dict):
                return self._object(schemas, value, depth)
            return self._list(schemas, value, depth)
        return masked(value, depth) if any(_takes(schema, value) for schema in schemas) else MASK

    def _object(self, schemas: list[JsonSchema], value: dict[str, Any], depth: int) -> Any:
        objects = [schema for schema in schemas if _is_object(schema)]
        if not objects:
            return MASK
        result: dict[str, Any] = {}
        for name, item in list(value.items())[:MAX_ITEMS]:
            known = [schema["properties"][name] for schema in objects if name in schema.get("properties", {})]
            if known:
                masked_item = self._mask(self._alternatives(known), item, depth + 1)
            elif free := list(_free(objects)):
                masked_item = self._free(free, name, item, depth)
            else:
                masked_item = item if item in (None, "") else MASK
            result[without_surrogates(name[:MAX_TEXT])] = masked_item
        if len(value) > MAX_ITEMS:
            result[CUT] = len(value) - MAX_ITEMS
        return result

    def _free(self, schemas: list[JsonSchema], name: str, item: Any, depth: int) -> Any:
        """An entry of a map: by its name, then by what the map takes."""
        by_name = masked({name: item}, depth, self._names)
        if by_name.get(name) == MASK:
            return MASK
        return self._mask(self._alternatives(schemas), item, depth + 1)

    def _list(self, schemas: list[JsonSchema], value: list[Any], depth: int) -> Any:
        items = [
            each
            for schema in schemas
            if schema.get("type") == "array"
            for each in (*schema.get("prefixItems", ()), schema.get("items", {}))
        ]
        if not items:
            return MASK
        inside = self._alternatives(items)
        masked_items = [self._mask(inside, item, depth + 1) for item in value[:MAX_ITEMS]]
        return [*masked_items, f"{CUT}{len(value) - MAX_ITEMS}"] if len(value) > MAX_ITEMS else masked_items

    def _alternatives(self, schemas: Iterable[JsonSchema]) -> list[JsonSchema]:
        """The schemas without unions and references, each once."""
        waiting, flat, seen = list(schemas), list[JsonSchema](), set[str]()
        while waiting:
            schema = waiting.pop()
            ref = str(schema.get("$ref", ""))
            if ref:
                if ref not in seen:
                    seen.add(ref)
                    waiting.append(self._defs.get(ref.removeprefix(_REF), {"type": "null"}))
                continue
            inside = [each for union in _UNIONS for each in schema.get(union, ())]
            waiting += inside
            if not inside or schema.get("format") == FORMAT:
                flat.append(schema)
        return flat


def _takes_anything(schema: JsonSchema) -> bool:
    return not schema.keys() & {"type", "enum", "const", "properties"}


def _takes(schema: JsonSchema, value: Any) -> bool:
    """Is a scalar of the schema's type?"""
    if "enum" in schema or "const" in schema:
        return value in schema.get("enum", [schema.get("const")])
    name = next((name for kind, name in _TYPES if isinstance(value, kind)), "null")
    return schema.get("type") == name or (schema.get("type") == "number" and name == "integer")


def _is_object(schema: JsonSchema) -> bool:
    return schema.get("type") == "object" or "properties" in schema


def _free(objects: Iterable[JsonSchema]) -> Iterator[JsonSchema]:
    """What maps among the objects take under any name."""
    for schema in objects:
        extra = schema.get("additionalProperties", False)
        if extra is True:
            yield {}
        elif extra:
            yield extra
        yield from schema.get("patternProperties", {}).values()
