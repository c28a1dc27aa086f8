"""Is a document valid as a draft? The gateway validates the rest. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import msgspec

from cloud.errors import ParameterError
from edge_contract.deployment import Document, canonical
from edge_contract.document.masking import MASK, PRIVATE, is_secret
from edge_contract.document.rows import Key, key_of
from edge_contract.document.tables import OF_SLAVES
from edge_contract.payloads import MAX_CONTROL_BYTES

MAX_BYTES = MAX_CONTROL_BYTES - 4096
"""Of the canonical document: beside it a deployment or report has a few names and numbers."""

MAX_DEPTH = 12
MAX_ROWS = {
    "ports": 1000,
    "slaves": 1000,
    "points": 20_000,
    "scripts": 100,
    "internal_slave_points": 5000,
    "loop_writes": 100,
    "calibrations": 5000,
    "channels": 16,
}
LOWEST, HIGHEST = -(2**63), 2**64


def written(document: Document, gateway: str) -> bytes:
    """Canonical bytes of a document for this gateway. Raises ParameterError that names the first fault."""
    _walk(document, "document", "", 0)
    for field, rule in _shape_faults(document, gateway):
        raise ParameterError(f"document.{field}", rule)
    content = canonical(document)
    if len(content) > MAX_BYTES:
        raise ParameterError("document", f"at most {MAX_BYTES} bytes")
    return content


def read(text: str) -> Document:
    """The document of a stored version."""
    document: Document = msgspec.json.decode(text)
    return document


def is_shallow(document: Document) -> bool:
    """Is it at most MAX_DEPTH levels deep, as a draft has to be?"""
    level: list[Any] = [document]
    for _ in range(MAX_DEPTH + 1):
        tables = (list(each.values()) if isinstance(each, dict) else each for each in level)
        level = [item for items in tables if isinstance(items, list) for item in items]
    return not level


def points_of(document: Document) -> int:
    rows = document.get("points")
    return len(rows) if isinstance(rows, list) else 0


def _walk(value: Any, path: str, name: str, depth: int) -> None:
    """Refuse what the canonical form cannot hold, and masks that were sent back."""
    if depth > MAX_DEPTH:
        raise ParameterError(path[:200], f"at most {MAX_DEPTH} levels deep")
    if isinstance(value, dict):
        for key, item in value.items():
            _text(key, path)
            _walk(item, f"{path}.{key}", name if is_secret(name) else key, depth + 1)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _walk(item, f"{path}[{index}]", name, depth + 1)
    elif isinstance(value, str):
        _text(value, path)
        if value == MASK and is_secret(name):
            raise ParameterError(path, "is masked; the secret itself is needed")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise ParameterError(path, "a finite number")
    elif isinstance(value, int) and not LOWEST <= value < HIGHEST:
        raise ParameterError(path, "a number of at most 64 bits")


def _text(text: str, path: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ParameterError(path.encode(errors="replace").decode(), "Unicode text") from None


def _shape_faults(document: Document, gateway: str) -> Iterator[tuple[str, str]]:
    who = document.get("gateway")
    if not isinstance(who, dict) or who.get("id") != gateway:
        yield "gateway.id", f"must be {gateway}"
    for section, limit in MAX_ROWS.items():
        rows = document.get(section, [])
        if not isinstance(rows, list) or len(rows) > limit:
            yield section, f"a list of at most {limit} tables"
        else:
            yield from _row_faults(section, rows)
    yield from _private_faults(document)
    ports = {row.get("name") for row in document.get("ports", [])}
    slaves = {row.get("name") for row in document.get("slaves", [])}
    yield from _references(document, "slaves", "port", ports)
    for section in OF_SLAVES:
        yield from _references(document, section, "slave", slaves)
    yield from _references(document, "channels", "port", ports)


def _private_faults(document: Document) -> Iterator[tuple[str, str]]:
    """Passwords of targets: no gateway takes one from a document, so the cloud stores none."""
    rows = document.get("forwarders")
    for index, row in enumerate(rows if isinstance(rows, list) else ()):
        options = row.get("options") if isinstance(row, dict) else None
        if isinstance(options, dict) and "password" in options:
            yield f"forwarders[{index}].options.password", PRIVATE


def _row_faults(section: str, rows: list[Any]) -> Iterator[tuple[str, str]]:
    seen: set[Key] = set()
    for index, row in enumerate(rows):
        if not isinstance(row, dict):
            yield f"{section}[{index}]", "a table"
            continue
        name = row.get("name")
        if not isinstance(name, str) or not name:
            yield f"{section}[{index}].name", "a text"
            continue
        identity = key_of(section, row)
        if identity in seen:
            yield f"{section}[{index}].name", f"must be unique, {name!r} stands there twice"
        seen.add(identity)


def _references(
    document: Document, section: str, field: str, names: set[object]
) -> Iterator[tuple[str, str]]:
    for index, row in enumerate(document.get(section, [])):
        name = row.get(field)
        if not isinstance(name, str) or name not in names:
            yield f"{section}[{index}].{field}", f"must be the name of a {field}"
