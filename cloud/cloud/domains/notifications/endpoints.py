"""Delivery log, channels, test messages."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from cloud.core.envelope import Envelope, Page, Rows, ok
from cloud.core.paging import PageNumber, PageSize
from cloud.core.services import service
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.notifications.alarm_notifications import AlarmNotificationService
from cloud.domains.notifications.schemas import (
    AlarmNotification,
    ChannelName,
    ChannelRow,
    ContactTestBody,
    DeliveryQuery,
    DeliveryRow,
    GroupTestBody,
    UnreachedRow,
)
from cloud.domains.notifications.service import NotificationService
from cloud.domains.notifications.states import DeliveryState

router = APIRouter(tags=["notifications"])

Service = Annotated[NotificationService, service(NotificationService)]
Alarms = Annotated[AlarmNotificationService, service(AlarmNotificationService)]
Reader = Annotated[CurrentUser, requires("Event")]
Keeper = Annotated[CurrentUser, requires("TriggerContact/index")]
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]
Wanted = Annotated[int | None, Query(ge=1, le=2**31 - 1)]


@router.get("/notification", operation_id="listNotifications")
async def list_notifications(
    service: Service,
    user: Keeper,
    page: PageNumber = 1,
    limit: PageSize = 20,
    contact_id: Wanted = None,
    channel: Annotated[ChannelName | None, Query()] = None,
    state: Annotated[DeliveryState | None, Query()] = None,
    event_id: Wanted = None,
) -> Envelope[Page[DeliveryRow]]:
    """Messages to contacts of you and of everybody below you, newest first, with what came of them."""
    wanted = DeliveryQuery(contact_id, channel or "", state or "", event_id)
    return ok(await service.page(user, wanted, page, limit))


@router.get("/notification/{delivery_id:int}", operation_id="getNotification")
async def get_notification(service: Service, user: Keeper, delivery_id: Number) -> Envelope[DeliveryRow]:
    """One message, with what came of it so far."""
    return ok(await service.one(user, delivery_id))


@router.get("/notification/unreached", operation_id="listUnreachedAlarms")
async def list_unreached_alarms(service: Alarms, user: Keeper) -> Envelope[Rows[UnreachedRow]]:
    """Alarms of the last 7 days of which nobody was told, by rule, type and level, at most 50, with the
    reason; those with the newest first.
    """
    return ok(Rows(rows=await service.unreached(user)))


@router.get("/notification/alarm/{event_id:int}", operation_id="getAlarmNotification")
async def get_alarm_notification(
    service: Alarms, user: Reader, event_id: Number
) -> Envelope[AlarmNotification]:
    """Who was told of an alarm, and why nobody was."""
    return ok(await service.of_alarm(user, event_id))


@router.get("/notification/channel", operation_id="listNotificationChannels")
async def list_notification_channels(service: Service, user: Keeper) -> Envelope[Rows[ChannelRow]]:
    """Every channel, and whether this installation can use it."""
    return ok(Rows(rows=service.channels()))


@router.post("/contact/{contact_id:int}/test", operation_id="testContact")
async def test_contact(
    service: Service, user: Keeper, contact_id: Number, body: ContactTestBody
) -> Envelope[DeliveryRow]:
    """Queue a test message to a contact, before all that waits; getNotification says what came of it."""
    return ok(await service.test_contact(user, contact_id, body.channel))


@router.post("/contact-group/{contact_group_id:int}/test", operation_id="testContactGroup")
async def test_contact_group(
    service: Service, user: Keeper, contact_group_id: Number, body: GroupTestBody
) -> Envelope[DeliveryRow]:
    """Queue a test message to a group's robot, as testContact."""
    return ok(await service.test_group(user, contact_group_id, body.channel))
