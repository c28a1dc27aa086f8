"""What stands behind a gateway's session in these tests, and remembers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from edge_contract import tunnel
from edge_contract.collection import CollectionRecord
from edge_contract.deployment import ConfigurationReport, Deploy, Receipt
from edge_contract.edge_rules import RuleEvent, RuleEvents, Rules, RulesReport
from edge_contract.edge_tasks import EdgeTaskRun, EdgeTasks, TaskReport
from edge_contract.exchange_rules import ExchangeReport, ExchangeResult, ExchangeRules
from edge_contract.payloads import Command, Running
from edge_contract.upgrade import FirmwareReport, FirmwareState, Upgrade


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


class FakeExchange:
    """Rules of data exchange, and results that wait; the test sets changed when it has added some."""

    def __init__(self) -> None:
        self.changed = asyncio.Event()
        self.held: ExchangeRules | None = None
        self.withdrawn = 0
        self.results: list[ExchangeResult] = []

    async def take(self, rules: ExchangeRules) -> None:
        self.held = rules
        self.changed.set()

    async def withdraw(self) -> None:
        self.withdrawn += 1

    def report(self, report_id: str) -> ExchangeReport:
        digest = self.held.hash if self.held else None
        return ExchangeReport(id=report_id, hash=digest, results=self.results[:2])

    def acknowledged(self, report: ExchangeReport) -> None:
        self.results = [one for one in self.results if one not in report.results]


class FakeTimedTasks:
    """Timed tasks, and runs that wait; the test sets changed when it has added some."""

    def __init__(self) -> None:
        self.changed = asyncio.Event()
        self.held: EdgeTasks | None = None
        self.withdrawn = 0
        self.runs: list[EdgeTaskRun] = []

    async def take(self, tasks: EdgeTasks) -> None:
        self.held = tasks
        self.changed.set()

    async def withdraw(self) -> None:
        self.withdrawn += 1

    def report(self, report_id: str) -> TaskReport:
        digest = self.held.hash if self.held else None
        return TaskReport(id=report_id, hash=digest, results=self.runs[:2])

    def acknowledged(self, report: TaskReport) -> None:
        self.runs = [one for one in self.runs if one not in report.results]


class FakeFirmware:
    """What runs, and reports of upgrades: steps once, final ones until they are acknowledged."""

    def __init__(self, state: FirmwareState) -> None:
        self.changed = asyncio.Event()
        self.taken: list[Upgrade] = []
        self.steps: list[FirmwareReport] = []
        self.final: list[FirmwareReport] = []
        self._state = state

    @property
    def idle(self) -> bool:
        return not self.final

    def state(self) -> FirmwareState:
        return self._state

    def take(self, order: Upgrade) -> None:
        self.taken.append(order)

    def unsent(self) -> list[FirmwareReport]:
        steps, self.steps = self.steps, []
        return [*steps, *self.final]

    async def acknowledged(self, upgrades: Sequence[str]) -> None:
        self.final = [one for one in self.final if one.id not in upgrades]


class FakeCommands:
    def __init__(self) -> None:
        self.results = asyncio.Event()
        self.taken: list[Command] = []

    def take(self, command: Command) -> None:
        self.taken.append(command)

    async def run(self) -> None:
        await asyncio.Event().wait()


class FakeDeployments:
    """Final receipts come until they are acknowledged, as the protocol asks."""

    def __init__(self) -> None:
        self.changed = asyncio.Event()
        self.taken: list[Deploy] = []
        self.final: list[Receipt] = []
        self.wanted_reports: list[ConfigurationReport] = []

    def running(self) -> Running:
        return Running(hash="0" * 64)

    def take(self, deploy: Deploy) -> None:
        self.taken.append(deploy)

    def unsent(self) -> list[Receipt]:
        return list(self.final)

    def reports(self) -> list[ConfigurationReport]:
        asked, self.wanted_reports = self.wanted_reports, []
        return asked

    async def acknowledged(self, deployments: Sequence[str]) -> None:
        self.final = [one for one in self.final if one.id not in deployments]


class FakeTunnels:
    has_open = False

    def __init__(self) -> None:
        self.taken: list[bytes] = []

    def take(self, frame: bytes) -> None:
        tunnel.decode(frame)
        self.taken.append(frame)

    async def run(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        await asyncio.Event().wait()
