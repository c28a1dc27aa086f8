"""Templates of points and gateways."""

from __future__ import annotations

from functools import partial

from cloud.core.bus import EventBus
from cloud.core.events import ConfigurationChanged
from cloud.core.services import Services
from cloud.core.tables import NamedTable, OwnedTable
from cloud.domains.base import Build, Domain
from cloud.domains.deploy.events import DocumentRenamed, RowsRenamed
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.identity.scope import within
from cloud.domains.jobs.service import JobService
from cloud.domains.points.editing import Editing
from cloud.domains.points.service import PortService
from cloud.domains.points.settings import SettingService
from cloud.domains.templates import endpoints, use_endpoints
from cloud.domains.templates.content import GATEWAY, expanded, rows_of, with_parts
from cloud.domains.templates.drafts import follow_renames
from cloud.domains.templates.models import TemplateNode
from cloud.domains.templates.services import template_services
from cloud.errors import NoPermission, NotFound
from edge_contract.deployment import Document


def build(build: Build) -> None:
    services = build.services
    devices, jobs = services[DeviceService], services[JobService]
    made = template_services(build.database, devices, jobs, build.bus.publisher(ConfigurationChanged))
    for each in (made.tree, made.sheets, made.making, made.using, made.applying):
        services.add(each)

    async def template_rows(user: CurrentUser, template_id: int) -> Document:
        """Rows of a gateway template with those of the point templates that it names.

        Raises NoPermission without the permission for templates, NotFound for another kind of template.
        """
        if not user.may("DeviceTemplate"):
            raise NoPermission("DeviceTemplate")
        file = await made.making.export(user, template_id)
        if file.category != GATEWAY:
            raise NotFound("template")
        named = {
            slave: rows_of(each.document, "points")
            for each in file.templates.values()
            for slave in each.slaves
        }
        return with_parts({}, expanded(file.document, named))

    services.add(PortService(services[Editing], services[SettingService], template_rows))


def handlers(bus: EventBus, services: Services) -> None:
    async def renamed(event: DocumentRenamed | RowsRenamed) -> None:
        await follow_renames(event.session, event.renaming)

    bus.handle(DocumentRenamed, renamed)
    bus.handle(RowsRenamed, renamed)


DOMAIN = Domain(
    "templates",
    (
        endpoints.router,
        use_endpoints.router,
    ),
    build,
    handlers=handlers,
    permissions=frozenset({"DeviceManage", "DeviceTemplate"}),
    # shared templates of the platform are everybody's
    owned=(OwnedTable(TemplateNode.owner_id, of_platform={"shared": False}),),
    named=(
        NamedTable(
            "template", TemplateNode.id, TemplateNode.title, partial(within, owner=TemplateNode.owner_id)
        ),
    ),
)
