"""Who changed what."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.middleware import Middleware

from cloud.core.services import Services
from cloud.domains.audit import endpoints
from cloud.domains.audit.middleware import AuditMiddleware
from cloud.domains.audit.recorder import Recorder
from cloud.domains.audit.service import FORGET_S as AUDIT_S
from cloud.domains.audit.service import AuditService
from cloud.domains.base import Build, Domain, Forgetting, Job
from cloud.domains.identity.service import IdentityService


def build(build: Build) -> None:
    named = tuple(table for domain in build.domains for table in domain.named)
    recorder = build.services.add(Recorder(build.database, named))
    build.services.add(AuditService(build.database, recorder))
    build.middleware.append(
        Middleware(
            AuditMiddleware,
            recorder=recorder,
            who=build.services[IdentityService].current,
            secret_names=frozenset[str]().union(*(domain.secret_names for domain in build.domains)),
        )
    )

    async def start() -> None:
        recorder.start()

    build.on_start.append(start)
    build.on_close.append(recorder.stop)


def periodic(services: Services) -> Sequence[Job]:
    return (Forgetting(AUDIT_S, services[AuditService].forget_old),)


DOMAIN = Domain(
    "audit",
    (endpoints.router,),
    build,
    periodic=periodic,
    permissions=frozenset({"auth.Audit"}),
)
