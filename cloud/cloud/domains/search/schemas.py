"""What a search finds, by kind."""

from __future__ import annotations

from pydantic import BaseModel


class FoundDevice(BaseModel):
    """A gateway. binder_title: what it is called by whom it is bound to, may be empty."""

    id: int
    gateway_id: str
    title: str
    binder_title: str
    online: bool


class FoundSlave(BaseModel):
    """A slave device of a gateway."""

    device_id: int
    device_title: str
    name: str
    title: str


class FoundPoint(BaseModel):
    """A data point of a gateway."""

    dsid: int
    device_id: int
    device_title: str
    slave: str
    slave_title: str
    name: str
    title: str
    unit: str


class FoundProject(BaseModel):
    """A node of the project tree. kind: project or group."""

    id: int
    title: str
    kind: str


class FoundUser(BaseModel):
    """A user at or below the asker."""

    user_id: int
    user_name: str
    nick_name: str
    user_type: int


class Found(BaseModel):
    """The best of each kind that the asker may look into. more: kinds of which there are others."""

    devices: list[FoundDevice]
    slaves: list[FoundSlave]
    points: list[FoundPoint]
    projects: list[FoundProject]
    users: list[FoundUser]
    more: list[str]
