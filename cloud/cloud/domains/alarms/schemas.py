"""Shapes of events. Times are UTC milliseconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from cloud.domains.alarms.codes import Level
from cloud.domains.alarms.life_cycle import Change, State
from cloud.domains.devices.schemas import ValueFacts

Scalar = float | int | bool | str | None
Kind = Literal["alarm", "onoffline"]
Language = Literal["zh", "en"]

View = Literal["", "active", "unhandled", "quiet"]

EVER_MS = 2**53
MAX_IDS = 200
MAX_SUPPRESSED_S = 31 * 86_400
MAX_SHELVED_S = 7 * 86_400
MAX_UNREAD = 1000
"""Counting stops here; the portal shows 999+."""

EventIds = Annotated[list[Annotated[int, Field(ge=1, le=2**31 - 1)]], Field(min_length=1, max_length=MAX_IDS)]
Note = Annotated[str, Field(max_length=500, pattern=r"^[^\x00]*$")]
Reason = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500, pattern=r"^[^\x00]*$")
]
Duration = Annotated[int, Field(ge=60, le=MAX_SUPPRESSED_S)]


class AlarmRow(BaseModel):
    """An alarm event. level: number of an own level (option alarm_levels), or null; shown: how it is shown.

    status: 0 unhandled, 1 handled, 2 false alarm. title: text of whoever made the alarm, empty when the type
    says all; cause: a code such as link_lost; since_ms: when its cause began; recovered_ms: when that
    ended; slave and dsid: of what at the gateway; point: how its values are shown. rule_id, reason: of the
    trigger's rule that made it, and what that said then: version, logic, condition, delay_s. announced: how
    often, the first time included; last_ms: the last time when it was more than once.

    note: the newest, of whoever wrote one or handled it.
    state: of its life cycle, after ISA-18.2; quiet: shelved, suppressed, out_of_service or empty, also when
    it is over by now; latched: stands until it is acknowledged. acked_*: who has acknowledged it. parent_id:
    the event that is its root cause; children: how many alarms lie under it.
    """

    id: int
    at: int
    alarm_type: int
    level: int | None
    shown: Level
    status: int
    device_id: int
    device_title: str
    gateway_id: str
    slave: str | None
    slave_title: str | None
    dsid: int | None
    title: str
    cause: str
    value: Scalar
    point: ValueFacts | None = None
    since_ms: int | None
    recovered_ms: int | None
    handled_by: int | None
    handled_name: str
    handled_ms: int | None
    note: str
    rule_id: int | None = None
    reason: dict[str, Any] | None = None
    announced: int = 1
    last_ms: int | None = None
    state: State = State.NORMAL
    quiet: str = ""
    latched: bool = False
    acked_by: int | None = None
    acked_name: str = ""
    acked_ms: int | None = None
    parent_id: int | None = None
    children: int = 0


class ChangeRow(BaseModel):
    """What happened to an alarm. before, after: states; user_name: empty when time or values did it."""

    id: int
    what: Change
    before: State
    after: State
    at_ms: int
    user_name: str
    note: str


class AlarmGroup(BaseModel):
    """Events of one rule (null: without one) and type at one gateway. newest: of them; first_ms: of the
    oldest; unacknowledged: how many of them are to be acknowledged.
    """

    device_id: int
    rule_id: int | None
    alarm_type: int
    count: int
    unacknowledged: int
    first_ms: int
    newest: AlarmRow


class AcknowledgeBody(BaseModel):
    """Events that somebody has seen."""

    model_config = ConfigDict(extra="forbid")

    ids: EventIds
    note: Note = ""


class Outcome(BaseModel):
    """Numbers of events that were changed, and of those that were not: gone, read only, or no such step."""

    done: list[int]
    skipped: list[int]


class SuppressBody(BaseModel):
    """Keep the alarms of the rules of these events (of the outage, for an outage alarm) quiet at their
    gateways for duration_s: shelved at most 7 days, out_of_service at most 31.
    """

    model_config = ConfigDict(extra="forbid")

    ids: EventIds
    kind: Literal["shelved", "out_of_service"] = "shelved"
    duration_s: Duration
    reason: Reason


class RuleSuppressBody(BaseModel):
    """Keep the alarms of a rule quiet at all its gateways, as SuppressBody."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["shelved", "out_of_service"] = "shelved"
    duration_s: Duration
    reason: Reason


class MaintenanceBody(BaseModel):
    """All alarms of a gateway are suppressed, and linkages rest, for duration_s."""

    model_config = ConfigDict(extra="forbid")

    duration_s: Duration
    reason: Reason


class SuppressionRow(BaseModel):
    """What is kept quiet. title: of the rule, empty of maintenance and an outage; alarms: how many stand that
    it keeps quiet.
    """

    id: int
    kind: Literal["shelved", "maintenance", "out_of_service"]
    device_id: int
    device_title: str
    gateway_id: str
    rule_id: int | None
    title: str
    reason: str
    user_name: str
    begin_ms: int
    until_ms: int
    alarms: int = 0


class AlarmDetail(BaseModel):
    """An event with the record of its changes, the oldest first, the newest 200. suppressions: what keeps the
    alarms of its rule, or of its gateway, quiet now; also when the event itself is over.
    """

    alarm: AlarmRow
    suppressions: list[SuppressionRow]
    changes: list[ChangeRow]


class AlarmCounts(BaseModel):
    """states: alarms by state, without NORMAL; levels: active ones by shown level, own levels by number.
    suppressions: what lasts, by kind; new: announced within the last 10 minutes; flood: more than 10.
    """

    active: int
    unhandled: int
    states: dict[str, int]
    levels: dict[str, int]
    suppressions: dict[str, int]
    new: int
    flood: bool


class NoisyRow(BaseModel):
    """A rule (null: without one) at a gateway, or a point of it, with its alarms of the last 7 days."""

    rule_id: int | None
    device_id: int
    device_title: str
    dsid: int | None
    ds_title: str
    alarm_type: int
    title: str
    count: int


class AlarmReport(BaseModel):
    """stale: they stand for more than 24 h, the oldest first; never_acknowledged: begun more than 24 h ago,
    the newest first; each at most 50, with how many there are. noisy: the 10 with most alarms in 7 days.
    """

    stale: list[AlarmRow]
    stale_total: int
    never_acknowledged: list[AlarmRow]
    never_acknowledged_total: int
    noisy: list[NoisyRow]


class OnOfflineCounts(BaseModel):
    """How many went and came in the period."""

    offline: int
    online: int


class HandleBody(BaseModel):
    """A new status: 0 to 1 or 2; back to 0 with a note that says why."""

    model_config = ConfigDict(extra="forbid")

    status: Literal[0, 1, 2]
    note: Note = ""


class NoteBody(BaseModel):
    """What somebody has to say of an event."""

    model_config = ConfigDict(extra="forbid")

    note: Reason


class Unread(BaseModel):
    """Events since the user has last read them; counting stops at 1,000."""

    alarm: int
    onoffline: int


class ReadEventsBody(BaseModel):
    """The kind of events that the user has read."""

    model_config = ConfigDict(extra="forbid")

    kind: Kind


@dataclass(frozen=True)
class AlarmQuery:
    """Which events. from_ms <= at < to_ms, but of a view whenever they began: active, unhandled (not quiet),
    or quiet. level: a shown level, or the number of an own one as text. rule_id: 0 for none. folded: without
    those under a root cause; parent_id: those under this one.
    """

    from_ms: int = 0
    to_ms: int = EVER_MS
    status: int | None = None
    level: str = ""
    alarm_type: int | None = None
    device_id: int | None = None
    search: str = ""
    view: View = ""
    state: str = ""
    rule_id: int | None = None
    parent_id: int | None = None
    folded: bool = False
