"""How long history is kept."""

from __future__ import annotations

from collections.abc import Sequence

from cloud.core.clock import DeletionTime
from cloud.core.services import Services
from cloud.domains.base import Build, Domain, Job, Periodic
from cloud.domains.devices.service import DeviceService
from cloud.domains.retention import endpoints
from cloud.domains.retention.service import APPLY_S, RetentionService


def build(build: Build) -> None:
    devices = build.services[DeviceService]
    retention = build.services.add(RetentionService(build.database, build.series, devices))
    build.services.add(DeletionTime(retention.deletes_at))


def periodic(services: Services) -> Sequence[Job]:
    return (Periodic(APPLY_S, services[RetentionService].apply),)


DOMAIN = Domain(
    "retention",
    (endpoints.router,),
    build,
    periodic=periodic,
    # its periodic work begins anew with what is set
    leader_only=frozenset({"putRetention", "putPointRetention"}),
    permissions=frozenset({"DeviceManage", "SystemSetting"}),
)
