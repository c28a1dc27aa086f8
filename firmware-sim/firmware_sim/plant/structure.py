"""Every error in the structure of a plant file at once: msgspec alone stops at the first. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec.structs import fields

from firmware_sim.errors import ScenarioError


def structure_errors(raw: Any, kind: Any, field: str = "") -> Iterator[ScenarioError]:
    """What in raw does not fit kind, a type of the description; each with its path."""
    try:
        msgspec.convert(raw, kind, strict=True)
        return
    except msgspec.ValidationError as error:
        rule, _, where = str(error).partition(" - at `$")
        choices = _choices(kind)
        if choices:
            rule = f"must be one of {', '.join(choices)}"
        whole = ScenarioError((field + where.rstrip("`")).lstrip(".") or "file", rule)
    inner = list(_inner(raw, kind, field))
    yield from inner or [whole]


def _choices(kind: Any) -> list[str]:
    """What a value of this type can be, where few can."""
    if get_origin(kind) is Literal:
        return [str(each) for each in get_args(kind)]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return [str(each.value) for each in kind]
    return []


def _inner(raw: Any, kind: Any, field: str) -> Iterator[ScenarioError]:
    """Errors of the parts; none when the error is in the whole."""
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if get_origin(kind) is list and isinstance(raw, list):
        (element,) = get_args(kind)
        for index, each in enumerate(raw):
            yield from structure_errors(each, element, f"{field}[{index}]")
    elif isinstance(raw, dict) and (struct := _struct(raw, kind)) is not None:
        yield from _members(raw, struct, field)


def _struct(raw: dict[Any, Any], kind: Any) -> type[msgspec.Struct] | None:
    """The struct that raw wants to be; of a union the one of its tag."""
    choices = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    structs = [each for each in choices if isinstance(each, type) and issubclass(each, msgspec.Struct)]
    if len(structs) <= 1:
        return structs[0] if structs else None
    tag = structs[0].__struct_config__.tag_field
    return next((each for each in structs if each.__struct_config__.tag == raw.get(tag)), None)


def _members(raw: dict[Any, Any], struct: type[msgspec.Struct], field: str) -> Iterator[ScenarioError]:
    prefix = f"{field}." if field else ""
    hints = get_type_hints(struct, include_extras=True)
    known = {each.name: each for each in fields(struct)}
    for name in raw:
        if name not in known and name != struct.__struct_config__.tag_field:
            yield ScenarioError(f"{prefix}{name}", f"is no field here; there are {', '.join(known)}")
    for name, member in known.items():
        if name in raw:
            yield from structure_errors(raw[name], hints[name], f"{prefix}{name}")
        elif member.required:
            yield ScenarioError(f"{prefix}{name}", "must be given")
