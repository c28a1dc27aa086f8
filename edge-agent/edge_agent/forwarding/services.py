"""What the agent offers to its forwarders. Shapes only: who stands behind them is put together in app.py."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from edge_agent.config.model import Configuration
from edge_agent.model import DeviceState, Row
from edge_agent.store.base import OutboxState, Store
from edge_agent.system.clock import Clock
from edge_contract.cellular import LinkBytes, ModemState
from edge_contract.collection import CollectionRecord
from edge_contract.deployment import ConfigurationReport, Deploy, Receipt
from edge_contract.edge_rules import RuleEvents, Rules, RulesReport
from edge_contract.edge_tasks import EdgeTasks, TaskReport
from edge_contract.exchange_rules import ExchangeReport, ExchangeRules
from edge_contract.fieldbus import FieldbusFigures
from edge_contract.fields import ControlMessage
from edge_contract.payloads import Catalog, Command, Running
from edge_contract.targets import TargetState
from edge_contract.trace import TraceDirection, TraceReport, TraceRequest
from edge_contract.upgrade import FirmwareReport, FirmwareState, Upgrade


class LiveValueSource(Protocol):
    """Newest values of points that are not stored, and of watched ones."""

    def watch(self, numbers: Collection[int], until_s: float) -> None:
        """These are watched until then (monotonic seconds), in place of those before."""

    def watched(self, now_s: float) -> int:
        """How many are watched now."""

    def watched_changes(self) -> list[Row]:
        """Of watched points, what has changed since it was last given."""

    def changes(self, *, everything: bool = False) -> list[Row]:
        """Of points that are not stored, what has changed since it was last given, or all of it."""


class Records(Protocol):
    """Where records come from. changed: set when another may be closed; left_out: dropped unsent."""

    changed: asyncio.Event

    async def waiting(self) -> list[CollectionRecord]:
        """Closed records for one report, the oldest first."""

    async def acknowledged(self, seq: int) -> None:
        """The cloud holds the records up to this number."""


class Commands(Protocol):
    """What takes commands; results is set whenever the journal holds a new one."""

    results: asyncio.Event

    def take(self, command: Command) -> None:
        """Queue a command. Never blocks."""


class TargetCommands(Commands, Protocol):
    """What takes the commands of one target, with a journal of its own (store.journal.of_source)."""

    async def run(self) -> None:
        """Until cancelled."""


class DeploymentService(Protocol):
    """What takes configurations. changed is set whenever something waits in unsent or reports."""

    changed: asyncio.Event

    def running(self) -> Running:
        """What the gateway runs, for its hello."""

    def take(self, deploy: Deploy) -> None:
        """Never blocks."""

    def unsent(self) -> list[Receipt]:
        """Steps to report, in order; each is given once, but final ones until acknowledged."""

    def reports(self) -> list[ConfigurationReport]:
        """What the cloud asked for and was not given yet."""

    async def acknowledged(self, deployments: Sequence[str]) -> None:
        """The cloud holds the final receipts of these deployments."""


class TunnelService(Protocol):
    """The gateway's ends of tunnels."""

    @property
    def has_open(self) -> bool:
        """Whether a tunnel is open."""

    def take(self, frame: bytes) -> None:
        """A frame from the cloud, as it came. Never blocks; ContractError when it cannot be read."""

    async def run(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        """For one session. Cancelled when the link is lost: every tunnel ends."""


class RuleService(Protocol):
    """What evaluates rules here. changed: set when there is something to send."""

    changed: asyncio.Event

    async def take(self, rules: Rules) -> None:
        """Durable when it returns. Raises ContractError and StoreFull."""

    async def withdraw(self) -> None:
        """The cloud evaluates the rules itself. Raises StoreFull."""

    def report(self) -> RulesReport:
        """What is held durably."""

    async def waiting(self, stream: str) -> RuleEvents | None:
        """Events for one report, the oldest first; None when there are none to send."""

    async def acknowledged(self, upto_seq: int) -> None:
        """The cloud holds the events up to this one. Raises StoreFull."""


D = TypeVar("D", bound=ControlMessage, contravariant=True)
R = TypeVar("R", ExchangeReport, TaskReport)


class HandedOver(Protocol[D, R]):
    """What does work here that the cloud hands over in documents: rules of data exchange, timed tasks.

    changed: set when there is something to report.
    """

    changed: asyncio.Event

    async def take(self, document: D, /) -> None:
        """Durable when it returns. Raises ContractError and StoreFull."""

    async def withdraw(self) -> None:
        """The cloud does the work itself. Raises StoreFull."""

    def report(self, report_id: str) -> R:
        """What is held durably, and results that the cloud does not hold."""

    def acknowledged(self, report: R) -> None:
        """The cloud holds the results of this report."""


class FirmwareService(Protocol):
    """What upgrades the firmware here. changed: set when there is something in unsent."""

    changed: asyncio.Event

    @property
    def idle(self) -> bool:
        """Nothing is under way, and nothing waits for the cloud."""

    def state(self) -> FirmwareState:
        """What runs, for its hello."""

    def take(self, order: Upgrade) -> None:
        """Never blocks."""

    def unsent(self) -> list[FirmwareReport]:
        """Steps to report, in order; each is given once, but final ones until acknowledged."""

    async def acknowledged(self, upgrades: Sequence[str]) -> None:
        """The cloud holds the final reports of these upgrades. Raises StoreError."""


class TraceService(Protocol):
    """What traces signals and frames while somebody watches."""

    @property
    def changed(self) -> asyncio.Event:
        """Set when a trace begins."""

    @property
    def is_active(self) -> bool:
        """Whether somebody watches."""

    def take(self, request: TraceRequest) -> None:
        """Begin, go on or end."""

    def packet(self, target: str, direction: TraceDirection, text: Callable[[], str]) -> None:
        """A packet of a target. text: without passwords, called only if it is sent to who watches."""

    def reports(self) -> list[TraceReport]:
        """What is to be sent now, in order; each is given once."""


@dataclass(frozen=True)
class Services:
    """folder: the agent's data. boot: of this process. outbox_state: with what waits in memory.

    commands: of the cloud; commands_of: of a target, by its name. targets: all but the cloud.
    fieldbus: of the internal slave and the loop-write tasks.
    firmware: None on a gateway that takes none. modem: None of one without, or that does not answer.
    links: bytes of the network interfaces.
    commit: stores what waits in memory. goodbye: why the agent ends what runs.
    """

    configuration: Configuration
    folder: Path
    agent: str
    boot: str
    catalog: Catalog
    store: Store
    outbox_state: Callable[[], OutboxState]
    slaves: Callable[[], list[DeviceState]]
    targets: Callable[[], list[TargetState]]
    fieldbus: Callable[[], FieldbusFigures]
    live_values: LiveValueSource
    commands: Commands
    commands_of: Callable[[str], TargetCommands]
    deployments: DeploymentService
    tunnels: TunnelService
    collection: Records
    rules: RuleService
    exchange: HandedOver[ExchangeRules, ExchangeReport]
    timed_tasks: HandedOver[EdgeTasks, TaskReport]
    firmware: FirmwareService | None
    trace: TraceService
    modem: Callable[[], ModemState | None]
    links: Callable[[], list[LinkBytes]]
    clock: Clock
    commit: Callable[[], Awaitable[None]]
    goodbye: Callable[[], str]
