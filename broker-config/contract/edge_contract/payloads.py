"""Control messages (JSON). Unknown fields are ignored, missing ones without a default are refused.

Times are UTC milliseconds since 1970 (…_ms). A sequence range is an inclusive pair [first, last].
"""

from __future__ import annotations

import hashlib
import re
from enum import StrEnum
from typing import Annotated, Any, TypeVar

import msgspec

from edge_contract.bus_health import SlaveRequests
from edge_contract.cellular import Links, ModemState
from edge_contract.collection import Collection
from edge_contract.deployment import ConfigurationReport, Deploy, Receipt, Step
from edge_contract.edge_rules import RuleEvents, Rules, RulesReport
from edge_contract.edge_tasks import EdgeTasks, TaskReport
from edge_contract.errors import PayloadError
from edge_contract.exchange_rules import ExchangeReport, ExchangeRules
from edge_contract.fieldbus import FieldbusFigures
from edge_contract.fields import (
    CommandId,
    ControlMessage,
    Count,
    Hash,
    Hex16,
    Hours,
    Millis,
    Name,
    PointNumber,
    PositionText,
    Ranges,
    Scalar,
    Sequence,
    Text,
)
from edge_contract.limits import MAX_TRIED, MAX_USER
from edge_contract.model import Quality, Value
from edge_contract.push import Push
from edge_contract.targets import Targets
from edge_contract.topics import Message
from edge_contract.trace import TraceReport, TraceRequest
from edge_contract.upgrade import FirmwareReport, FirmwareState, Upgrade
from edge_contract.watch import Watch

MAX_CONTROL_BYTES = 5 * 1024 * 1024
"""Largest control message: the catalog or the configuration of 20,000 points; no other comes near."""


class State(ControlMessage, frozen=True, kw_only=True):
    """Retained on v1/{gateway}/state; with online=false it is the last will. boot: random per agent start."""

    online: bool
    boot: Hex16
    t_ms: Millis
    reason: Text = ""
    back_ms: Millis | None = None  # when a gateway that is asleep connects again


class Running(ControlMessage, frozen=True, kw_only=True):
    """Which configuration the gateway runs, and how its last deployment stands (empty: never one)."""

    hash: Hash
    deployment: CommandId | None = None
    step: Step | None = None


class Hello(ControlMessage, frozen=True, kw_only=True):
    """First message of every connection."""

    version_min: Count
    version_max: Count
    agent: Text  # program version
    boot: Hex16
    stream: Hex16
    first_seq: Sequence  # oldest batch that the gateway still holds, or next_seq when it holds none
    next_seq: Sequence
    catalog: Hex16
    clock_set: bool
    t_ms: Millis
    configuration: Running | None = None
    report_interval_s: Annotated[int, msgspec.Meta(ge=0, le=86_400)] = 0  # batches go so often; 0: at once
    takes_rules: bool = False  # the gateway evaluates rules (down/rules)
    takes_exchange: bool = False  # the gateway runs rules of data exchange (down/exchange)
    takes_tasks: bool = False  # the gateway runs timed tasks (down/tasks)
    firmware: FirmwareState | None = None  # the gateway takes firmware (down/upgrade); None: it does not


class Refusal(StrEnum):
    """Why the cloud does not serve a gateway."""

    VERSION = "version"
    NOT_CLAIMED = "not_claimed"
    DISABLED = "disabled"


class Welcome(ControlMessage, frozen=True, kw_only=True):
    """Answer to hello. A refused gateway keeps its data and asks again later."""

    accepted: bool
    version: int
    t_ms: Millis
    need_catalog: bool = False
    collection: bool = False  # the cloud takes up/collection
    rules: bool = False  # the cloud takes up/evaluation and up/events
    exchange: bool = False  # the cloud takes up/exchanged
    tasks: bool = False  # the cloud takes up/task_runs
    firmware: bool = False  # the cloud takes up/firmware
    refusal: Refusal | None = None
    detail: Text = ""


class SlaveEntry(ControlMessage, frozen=True, kw_only=True):
    """One slave device behind the gateway."""

    name: Name
    title: Text
    protocol: Name  # modbus_rtu, modbus_tcp, dlt645 ...
    port: Name
    address: Text


class PointEntry(ControlMessage, frozen=True, kw_only=True):
    """One data point. id: the gateway's number, never used again for another point.

    on_value, off_value: what the device holds for the positions of a switch, for information; samples and
    commands have the position. on_text, off_text: what the positions are called; empty: as the reader's
    language calls them.
    """

    id: PointNumber
    slave: Name
    name: Name
    title: Text
    kind: Annotated[str, msgspec.Meta(pattern=r"^(num|str|loc|swh|cal)$(?!\n)")]
    rw: Annotated[str, msgspec.Meta(pattern=r"^(readonly|writeonly|readwrite)$(?!\n)")]
    data_type: Name
    unit: Text = ""
    decimals: Annotated[int, msgspec.Meta(ge=0, le=9)] | None = None
    period_ms: Millis = 0  # expected time between two reads; 0: it is read on demand only
    record: Annotated[int, msgspec.Meta(ge=0, le=2)] = 1  # 0 live only, 1 every reading, 2 changes
    min: float | None = None
    max: float | None = None
    on_value: Value = None
    off_value: Value = None
    on_text: PositionText = ""
    off_text: PositionText = ""
    selector: Annotated[dict[str, Text], msgspec.Meta(max_length=100)] | None = None  # value to its name


class Catalog(ControlMessage, frozen=True, kw_only=True):
    """What the numbers in batches mean. hash: catalog_hash(slaves, points)."""

    hash: Hex16
    t_ms: Millis
    slaves: Annotated[list[SlaveEntry], msgspec.Meta(max_length=1000)]
    points: Annotated[list[PointEntry], msgspec.Meta(max_length=20000)]


class SlaveHealth(ControlMessage, frozen=True, kw_only=True):
    """Bus layer of presence. last_good_ms: time of the last good frame, 0 when there was none.

    reason: ok, never_read, disabled, no_answer, bad_frame, device_error, port_down, port_lent (a tunnel or a
    tool has the port, and the slave is not asked) ... bus: absent from an agent that does not count.
    """

    name: Name
    online: bool
    last_good_ms: Millis
    reason: Text = ""
    bus: SlaveRequests | None = None


class Pulse(ControlMessage, frozen=True, kw_only=True):
    """Sent every PULSE_S seconds; its absence makes the gateway offline."""

    t_ms: Millis
    boot: Hex16
    stream: Hex16
    next_seq: Sequence
    outbox_batches: Count
    outbox_bytes: Count
    hours_left: Hours | None  # until the store is full at the current rate; None when it does not fill
    evicted_batches: Count  # dropped unsent since the stream was born, because the store was full
    evicted: Ranges = []  # their numbers, the newest ranges
    dropped_samples: Count = 0  # never made a batch since the agent started: memory was full too
    written_bytes_day: Count | None = None  # what the store writes to its medium in a day at the present rate
    memory_bytes: Count | None = None  # resident, of the agent's process
    clock_set: bool = True
    configuration: Running | None = None
    takes_watch: bool = False  # the gateway acts on down/watch
    takes_trace: bool = False  # and on down/trace
    targets: Targets | None = None  # other than the cloud; None here and below: nothing is said of it
    modem: ModemState | None = None
    links: Links | None = None
    fieldbus: FieldbusFigures | None = None
    slaves: Annotated[list[SlaveHealth], msgspec.Meta(max_length=1000)]

    def __post_init__(self) -> None:
        if any(not first <= last < self.next_seq for first, last in self.evicted):
            raise ValueError("evicted: ranges that rise and end below next_seq")


class Ack(ControlMessage, frozen=True, kw_only=True):
    """The cloud holds these batches, results and final receipts durably; the gateway may forget them.

    collected: also the stream's records of collection up to this number; events: its events of rules.
    exchange, tasks: the report of data exchange, of timed tasks, with this id. upgrades: the final reports
    of these upgrades.
    """

    stream: Hex16 = "0" * 16
    ranges: Ranges = []
    commands: Annotated[list[CommandId], msgspec.Meta(max_length=1000)] = []
    deployments: Annotated[list[CommandId], msgspec.Meta(max_length=100)] = []
    collected: Sequence | None = None
    events: Sequence | None = None
    exchange: Hex16 | None = None
    tasks: Hex16 | None = None
    upgrades: Annotated[list[CommandId], msgspec.Meta(max_length=100)] = []


class Resend(ControlMessage, frozen=True, kw_only=True):
    """The cloud misses these batches, or the catalog of this hash."""

    stream: Hex16 = "0" * 16
    ranges: Ranges = []
    catalog: Hex16 | None = None


class CommandAction(StrEnum):
    """What a command asks for. W and R are of a point; the rest is of the gateway as a whole."""

    WRITE = "W"
    READ = "R"
    REFRESH = "refresh"  # read every point now, or those of one slave
    FORWARD = "forward"  # commit and send what waits; the value is the number of batches
    RELOAD = "reload"  # build everything anew from the configuration that runs
    REBOOT = "reboot"  # start the gateway again
    REALLOCATE = "reallocate"  # leave the broker and come back, to be given another node
    SIGNAL = "csq"  # the value is the modem's signal quality, 0 to 31, 99 unknown (3GPP TS 27.007, 8.5)
    CONFIGURATION = "configuration"  # report the running configuration
    HISTORY = "history"  # send local history again: from_ms, to_ms and optionally slave
    TRY = "try"  # run a formula or script once on the values that come with it
    REVERT = "revert"  # end the trial of a deployment (its id) at once and go back; no_trial: none of that id


ONLY_LOOK = frozenset({
    CommandAction.READ, CommandAction.REFRESH, CommandAction.FORWARD, CommandAction.SIGNAL,
    CommandAction.CONFIGURATION, CommandAction.HISTORY, CommandAction.TRY,
})  # fmt: skip
"""Actions that leave devices and the gateway as they are: one without a result has failed."""

TriedName = Annotated[str, msgspec.Meta(max_length=64)]
Argument = float | int | bool | str | None


class Command(ControlMessage, frozen=True, kw_only=True):
    """Executed at most once per id, and never after expires_ms on the gateway's clock.

    slave and point: of W and R both, of refresh the slave or none; the rest has neither. by: the user who
    asked, for the gateway's audit.
    """

    id: CommandId
    action: CommandAction
    expires_ms: Millis
    slave: Name | None = None
    point: Name | None = None
    value: Scalar = None
    arguments: Annotated[dict[str, Argument], msgspec.Meta(max_length=20)] = {}
    by: Annotated[str, msgspec.Meta(max_length=MAX_USER)] = ""

    def __post_init__(self) -> None:
        of_point = self.action in (CommandAction.WRITE, CommandAction.READ)
        if of_point and (self.slave is None or self.point is None):
            raise ValueError("slave and point are needed to write or read")


class CommandState(StrEnum):
    """Life of a command. create, send and networkError are set by the cloud, the rest by the result."""

    CREATE = "create"
    SEND = "send"
    RESP = "resp"
    FAIL = "fail"
    NETWORK_ERROR = "networkError"
    NOT_AUTHORIZED = "notAuthorized"
    ERROR = "error"


class Outcome(StrEnum):
    """What is known of a command's effect, beside its state. unknown: it may have been carried out.

    An unknown outcome is settled by the next good read of the point, or by a report that came late.
    """

    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"
    RESOLVED_WRITTEN = "settled_written"  # the wanted value was read
    RESOLVED_OTHER = "settled_other"  # another value was read


class CommandResult(ControlMessage, frozen=True, kw_only=True):
    """State and outcome of a command; sent again until acknowledged.

    value: what was read back after the write (or read); latency_ms: from receipt to read-back;
    code: expired, no_such_point, read_only, bad_value, no_answer, device_error, mismatch, port_lent,
    no_trial ... outcome: None from an agent that does not tell it. seen_ms: when the value of a settled
    outcome was read. values: of a try, outputs and state by name.
    """

    id: CommandId
    state: Annotated[str, msgspec.Meta(pattern=r"^(resp|fail|notAuthorized|error)$(?!\n)")]
    t_ms: Millis
    latency_ms: Count = 0
    value: Scalar = None
    quality: Quality = Quality.GOOD
    code: Text = ""
    detail: Text = ""
    outcome: Outcome | None = None
    seen_ms: Millis | None = None
    values: Annotated[dict[TriedName, Scalar], msgspec.Meta(max_length=MAX_TRIED)] = {}


CONTROL: dict[Message, type[ControlMessage]] = {
    Message.STATE: State,
    Message.HELLO: Hello,
    Message.CATALOG: Catalog,
    Message.PULSE: Pulse,
    Message.RESULT: CommandResult,
    Message.WELCOME: Welcome,
    Message.ACK: Ack,
    Message.RESEND: Resend,
    Message.COMMAND: Command,
    Message.DEPLOY: Deploy,
    Message.WATCH: Watch,
    Message.RECEIPT: Receipt,
    Message.CONFIGURATION: ConfigurationReport,
    Message.COLLECTION: Collection,
    Message.RULES: Rules,
    Message.EVALUATION: RulesReport,
    Message.EVENTS: RuleEvents,
    Message.EXCHANGE: ExchangeRules,
    Message.EXCHANGED: ExchangeReport,
    Message.TASKS: EdgeTasks,
    Message.TASK_RUNS: TaskReport,
    Message.UPGRADE: Upgrade,
    Message.FIRMWARE: FirmwareReport,
    Message.TRACE: TraceRequest,
    Message.TRACED: TraceReport,
}
"""Every JSON message by topic. Lanes and VALUES carry batches, the TUNNEL topics frames of tunnel.py."""

AMONG_CLOUDS: dict[str, type[ControlMessage]] = {"push": Push}
"""What no gateway sends or gets: messages among the cloud's own processes, by name."""

_MISSING = re.compile(r"missing required field `(\w+)`")
_NAMED = re.compile(r"(\w+): ")
M = TypeVar("M", bound=ControlMessage)


def encode(message: ControlMessage) -> bytes:
    """JSON bytes of a control message."""
    return msgspec.json.encode(message)


def decode(kind: type[M], payload: bytes) -> M:
    """Control message from JSON bytes; PayloadError names the field and the rule."""
    if len(payload) > MAX_CONTROL_BYTES:
        raise PayloadError(kind.__name__, f"at most {MAX_CONTROL_BYTES} bytes")
    try:
        return msgspec.json.decode(payload, type=kind)
    except msgspec.ValidationError as error:
        rule, _, where = str(error).partition(" - at `$.")
        missing = _MISSING.search(rule)
        named = _NAMED.match(rule)  # by a rule of the message's own, over several fields
        rule = rule[named.end() :] if named else rule
        path = [where.rstrip("`"), missing[1] if missing else named[1] if named else ""]
        raise PayloadError(".".join(filter(None, path)) or kind.__name__, rule) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise PayloadError(kind.__name__, f"not JSON: {error}") from None


def schema() -> dict[str, Any]:
    """JSON Schema of every control message, keyed by topic tail or name."""
    by_tail = {message.value: kind for message, kind in CONTROL.items()}
    return {name: msgspec.json.schema(kind) for name, kind in (by_tail | AMONG_CLOUDS).items()}


def catalog_hash(slaves: list[SlaveEntry], points: list[PointEntry]) -> str:
    """First 8 bytes of the SHA-256 of the canonical JSON, as 16 hexadecimal digits."""
    given = (sorted(slaves, key=lambda s: s.name), sorted(points, key=lambda p: p.id))
    # min=0 and min=0.0 are one content
    ordered = msgspec.json.decode(msgspec.json.encode(given), type=tuple[list[SlaveEntry], list[PointEntry]])
    return hashlib.sha256(msgspec.json.encode(ordered, order="sorted")).hexdigest()[:16]
