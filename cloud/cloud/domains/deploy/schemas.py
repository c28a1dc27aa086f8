"""Shapes of configurations and deployments. Times are UTC milliseconds, names of documents SHA-256."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field, StringConstraints

from cloud.domains.configuration.difference import DocumentFieldChange, PeriodChange, Section

Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
DocumentBody = dict[str, Any]

CONFIRM_S = 300
HEALTHY_SHARE = 0.9
EXPIRES_S = 60
LONGEST_EXPIRY_S = 7 * 86_400


class DeployOptions(BaseModel):
    """How a deployment is validated, and how long it may take to begin.

    force: over whatever runs. wait: for a gateway that is offline, until expires_s have passed.
    confirm_s, healthy_share: the gateway goes back when it is not linked, or fewer of its points are good.
    """

    force: bool = False
    wait: bool = False
    expires_s: int = Field(default=EXPIRES_S, ge=10, le=LONGEST_EXPIRY_S)
    confirm_s: int = Field(default=CONFIRM_S, ge=30, le=900)
    healthy_share: float = Field(default=HEALTHY_SHARE, ge=0, le=1)


class DeployBody(DeployOptions):
    """hash: the version, the draft when left out; base: what the caller saw running. changes_link: another
    way to the gateway (to the cloud, or to its own page) is meant; without it that is refused.
    """

    hash: Hash | None = None
    base: Hash | None = None
    changes_link: bool = False


class CheckBody(BaseModel):
    """hash: the version that the gateway is to judge, the draft when left out."""

    hash: Hash | None = None


class DraftBody(BaseModel):
    """A new draft. base: the version that the editor began with; null only when there is none yet."""

    document: DocumentBody
    base: Hash | None
    note: str = Field(default="", max_length=200, pattern=r"^[^\x00]*$")


class DeploymentRef(BaseModel):
    """A deployment that was taken."""

    id: str
    hash: str
    state: str


class DeploymentStatus(BaseModel):
    """created, sent, received, staged, switched, then checked, refused, unchanged, confirmed or reverted.

    expired: its gateway did not come in time; networkError: it could not be sent, or no final receipt came;
    cancelled: somebody took it back, after it was sent with the code may_run. A final receipt that comes
    later replaces these three, and any step what was cancelled. code and detail: why, in the gateway's words.
    """

    id: str
    device_id: int
    hash: str
    base: str | None
    state: str
    check_only: bool
    wait: bool
    confirm_s: int
    healthy_share: float
    user: str
    created_ms: int
    expires_ms: int
    sent_ms: int | None
    finished_ms: int | None
    code: str
    detail: str


class DeploymentTask(DeploymentStatus):
    """A deployment in a list of all gateways."""

    device_title: str
    gateway_id: str


class DeploymentStep(BaseModel):
    """One receipt. t_ms: the gateway's clock; running: what it ran after the step."""

    step: str
    t_ms: int
    received_ms: int
    running: str
    code: str
    detail: str


class ConfigurationFault(BaseModel):
    """A rule that the document breaks."""

    field: str
    rule: str


class PortLoadChange(BaseModel):
    """Share of a port's time that its requests take, in percent; null where there is no such port."""

    port: str
    before: float | None
    after: float | None


class ConfigurationChange(BaseModel):
    """What the gateway says that the document changes."""

    points_added: int
    points_removed: int
    points_changed: int
    ports: list[PortLoadChange] = []
    restarts_link: bool = False


class TrialMissing(BaseModel):
    """What a trial waits for, or what was silent at its end: first names, and how many in all."""

    slaves: list[str] = []
    points: list[str] = []
    slaves_all: int = 0
    points_all: int = 0
    link: bool = False


class ParameterCondition(BaseModel):
    """Of a parameter group that the gateway's machine has to carry out: applied, not_supported or failed."""

    group: str
    condition: str
    reason: str


class DeploymentDetail(DeploymentStatus):
    """With its steps, and the faults of its validation. missing: by its last word; null when nothing is.

    parameters: of groups of the machine, by the newest receipt that names any.
    """

    steps: list[DeploymentStep]
    faults: list[ConfigurationFault]
    change: ConfigurationChange | None
    missing: TrialMissing | None = None
    parameters: list[ParameterCondition] = []


class Version(BaseModel):
    """A stored document. origin: cloud, local (the gateway's page) or file; author: empty for those two."""

    hash: str
    origin: str
    parent: str | None
    author: str
    note: str
    created_ms: int
    size: int
    points: int


class RunningVersion(BaseModel):
    """What the gateway says it runs. known: its document is here; origin: null until the gateway has reported
    it.
    """

    hash: str
    origin: str | None
    since_ms: int | None
    known: bool


class Reverted(BaseModel):
    """A deployment whose version did not hold: the gateway went back."""

    deployment: str
    finished_ms: int | None
    code: str
    detail: str


class Draft(BaseModel):
    """What is edited and not deployed. behind: the gateway runs something else than it, or than its base.

    carried: it was rebased onto that and has the changes of both; nobody has saved or deployed it so yet.
    reverted: the last deployment of it, when the gateway went back.
    """

    hash: str
    base: str | None
    author: str
    changed_ms: int
    behind: bool
    carried: bool = False
    reverted: Reverted | None = None


class ConfigurationState(BaseModel):
    """local_edit: the gateway runs what nobody deployed; newest: what the next edit must be based on."""

    running: RunningVersion | None
    accepted: str | None
    local_edit: bool
    draft: Draft | None
    newest: str | None
    deployment: DeploymentStatus | None
    versions: list[Version]
    total: int


class VersionDocument(BaseModel):
    """A version with its document. masked: its secrets are hidden, so its hash is not of this text."""

    version: Version
    masked: bool
    document: DocumentBody


class SectionCounts(BaseModel):
    """How many rows of a section differ."""

    added: int
    removed: int
    changed: int


class DifferenceCounts(BaseModel):
    """points_reached: touched by themselves or because their slave or port is."""

    points: SectionCounts
    slaves: SectionCounts
    ports: SectionCounts
    scripts: SectionCounts
    other: int
    points_reached: int
    slaves_reached: int


class ConfigurationDifference(BaseModel):
    """From one document to another. counts are complete; lists are cut (truncated) at the limit. link:
    changes of how the gateway is reached, which are not among the others; link_lost: the second has no way to
    the cloud, and cannot be deployed.
    """

    before: str
    after: str
    counts: DifferenceCounts
    periods: list[PeriodChange]
    points: Section
    slaves: Section
    ports: Section
    scripts: Section
    other: list[DocumentFieldChange]
    link: list[DocumentFieldChange]
    link_lost: bool
    truncated: bool
