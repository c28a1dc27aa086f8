"""The domains, in one list: the application's routers are read from it."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter

from cloud.domains.access import endpoints as access
from cloud.domains.alarms import endpoints as alarms
from cloud.domains.audit import endpoints as audit
from cloud.domains.commands import action_endpoints as actions
from cloud.domains.commands import endpoints as commands
from cloud.domains.completeness import endpoints as completeness
from cloud.domains.customize import endpoints as customize
from cloud.domains.deploy import endpoints as deploy
from cloud.domains.devices import endpoints as devices
from cloud.domains.devices import position_endpoints as positions
from cloud.domains.devices import registry_endpoints as registry
from cloud.domains.devices import share_endpoints as shares
from cloud.domains.exchange import endpoints as exchange
from cloud.domains.files import endpoints as files
from cloud.domains.identity import endpoints as identity
from cloud.domains.identity import user_endpoints as users
from cloud.domains.importing import endpoints as importing
from cloud.domains.jobs import endpoints as jobs
from cloud.domains.monitoring import endpoints as monitoring
from cloud.domains.options import endpoints as options
from cloud.domains.overview import endpoints as overview
from cloud.domains.points import endpoints as ports
from cloud.domains.points import point_endpoints as points
from cloud.domains.points import script_endpoints as scripts
from cloud.domains.products import endpoints as products
from cloud.domains.projects import campaign_endpoints as campaigns
from cloud.domains.projects import endpoints as projects
from cloud.domains.reports import endpoints as reports
from cloud.domains.retention import endpoints as retention
from cloud.domains.search import endpoints as search
from cloud.domains.system import endpoints as system
from cloud.domains.telemetry import chart_endpoints as charts
from cloud.domains.telemetry import endpoints as telemetry
from cloud.domains.templates import endpoints as templates
from cloud.domains.templates import use_endpoints as template_uses
from cloud.domains.tunnels import endpoints as tunnels


@dataclass(frozen=True)
class Domain:
    """One room. prefix: where its routes begin."""

    name: str
    router: APIRouter
    prefix: str = "/api/v1"


DOMAINS = (
    Domain("identity", identity.router),
    Domain("identity", users.router),
    Domain("access", access.router),
    Domain("devices", devices.router),
    Domain("devices", registry.router),
    Domain("devices", shares.router),
    Domain("devices", positions.router),
    Domain("alarms", alarms.router),
    Domain("telemetry", telemetry.router),
    Domain("telemetry", charts.router),
    Domain("retention", retention.router),
    Domain("completeness", completeness.router),
    Domain("monitoring", monitoring.router),
    Domain("search", search.router),
    Domain("overview", overview.router),
    Domain("commands", commands.router),
    Domain("commands", actions.router),
    Domain("deploy", deploy.router),
    Domain("points", ports.router),
    Domain("points", points.router),
    Domain("points", scripts.router),
    Domain("templates", templates.router),
    Domain("templates", template_uses.router),
    Domain("tunnels", tunnels.router),
    Domain("exchange", exchange.router),
    Domain("options", options.router),
    Domain("files", files.router),
    Domain("customize", customize.router),
    Domain("audit", audit.router),
    Domain("importing", importing.router),
    Domain("jobs", jobs.router),
    Domain("products", products.router),
    Domain("projects", projects.router),
    Domain("projects", campaigns.router),
    Domain("reports", reports.router),
    Domain("system", system.router, prefix=""),
)
