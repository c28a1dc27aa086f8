"""What was received of what was to come."""

from __future__ import annotations

from cloud.domains.base import Build, Domain
from cloud.domains.completeness import endpoints
from cloud.domains.completeness.service import CompletenessService
from cloud.domains.completeness.slaves import CollectionService
from cloud.domains.devices.outages import OutageService
from cloud.domains.devices.service import DeviceService
from cloud.link import Link


def build(build: Build) -> None:
    services = build.services
    link, devices, outages = services[Link], services[DeviceService], services[OutageService]
    services.add(CompletenessService(link.reception, link.gap_store, link.collection, devices, outages))
    services.add(CollectionService(link.collection, devices))


DOMAIN = Domain(
    "completeness",
    (endpoints.router,),
    build,
    permissions=frozenset({"Monitor.DeviceMonitor"}),
)
