"""Shapes of the delivery log, of channels and of test messages. Times are UTC milliseconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from cloud.domains.contacts.schemas import ContactChannel, RobotKind
from cloud.domains.notifications.states import DeliveryState

ChannelName = ContactChannel | RobotKind


class NotifiedEvent(BaseModel):
    """A change of an alarm event that a message tells."""

    event_id: int
    change: Literal["raised", "again", "over"]


class DeliveryRow(BaseModel):
    """A message. contact_id or group_id: who it is for, name: as he was called; address: shortened; reason:
    why it is not sent (yet), as a code of states.py, detail: in the provider's words; receipt: what the
    provider calls it; count: of changes, of which events are at most 200; due_ms: when it is sent or tried
    again.
    """

    id: int
    contact_id: int | None
    group_id: int | None
    name: str
    channel: ChannelName
    address: str
    is_test: bool
    state: DeliveryState
    reason: str
    detail: str
    receipt: str
    subject: str
    count: int
    events: list[NotifiedEvent]
    attempts: int
    created_ms: int
    due_ms: int
    sent_ms: int | None


class ChannelRow(BaseModel):
    """A channel. of: whose address it needs; configured: can this installation use it?"""

    name: ChannelName
    of: Literal["contact", "group"]
    configured: bool


class ContactTestBody(BaseModel):
    """The channel to try."""

    model_config = ConfigDict(extra="forbid")

    channel: ContactChannel


class GroupTestBody(BaseModel):
    """The robot to try."""

    model_config = ConfigDict(extra="forbid")

    channel: RobotKind


@dataclass(frozen=True)
class DeliveryQuery:
    """Which deliveries; None and empty: all."""

    contact_id: int | None = None
    channel: str = ""
    state: str = ""
    event_id: int | None = None
