"""The data screen."""

from __future__ import annotations

from cloud.domains.base import Build, Domain
from cloud.domains.monitoring import endpoints
from cloud.domains.monitoring.service import MonitoringService
from cloud.domains.telemetry.service import TelemetryService


def build(build: Build) -> None:
    build.services.add(MonitoringService(build.database, build.services[TelemetryService]))


DOMAIN = Domain(
    "monitoring",
    (endpoints.router,),
    build,
    permissions=frozenset({"Monitor.DeviceMonitorList"}),
)
