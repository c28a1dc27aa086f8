"""Shapes of the delivery log, of channels and of test messages. Times are UTC milliseconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from cloud.domains.contacts.schemas import ContactChannel, RobotKind
from cloud.domains.notifications.states import DeliveryState

ChannelName = ContactChannel | RobotKind


class UnreachedRow(BaseModel):
    """Alarms of one rule, type and level of which nobody was told. reason: why not, as a code of states.py;
    newest_event_id, newest_ms, title, device: of the newest; trigger_id: of its rule, when it has one.
    """

    alarm_type: int
    level: int | None
    title: str
    device_id: int
    device: str
    trigger_id: int | None
    reason: str
    count: int
    newest_event_id: int
    newest_ms: int


class NotifiedEvent(BaseModel):
    """A change of an alarm event that a message tells."""

    event_id: int
    change: Literal["raised", "again", "over"]


class DeliveryRow(BaseModel):
    """A message. contact_id or group_id: who it is for, name: as he was called; address: shortened; reason:
    why it is not sent (yet), as a code of states.py, detail: in the provider's words; receipt: what the
    provider calls it; count: of changes, of which events are at most 200; due_ms: when it is sent or tried
    again. Without a channel nothing could be sent to him, or, without a contact and a group, to anybody.
    """

    id: int
    contact_id: int | None
    group_id: int | None
    name: str
    channel: ChannelName | Literal[""]
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


class AlarmNotification(BaseModel):
    """Who was told of an alarm. reached, waiting: recipients whose message is sent, or will be; problem: why
    nobody is told, as a code of states.py, quiet (shelved, suppressed, out of service or under a root cause)
    or pending (it is being looked up); empty when somebody is, and when nothing is known. deliveries: the
    newest 50, for who may see contacts, to those of him and of everybody below him.
    """

    reached: int
    waiting: int
    problem: str
    deliveries: list[DeliveryRow]


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
