"""Reports of alarms and absences."""

from __future__ import annotations

from cloud.domains.base import Build, Domain
from cloud.domains.reports import endpoints
from cloud.domains.reports.service import ReportService


def build(build: Build) -> None:
    build.services.add(ReportService(build.database))


DOMAIN = Domain(
    "reports",
    (endpoints.router,),
    build,
    permissions=frozenset({"StatisticalReport"}),
)
