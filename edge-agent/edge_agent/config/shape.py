"""Every field of a table that is missing, unknown or of the wrong type, not only the first one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec

from edge_agent.errors import ConfigError
from edge_agent.rules import fault_of, missing, one_of, too_few, too_many, unknown, wrong_type


@cache
def fields_of(kind: type[msgspec.Struct]) -> dict[str, msgspec.structs.FieldInfo]:
    """Fields of a struct by name; msgspec evaluates every annotation anew each time."""
    return {field.name: field for field in msgspec.structs.fields(kind)}


def shape_faults(table: Any, kind: type[msgspec.Struct], path: str = "") -> Iterator[ConfigError]:
    """Faults of a table that should become a kind, with paths such as points[3].ratio."""
    if not isinstance(table, dict):
        yield ConfigError(path or "file", wrong_type("object", type(table).__name__))
        return
    fields = fields_of(kind)
    for name in sorted(table.keys() - fields.keys()):
        yield ConfigError(path or "file", unknown(name, fields.keys() - table.keys()))
    for name, field in fields.items():
        where = f"{path}.{name}" if path else name
        if name in table:
            yield from _value_faults(table[name], field.type, where)
        elif field.required:
            yield ConfigError(path or "file", missing(name))


def longest(kind: type[msgspec.Struct], name: str) -> int | None:
    """How many items a list field may have."""
    return _longest(fields_of(kind)[name].type)


def _longest(kind: Any) -> int | None:
    return next((part.max_length for part in _metas(kind) if part.max_length is not None), None)


def _shortest(kind: Any) -> int:
    return next((part.min_length for part in _metas(kind) if part.min_length is not None), 0)


def _metas(kind: Any) -> list[msgspec.Meta]:
    return [part for part in getattr(kind, "__metadata__", ()) if isinstance(part, msgspec.Meta)]


def _value_faults(value: Any, kind: Any, path: str) -> Iterator[ConfigError]:
    plain = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    for struct in _structs(plain):
        if get_origin(plain) in (list, tuple) and isinstance(value, list):
            limit = _longest(kind)
            if limit is not None and len(value) > limit:
                yield ConfigError(path, too_many(limit, len(value)))
            if len(value) < (fewest := _shortest(kind)):
                yield ConfigError(path, too_few(fewest, len(value)))
            for at, item in enumerate(value[:limit]):
                yield from shape_faults(item, struct, f"{path}[{at}]")
            return
        if get_origin(plain) not in (list, tuple) and isinstance(value, dict):
            yield from shape_faults(value, struct, path)
            return
    try:
        msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError as error:
        inside, rule = fault_of(error)
        if (
            choices := not inside
            and get_origin(plain) is Literal
            and isinstance(value, str)
            and get_args(plain)
        ):
            rule = one_of(choices, value)
        yield ConfigError(
            f"{path}{inside}" if inside.startswith("[") else ".".join(filter(None, (path, inside))), rule
        )


def _structs(kind: Any) -> Iterator[type[msgspec.Struct]]:
    """The struct that a type is, lists or allows."""
    for part in get_args(kind) or (kind,):
        if isinstance(part, type) and issubclass(part, msgspec.Struct):
            yield part
