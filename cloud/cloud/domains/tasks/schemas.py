"""Shapes of timed tasks: specification 001, sections 3, 4 and 9. Times are UTC milliseconds."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from cloud.core.gateway_work import HomeKind
from cloud.domains.commands.schemas import NamedPreset, RequestId
from cloud.domains.devices.schemas import ValueFacts
from edge_contract.tasks.schedule import MAX_DATES, MAX_INTERVAL_MIN, MAX_LATE_MIN, MAX_TIMES

Scalar = float | int | bool | str | None
Number = Annotated[int, Field(ge=1, le=2**31 - 1)]
Finite = Annotated[float, Field(allow_inf_nan=False, ge=-1e12, le=1e12)]
Title = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100, pattern=r"^[^\x00]*$")
]
TimeOfDay = Annotated[str, StringConstraints(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]
Day = Annotated[str, StringConstraints(pattern=r"^20[0-9]{2}-[0-9]{2}-[0-9]{2}$")]
Days = Annotated[list[Day], Field(max_length=MAX_DATES)]
Zone = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_+/-]{1,64}$")]

MAX_ACTIONS = 20

Weekday = Annotated[int, Field(ge=1, le=7)]
TaskKindName = Literal["once", "cyclic", "daily"]
GatewayCommand = Literal["refresh", "forward", "reload", "reboot", "reallocate"]


class RunStatus(IntEnum):
    """Of a run, as specified: unknown is that some of it may have been carried out."""

    PENDING = -1
    DONE = 0
    FAILED = 1
    UNKNOWN = 2


class TaskFields(BaseModel):
    """Nothing else may come with it."""

    model_config = ConfigDict(extra="forbid")


class WindowBody(TaskFields):
    """Of a day, from begin to end. An end that is not after the begin is of the day after."""

    begin: TimeOfDay = "00:00"
    end: TimeOfDay = "23:59"


class ScheduleBody(TaskFields):
    """When a task runs, in a time zone by its IANA name. times: HH:MM, one of a task that runs once, on the
    day `begin`. weekdays: 1 (Monday) to 7, empty for all. interval_min: of a cyclic task; up to a day it
    begins anew with each window, above it counts full days from `begin`. begin, end: first and last day.

    late_min: the newest missed run is made up once when it is late by at most so many minutes; 0: none is.
    """

    kind: TaskKindName
    zone: Zone
    times: Annotated[list[TimeOfDay], Field(max_length=MAX_TIMES)] = []
    weekdays: Annotated[list[Weekday], Field(max_length=7)] = []
    interval_min: Annotated[int, Field(ge=1, le=MAX_INTERVAL_MIN)] | None = None
    window: WindowBody = WindowBody()
    begin: Day | None = None
    end: Day | None = None
    late_min: Annotated[int, Field(ge=0, le=MAX_LATE_MIN)] = 0


class WriteAction(TaskFields):
    """A value for a point."""

    kind: Literal["write"] = "write"
    dsid: Number
    value: Scalar


class PresetAction(TaskFields):
    """The writes of a preset."""

    kind: Literal["preset"]
    preset_id: Number


class FormulaAction(TaskFields):
    """A point's value for another point: value * ratio + bias, as it is at that moment."""

    kind: Literal["formula"]
    source_dsid: Number
    dsid: Number
    ratio: Finite = 1
    bias: Finite = 0


class GatewayAction(TaskFields):
    """A command of a gateway."""

    kind: Literal["command"]
    device_id: Number
    command: GatewayCommand


ActionBody = Annotated[
    WriteAction | PresetAction | FormulaAction | GatewayAction, Field(discriminator="kind")
]


class TaskBody(TaskFields):
    """A timed task. actions: begun in their order; one that fails does not keep the others from it."""

    title: Title
    enabled: bool = True
    schedule: ScheduleBody
    calendar_id: Number | None = None
    actions: Annotated[list[ActionBody], Field(min_length=1, max_length=MAX_ACTIONS)]


class ChangedTaskBody(TaskBody):
    """base: changed_ms of the task as the editor saw it; another one is refused. Null: whatever it is."""

    base: int | None = None


class TaskEnabledBody(TaskFields):
    """On or off."""

    enabled: bool


class RunBody(TaskFields):
    """request_id: made by the client for one press; a second one with it begins nothing."""

    request_id: RequestId | None = None


class PreviewQuery(TaskFields):
    """A schedule that need not be saved, as query parameters named as the fields of ScheduleBody.

    interval_min: of a cyclic task alone.
    """

    kind: TaskKindName
    zone: Zone
    times: Annotated[list[TimeOfDay], Field(max_length=MAX_TIMES)] = []
    weekdays: Annotated[list[Weekday], Field(max_length=7)] = []
    interval_min: Annotated[int, Field(ge=1, le=MAX_INTERVAL_MIN)] = 60
    window_begin: TimeOfDay = "00:00"
    window_end: TimeOfDay = "23:59"
    begin: Day | None = None
    end: Day | None = None
    calendar_id: Number | None = None


class TaskPoint(ValueFacts):
    """A point that a task reads or writes, in words."""

    dsid: int
    device_id: int
    device_title: str
    slave_title: str
    ds_title: str


class TaskDevice(BaseModel):
    """A gateway that a task is about."""

    device_id: int
    device_title: str


class TaskRunStep(BaseModel):
    """What became of an action. status: of its run alone. problem: why nothing was requested, as a code;
    code, detail: why the command was not carried out. command_id: in the command log, of a preset the first
    one; count, done: writes of a preset, and how many of them were carried out. read: what was read back.
    """

    kind: Literal["write", "preset", "formula", "command"]
    status: RunStatus = RunStatus.PENDING
    problem: str = ""
    dsid: int | None = None
    preset_id: int | None = None
    device_id: int | None = None
    command: str = ""
    value: Scalar = None
    command_id: str | None = None
    code: str = ""
    detail: str = ""
    read: Scalar = None
    count: int = 1
    done: int = 0


class TaskRunRow(BaseModel):
    """A run. planned_ms: null when user_name wanted it at noted_ms. missed: how many runs were left out
    before it, or, with the problem missed, by it. problem: why nothing was done, as a code: missed, no_user,
    no_right, too_late, failed, interrupted (its gateway stopped during it).
    """

    id: int
    planned_ms: int | None
    noted_ms: int
    finished_ms: int | None
    status: RunStatus
    problem: str
    missed: int
    user_name: str
    steps: list[TaskRunStep]


class TaskRow(BaseModel):
    """A task. next_ms: its next run, null for none, or while it is off; last: its newest run, null before
    the first. points, presets, devices: what its actions name, of those that there are.

    home: where it runs: cloud, gateway, or moving (nobody runs it until its gateway has confirmed).
    home_reason: why it is the cloud, as a code: gateway_command (it commands a gateway), two_gateways,
    unsupported (its gateway cannot), limit (more than a gateway takes), unconfirmed, run_open (until its run
    has ended), refused, no_right, no_user, access_password, or the gateway's no_such_slave, no_such_point,
    read_only, write_only, unfit, other; empty of a task that nobody has looked at yet.
    lost_runs: of any task, that its gateways lost before they could report them: the log may lack runs.
    """

    id: int
    title: str
    enabled: bool
    schedule: ScheduleBody
    calendar_id: int | None
    calendar_title: str
    actions: list[ActionBody]
    points: list[TaskPoint]
    presets: list[NamedPreset]
    devices: list[TaskDevice]
    next_ms: int | None
    last: TaskRunRow | None
    home: HomeKind
    home_reason: str
    lost_runs: int
    user_name: str
    created_ms: int
    changed_ms: int


class CalendarBody(TaskFields):
    """off: days without a run; on: days with runs whatever their weekday is, which wins over off."""

    title: Title
    off: Days = []
    on: Days = []


class CalendarRow(CalendarBody):
    """A holiday calendar. tasks: how many use it."""

    id: int
    user_name: str
    tasks: int
    changed_ms: int
