"""Shapes of projects. Times are UTC milliseconds."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

NUMBER = 2**31 - 1
MAX_ASSIGNED = 1000
MAX_PLACE = 10_000

Title = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]*$"),
]
Remark = Annotated[str, StringConstraints(strip_whitespace=True, max_length=500, pattern=r"^[^\x00]*$")]
Number = Annotated[int, Field(ge=1, le=NUMBER)]


class NodeKind(StrEnum):
    """A project holds gateways, a group holds nodes."""

    PROJECT = "project"
    GROUP = "group"


class GatewayCounts(BaseModel):
    """Gateways that the reader sees. alarm: online, with an open alarm; silent: online without one, with a
    slave that ought to answer and does not.
    """

    devices: int
    online: int
    alarm: int
    silent: int


class ProjectNode(GatewayCounts):
    """A node; its counts are with everything below it. parent_id: null at the top.

    owner_id: whose the whole tree is, null for the platform's; place: among its siblings.
    """

    id: int
    parent_id: int | None
    kind: NodeKind
    title: str
    remark: str
    owner_id: int | None
    owner_name: str
    place: int
    created_ms: int


class ProjectTree(BaseModel):
    """Every node, a parent before its children, siblings in their order. none: gateways in no project.

    truncated: there are more nodes than are shown.
    """

    nodes: list[ProjectNode]
    none: GatewayCounts
    truncated: bool


class ProjectBody(BaseModel):
    """A new node. parent_id: a group; at the top when left out."""

    model_config = ConfigDict(extra="forbid")

    kind: NodeKind
    title: Title
    parent_id: Number | None = None
    remark: Remark = ""


class ProjectChange(BaseModel):
    """What is left out stays."""

    model_config = ConfigDict(extra="forbid")

    title: Title | None = None
    remark: Remark | None = None


class MoveBody(BaseModel):
    """parent_id: a group, null for the top; place: how many siblings stand before it then."""

    model_config = ConfigDict(extra="forbid")

    parent_id: Number | None
    place: Annotated[int, Field(ge=0, le=MAX_PLACE)] = MAX_PLACE


class AssignBody(BaseModel):
    """project_id: a project, null to take the gateways out of theirs."""

    model_config = ConfigDict(extra="forbid")

    device_ids: Annotated[list[Number], Field(min_length=1, max_length=MAX_ASSIGNED)]
    project_id: Number | None


class SkippedDevice(BaseModel):
    """reason: not_found, read_only, not_owner or other_project (its owner is not below the project's)."""

    device_id: int
    device_title: str
    reason: str


class PreviousProject(BaseModel):
    """Where gateways were before: what takes them back there."""

    project_id: int | None
    device_ids: list[int]


class Assigned(BaseModel):
    """What an assignment did. changed: how many are elsewhere now."""

    changed: int
    unchanged: int
    skipped: list[SkippedDevice]
    former: list[PreviousProject]


class CampaignCounts(BaseModel):
    """What a campaign would find. to_do: gateways that are online and would be worked on.

    offline: have something to do, but are away; unchanged: have no draft; read_only: may not be changed.
    """

    to_do: int
    offline: int
    unchanged: int
    read_only: int


class CampaignPreview(BaseModel):
    """Of a node with everything below it."""

    project_id: int
    title: str
    deploy: CampaignCounts
    reboot: CampaignCounts


class Campaign(BaseModel):
    """error_share: more failures than this share stop it. wait: ask also gateways that are offline now; they
    do it when they come within expires_s, and are not followed.
    """

    error_share: Annotated[float, Field(ge=0, le=1)] = 0.2
    wait: bool = False
    expires_s: Annotated[int, Field(ge=60, le=7 * 86_400)] = 86_400


class DeployCampaign(Campaign):
    """canary: so many gateways must confirm before the others begin. Each is validated as in a deployment."""

    canary: Annotated[int, Field(ge=0, le=100)] = 1
    confirm_s: Annotated[int, Field(ge=30, le=900)] = 300
    healthy_share: Annotated[float, Field(ge=0, le=1)] = 0.9


class RebootCampaign(Campaign):
    """at_once: so many gateways are away at the same time."""

    at_once: Annotated[int, Field(ge=1, le=100)] = 20
