"""Shapes of the landing page. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from cloud.domains.alarms.schemas import AlarmRow
from cloud.domains.devices.schemas import DeviceRow, OnOfflineEvent
from cloud.domains.monitoring.schemas import MonitorDevice, MonitorPoint
from cloud.domains.telemetry.schemas import LastValue

ProblemKind = Literal[
    "gateway_offline",
    "no_slave_answers",
    "slave_silent",
    "alarm_open",
    "store_full",
    "store_filling",
    "samples_dropped",
    "clock_not_set",
    "deployment_failed",
    "deployment_on_trial",
    "draft_waiting",
    "reads_missing",
]
Severity = Literal["danger", "warning", "info"]


class StateCounts(BaseModel):
    """Gateways by status, as the list of gateways filters them. statuses: every status to its count; they
    make up total. never_connected and disabled are parts of offline, away is the rest of it; asleep is the
    part of online that saves power.
    """

    total: int
    statuses: dict[str, int]
    away: int
    never_connected: int
    disabled: int
    asleep: int


class ActiveProblem(BaseModel):
    """Something that somebody should look at. since_ms: null when it is not known.

    code: reason of an absence, or state of a deployment. count: silent slaves, slaves behind a gateway that
    is away, lost samples or batches, or missing reads; alarms: open ones that it explains. hours_left: until
    the store is full. percent: of the expected reads of 24 h that were good.
    """

    kind: ProblemKind
    severity: Severity
    since_ms: int | None
    device_id: int
    device_title: str
    gateway_id: str
    slave: str | None = None
    slave_title: str | None = None
    code: str = ""
    count: int = 0
    alarms: int = 0
    alarm: AlarmRow | None = None
    hours_left: float | None = None
    percent: float | None = None


class ProblemCount(BaseModel):
    """How many problems of a kind there are in all."""

    kind: ProblemKind
    total: int


class ActiveProblems(BaseModel):
    """The worst and newest first, at most 60. counts: of each kind that there is."""

    rows: list[ActiveProblem]
    counts: list[ProblemCount]


class Trend(BaseModel):
    """A point's last hour, thinned out; v: null where it had no number."""

    dsid: int
    t_ms: list[int]
    v: list[float | None]


class KeyValues(BaseModel):
    """Points at a glance. marked: chosen by the user, else the first ones with limits.

    away: the time series did not answer; what is known without them is there.
    """

    marked: bool
    points: list[MonitorPoint]
    devices: list[MonitorDevice]
    last: list[LastValue]
    trends: list[Trend]
    from_ms: int
    away: bool


class RecentEvents(BaseModel):
    """The newest of each kind; null for a kind that the user may not read."""

    alarms: list[AlarmRow] | None
    on_offline: list[OnOfflineEvent] | None


class ShareFigure(BaseModel):
    """Of so many expected, so many are there. percent: cut after the third digit, null for none."""

    expected: int
    good: int
    percent: float | None


class CompletenessFigure(BaseModel):
    """Of all gateways that the user sees, over whole hours. unknown: gateways of which no figure is known.

    as_of_ms: when it was counted.
    """

    from_ms: int
    to_ms: int
    as_of_ms: int
    collection: ShareFigure
    transport: ShareFigure
    gateways: int
    complete: int
    unknown: int


class QuietGateway(BaseModel):
    """A gateway and when anything came of it last."""

    device_id: int
    device_title: str
    online: bool
    last_ms: int


class LinkAge(BaseModel):
    """newest_ms, oldest_ms: last messages of gateways that ever came; quiet: those heard longest ago."""

    newest_ms: int | None
    oldest_ms: int | None
    quiet: list[QuietGateway]


class PlaceDot(BaseModel):
    """A gateway on the small map, WGS-84 degrees. status: away, never_connected or disabled for offline."""

    device_id: int
    device_title: str
    longitude: float
    latitude: float
    status: str


class Places(BaseModel):
    """dots: at most 500 of total."""

    dots: list[PlaceDot]
    total: int
    placeless: int


class DiskUse(BaseModel):
    """Bytes. database and series: null when they lie on another machine."""

    database: int | None
    series: int | None
    free: int
    size: int


class PlatformFigures(BaseModel):
    """The installation's own figures. rate_now: samples a second of the last full minute; rate_hour: of the
    last 60 minutes; null in a process that stores none. backlog: batches received and not yet in the time
    series; waiting: batches whose points are not known yet. running_jobs and failed_jobs: as
    everybody's list of jobs has them.
    """

    rate_now: float | None
    rate_hour: float | None
    backlog: int
    waiting: int
    points: int
    series: int
    connected: int
    running_jobs: int
    failed_jobs: int
    disk: DiskUse
    version: str
    started_ms: int
    as_of_ms: int


class Watched(BaseModel):
    """A gateway whose pushes may change the page, and its status in this answer."""

    device_id: int
    status: str


class Overview(BaseModel):
    """What a user sees first; a part is null for who may not see it. targets_down: forwarding targets that
    have taken nothing for so long that there is an alarm. watch: gateways whose pushes matter.

    suppressions: what keeps alarms quiet now, how many of each kind: shelved, maintenance, out_of_service.
    counting: completeness is not known yet, and with it the problems of missing reads: ask again soon.
    """

    server_ms: int
    states: StateCounts | None
    problems: ActiveProblems | None
    targets_down: int | None
    suppressions: dict[str, int] | None
    values: KeyValues | None
    events: RecentEvents
    completeness: CompletenessFigure | None
    counting: bool
    link: LinkAge | None
    favourites: list[DeviceRow] | None
    places: Places | None
    platform: PlatformFigures | None
    watch: list[Watched]
