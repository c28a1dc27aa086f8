"""The objects of this room, made in one go by the program's wiring."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from cloud.db import Database
from cloud.domains.devices.presence import PresenceService
from cloud.domains.importing.applying import Applier, Changed, DisableGateway, PutGateways
from cloud.domains.importing.exporting import EXPORT, ExportService
from cloud.domains.importing.previewing import Previewer
from cloud.domains.importing.service import APPLY, PREVIEW, ImportService
from cloud.domains.jobs.service import JobService


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
) -> ImportServices:
    """folder: of work files. broker: told of new gateways, and of one that is none. changed: see Applier."""
    imports, exports = ImportService(folder, jobs), ExportService(database, jobs)
    jobs.register(PREVIEW, Previewer(database, imports.work_of).run, needs="Device/save")
    applier = Applier(database, imports.work_of, presence, *broker, changed)
    jobs.register(APPLY, applier.run, needs="Device/save")
    jobs.register(EXPORT, exports.run, needs="DeviceManage")
    return ImportServices(imports, exports)
