"""Health, metrics, and the API's document."""

from __future__ import annotations

from cloud.domains.base import Build, Domain
from cloud.domains.system import endpoints
from cloud.domains.system.service import SystemService
from cloud.link import Link


def build(build: Build) -> None:
    settings, link = build.settings, build.services[Link]
    token = settings.metrics_token_file
    build.services.add(
        SystemService(
            build.database,
            build.series,
            link.healthy,
            token.read_text().strip() if token else None,
            lambda: settings.broker_url or f"mqtt://{settings.broker_host}:{link.port}",
            settings.gateway_url,
        )
    )


DOMAIN = Domain(
    "system",
    (endpoints.router,),
    build,
    permissions=frozenset({"Device/save"}),
    prefix="",
)
