"""The objects of this domain, made in one go by the program's wiring."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import NamedTuple

from cloud.db import Database
from cloud.domains.devices.presence import PresenceService
from cloud.domains.devices.service import DeviceService
from cloud.domains.importing.applying import Applier, Changed, DisableGateway, PutGateways
from cloud.domains.importing.exporting import EXPORT, ExportService
from cloud.domains.importing.previewing import Previewer
from cloud.domains.importing.removal import Removals, RemoveGateway
from cloud.domains.importing.service import APPLY, PREVIEW, ImportService
from cloud.domains.importing.views import KEEP_MS
from cloud.domains.jobs.service import JobService
from cloud.domains.triggers.point_alarms import PointAlarms


class ImportServices(NamedTuple):
    """What endpoints call; the jobs are registered."""

    imports: ImportService
    exports: ExportService


def import_services(
    database: Database,
    folder: Path,
    jobs: JobService,
    presence: PresenceService,
    broker: tuple[PutGateways, DisableGateway],
    changed: Changed,
    devices: DeviceService,
    remove: RemoveGateway,
    alarms: PointAlarms,
) -> ImportServices:
    """folder: of work files. broker: told of new gateways, and of one that is none. changed: see Applier."""
    removals = Removals(database, remove)
    imports, exports = ImportService(folder, jobs, devices, removals), ExportService(database, jobs)
    jobs.register(
        PREVIEW, Previewer(database, imports.work_of, removals).run, needs="Device/save", is_listed=False
    )
    follow = partial(alarms.follow, refuses=True)
    applier = Applier(database, imports.work_of, presence, *broker, changed, removals, follow)
    jobs.register(APPLY, applier.run, needs="Device/save", keep_ms=KEEP_MS, is_own=True)
    jobs.register(EXPORT, exports.run, needs="DeviceManage")
    return ImportServices(imports, exports)
