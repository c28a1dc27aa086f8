"""Shapes of parameters and parameter plans. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

from cloud.domains.deploy.schemas import Hash, ParameterCondition

MAX_CHANGES = 50
MAX_TARGETS = 1000
NUMBER = 2**31 - 1

Number = Annotated[int, Field(ge=1, le=NUMBER)]
GroupName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]{1,40}$")]
RowName = Annotated[str, StringConstraints(max_length=130, pattern=r"^([A-Za-z0-9_.-]*|\*)$")]
Title = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]*$"),
]
Remark = Annotated[str, StringConstraints(strip_whitespace=True, max_length=500, pattern=r"^[^\x00]*$")]
AgentVersion = Annotated[str, StringConstraints(pattern=r"^(\d{1,6}(\.\d{1,6}){0,3})?$")]
FieldValues = dict[str, Any]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class GroupLabel(BaseModel):
    """In both languages of the portal."""

    zh: str
    en: str


class ParameterGroupSchema(BaseModel):
    """row: JSON schema (2020-12) of a row, with x-label and x-secret of fields. key: fields that name a row,
    none of a group that is there once.
    """

    name: str
    title: GroupLabel
    key: list[str]
    max_rows: int
    row: dict[str, Any]


class GroupRows(BaseModel):
    """Rows of a group; fields that have their default are left out. faults: by field, [n].field of the n-th
    row.
    """

    name: str
    rows: list[FieldValues]


class GatewayPlan(BaseModel):
    """The plan that asked a gateway last. state: of its deployment, "" where there was none."""

    parameter_plan_id: int
    title: str
    version: int
    state: str
    code: str
    begun_ms: int


class ParameterFieldChange(BaseModel):
    """field: as group.field, or group.row.field; null: there is or was no value of its own."""

    field: str
    before: Any
    after: Any


class GatewayParameters(BaseModel):
    """Of the newest configuration, deployed or not. base: its name, null while there is none yet; secrets are
    masked for who may not manage the gateway. undeployed: what differs from what the gateway runs, null while
    that is not known. conditions: of groups that the machine has to carry out, by the receipts of the last
    deployment.
    """

    base: Hash | None
    changeable: bool
    groups: list[GroupRows]
    undeployed: list[ParameterFieldChange] | None
    conditions: list[ParameterCondition]
    plan: GatewayPlan | None


class ParameterGateway(BaseModel):
    """draft: name of what is changed and not deployed."""

    device_id: int
    draft: Hash | None
    plan: GatewayPlan | None


class ParametersBody(_Strict):
    """groups: those that are to change, each with all of its rows. base: the version that the editor saw."""

    base: Hash | None
    groups: Annotated[list[GroupRows], Field(min_length=1, max_length=20)]


class ParametersSaved(BaseModel):
    """base: name of the draft."""

    base: str


class ParameterChange(_Strict):
    """row: slave.point or the name of a row, * for every row that is there, empty for a group that is there
    once. values: fields that become others, null for the default. remove: the row goes.
    """

    group: GroupName
    row: RowName = ""
    values: Annotated[FieldValues, Field(max_length=100)] = {}
    remove: bool = False


class ParameterPlanBody(_Strict):
    """A plan. version: from 1, from 2 for platforms of others, and higher than before with each change.

    project_ids: with everything below; device_ids: gateways beside these. agent_min, agent_max: only gateways
    whose agent has a version in this range, both ends included.
    """

    title: Title
    remark: Remark = ""
    version: Annotated[int, Field(ge=1, le=NUMBER)] = 1
    enabled: bool = True
    project_ids: Annotated[list[Number], Field(max_length=MAX_TARGETS)] = []
    device_ids: Annotated[list[Number], Field(max_length=MAX_TARGETS)] = []
    agent_min: AgentVersion = ""
    agent_max: AgentVersion = ""
    changes: Annotated[list[ParameterChange], Field(min_length=1, max_length=MAX_CHANGES)]

    @field_validator("project_ids", "device_ids")
    @classmethod
    def once_each(cls, numbers: list[int]) -> list[int]:
        return sorted(set(numbers))


class ParameterPlanRow(ParameterPlanBody):
    """With what was made of it; secrets in the changes are masked."""

    id: int
    owner_id: int | None
    owner_name: str
    author: str
    created_ms: int
    changed_ms: int


class ParameterFault(BaseModel):
    """Why the change does not go on this gateway."""

    field: str
    rule: str


class PlanGateway(BaseModel):
    """What the plan would do to a gateway. skip: read_only, no_configuration, has_draft, version or offline,
    empty when it would be changed; changes: none when it has all of it already.
    """

    device_id: int
    device_title: str
    gateway_id: str
    agent_version: str
    online: bool
    skip: str
    changes: list[ParameterFieldChange]
    faults: list[ParameterFault]


class ParameterPlanPreview(BaseModel):
    """A page of the gateways of a plan. counts: of all, by skip, "" for those that are not left alone."""

    rows: list[PlanGateway]
    total: int
    counts: dict[str, int]


class ParameterPlanRun(_Strict):
    """As a deployment of a project: canary gateways must confirm first, more failures than error_share stop
    it. wait: also gateways that are offline now, when they come within expires_s. version: that was seen.
    device_ids: none of the plan's gateways but these; empty: all of them.
    """

    version: Annotated[int, Field(ge=1, le=NUMBER)]
    device_ids: Annotated[list[Number], Field(max_length=MAX_TARGETS)] = []
    canary: Annotated[int, Field(ge=0, le=100)] = 1
    error_share: Annotated[float, Field(ge=0, le=1)] = 0.2
    wait: bool = False
    expires_s: Annotated[int, Field(ge=60, le=7 * 86_400)] = 86_400
    confirm_s: Annotated[int, Field(ge=30, le=900)] = 300
    healthy_share: Annotated[float, Field(ge=0, le=1)] = 0.9


class ParameterPlanResult(BaseModel):
    """What a gateway said of the plan. state: of the deployment (getDeployment has the steps), unchanged
    where nothing had to be deployed, refused where it could not be asked. conditions: of groups that the
    machine has to carry out.
    """

    device_id: int
    device_title: str
    gateway_id: str
    version: int
    deployment_id: str
    state: str
    code: str
    detail: str
    begun_ms: int
    finished_ms: int | None
    conditions: list[ParameterCondition]
