"""The two payloads, NV and KV, of values that go up and of orders that come down. Pure.

NV is a list of {"n": name, "v": value, "t": UTC milliseconds, "q": quality}, with "r": true for what may have
been sent before. KV is one object {"ts": UTC milliseconds, "values": {name: value}}, with "quality": {name:
quality} for those that are not good, and "repeat": true. A value that must not be used is null.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec

from edge_agent.errors import BadValue
from edge_agent.model import Quality, Value
from edge_agent.rules import request_fault
from edge_contract.limits import MAX_COUNT, MAX_TEXT

Format = Literal["NV", "KV"]

MAX_ORDERS = 50
"""In one message."""
USABLE = frozenset({Quality.GOOD, Quality.UNCERTAIN_TIME})
"""Qualities with which a value is a measured one (edge_contract.model.Quality)."""
MARK_BYTES = len(',"r":true')
FRAME_BYTES = len('{"ts":9007199254740992,"values":{},"quality":{},"repeat":true}')

OrderId = (
    Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    | Annotated[int, msgspec.Meta(ge=0, le=MAX_COUNT)]
)
OrderName = Annotated[str, msgspec.Meta(max_length=128)]
Time = Annotated[int, msgspec.Meta(ge=0, le=MAX_COUNT)]
Scalar = float | int | bool | Annotated[str, msgspec.Meta(max_length=MAX_TEXT)]


@dataclass(frozen=True)
class Item:
    """A value by its name at the platform. t_ms: UTC."""

    name: str
    t_ms: int
    value: Value
    quality: Quality

    @property
    def usable(self) -> bool:
        return self.quality in USABLE


@dataclass(frozen=True)
class WriteOrder:
    """A value that the platform wants to be written. t_ms: when it was given, None: not said."""

    id: str | int
    name: str
    value: float | int | bool | str
    t_ms: int | None


class _NvOrder(msgspec.Struct):
    id: OrderId
    n: OrderName
    v: Scalar
    t: Time | None = None


class _KvOrder(msgspec.Struct):
    id: OrderId
    values: Annotated[dict[OrderName, Scalar], msgspec.Meta(min_length=1, max_length=MAX_ORDERS)]
    ts: Time | None = None


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came of an order, in either format. id, name: None of a message that cannot be read.

    state: done (read back equal), failed, unknown (it may have been written), refused (nothing was tried).
    value: what was read back; ts: UTC milliseconds.
    """

    id: str | int | None
    name: str | None
    state: str
    ts: int
    code: str = ""
    detail: str = ""
    value: Value = None


def payload(format: Format, items: Sequence[Item], t_ms: int, *, repeat: bool) -> bytes:
    """One message. t_ms: of all values in KV. repeat: it may have been sent before."""
    made: Any
    if format == "NV":
        made = [_nv(item) | ({"r": True} if repeat else {}) for item in items]
    else:
        made = {"ts": t_ms, "values": {item.name: _value(item) for item in items}}
        if marked := {item.name: _word(item) for item in items if item.quality is not Quality.GOOD}:
            made["quality"] = marked
        if repeat:
            made["repeat"] = True
    return msgspec.json.encode(made)


def size_of(format: Format, item: Item) -> int:
    """Bytes that an item takes in a payload at most."""
    if format == "NV":
        return len(msgspec.json.encode(_nv(item))) + MARK_BYTES + 1
    name, value = len(msgspec.json.encode(item.name)), len(msgspec.json.encode(_value(item)))
    mark = 0 if item.quality is Quality.GOOD else name + len(_word(item)) + 4
    return name + value + 2 + mark


def portions(format: Format, items: Iterable[Item], max_bytes: int) -> Iterator[list[Item]]:
    """Items in their order, as many together as a payload of max_bytes takes; one alone may be larger."""
    portion: list[Item] = []
    used = FRAME_BYTES
    for item in items:
        size = size_of(format, item)
        if portion and used + size > max_bytes:
            yield portion
            portion, used = [], FRAME_BYTES
        portion.append(item)
        used += size
    if portion:
        yield portion


def orders(format: Format, body: bytes) -> list[WriteOrder]:
    """What a message asks for. BadValue names the field and the rule."""
    try:
        if format == "NV":
            rows = msgspec.json.decode(
                body, type=Annotated[list[_NvOrder], msgspec.Meta(min_length=1, max_length=MAX_ORDERS)]
            )
            return [WriteOrder(row.id, row.n, row.v, row.t) for row in rows]
        made = msgspec.json.decode(body, type=_KvOrder)
    except msgspec.ValidationError as error:
        raise BadValue(": ".join(request_fault(error, "message"))) from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise BadValue(f"message: must be JSON: {error}") from None
    return [WriteOrder(made.id, name, value, made.ts) for name, value in made.values.items()]


def id_of(body: bytes) -> str | int | None:
    """The id of a message that breaks another rule, where one can be read."""
    try:
        made = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    if isinstance(made, list) and len(made) == 1:
        made = made[0]
    known = made.get("id") if isinstance(made, dict) else None
    is_id = isinstance(known, (str, int)) and not isinstance(known, bool)
    return known if is_id and len(str(known)) <= MAX_TEXT else None


def _nv(item: Item) -> dict[str, Any]:
    return {"n": item.name, "v": _value(item), "t": item.t_ms, "q": _word(item)}


def _value(item: Item) -> Value:
    return item.value if item.usable else None


def _word(item: Item) -> str:
    return item.quality.name.lower()
