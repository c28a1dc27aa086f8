"""A configuration's document as TOML, for people. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import tomli_w

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
from edge_contract.deployment import Document, canonical

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
    try:
        return "\n".join(_parts(document))
    except TypeError as error:
        raise NoToml(str(error)) from error


def _parts(document: Document) -> Iterator[str]:
    """First what is no table, for behind a header it would belong to that; then a text for each table.

    Rows come one by one, so that each has its [[header]]: tomli-w makes an array of short ones, below which
    no [[header]] may be added.
    """
    lines = b"\\r\\n" not in canonical(document)  # in a text of several lines tomli-w makes \r\n a \n
    tables: dict[str, list[Any]] = {}
    others: dict[str, Any] = {}
    for name in _ordered(document, Configuration):
        value = document[name]
        if isinstance(value, dict):
            tables[name] = [value]
        elif isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
            tables[name] = value
        else:
            others[name] = value
    if others or not tables:
        yield tomli_w.dumps(others, multiline_strings=lines)
    for name, rows in tables.items():
        header = tomli_w.dumps({name: {}})
        for row in rows:
            fields = {field: row[field] for field in _ordered(row, STRUCTS.get(name))}
            text = tomli_w.dumps({name: fields}, multiline_strings=lines)
            if isinstance(document[name], list):
                text = f"[{header.rstrip()}]\n{text.removeprefix(header)}"
            yield text


def _ordered(table: Mapping[str, Any], struct: type[msgspec.Struct] | None) -> list[str]:
    known = {} if struct is None else {name: at for at, name in enumerate(struct.__struct_fields__)}
    return sorted(table, key=lambda name: (known.get(name, len(known)), name))
