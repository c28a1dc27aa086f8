"""Contacts and contact groups: list, making, changing, deleting."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from cloud.core.envelope import Envelope, Page, ok
from cloud.core.paging import PageNumber, PageSize
from cloud.core.services import service
from cloud.domains.contacts.groups import ContactGroupService
from cloud.domains.contacts.schemas import ContactBody, ContactGroupBody, ContactGroupRow, ContactRow
from cloud.domains.contacts.service import ContactService
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser

router = APIRouter(tags=["contacts"])

Contacts = Annotated[ContactService, service(ContactService)]
Groups = Annotated[ContactGroupService, service(ContactGroupService)]
Keeper = Annotated[CurrentUser, requires("TriggerContact/index")]
ContactId = Annotated[int, Path(ge=1, le=2**31 - 1)]
Search = Annotated[str, Query(max_length=100, pattern=r"^[^\x00]*$")]


@router.get("/contact", operation_id="listContacts")
async def list_contacts(
    service: Contacts, user: Keeper, page: PageNumber = 1, limit: PageSize = 20, search: Search = ""
) -> Envelope[Page[ContactRow]]:
    """Contacts of you and of everybody below you, by name."""
    return ok(await service.page(user, page, limit, search.strip()))


@router.post("/contact", operation_id="createContact")
async def create_contact(service: Contacts, user: Keeper, body: ContactBody) -> Envelope[ContactRow]:
    """A new contact. He is told of nothing before he is in a group."""
    return ok(await service.create(user, body))


@router.put("/contact/{contact_id:int}", operation_id="changeContact")
async def change_contact(
    service: Contacts, user: Keeper, contact_id: ContactId, body: ContactBody
) -> Envelope[ContactRow]:
    """Replace a contact; what waits for him goes to the new address."""
    return ok(await service.change(user, contact_id, body))


@router.delete("/contact/{contact_id:int}", operation_id="deleteContact")
async def delete_contact(service: Contacts, user: Keeper, contact_id: ContactId) -> Envelope[None]:
    """Delete a contact; what waits for him is not sent."""
    await service.delete(user, contact_id)
    return ok(None)


@router.get("/contact-group", operation_id="listContactGroups")
async def list_contact_groups(
    service: Groups, user: Keeper, page: PageNumber = 1, limit: PageSize = 20, search: Search = ""
) -> Envelope[Page[ContactGroupRow]]:
    """Contact groups of you and of everybody below you, by title."""
    return ok(await service.page(user, page, limit, search.strip()))


@router.post("/contact-group", operation_id="createContactGroup")
async def create_contact_group(
    service: Groups, user: Keeper, body: ContactGroupBody
) -> Envelope[ContactGroupRow]:
    """A new group. It tells of gateways as long as its owner sees them."""
    return ok(await service.create(user, body))


@router.put("/contact-group/{contact_group_id:int}", operation_id="changeContactGroup")
async def change_contact_group(
    service: Groups, user: Keeper, contact_group_id: ContactId, body: ContactGroupBody
) -> Envelope[ContactGroupRow]:
    """Replace a group; addresses of robots and secrets that are null stay as they are."""
    return ok(await service.change(user, contact_group_id, body))


@router.delete("/contact-group/{contact_group_id:int}", operation_id="deleteContactGroup")
async def delete_contact_group(service: Groups, user: Keeper, contact_group_id: ContactId) -> Envelope[None]:
    """Delete a group."""
    await service.delete(user, contact_group_id)
    return ok(None)
