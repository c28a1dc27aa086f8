"""A configuration's document as TOML, for people; the standard library only reads it. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from edge_agent.config.model import (
    Cloud,
    Collecting,
    Configuration,
    Gateway,
    LocalPage,
    Point,
    Port,
    Reporting,
    Script,
    Slave,
)
from edge_contract.deployment import Document

BARE = re.compile(r"[A-Za-z0-9_-]+")
STRUCTS: dict[str, type[msgspec.Struct]] = {
    "gateway": Gateway,
    "cloud": Cloud,
    "local_page": LocalPage,
    "collection": Collecting,
    "reporting": Reporting,
    "ports": Port,
    "slaves": Slave,
    "points": Point,
    "scripts": Script,
}


class NoToml(ValueError):
    """TOML has no word for something in the document (null)."""


def toml_of(document: Document) -> str:
    """Text that reads back as the document; fields in the order of the model. NoToml, RecursionError."""
    return "\n".join(_lines(document)).lstrip("\n") + "\n"


def _lines(document: Document) -> Iterator[str]:
    names = _ordered(document, Configuration)
    tables = {name for name in names if isinstance(document[name], dict) or _is_tables(document[name])}
    for name in names:
        if name not in tables:
            yield f"{_key(name)} = {_value(document[name])}"
    for name in names:
        if name not in tables:
            continue
        several = isinstance(document[name], list)
        for table in document[name] if several else [document[name]]:
            yield ""
            yield f"[[{_key(name)}]]" if several else f"[{_key(name)}]"
            for field in _ordered(table, STRUCTS.get(name)):
                yield f"{_key(field)} = {_text(table[field])}"


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _ordered(table: Mapping[str, Any], struct: type[msgspec.Struct] | None) -> list[str]:
    known = {} if struct is None else {name: at for at, name in enumerate(struct.__struct_fields__)}
    return sorted(table, key=lambda name: (known.get(name, len(known)), name))


def _text(value: Any) -> str:
    """A value; a text of several lines as such where nothing in it needs to be escaped."""
    if isinstance(value, str) and "\n" in value and _plain(value):
        return f'"""\n{value}"""'
    return _value(value)


def _plain(text: str) -> bool:
    printable = all(sign == "\n" or sign == "\t" or sign.isprintable() for sign in text)
    return printable and "\\" not in text and '"""' not in text and not text.endswith('"')


def _value(value: Any) -> str:
    match value:
        case None:
            raise NoToml("null")
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return repr(value)
        case str():
            return _string(value)
        case list():
            return f"[{', '.join(_value(one) for one in value)}]"
        case dict():
            pairs = [f"{_key(name)} = {_value(one)}" for name, one in value.items()]
            return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
        case _:
            raise NoToml(type(value).__name__)


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else _string(name)


def _string(text: str) -> str:
    """JSON's escapes are TOML's; JSON leaves one sign as it is that TOML does not."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
