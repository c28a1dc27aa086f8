"""Contacts, contact groups, and who is told of an alarm."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from cloud.core.tables import NamedTable, OwnedTable
from cloud.domains.base import Build, Domain
from cloud.domains.contacts import endpoints
from cloud.domains.contacts.groups import ContactGroupService
from cloud.domains.contacts.models import Contact, ContactGroup
from cloud.domains.contacts.recipients import RecipientService
from cloud.domains.contacts.repository import contact_seen, group_seen
from cloud.domains.contacts.service import ContactService
from cloud.domains.identity.service import IdentityService


def build(build: Build) -> None:
    services = build.services
    services.add(ContactService(build.database))
    services.add(ContactGroupService(build.database))
    user_now = services[IdentityService].user_now
    services.add(RecipientService(user_now, ZoneInfo(build.settings.time_zone)))


DOMAIN = Domain(
    "contacts",
    (endpoints.router,),
    build,
    permissions=frozenset({"TriggerContact/index"}),
    owned=(OwnedTable(Contact.owner_id), OwnedTable(ContactGroup.owner_id)),
    named=(
        NamedTable("contact", Contact.id, Contact.name, contact_seen),
        NamedTable("contact group", ContactGroup.id, ContactGroup.title, group_seen),
    ),
)
