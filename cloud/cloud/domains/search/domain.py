"""One search over everything."""

from __future__ import annotations

from cloud.domains.base import Build, Domain
from cloud.domains.search import endpoints
from cloud.domains.search.service import SearchService


def build(build: Build) -> None:
    build.services.add(SearchService(build.database))


DOMAIN = Domain(
    "search",
    (endpoints.router,),
    build,
)
