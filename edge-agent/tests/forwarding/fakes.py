"""What stands behind a gateway's session in these tests, and remembers."""

from __future__ import annotations

import asyncio

from edge_contract.collection import CollectionRecord
from edge_contract.edge_rules import RuleEvent, RuleEvents, Rules, RulesReport


class FakeRecords:
    """Records of what was read; the test sets news when it has added some."""

    def __init__(self) -> None:
        self.changed = asyncio.Event()
        self.stored: list[CollectionRecord] = []

    async def waiting(self) -> list[CollectionRecord]:
        return self.stored[:2]

    async def acknowledged(self, seq: int) -> None:
        self.stored = [record for record in self.stored if record.seq > seq]


class FakeRules:
    """Rules that the cloud gave, and events that wait; the test sets changed when it has added some."""

    def __init__(self) -> None:
        self.changed = asyncio.Event()
        self.held: Rules | None = None
        self.withdrawn = 0
        self.events: list[RuleEvent] = []

    async def take(self, rules: Rules) -> None:
        self.held = rules

    async def withdraw(self) -> None:
        self.withdrawn += 1

    def report(self) -> RulesReport:
        return RulesReport(hash=self.held.hash if self.held else None)

    async def waiting(self, stream: str) -> RuleEvents | None:
        return RuleEvents(stream=stream, events=self.events[:2]) if self.events else None

    async def acknowledged(self, upto_seq: int) -> None:
        self.events = [event for event in self.events if event.seq > upto_seq]
        self.changed.set()
