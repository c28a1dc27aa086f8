"""Every event of the cloud, by who publishes it. Lower layers publish, higher ones handle.

Times are UTC milliseconds; a gateway is named by its serial number, a device by its row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.bus import DurableEvent, Event, ImmediateEvent
from cloud.timeseries.base import SeriesColumn
from edge_contract.cellular import LinkBytes, ModemState
from edge_contract.deployment import ConfigurationReport, Receipt
from edge_contract.edge_rules import RuleEvents, RulesReport
from edge_contract.edge_tasks import TaskReport
from edge_contract.exchange_rules import ExchangeReport
from edge_contract.fieldbus import FieldbusFigures
from edge_contract.payloads import CommandResult, Running
from edge_contract.targets import TargetState
from edge_contract.trace import TraceReport
from edge_contract.upgrade import FirmwareReport, FirmwareState

# The link, by way of the devices domain, which knows what a gateway is.


@dataclass(frozen=True)
class GatewayConnected(DurableEvent):
    """Its hello was accepted; it says hello again when this fails. configuration: what it runs, if told;
    takes_rules: it can evaluate rules; takes_exchange: it can run rules of data exchange; takes_tasks: timed
    tasks. firmware: what it runs and can take; None: it takes no firmware.
    """

    gateway: str
    configuration: Running | None
    takes_rules: bool = False
    takes_exchange: bool = False
    takes_tasks: bool = False
    firmware: FirmwareState | None = None


@dataclass(frozen=True)
class RulesReported(DurableEvent):
    """Which rules a gateway evaluates itself; it says so again at its next connection."""

    gateway: str
    report: RulesReport


@dataclass(frozen=True)
class RuleEventsCame(DurableEvent):
    """What rules at a gateway have found; acknowledged to it when every handler has taken it."""

    gateway: str
    events: RuleEvents


@dataclass(frozen=True)
class ExchangeReported(DurableEvent):
    """Which rules of data exchange a gateway runs and what they did; acknowledged to it when every handler
    has taken it.
    """

    gateway: str
    report: ExchangeReport


@dataclass(frozen=True)
class TasksReported(DurableEvent):
    """Which timed tasks a gateway runs, and runs of them; acknowledged to it when every handler has taken
    it.
    """

    gateway: str
    report: TaskReport


@dataclass(frozen=True)
class FirmwareReported(DurableEvent):
    """A step of an upgrade; a final one is acknowledged to the gateway when every handler has taken it."""

    gateway: str
    report: FirmwareReport


@dataclass(frozen=True)
class ConfigurationRunning(DurableEvent):
    """A pulse says what runs."""

    gateway: str
    configuration: Running


@dataclass(frozen=True)
class CommandEnded(DurableEvent):
    """The result is acknowledged to the gateway when every handler has taken it."""

    gateway: str
    result: CommandResult


@dataclass(frozen=True)
class ReceiptCame(DurableEvent):
    """A step of a deployment; a final one is acknowledged to the gateway when every handler has taken it."""

    gateway: str
    receipt: Receipt


@dataclass(frozen=True)
class ConfigurationReported(DurableEvent):
    """A gateway has sent the document that it runs."""

    gateway: str
    report: ConfigurationReport


@dataclass(frozen=True)
class ValuesStored(Event):
    """Durably written. is_late: by the back-fill lane. At most once, so nothing durable may depend on it."""

    gateway: str
    columns: Sequence[SeriesColumn]
    is_late: bool


@dataclass(frozen=True)
class ValuesReceived(Event):
    """Newest values of points that are not stored, or are watched: those come again as ValuesStored."""

    gateway: str
    columns: Sequence[SeriesColumn]


@dataclass(frozen=True)
class TunnelFrameCame(ImmediateEvent):
    """Frames of one gateway keep their order."""

    gateway: str
    frame: bytes


@dataclass(frozen=True)
class WatchTaken(ImmediateEvent):
    """A pulse says that the gateway sends watched points at once, when it is told which."""

    gateway: str


@dataclass(frozen=True)
class TraceTaken(ImmediateEvent):
    """A pulse says whether the gateway sends its signals and frames when it is asked to."""

    gateway: str
    takes: bool


@dataclass(frozen=True)
class TraceReported(ImmediateEvent):
    """Signals and frames of a gateway. Nothing of it is durable."""

    gateway: str
    report: TraceReport


@dataclass(frozen=True)
class TargetsSaid(ImmediateEvent):
    """A pulse says how the targets stand that the gateway forwards to beside the cloud."""

    gateway: str
    targets: Sequence[TargetState]


@dataclass(frozen=True)
class NetworkReported(ImmediateEvent):
    """A pulse speaks of the gateway's modem, of the bytes of its links, or both. None: not of this."""

    gateway: str
    modem: ModemState | None
    links: Sequence[LinkBytes] | None


@dataclass(frozen=True)
class FieldbusSaid(ImmediateEvent):
    """A pulse says what came of the gateway's internal slave and its loop-write tasks."""

    gateway: str
    figures: FieldbusFigures


@dataclass(frozen=True)
class GatewayGone(ImmediateEvent):
    """Its connection has ended, or is a new one. reason: for the log and whoever had a tunnel through it."""

    gateway: str
    reason: str


# identity and options


@dataclass(frozen=True)
class PermissionsChanged(ImmediateEvent):
    """The cloud configuration is another one."""


@dataclass(frozen=True)
class PermissionsInvalidated(ImmediateEvent):
    """Another process may have changed what is remembered of permissions."""


@dataclass(frozen=True)
class AlarmLevelsRemoved(DurableEvent):
    """Somebody is about to take levels of alarms away, named by number; a handler raises Conflict for one
    that is in use.
    """

    titles: Mapping[int, str]


# devices


@dataclass(frozen=True)
class DeviceChanged(Event):
    """A row of the device list."""

    device_id: int


@dataclass(frozen=True)
class GatewayChanged(Event):
    """As DeviceChanged, where only the serial number is known."""

    gateway: str


@dataclass(frozen=True)
class ConfigurationChanged(Event):
    """What runs, the draft or a local edit is another one."""

    device_id: int


@dataclass(frozen=True)
class DevicePlaced(ImmediateEvent):
    """It has a place, another one or none."""

    device_id: int


@dataclass(frozen=True)
class PointsCleared(DurableEvent):
    """Whether its last values are unknown from now on ("offline clear data", C-065)."""

    gateway: str
    device_id: int
    is_unknown: bool


@dataclass(frozen=True)
class CatalogTaken(DurableEvent):
    """The gateway has the points of a new catalog. Published in the transaction that says so."""

    session: AsyncSession
    device_id: int


@dataclass(frozen=True)
class AccessTaken(DurableEvent):
    """user_id: who may not change or see the gateway any more; None: nobody may."""

    device_id: int
    user_id: int | None


@dataclass(frozen=True)
class OwnerLeft(DurableEvent):
    """What he prepared is not for who has the gateway next."""

    device_id: int


@dataclass(frozen=True)
class GatewayDeleted(ImmediateEvent):
    """Nothing that is remembered of it may meet the next gateway with its serial number."""

    gateway: str


@dataclass(frozen=True)
class Absence:
    """What the log has just noted of a gateway (slave_id None) or slave. online_ms: None at its beginning."""

    entry_id: int
    device_id: int
    slave_id: int | None
    offline_ms: int
    online_ms: int | None
    reason: str


@dataclass(frozen=True)
class OutageLogged(DurableEvent):
    """Published in the transaction that writes the log, at the beginning and at the end of an absence."""

    session: AsyncSession
    absence: Absence


# alarms


@dataclass(frozen=True)
class AnnouncedChange:
    """event_id: of the alarm, also when it is over; round: how often it was announced until now, the first
    time included; why: a cause of its end.
    """

    event_id: int
    change: Literal["raised", "again", "over"]
    round: int = 1
    why: str = ""


@dataclass(frozen=True)
class AlarmsAnnounced(DurableEvent):
    """Published in the transaction that writes the alarms."""

    session: AsyncSession
    changes: Sequence[AnnouncedChange]
