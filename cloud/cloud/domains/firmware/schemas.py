"""Shapes of plans and upgrades. Specification 001, sections 3 and 5. Times are UTC ms."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from cloud.domains.firmware.hindrances import Hindrance
from cloud.domains.firmware.rollout import SCOPE_ALL, PlanAction, PlanState
from cloud.domains.firmware.states import UpgradeState

MAX_PROJECTS = 200
MAX_DEVICES = 10_000
DAY_S = 86_400

Number = Annotated[int, Field(ge=1, le=2**31 - 1)]
TimeOfDay = Annotated[str, StringConstraints(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]
Zone = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_+/-]{0,64}$")]
"""Of the IANA; empty: the installation's."""
Title = Annotated[str, StringConstraints(strip_whitespace=True, max_length=100, pattern=r"^[^\x00]*$")]


class FirmwareFields(BaseModel):
    """Nothing else may come with it."""

    model_config = ConfigDict(extra="forbid")


class FirmwareGatewayRow(BaseModel):
    """What a gateway runs. takes_firmware: it said that it does; the fields after it are null without.

    upgrade: the newest one that was ordered, or none.
    """

    device_id: int
    device_title: str
    gateway_id: str
    online: bool
    agent_version: str
    takes_firmware: bool
    name: str | None = None
    model: str | None = None
    version: int | None = None
    version_text: str | None = None
    security_version: int | None = None
    reported_ms: int | None = None
    upgrade: UpgradeRow | None = None


class FirmwareVersionCount(BaseModel):
    """Gateways that run a release. version: 0 as it was delivered."""

    name: str
    version: int
    version_text: str
    gateways: int


class ProjectPlan(BaseModel):
    """A plan that runs or is paused, and how many gateways of a project it has."""

    id: int
    name: int
    title: str
    state: PlanState
    gateways: int


class FirmwareProjectRow(BaseModel):
    """A project or group with all below it. project_id: null for gateways of no project; depth: from 1.

    gateways: that you see; taking: of these take firmware. versions: of the taking ones, most first.
    """

    project_id: int | None
    kind: Literal["project", "group", "none"]
    title: str
    depth: int
    gateways: int
    online: int
    taking: int
    versions: list[FirmwareVersionCount]
    plans: list[ProjectPlan]


class SwitchWindow(FirmwareFields):
    """Of a day, in the plan's zone. An end that is not after the begin is of the day after."""

    begin: TimeOfDay
    end: TimeOfDay

    @model_validator(mode="after")
    def _has_a_length(self) -> Self:
        if self.begin == self.end:
            raise ValueError("begin and end must differ")
        return self


class PlanRules(FirmwareFields):
    """How fast a rollout goes and what stops it.

    growth: a wave has so many times the gateways of the one before, at most max_wave. success_share: of a
    wave, until the next one begins; error_share: more failures of a wave stop the rollout, which then pauses
    or brings back what ran before (on_error). at_once: gateways that have an order at the same time.
    watch_s: each gateway is watched so long after it was confirmed, and compared with before; 0: it is not.
    offline_s: gateways that did not come so long after their wave began are passed over. expires_s: of one
    order; confirm_s: of the gateway's own trial. window: in which alone gateways switch, in zone (IANA).
    approval: a second person must approve. allow_older: also gateways with a newer version get it.
    """

    growth: Annotated[float, Field(ge=1, le=10)] = 3
    max_wave: Annotated[int, Field(ge=1, le=MAX_DEVICES)] = 1000
    success_share: Annotated[float, Field(ge=0.5, le=1)] = 0.9
    error_share: Annotated[float, Field(ge=0, le=0.5)] = 0.05
    on_error: Literal["pause", "rollback"] = "pause"
    at_once: Annotated[int, Field(ge=1, le=500)] = 50
    watch_s: Annotated[int, Field(ge=0, le=7 * DAY_S)] = 1800
    offline_s: Annotated[int, Field(ge=60, le=90 * DAY_S)] = 7 * DAY_S
    expires_s: Annotated[int, Field(ge=60, le=30 * DAY_S)] = DAY_S
    confirm_s: Annotated[int, Field(ge=30, le=3600)] = 600
    window: SwitchWindow | None = None
    zone: Zone = ""
    approval: bool = False
    allow_older: bool = False

    @model_validator(mode="after")
    def _order_outlasts_the_window(self) -> Self:
        if self.window is not None and self.expires_s < DAY_S:
            raise ValueError(f"expires_s must be at least {DAY_S} with a window, which comes once a day")
        return self


class PlanBody(FirmwareFields):
    """A plan. name: the specification's whole number from 1. range: which of the lists counts, projects with
    all below them. created_after_ms: gateways made on or after this time only.

    scope: 1 plan_control_count gateways and no more; 2 those first, then the others in waves; 3 all, where
    plan_control_count is not applicable (null). upgrade_type: 1 package, 2 image, as the file's.
    """

    name: Number
    title: Title = ""
    enabled: bool = True
    range: Literal["project", "device"]
    project_ids: Annotated[list[Number], Field(max_length=MAX_PROJECTS)] = []
    device_ids: Annotated[list[Number], Field(max_length=MAX_DEVICES)] = []
    created_after_ms: Annotated[int, Field(ge=0, le=2**53)] | None = None
    scope: Literal[1, 2, 3] = 3
    plan_control_count: Annotated[int, Field(ge=1, le=MAX_DEVICES)] | None = None
    firmware_id: Number
    upgrade_type: Literal[1, 2]
    rules: PlanRules = PlanRules()

    @model_validator(mode="after")
    def _fits(self) -> Self:
        chosen, other = self.project_ids, self.device_ids
        if self.range == "device":
            chosen, other = other, chosen
        if not chosen or other:
            raise ValueError(f"{self.range}_ids must name at least one, and the other list none")
        if (self.plan_control_count is None) != (self.scope == SCOPE_ALL):
            raise ValueError("plan_control_count must be given at scope 1 and 2, and not at scope 3 (N/A)")
        return self


class UpgradeCounts(BaseModel):
    """Gateways by how their newest attempt stands. under_way: they have an order; watching: confirmed, and
    compared with before. excused: failed before somebody went on. missed: did not come. skipped: cannot take
    it, or it was cancelled.
    """

    total: int = 0
    waiting: int = 0
    under_way: int = 0
    watching: int = 0
    succeeded: int = 0
    failed: int = 0
    excused: int = 0
    missed: int = 0
    skipped: int = 0


class WaveRow(UpgradeCounts):
    """One wave. number: from 0, the canary group."""

    number: int


class PlanFile(BaseModel):
    """Of a plan's file."""

    id: int
    file_name: str
    name: str
    version: int
    version_text: str
    upgrade_type: int
    size: int


class PlanRow(BaseModel):
    """A plan and how its rollout stands. plan_control_count: null is not applicable (scope 3).

    wave: the one under way, from 0; is_back: it brings back what ran before. reason: of a pause, as a code.
    actions: what is possible now; approved: by a second person, as it is now. counts: of the direction that
    it has.
    """

    id: int
    name: int
    title: str
    enabled: bool
    range: Literal["project", "device"]
    project_ids: list[int]
    device_ids: list[int]
    created_after_ms: int | None
    scope: int
    plan_control_count: int | None
    file: PlanFile
    rules: PlanRules
    state: PlanState
    reason: str
    is_back: bool
    wave: int
    wave_count: int
    counts: UpgradeCounts
    actions: list[PlanAction]
    approved: bool
    approved_name: str
    changed_name: str
    user_name: str
    created_ms: int
    changed_ms: int
    started_ms: int | None
    finished_ms: int | None


class PlanTarget(BaseModel):
    """A project or gateway that a plan names."""

    id: int
    title: str


class PlanHindrance(BaseModel):
    """What stops some of a plan's actions now, as a code."""

    code: Hindrance
    actions: list[PlanAction]


class PlanDetail(PlanRow):
    """With its waves. targets: what its range names, as far as you see it, the first 200.

    to_retry, to_go_back: gateways that these actions would order something for. steps: gateways by state, in
    the direction that it has. hindrances: why some of its actions would be refused to you now.
    """

    waves: list[WaveRow]
    steps: dict[UpgradeState, int]
    hindrances: list[PlanHindrance]
    targets: list[PlanTarget]
    to_retry: int
    to_go_back: int


class SkippedCount(BaseModel):
    """Gateways that would not get it. code: why."""

    code: str
    count: int


class SkippedFault(BaseModel):
    """A rule that gateways do not meet, with what is compared: file has it or needs it, gateway is what these
    gateways said; both empty where nothing is compared. count: gateways; titles: the first three.
    """

    code: str
    file: str
    gateway: str
    count: int
    titles: list[str]


class PlanPreview(BaseModel):
    """What a start would do now. waves: gateways of each; offline: of those that would get it. skipped: each
    gateway once, by its first fault; faults: all that they have, the 50 most frequent.
    """

    total: int
    offline: int
    waves: list[int]
    skipped: list[SkippedCount]
    faults: list[SkippedFault]


class EvidenceRow(BaseModel):
    """What the cloud knew of a gateway (gate.Evidence)."""

    t_ms: int
    online: bool
    slaves: int
    good: int
    outages: int
    backlog: int
    latency_ms: float | None = None
    memory_bytes: int | None = None


class RunningFirmware(BaseModel):
    """What a gateway said last that it runs. version: 0 as it was delivered. went_back: it also said that of
    this very upgrade what ran before runs again.
    """

    name: str
    version: int
    version_text: str
    reported_ms: int
    went_back: bool


class UpgradeRow(BaseModel):
    """One attempt of one gateway. done, size: bytes of the file. code: why it ended or was passed over;
    worse: in what it was worse than before. from_version: 0 as it was delivered, null when not known.
    running: now, whatever became of this attempt; null when the gateway says of no firmware.
    """

    id: int
    plan_id: int | None
    plan_name: int
    device_id: int
    device_title: str
    gateway_id: str
    wave: int
    attempt: int
    is_back: bool
    state: UpgradeState
    code: str
    detail: str
    from_version: int | None
    version: int
    version_text: str
    done: int
    size: int
    created_ms: int
    ordered_ms: int | None
    step_ms: int | None
    ended_ms: int | None
    expires_ms: int | None
    worse: list[str]
    before: EvidenceRow | None
    after: EvidenceRow | None
    running: RunningFirmware | None


FirmwareGatewayRow.model_rebuild()
