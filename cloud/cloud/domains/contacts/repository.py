"""Every query of contacts and contact groups."""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeVar

from sqlalchemy import ColumnElement, Select, delete, false, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.contacts.models import Contact, ContactGroup, ContactGroupMember
from cloud.domains.identity.models import User
from cloud.domains.identity.scope import within
from cloud.domains.inventory.models import Device, DeviceShare
from cloud.domains.inventory.project_models import Project
from cloud.domains.inventory.visibility import visible

Owned = TypeVar("Owned", Contact, ContactGroup)


def contact_seen(scope: Scope) -> ColumnElement[bool]:
    """Contacts of the user and of everybody below him."""
    return within(scope, Contact.owner_id) if scope.everything or scope.is_placed else false()


def group_seen(scope: Scope) -> ColumnElement[bool]:
    """Groups of the user and of everybody below him."""
    return within(scope, ContactGroup.owner_id) if scope.everything or scope.is_placed else false()


class ContactRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def add(self, row: Contact | ContactGroup) -> None:
        """Afterwards it has its number."""
        self._session.add(row)
        await self._session.flush()

    async def delete(self, row: Contact | ContactGroup) -> None:
        await self._session.delete(row)

    async def contact(self, contact_id: int) -> Contact | None:
        query = select(Contact).where(Contact.id == contact_id, contact_seen(self._scope))
        return (await self._session.scalars(query)).one_or_none()

    async def group(self, group_id: int) -> ContactGroup | None:
        query = select(ContactGroup).where(ContactGroup.id == group_id, group_seen(self._scope))
        return (await self._session.scalars(query)).one_or_none()

    async def contacts(self, page: int, limit: int, search: str) -> tuple[list[tuple[Contact, str]], int]:
        """A page by name with the names of their owners, and how many match."""
        query = select(Contact).where(contact_seen(self._scope))
        if search:
            columns = (Contact.name, Contact.phone, Contact.email)
            query = query.where(or_(*(column.icontains(search, autoescape=True) for column in columns)))
        return await self._page(query, Contact, page, limit)

    async def groups(self, page: int, limit: int, search: str) -> tuple[list[tuple[ContactGroup, str]], int]:
        """A page by title with the names of their owners, and how many match."""
        query = select(ContactGroup).where(group_seen(self._scope))
        if search:
            query = query.where(ContactGroup.title.icontains(search, autoescape=True))
        return await self._page(query, ContactGroup, page, limit)

    async def _page(
        self, query: Select[Owned], table: type[Owned], page: int, limit: int
    ) -> tuple[list[tuple[Owned, str]], int]:
        counted = select(func.count()).select_from(query.subquery())
        total = int((await self._session.execute(counted)).scalar_one())
        title = table.name if table is Contact else table.title  # type: ignore[attr-defined]
        query = query.order_by(title, table.id).offset((page - 1) * limit).limit(limit)
        named = query.outerjoin(User, User.id == table.owner_id).add_columns(User.user_name)
        return [(row[0], row[1] or "") for row in await self._session.execute(named)], total

    async def count_of(self, table: type[Contact] | type[ContactGroup], owner_id: int | None) -> int:
        """How many an owner has."""
        query = select(func.count()).select_from(table).where(table.owner_id.is_not_distinct_from(owner_id))
        return int((await self._session.execute(query)).scalar_one())

    async def owner_name(self, owner_id: int | None) -> str:
        return (await self._session.scalars(select(User.user_name).where(User.id == owner_id))).first() or ""

    async def members(self, groups: Collection[int]) -> dict[int, list[Contact]]:
        """Contacts of groups by name; those of the group's owner only."""
        query = select(ContactGroupMember.group_id, Contact)
        query = query.join(Contact, Contact.id == ContactGroupMember.contact_id)
        query = query.join(ContactGroup, ContactGroup.id == ContactGroupMember.group_id)
        query = query.where(ContactGroup.owner_id.is_not_distinct_from(Contact.owner_id))
        query = query.where(ContactGroupMember.group_id.in_(groups)).order_by(Contact.name, Contact.id)
        listed: dict[int, list[Contact]] = {number: [] for number in groups}
        for group_id, contact in await self._session.execute(query):
            listed[group_id].append(contact)
        return listed

    async def titles_of(self, contacts: Collection[int]) -> dict[int, list[str]]:
        """Titles of the groups that contacts are in."""
        query = select(ContactGroupMember.contact_id, ContactGroup.title)
        query = query.join(ContactGroup, ContactGroup.id == ContactGroupMember.group_id)
        query = query.where(ContactGroupMember.contact_id.in_(contacts), group_seen(self._scope))
        listed: dict[int, list[str]] = {number: [] for number in contacts}
        for contact_id, title in await self._session.execute(query.order_by(ContactGroup.title)):
            listed[contact_id].append(title)
        return listed

    async def set_members(self, group_id: int, contacts: Collection[int]) -> None:
        await self._session.execute(delete(ContactGroupMember).where(ContactGroupMember.group_id == group_id))
        self._session.add_all(
            ContactGroupMember(group_id=group_id, contact_id=number) for number in sorted(contacts)
        )

    async def of_owner(self, contacts: Collection[int], owner_id: int | None) -> set[int]:
        """Of these those that the scope sees and that are of an owner."""
        query = select(Contact.id).where(Contact.id.in_(contacts), contact_seen(self._scope))
        return set(await self._session.scalars(query.where(Contact.owner_id.is_not_distinct_from(owner_id))))

    async def group_titles(self, groups: Collection[int]) -> dict[int, str]:
        """Of these those that the scope sees."""
        query = select(ContactGroup.id, ContactGroup.title).where(ContactGroup.id.in_(groups))
        rows = await self._session.execute(query.where(group_seen(self._scope)))
        return {row[0]: row[1] for row in rows}

    async def devices(self, numbers: Collection[int]) -> set[int]:
        """Of these gateways those that the scope sees."""
        query = select(Device.id).where(Device.id.in_(numbers), visible(self._scope))
        return set(await self._session.scalars(query))

    async def projects(self, numbers: Collection[int]) -> set[int]:
        """Of these projects those that the scope sees."""
        query = select(Project.id).where(Project.id.in_(numbers), within(self._scope, Project.owner_id))
        return set(await self._session.scalars(query))

    async def device_titles(self, numbers: Collection[int]) -> dict[int, str]:
        """Of these gateways those that the scope sees."""
        query = select(Device.id, Device.display_title).where(Device.id.in_(numbers), visible(self._scope))
        return {row[0]: row[1] for row in await self._session.execute(query)}

    async def project_titles(self, numbers: Collection[int]) -> dict[int, str]:
        """Of these projects those that the scope sees."""
        query = select(Project.id, Project.title).where(Project.id.in_(numbers))
        rows = await self._session.execute(query.where(within(self._scope, Project.owner_id)))
        return {row[0]: row[1] for row in rows}

    async def projects_of(self, device_id: int) -> frozenset[int]:
        """The project of a gateway with everything above it."""
        query = select(Project.path).join(Device, Device.project_id == Project.id)
        path = (await self._session.scalars(query.where(Device.id == device_id))).one_or_none()
        return frozenset(int(part) for part in (path or "").split("/") if part)

    async def owner_of(self, device_id: int) -> int | None:
        """Whose a gateway is; None for the platform's."""
        query = select(Device.owner_id).where(Device.id == device_id)
        return (await self._session.scalars(query)).one_or_none()

    async def candidates(self, device_id: int) -> list[ContactGroup]:
        """Enabled groups of everybody who may see a gateway by the tree or a share, and of the platform."""
        path = select(User.path).join(Device, Device.owner_id == User.id).where(Device.id == device_id)
        above = [
            int(part) for part in ((await self._session.scalars(path)).one_or_none() or "").split("/") if part
        ]
        shared = select(DeviceShare.user_id).where(DeviceShare.device_id == device_id)
        owner = ContactGroup.owner_id
        query = select(ContactGroup).where(or_(owner.is_(None), owner.in_(above), owner.in_(shared)))
        saved = ContactGroup.saved_for == func.coalesce(owner, 0)
        query = query.where(ContactGroup.enabled.is_(True), saved).order_by(ContactGroup.id)
        return list(await self._session.scalars(query))

    async def groups_of(self, contact_id: int) -> list[ContactGroup]:
        """Enabled groups that a contact is in, and that are his owner's."""
        query = select(ContactGroup).join(ContactGroupMember, ContactGroupMember.group_id == ContactGroup.id)
        query = query.join(Contact, Contact.id == ContactGroupMember.contact_id)
        query = query.where(ContactGroup.owner_id.is_not_distinct_from(Contact.owner_id))
        query = query.where(ContactGroup.saved_for == func.coalesce(ContactGroup.owner_id, 0))
        return list(
            await self._session.scalars(
                query.where(ContactGroupMember.contact_id == contact_id, ContactGroup.enabled.is_(True))
            )
        )
