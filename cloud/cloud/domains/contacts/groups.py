"""Contact groups: list, making, changing, deleting, and which of them a user may name."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.contacts import robots
from cloud.domains.contacts.models import Contact, ContactGroup
from cloud.domains.contacts.recipients import address_problem
from cloud.domains.contacts.repository import ContactRepository
from cloud.domains.contacts.schemas import (
    ChosenTitle,
    ContactGroupBody,
    ContactGroupRow,
    GroupMember,
    GroupRule,
)
from cloud.domains.contacts.service import owner_of
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import Conflict, NotFound

log = logging.getLogger(__name__)

MAX_GROUPS = 200
"""Of one owner."""


class ContactGroupService:
    """A group belongs to who made it; whoever is above him sees and changes it too, and it still tells only
    of gateways that its owner sees.
    """

    def __init__(self, database: Database, *, clock: NowMs = now_ms) -> None:
        self._database = database
        self._clock = clock

    async def page(self, user: CurrentUser, page: int, limit: int, search: str) -> Page[ContactGroupRow]:
        """Groups by title."""
        async with self._database.reading() as session:
            repository = ContactRepository(session, user.scope)
            listed, total = await repository.groups(page, limit, search)
            rows = await _rows(repository, listed)
        return Page(rows=rows, total=total)

    async def create(self, user: CurrentUser, body: ContactGroupBody) -> ContactGroupRow:
        """Make a group. Raises NotFound for a contact, gateway or project that is not seen, ParameterError
        for an address of another form, Conflict when the owner has MAX_GROUPS.
        """
        return await self._save(user, None, body)

    async def change(self, user: CurrentUser, group_id: int, body: ContactGroupBody) -> ContactGroupRow:
        """Replace a group. Raises NotFound and the errors of create."""
        return await self._save(user, group_id, body)

    async def delete(self, user: CurrentUser, group_id: int) -> None:
        """Delete a group; a rule that names it tells its others only. Raises NotFound."""
        async with self._database.session() as session:
            repository = ContactRepository(session, user.scope)
            group = await _existing(repository, group_id)
            before = await _audited(repository, group)
            await repository.delete(group)
            await session.commit()
        record_change(before, {})
        log.info("contact group %d deleted by %s", group_id, user.name)

    async def refuse_unseen(self, scope: Scope, groups: Collection[int]) -> None:
        """Raises NotFound for a group that the scope does not see."""
        if set(groups) - set(await self.titles(scope, groups)):
            raise NotFound("contact group")

    async def titles(self, scope: Scope, groups: Collection[int]) -> dict[int, str]:
        """Of these groups those that there are and that the scope sees, by number."""
        if not groups:
            return {}
        async with self._database.reading() as session:
            return await ContactRepository(session, scope).group_titles(groups)

    async def _save(self, user: CurrentUser, group_id: int | None, body: ContactGroupBody) -> ContactGroupRow:
        now = self._clock()
        async with self._database.session() as session:
            repository = ContactRepository(session, user.scope)
            before: dict[str, Any] = {}
            if group_id is None:
                if await repository.count_of(ContactGroup, owner_of(user)) >= MAX_GROUPS:
                    raise Conflict(
                        f"at most {MAX_GROUPS} contact groups",
                        field="title",
                        rule="too many",
                        reason="contact.too_many_groups",
                        arguments={"most": MAX_GROUPS},
                    )
                group = ContactGroup(owner_id=owner_of(user), created_ms=now, robots={})
            else:
                group = await _existing(repository, group_id)
                before = await _audited(repository, group)
            await _check_chosen(repository, group, body)
            group.saved_for = group.owner_id or 0
            group.title, group.enabled, group.changed_ms = body.title, body.enabled, now
            group.body = body.model_dump(mode="json", include=set(GroupRule.model_fields))
            group.robots = robots.changed(group.robots, body.robots)
            await repository.add(group)
            await repository.set_members(group.id, set(body.contact_ids))
            await session.flush()
            after = await _audited(repository, group)
            [row] = await _rows(repository, [(group, await repository.owner_name(group.owner_id))])
            await session.commit()
        record_change(before, after, title=row.title)
        log.info("contact group %d saved by %s", row.id, user.name)
        return row


async def _existing(repository: ContactRepository, group_id: int) -> ContactGroup:
    group = await repository.group(group_id)
    if group is None:
        raise NotFound("contact group")
    return group


async def _check_chosen(repository: ContactRepository, group: ContactGroup, body: ContactGroupBody) -> None:
    """What was chosen before may be gone meanwhile; it is looked at again when something is sent."""
    if set(body.contact_ids) - await repository.of_owner(body.contact_ids, group.owner_id):
        raise NotFound("contact")
    before = GroupRule.model_validate(group.body or {})
    added = set(body.device_ids) - set(before.device_ids)
    if added - await repository.devices(added):
        raise NotFound("gateway")
    added = set(body.project_ids) - set(before.project_ids)
    if added - await repository.projects(added):
        raise NotFound("project")


async def _audited(repository: ContactRepository, group: ContactGroup) -> dict[str, Any]:
    """What the audit keeps of a group."""
    members = (await repository.members([group.id]))[group.id]
    return {
        "title": group.title,
        "enabled": group.enabled,
        **group.body,
        "contacts": [contact.name for contact in members],
        "robots": [robot.model_dump() for robot in robots.rows(group.robots)],
    }


async def _rows(
    repository: ContactRepository, groups: Sequence[tuple[ContactGroup, str]]
) -> list[ContactGroupRow]:
    """groups: with the names of their owners."""
    rules = [GroupRule.model_validate(group.body) for group, _ in groups]
    members = await repository.members([group.id for group, _ in groups])
    devices = await repository.device_titles({number for rule in rules for number in rule.device_ids})
    projects = await repository.project_titles({number for rule in rules for number in rule.project_ids})
    return [
        _row(group, rule, user_name, members[group.id], devices, projects)
        for (group, user_name), rule in zip(groups, rules, strict=True)
    ]


def _row(
    group: ContactGroup,
    rule: GroupRule,
    user_name: str,
    members: Sequence[Contact],
    devices: Mapping[int, str],
    projects: Mapping[int, str],
) -> ContactGroupRow:
    return ContactGroupRow(
        **rule.model_dump(),
        id=group.id,
        title=group.title,
        enabled=group.enabled,
        contact_ids=[contact.id for contact in members],
        contacts=[
            GroupMember(id=contact.id, title=contact.name, problem=address_problem(contact, rule))
            for contact in members
        ],
        devices=_titled(rule.device_ids, devices),
        projects=_titled(rule.project_ids, projects),
        robots=robots.rows(group.robots),
        problem=_problem(group, rule, members),
        user_name=user_name,
        changed_ms=group.changed_ms,
    )


def _titled(numbers: Sequence[int], titles: Mapping[int, str]) -> list[ChosenTitle]:
    return [ChosenTitle(id=number, title=titles[number]) for number in numbers if number in titles]


def _problem(group: ContactGroup, rule: GroupRule, members: Sequence[Contact]) -> str:
    if group.saved_for != (group.owner_id or 0):
        return "owner_changed"
    is_reached = bool(rule.channels) and not all(address_problem(contact, rule) for contact in members)
    return "" if is_reached or group.robots else "nobody"
