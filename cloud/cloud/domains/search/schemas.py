"""What a search finds, by kind."""

from __future__ import annotations

from pydantic import BaseModel


class DeviceMatch(BaseModel):
    """A gateway. binder_title: what it is called by whom it is bound to, may be empty."""

    id: int
    gateway_id: str
    title: str
    binder_title: str
    online: bool


class SlaveMatch(BaseModel):
    """A slave device of a gateway."""

    device_id: int
    device_title: str
    name: str
    title: str


class PointMatch(BaseModel):
    """A data point of a gateway."""

    dsid: int
    device_id: int
    device_title: str
    slave: str
    slave_title: str
    name: str
    title: str
    unit: str


class ProjectMatch(BaseModel):
    """A node of the project tree. kind: project or group."""

    id: int
    title: str
    kind: str


class UserMatch(BaseModel):
    """A user at or below the asker."""

    user_id: int
    user_name: str
    nick_name: str
    user_type: int


class SearchResults(BaseModel):
    """The best of each kind that the asker may look into. more: kinds of which there are others."""

    devices: list[DeviceMatch]
    slaves: list[SlaveMatch]
    points: list[PointMatch]
    projects: list[ProjectMatch]
    users: list[UserMatch]
    more: list[str]
