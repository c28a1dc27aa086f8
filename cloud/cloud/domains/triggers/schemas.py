"""Shapes of triggers, with the specification's names (001, section 3). Times are UTC milliseconds."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints, field_validator, model_validator
from pydantic_core import PydanticKnownError

from cloud.domains.alarms.codes import CUSTOM_ABOVE, RECOVERIES, AlarmType
from cloud.domains.alarms.schemas import SuppressionRow
from cloud.domains.commands.schemas import NamedPreset
from cloud.domains.contacts.schemas import ChosenTitle
from cloud.domains.triggers.condition_schemas import ConditionBody, NotConnectedBody, TriggerFields
from cloud.domains.triggers.numbers import Code, DaySeconds, Delay, MonthSeconds, Number
from edge_contract.alarms.rule import MAX_CONDITIONS, Logic

Title = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100, pattern=r"^[^\x00]*$")
]
ALARM_CODES = tuple(int(code) for code in AlarmType if code not in RECOVERIES)
MAX_RULES = 20
MAX_LINKAGES = 20
MAX_RULE_GROUPS = 50


class TriggerType(IntEnum):
    """When a trigger looks: at each sample, or at fixed times."""

    DATA = 1
    TIMER = 2


class TriggerMode(IntEnum):
    """Of how many points its rules speak."""

    SINGLE_POINT = 1
    MULTI_POINT = 2


class LinkageBody(TriggerFields):
    """A preset that is carried out when the alarm is raised, or when it is over."""

    on: Literal["raised", "cleared"] = "raised"
    preset_id: Number


class TriggerRuleBody(TriggerFields):
    """id: of a rule that there is, absent for a new one. delay_s: the conditions must hold so long;
    off_delay_s: and not hold so long until it is over. again_s: announced again after so long while it
    lasts, 0 never.
    alarm_notify: whether there is an alarm; without one only the linkage acts. groups: contact groups that
    are told of it, empty for every group that it fits. level: an own level of the platform. latched: an alarm
    that is over stands until somebody acknowledges it.
    """

    id: Number | None = None
    title: Title
    logic: Annotated[Logic, Code] = Logic.ANY
    conditions: Annotated[list[ConditionBody], Field(min_length=1, max_length=MAX_CONDITIONS)]
    delay_s: Delay = 0
    off_delay_s: Delay = 0
    again_s: MonthSeconds = 0
    alarm_notify: bool = True
    groups: list[Number] = Field(default=[], max_length=MAX_RULE_GROUPS)
    alarm_type: Number = AlarmType.OVER_LIMIT
    level: Number | None = None
    latched: bool = False
    linkage: list[LinkageBody] = Field(default=[], max_length=MAX_LINKAGES)

    @field_validator("alarm_type")
    @classmethod
    def _check_type(cls, code: int) -> int:
        if code <= CUSTOM_ABOVE and code not in ALARM_CODES:
            expected = ", ".join(str(known) for known in ALARM_CODES)
            raise PydanticKnownError("enum", {"expected": f"{expected}, an own level above {CUSTOM_ABOVE}"})
        return code

    @model_validator(mode="after")
    def _check(self) -> TriggerRuleBody:
        if not self.alarm_notify and not self.linkage:
            raise ValueError("alarm_notify: a rule makes an alarm or has a linkage")
        return self


class TriggerBody(TriggerFields):
    """A trigger. interval_s: of a timer, the seconds between its looks."""

    title: Title
    type: Annotated[TriggerType, Code] = TriggerType.DATA
    mode: Annotated[TriggerMode, Code] = TriggerMode.SINGLE_POINT
    interval_s: DaySeconds = 0
    enabled: bool = True
    rules: Annotated[list[TriggerRuleBody], Field(min_length=1, max_length=MAX_RULES)]

    @model_validator(mode="after")
    def _check(self) -> TriggerBody:
        if (self.type is TriggerType.TIMER) is not (self.interval_s > 0):
            raise ValueError("interval_s: of a timer, and of no other trigger")
        if self.mode is TriggerMode.SINGLE_POINT and len(subjects(self.rules)) > 1:
            raise ValueError("mode: the conditions speak of several points")
        return self


class ChangedTriggerBody(TriggerBody):
    """base: changed_ms of the trigger that the editor began with; whatever there is when it is left out."""

    base: Annotated[int | None, Field(strict=True, ge=0, le=2**53)] = None


class EnabledBody(TriggerFields):
    """Switch a trigger on or off."""

    enabled: bool


class Subject(BaseModel):
    """A point or a slave that a trigger speaks of. removed: its gateway has it no more."""

    device_id: int
    device_title: str
    slave_id: int
    slave_title: str
    dsid: int | None
    ds_title: str
    unit: str
    removed: bool


class RuleStateRow(BaseModel):
    """since_ms: of the conditions while they hold; raised_ms: of the alarm that there is."""

    since_ms: int | None
    raised_ms: int | None


class RuleHomeKind(StrEnum):
    """Where a rule is evaluated; GATEWAY_PENDING: in the cloud until the gateway has confirmed it."""

    CLOUD = "cloud"
    GATEWAY = "gateway"
    GATEWAY_PENDING = "gateway_pending"


class TriggerRuleRow(TriggerRuleBody):
    """A rule with its version, where it is evaluated and what it says now; state: null while it is not
    evaluated.
    """

    version: int
    home: RuleHomeKind
    state: RuleStateRow | None


Origin = Literal["user", "point"]
"""Who says what a trigger is: somebody who made it, or a point by its settings."""


class OriginPoint(BaseModel):
    """The point whose settings a trigger says, by the names that its gateway's configuration has."""

    device_id: int
    slave: str
    ds_name: str


class LoopRow(BaseModel):
    """A rule that watches a point which a linkage writes: the rule's title, and its trigger."""

    dsid: int
    trigger_id: int
    title: str


class LinkageRestRow(BaseModel):
    """Linkages of a rule were left out, because they wrote too often. left_out: how many, counted again when
    the rest is over.
    """

    since_ms: int
    is_over: bool
    left_out: int


class TriggerRow(BaseModel):
    """A trigger. origin: of one that a point's settings say, which is changed there alone. presets: of its
    linkages, those that are still there; groups: those of its rules that you see. problem: why it does not do
    as it says, as a code: point_removed, group_removed (a contact group that a rule names), linkage_limited
    (its linkages wrote too often and rest, see LinkageRow), may_loop; empty when it does.

    loops: rules of the trigger's owner that watch what its linkages write, its own ones too: they may answer
    each other. rest: the newest one of the last 24 hours. suppressions: what keeps its rules quiet now,
    maintenance of their gateways too.
    """

    id: int
    title: str
    type: TriggerType
    mode: TriggerMode
    interval_s: int
    enabled: bool
    origin: OriginPoint | None
    rule_count: int
    rules: list[TriggerRuleRow]
    subjects: list[Subject]
    presets: list[NamedPreset]
    groups: list[ChosenTitle]
    loops: list[LoopRow]
    rest: LinkageRestRow | None
    suppressions: list[SuppressionRow]
    problem: str
    user_name: str
    created_ms: int
    changed_ms: int


class BacktestBody(TriggerFields):
    """A rule to try over what is stored; interval_s: as of its trigger."""

    rule: TriggerRuleBody
    interval_s: DaySeconds = 0
    start_ms: Annotated[int, Field(strict=True, ge=0, le=2**53)]
    end_ms: Annotated[int, Field(strict=True, ge=0, le=2**53)]


class EpisodeRow(BaseModel):
    """An alarm that would have been. cleared_ms: null when it lasts beyond the end; value: when it began."""

    raised_ms: int
    cleared_ms: int | None
    condition: int
    value: float | int | bool | str | None


class ConditionAtEnd(BaseModel):
    """A condition at the end of what was looked at. value, t_ms: the newest by then of its point, which may
    be older than the beginning, or whether its slave answers; null when none is stored.
    """

    is_true: bool
    value: float | int | bool | str | None
    t_ms: int | None


class CoverageRow(BaseModel):
    """How much there was to try a rule on. covered: part of the time of which the point's value is known, 0
    to 1, by its samples and the absences of its gateway and slave; samples: that are stored of the time.
    rolled_up: at the beginning only rollups are left, on which no rule is tried. from_ms: since when its
    value is known first within the time, null when it never is.
    """

    dsid: int
    covered: float
    from_ms: int | None
    samples: int
    rolled_up: bool


class BacktestRow(BaseModel):
    """count: how many alarms there would have been, of which episodes are the first; short: those over within
    20 s; raised_ms: how long together. upto_ms: what was looked at, the end unless there was too much of it.
    holds, at_end: whether the conditions hold together then, and each of them. level: of history, raw samples
    and never rollups, which lack what a rule asks for; coverage: of each point, by its number.
    """

    upto_ms: int
    count: int
    short: int
    raised_ms: int
    samples: int
    episodes: list[EpisodeRow]
    holds: bool
    at_end: list[ConditionAtEnd]
    level: Literal["raw"] = "raw"
    coverage: list[CoverageRow]


class LevelUses(BaseModel):
    """How many rules make alarms of a level, and how many alarms of it stand."""

    level: int
    rules: int
    alarms: int


class LinkageRow(BaseModel):
    """A preset that a rule had carried out. is_due: not yet. command_id: the first command that came of it;
    problem: why none did, as a code: no_user, no_right, refused, too_late, failed, suppressed, deleted (the
    trigger was, before it was carried out). at_gateway: the gateway did it by itself, at at_ms, without a
    command; problem is then a code of commands, expired or interrupted. linkage_limited: the rule's linkages
    rest for 10 minutes, because they wrote too often; left_out of them so far, counted again when the rest
    is over.
    """

    id: int
    rule_id: int
    kind: Literal["raised", "cleared"]
    preset_id: int
    at_ms: int
    is_due: bool
    command_id: str | None
    problem: str
    at_gateway: bool
    left_out: int


def subjects(rules: list[TriggerRuleBody]) -> set[tuple[str, int]]:
    """Points ("point", dsid) and slaves ("slave", number) of the conditions."""
    return {subject(condition) for rule in rules for condition in rule.conditions}


def subject(condition: ConditionBody) -> tuple[str, int]:
    """What a condition speaks of."""
    if isinstance(condition, NotConnectedBody):
        return "slave", condition.slave_id
    return "point", condition.dsid
