"""Rules of alarms and of data exchange with their states and events in memory, gone with the process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from edge_agent.store.base import (
    ACKNOWLEDGED_EVENTS,
    MAX_EVENT_BYTES,
    HeldExchange,
    HeldRules,
    StoredLinkage,
)
from edge_contract.edge_rules import RuleEvent


@dataclass
class MemoryRules:
    """store.base.RuleLog."""

    _held: HeldRules | None = None
    _events: dict[int, tuple[RuleEvent, bool]] = field(default_factory=dict)
    _linkages: dict[int, StoredLinkage] = field(default_factory=dict)
    _next_seq: int = 1
    _next_linkage: int = 1
    _dropped: int = 0

    async def held(self) -> HeldRules | None:
        return self._held

    async def replace(self, held: HeldRules, events: Sequence[RuleEvent]) -> None:
        self._held = held
        self._add(events)

    async def record(self, state: bytes, events: Sequence[RuleEvent], linkages: Sequence[bytes]) -> list[int]:
        if self._held is not None:
            self._held = HeldRules(self._held.rules, state)
        self._add(events)
        numbers = list(range(self._next_linkage, self._next_linkage + len(linkages)))
        self._next_linkage += len(linkages)
        self._linkages |= {
            number: StoredLinkage(number, linkage, begun=False)
            for number, linkage in zip(numbers, linkages, strict=True)
        }
        return numbers

    async def waiting(self, limit: int) -> list[RuleEvent]:
        return [event for event, is_held in self._events.values() if not is_held][:limit]

    async def newest(self, limit: int) -> list[RuleEvent]:
        return [event for event, _ in self._events.values()][-limit:][::-1]

    async def dropped(self) -> int:
        return self._dropped

    async def acknowledged(self, upto_seq: int) -> None:
        self._events = {
            seq: (event, is_held or seq <= upto_seq) for seq, (event, is_held) in self._events.items()
        }
        kept = set(sorted(self._events)[-ACKNOWLEDGED_EVENTS:])
        self._events = {seq: one for seq, one in self._events.items() if seq in kept or not one[1]}

    async def change_waiting(self, change: Callable[[RuleEvent], RuleEvent]) -> None:
        self._events = {
            seq: (event if is_held else change(event), is_held)
            for seq, (event, is_held) in self._events.items()
        }

    async def linkages(self) -> list[StoredLinkage]:
        return list(self._linkages.values())

    async def begin_linkage(self, number: int) -> None:
        self._linkages[number] = replace(self._linkages[number], begun=True)

    async def end_linkage(self, number: int, event: RuleEvent) -> None:
        del self._linkages[number]
        self._add([event])

    def _add(self, events: Sequence[RuleEvent]) -> None:
        for event in events:
            self._events[self._next_seq] = msgspec.structs.replace(event, seq=self._next_seq), False
            self._next_seq += 1
        while sum(len(msgspec.json.encode(event)) for event, _ in self._events.values()) > MAX_EVENT_BYTES:
            oldest = min(self._events, key=lambda seq: (not self._events[seq][1], seq))
            self._dropped += not self._events.pop(oldest)[1]


@dataclass
class MemoryExchange:
    """store.base.ExchangeLog."""

    _held: HeldExchange | None = None

    async def held(self) -> HeldExchange | None:
        return self._held

    async def replace(self, held: HeldExchange) -> None:
        self._held = held

    async def note(self, state: bytes) -> None:
        if self._held is not None:
            self._held = HeldExchange(self._held.rules, state)
