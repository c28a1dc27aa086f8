"""Gateways from workbooks, and back."""

from __future__ import annotations

from collections.abc import Sequence

from cloud.core.events import ConfigurationChanged
from cloud.core.services import Services
from cloud.domains.base import Build, Domain, Job, Periodic
from cloud.domains.devices.presence import PresenceService
from cloud.domains.devices.registry_service import RegistryService
from cloud.domains.devices.service import DeviceService
from cloud.domains.importing import endpoints
from cloud.domains.importing.building import import_services
from cloud.domains.importing.service import CLEAN_S, ImportService
from cloud.domains.jobs.service import JobService
from cloud.domains.triggers.point_alarms import PointAlarms
from cloud.link import Link


def build(build: Build) -> None:
    services, link = build.services, build.services[Link]
    made = import_services(
        build.database,
        build.settings.data_dir / "imports",
        services[JobService],
        services[PresenceService],
        (link.put_gateways, link.disable_gateway),
        build.bus.publisher(ConfigurationChanged),
        services[DeviceService],
        services[RegistryService].delete,
        services[PointAlarms],
    )
    services.add(made.imports)
    services.add(made.exports)


def periodic(services: Services) -> Sequence[Job]:
    return (Periodic(CLEAN_S, services[ImportService].clean),)


DOMAIN = Domain(
    "importing",
    (endpoints.router,),
    build,
    periodic=periodic,
    # the bytes lie in the full process' folder
    leader_only=frozenset(
        {
            "uploadImport",
            "getImport",
            "deleteImport",
            "previewImport",
            "listImportRows",
            "getImportErrors",
            "applyImport",
        }
    ),
    permissions=frozenset({"Device/save", "DeviceManage"}),
)
