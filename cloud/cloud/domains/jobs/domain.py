"""Long work, with progress."""

from __future__ import annotations

from collections.abc import Sequence

from cloud.core.services import Services
from cloud.domains.base import Build, Domain, Job, Periodic
from cloud.domains.identity.service import IdentityService
from cloud.domains.jobs import endpoints
from cloud.domains.jobs.service import CLEAN_S, JobService


def build(build: Build) -> None:
    folder, who = build.settings.data_dir / "exports", build.services[IdentityService].user_now
    jobs = build.services.add(JobService(build.database, folder, who, build.hub.push_user))
    if build.is_full:
        build.on_start.append(jobs.runner.start)
    build.on_stop.append(jobs.runner.stop)


def periodic(services: Services) -> Sequence[Job]:
    return (Periodic(CLEAN_S, services[JobService].clean),)


DOMAIN = Domain(
    "jobs",
    (endpoints.router,),
    build,
    periodic=periodic,
    # the bytes lie in the full process' folder
    leader_only=frozenset({"getJobFile", "deleteJob"}),
    permissions=frozenset({"FileDownload"}),
)
