"""Groups, rules, and why somebody may or may not do something."""

from __future__ import annotations

from cloud.domains.access import endpoints
from cloud.domains.access.answers import WhyService
from cloud.domains.access.service import AccessService
from cloud.domains.base import Build, Domain
from cloud.domains.identity.access import permissions_of
from cloud.domains.identity.grants import SharedGrants


def build(build: Build) -> None:
    grants = build.services[SharedGrants]
    build.services.add(AccessService(build.database, grants))
    routers = (router for domain in build.domains for router in domain.routers)
    build.services.add(WhyService(build.database, grants, permissions_of(routers)))


DOMAIN = Domain(
    "access",
    (endpoints.router,),
    build,
    permissions=frozenset({"auth.Group/index", "auth.Rule"}),
)
