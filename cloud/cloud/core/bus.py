"""Typed events from lower layers to higher ones, in one process.

A publisher waits until every handler has run, one after the other in the order of their registration; so
nothing is queued here, and a slow handler slows its publisher down instead of filling memory. A handler that
may not do that keeps a bounded queue of its own. What a handler raises stops no other one; it is counted.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

from prometheus_client import Counter

log = logging.getLogger(__name__)

PUBLISHED = Counter("edge_events_published", "Events of the cloud's own bus", ["event"])
FAULTS = Counter("edge_event_handler_faults", "Handlers that raised", ["event", "handler"])

STOP_S = 10.0
"""How long the end of the process waits for handlers."""


class Event:
    """Something has happened. A handler's fault is logged, counted, and not told to the publisher."""


class DurableEvent(Event):
    """The publisher may not go on without its handlers: it commits or acknowledges nothing when one fails.

    When all have run, `publish` raises the first one's exception as it is.
    """


class ImmediateEvent:
    """Handlers are plain functions that do not wait; `publish_now` returns when they have run."""


E = TypeVar("E", bound=Event)
I = TypeVar("I", bound=ImmediateEvent)  # noqa: E741
P = ParamSpec("P")


class EventBus:
    """Handlers are registered while the cloud is built; seal() ends that."""

    def __init__(self) -> None:
        self._handlers: dict[type[Event], list[Callable[[Any], Awaitable[None]]]] = {}
        self._immediate: dict[type[ImmediateEvent], list[Callable[[Any], None]]] = {}
        self._is_sealed = False
        self._under_way = 0
        self._idle = asyncio.Event()
        self._idle.set()

    def handle(self, kind: type[E], handler: Callable[[E], Awaitable[None]]) -> None:
        """RuntimeError after the start."""
        self._check_open()
        self._handlers.setdefault(kind, []).append(handler)

    def handle_now(self, kind: type[I], handler: Callable[[I], None]) -> None:
        """RuntimeError after the start."""
        self._check_open()
        self._immediate.setdefault(kind, []).append(handler)

    def seal(self) -> None:
        """Everything is built."""
        self._is_sealed = True

    async def publish(self, event: Event) -> None:
        """Returns when every handler has run; raises only for a DurableEvent."""
        kind = type(event)
        PUBLISHED.labels(kind.__name__).inc()
        first: Exception | None = None
        self._under_way += 1
        self._idle.clear()
        try:
            for handler in self._handlers.get(kind, ()):
                try:
                    await handler(event)
                except Exception as error:
                    # A fault of one domain must not keep the others from what has happened.
                    _count(kind, handler)
                    first = first or error
                    if not isinstance(event, DurableEvent):
                        log.exception("%s failed on %s", _name(handler), kind.__name__)
                    elif first is not error:
                        log.exception("%s failed on %s too", _name(handler), kind.__name__)
        finally:
            self._under_way -= 1
            if not self._under_way:
                self._idle.set()
        if first is not None and isinstance(event, DurableEvent):
            raise first

    def publish_now(self, event: ImmediateEvent) -> None:
        """Never raises."""
        kind = type(event)
        PUBLISHED.labels(kind.__name__).inc()
        for handler in self._immediate.get(kind, ()):
            try:
                handler(event)
            except Exception:
                # As above: each domain hears of it.
                _count(kind, handler)
                log.exception("%s failed on %s", _name(handler), kind.__name__)

    def publisher(self, kind: Callable[P, Event]) -> Callable[P, Coroutine[Any, Any, None]]:
        """A callable with the event's fields as arguments, for a service that knows no bus."""

        async def publish(*args: P.args, **kwargs: P.kwargs) -> None:
            await self.publish(kind(*args, **kwargs))

        return publish

    async def stop(self, timeout_s: float = STOP_S) -> None:
        """Wait for what is being published; what takes longer is left to end with its task."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._idle.wait()
        except TimeoutError:
            log.warning("%d events are not handled yet", self._under_way)

    def _check_open(self) -> None:
        if self._is_sealed:
            raise RuntimeError("handlers are registered while the cloud is built, not after the start")


def _count(kind: type[object], handler: Callable[..., object]) -> None:
    FAULTS.labels(kind.__name__, _name(handler)).inc()


def _name(handler: Callable[..., object]) -> str:
    return getattr(handler, "__qualname__", type(handler).__name__)
