"""What a request really changed: a service tells it, and its row keeps that instead of what was sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from cloud.core.masking import MAX_BYTES, bounded, masked

MAX_OF_SIDE = MAX_BYTES // 2 - 100
_ABSENT = object()


@dataclass(frozen=True)
class RecordChange:
    """Fields by name, in JSON's types. before: {} of something new; after: {} of what is gone.

    of: names of the thing, where the path has none.
    """

    before: Mapping[str, Any]
    after: Mapping[str, Any]
    of: Mapping[str, str] = field(default_factory=dict)

    def differences(self) -> dict[str, Any]:
        """Only what differs, as {..., "before": {}, "after": {}}; secrets masked, at most 4 kB."""
        names = [
            name
            for name in {**self.before, **self.after}
            if self.before.get(name, _ABSENT) != self.after.get(name, _ABSENT)
        ]
        sides = {
            side: {name: fields[name] for name in names if name in fields}
            for side, fields in (("before", self.before), ("after", self.after))
        }
        fields: dict[str, Any] = masked({**self.of, **sides})
        return {
            name: bounded(value, MAX_OF_SIDE) if isinstance(value, dict) else value
            for name, value in fields.items()
        }


class Heard:
    """The change of one request, None while none was told. looked: it turned out to change nothing.

    reference: what its end is told under, when that comes later. touched: numbers of things that the path
    does not name, such as the gateway of a bind code.
    """

    change: RecordChange | None = None
    looked: bool = False
    reference: str | None = None

    def __init__(self) -> None:
        self.touched: dict[str, str] = {}


_listener: ContextVar[Heard | None] = ContextVar("audit_listener", default=None)


@contextmanager
def listening() -> Iterator[Heard]:
    """Hear what is told inside, also by tasks that are begun there: they have the same listener."""
    heard = Heard()
    token = _listener.set(heard)
    try:
        yield heard
    finally:
        _listener.reset(token)


def record_change(before: Mapping[str, Any], after: Mapping[str, Any], **of: str) -> None:
    """A service has committed a change; of several in one request the last counts. Nobody need listen."""
    heard = _listener.get()
    if heard is not None:
        heard.change = RecordChange(before, after, of)


def refer(reference: str) -> None:
    """What the request set going ends later; AuditService.fill_in is told then."""
    heard = _listener.get()
    if heard is not None:
        heard.reference = reference


def touch(**ids: int | str) -> None:
    """A service has done something to a thing that the path does not name. Only what who asked now sees: of a
    request that succeeds the names of these are kept.
    """
    heard = _listener.get()
    if heard is not None:
        heard.touched |= {name: str(value) for name, value in ids.items()}


def only_looked() -> None:
    """A GET that may change something has only looked: it leaves no row."""
    heard = _listener.get()
    if heard is not None:
        heard.looked = True
