"""The landing page."""

from __future__ import annotations

from collections.abc import Sequence

from cloud.core.services import Services
from cloud.domains.alarms.reports import AlarmReports
from cloud.domains.alarms.service import AlarmService
from cloud.domains.base import Build, Domain, Job, Periodic
from cloud.domains.devices.outages import OutageService
from cloud.domains.devices.presence import PresenceService
from cloud.domains.devices.service import DeviceService
from cloud.domains.jobs.service import JobService
from cloud.domains.options.service import OptionService
from cloud.domains.overview import endpoints
from cloud.domains.overview.platform import NOTE_S, PlatformService
from cloud.domains.overview.service import OverviewService
from cloud.domains.overview.values import ValueService
from cloud.domains.telemetry.service import TelemetryService


def build(build: Build) -> None:
    database, settings, services = build.database, build.settings, build.services
    options, telemetry = services[OptionService], services[TelemetryService]
    series_file = settings.data_dir / "timeseries.db" if settings.timeseries == "embedded" else None
    unlisted = services[JobService].unlisted
    services.add(
        OverviewService(
            database,
            services[PresenceService],
            services[DeviceService],
            services[AlarmService],
            services[AlarmReports],
            services[OutageService],
            options,
            ValueService(database, options, telemetry),
            PlatformService(database, settings.database, settings.data_dir, series_file, unlisted=unlisted),
        )
    )


def periodic(services: Services) -> Sequence[Job]:
    return (Periodic(NOTE_S, services[OverviewService].platform.note),)


DOMAIN = Domain(
    "overview",
    (endpoints.router,),
    build,
    periodic=periodic,
    permissions=frozenset({"PlatformOverView"}),
)
