"""Who is told of an alarm, now: by the groups, and by what their owners see."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from pydantic import ValidationError
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.contacts import robots
from cloud.domains.contacts.models import Contact, ContactGroup
from cloud.domains.contacts.repository import ContactRepository
from cloud.domains.contacts.routing import AlarmFacts, is_danger, quiet_until, wants
from cloud.domains.contacts.schemas import GroupRule
from cloud.domains.identity.schemas import CurrentUser

log = logging.getLogger(__name__)

KEEPS = "TriggerContact/index"
"""The permission without which an owner's groups tell nothing."""

ADDRESSES: Mapping[str, str] = {"email": "email", "sms": "phone", "voice": "phone", "wechat": "wechat"}
"""Channel to the column of a contact's address."""

OWNER_REFUSED, OWNER_CHANGED = "owner_refused", "owner_changed"
CONTACT_GONE, NO_ADDRESS = "contact_gone", "no_address"
"""Why nothing is sent to somebody any more."""

NO_MEMBER, NO_GROUP = "no_member", "no_group"
"""Why an alarm is sent to nobody: its group has no enabled member and no robot, or no group is for it."""

UserNow = Callable[[int], Awaitable[CurrentUser | None]]
"""A user with the permissions that he has now; None for one that may not sign in."""


@dataclass(frozen=True)
class Recipient:
    """A contact, or a group's robot (contact_id None), on one channel. owner_id: None for the platform's."""

    owner_id: int | None
    contact_id: int | None
    group_id: int | None
    name: str
    channel: str
    address: str
    secret: str
    language: str

    @property
    def key(self) -> str:
        """Names the contact or the group."""
        return f"contact-{self.contact_id}" if self.contact_id is not None else f"group-{self.group_id}"


Held = dict[Recipient, int | None]
"""Recipient to when his quiet hours end (UTC milliseconds), None when he may be told at once."""


@dataclass(frozen=True)
class Unreached:
    """Who should be told and cannot be: a contact, a group (contact_id None), or nobody at all (both None).
    owner_id: as of Recipient; of nobody the gateway's. reason: NO_ADDRESS, NO_MEMBER, NO_GROUP or
    OWNER_REFUSED.
    """

    owner_id: int | None
    contact_id: int | None
    group_id: int | None
    name: str
    reason: str

    @property
    def key(self) -> str:
        """Names the contact, the group or the owner, as Recipient.key."""
        if self.contact_id is not None:
            return f"contact-{self.contact_id}"
        return f"owner-{self.owner_id or 0}" if self.group_id is None else f"group-{self.group_id}"


@dataclass(frozen=True)
class Addressees:
    """Who is told of an alarm, and who should be and cannot."""

    held: Held
    unreached: frozenset[Unreached]


class RecipientService:
    """zone: of quiet hours."""

    def __init__(self, user_now: UserNow, zone: ZoneInfo) -> None:
        self._user_now = user_now
        self._zone = zone

    async def of_alarm(self, session: AsyncSession, alarm: AlarmFacts, now_ms: int) -> Addressees:
        """Who is told. Somebody whom several groups tell may be told when the first of them may, and
        cannot be told only if none of them can tell him.
        """
        repository = ContactRepository(session, Scope.system())
        groups = [
            (group, rule)
            for group in await repository.candidates(alarm.device_id)
            if (rule := _rule(group)) is not None and wants(group.id, rule, alarm)
        ]
        members = await repository.members([group.id for group, _ in groups])
        allowed: dict[int | None, bool] = {}
        held: Held = {}
        unreached: set[Unreached] = set()
        is_refused = False
        for group, rule in groups:
            if group.owner_id not in allowed:
                seen = await self.seen(session, group.owner_id, [alarm.device_id])
                allowed[group.owner_id] = bool(seen)
                is_refused = is_refused or seen is None
            if not allowed[group.owner_id]:
                continue
            passes = rule.quiet is not None and rule.quiet.danger_passes and is_danger(alarm.alarm_type)
            until = None if passes else quiet_until(rule.quiet, now_ms, self._zone)
            for one in _recipients(group, rule, members[group.id]):
                before = held.get(one, until)
                held[one] = None if before is None or until is None else min(before, until)
            unreached |= set(_unreached(group, rule, members[group.id]))
        reached = {one.contact_id for one in held}
        left = {one for one in unreached if one.contact_id is None or one.contact_id not in reached}
        if not held and not left:
            reason = OWNER_REFUSED if is_refused else NO_GROUP
            left = {Unreached(await repository.owner_of(alarm.device_id), None, None, "", reason)}
        return Addressees(held, frozenset(left))

    async def seen(
        self, session: AsyncSession, owner_id: int | None, device_ids: Collection[int]
    ) -> set[int] | None:
        """Of these gateways those that an owner sees now; None when he may tell nobody any more."""
        scope = Scope.system()
        if owner_id is not None:
            user = await self._user_now(owner_id)
            if user is None or not user.may(KEEPS):
                return None
            scope = user.scope
        return await ContactRepository(session, scope).devices(device_ids)

    async def current(
        self,
        session: AsyncSession,
        owner_id: int | None,
        contact_id: int | None,
        group_id: int | None,
        channel: str,
    ) -> Recipient | str:
        """Somebody with his address of now, or why he is not told of alarms any more, as a code."""
        repository = ContactRepository(session, Scope.system())
        if contact_id is not None:
            contact = await repository.contact(contact_id)
            if contact is None or not contact.enabled:
                return CONTACT_GONE
            if contact.owner_id != owner_id:
                return OWNER_CHANGED
            groups = await repository.groups_of(contact_id)
            if not any(channel in group.body["channels"] for group in groups):
                return CONTACT_GONE
            return contact_recipient(contact, channel) or NO_ADDRESS
        group = None if group_id is None else await repository.group(group_id)
        if group is None or not group.enabled:
            return CONTACT_GONE
        if group.owner_id != owner_id or group.saved_for != (owner_id or 0):
            return OWNER_CHANGED
        return group_recipient(group, channel) or NO_ADDRESS

    async def addressed(
        self, session: AsyncSession, contact_id: int | None, group_id: int | None, channel: str
    ) -> Recipient | str:
        """The same, whatever alarms he is told of: CONTACT_GONE or NO_ADDRESS."""
        repository = ContactRepository(session, Scope.system())
        if contact_id is not None:
            contact = await repository.contact(contact_id)
            return CONTACT_GONE if contact is None else contact_recipient(contact, channel) or NO_ADDRESS
        group = None if group_id is None else await repository.group(group_id)
        return CONTACT_GONE if group is None else group_recipient(group, channel) or NO_ADDRESS


def _rule(group: ContactGroup) -> GroupRule | None:
    """None for one of another form, which an older version wrote: it must not keep others from theirs."""
    try:
        return GroupRule.model_validate(group.body)
    except ValidationError:
        log.warning("contact group %d is of another form and tells nobody", group.id)
        return None


def contact_recipient(contact: Contact, channel: str) -> Recipient | None:
    """None when he has no address for it."""
    address = str(getattr(contact, ADDRESSES[channel]))
    if not address:
        return None
    return Recipient(contact.owner_id, contact.id, None, contact.name, channel, address, "", contact.language)


def group_recipient(group: ContactGroup, kind: str) -> Recipient | None:
    """None when it has no robot of this kind."""
    robot = robots.stored(group.robots).get(kind)
    if robot is None:
        return None
    language = GroupRule.model_validate(group.body).language
    return Recipient(group.owner_id, None, group.id, group.title, kind, robot.url, robot.secret, language)


def _recipients(group: ContactGroup, rule: GroupRule, members: Collection[Contact]) -> list[Recipient]:
    recipients = [
        contact_recipient(contact, channel)
        for contact in members
        if contact.enabled
        for channel in rule.channels
    ]
    recipients += [group_recipient(group, kind) for kind in sorted(group.robots)]
    return [one for one in recipients if one is not None]


def address_problem(contact: Contact, rule: GroupRule) -> str:
    """Why a member of a group hears nothing on its channels: disabled, NO_ADDRESS, or empty."""
    if not contact.enabled:
        return "disabled"
    has_address = any(contact_recipient(contact, channel) is not None for channel in rule.channels)
    return NO_ADDRESS if rule.channels and not has_address else ""


def _unreached(group: ContactGroup, rule: GroupRule, members: Collection[Contact]) -> list[Unreached]:
    if not group.robots and (not rule.channels or not any(contact.enabled for contact in members)):
        return [Unreached(group.owner_id, None, group.id, group.title, NO_MEMBER)]
    return [
        Unreached(contact.owner_id, contact.id, group.id, contact.name, NO_ADDRESS)
        for contact in members
        if address_problem(contact, rule) == NO_ADDRESS
    ]
