"""Contacts: list, making, changing, deleting."""

from __future__ import annotations

import logging

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.db import Database
from cloud.domains.contacts.models import Contact
from cloud.domains.contacts.repository import ContactRepository
from cloud.domains.contacts.schemas import ContactBody, ContactRow
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import Conflict, NotFound

log = logging.getLogger(__name__)

MAX_CONTACTS = 1000
"""Of one owner."""


def owner_of(user: CurrentUser) -> int | None:
    """Whose what a user makes is: staff of the platform makes it for the platform."""
    return None if user.scope.everything else user.id


class ContactService:
    """A contact belongs to who made it; whoever is above him sees and changes it too."""

    def __init__(self, database: Database, *, clock: NowMs = now_ms) -> None:
        self._database = database
        self._clock = clock

    async def page(self, user: CurrentUser, page: int, limit: int, search: str) -> Page[ContactRow]:
        """Contacts by name."""
        async with self._database.reading() as session:
            repository = ContactRepository(session, user.scope)
            listed, total = await repository.contacts(page, limit, search)
            titles = await repository.titles_of([contact.id for contact, _ in listed])
        return Page(rows=[_row(contact, name, titles[contact.id]) for contact, name in listed], total=total)

    async def create(self, user: CurrentUser, body: ContactBody) -> ContactRow:
        """Make a contact. Raises Conflict when the owner has MAX_CONTACTS."""
        now = self._clock()
        async with self._database.session() as session:
            repository = ContactRepository(session, user.scope)
            if await repository.count_of(Contact, owner_of(user)) >= MAX_CONTACTS:
                raise Conflict(
                    f"at most {MAX_CONTACTS} contacts",
                    field="name",
                    rule="too many",
                    reason="contact.too_many",
                    arguments={"most": MAX_CONTACTS},
                )
            contact = Contact(owner_id=owner_of(user), created_ms=now, changed_ms=now, **body.model_dump())
            await repository.add(contact)
            row = _row(contact, await repository.owner_name(contact.owner_id), [])
            await session.commit()
        record_change({}, body.model_dump())
        log.info("contact %d made by %s", row.id, user.name)
        return row

    async def change(self, user: CurrentUser, contact_id: int, body: ContactBody) -> ContactRow:
        """Replace a contact. Raises NotFound."""
        async with self._database.session() as session:
            repository = ContactRepository(session, user.scope)
            contact = await existing_contact(repository, contact_id)
            before = _body(contact).model_dump()
            for name, value in body.model_dump().items():
                setattr(contact, name, value)
            contact.changed_ms = self._clock()
            titles = await repository.titles_of([contact_id])
            row = _row(contact, await repository.owner_name(contact.owner_id), titles[contact_id])
            await session.commit()
        record_change(before, body.model_dump(), name=row.name)
        log.info("contact %d changed by %s", contact_id, user.name)
        return row

    async def delete(self, user: CurrentUser, contact_id: int) -> None:
        """Delete a contact; what waits for him is not sent. Raises NotFound."""
        async with self._database.session() as session:
            repository = ContactRepository(session, user.scope)
            contact = await existing_contact(repository, contact_id)
            before = _body(contact).model_dump()
            await repository.delete(contact)
            await session.commit()
        record_change(before, {})
        log.info("contact %d deleted by %s", contact_id, user.name)


async def existing_contact(repository: ContactRepository, contact_id: int) -> Contact:
    """Raises NotFound."""
    contact = await repository.contact(contact_id)
    if contact is None:
        raise NotFound("contact")
    return contact


def _body(contact: Contact) -> ContactBody:
    return ContactBody(**{name: getattr(contact, name) for name in ContactBody.model_fields})


def _row(contact: Contact, user_name: str, groups: list[str]) -> ContactRow:
    return ContactRow(
        **_body(contact).model_dump(),
        id=contact.id,
        user_name=user_name,
        groups=groups,
        changed_ms=contact.changed_ms,
    )
