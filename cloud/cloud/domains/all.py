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
from cloud.domains.devices import share_endpoints as shares
from cloud.domains.files import endpoints as files
from cloud.domains.identity import endpoints as identity
from cloud.domains.identity import user_endpoints as users
from cloud.domains.options import endpoints as options
from cloud.domains.system import endpoints as system
from cloud.domains.telemetry import endpoints as telemetry
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
    Domain("devices", shares.router),
    Domain("alarms", alarms.router),
    Domain("telemetry", telemetry.router),
    Domain("completeness", completeness.router),
    Domain("commands", commands.router),
    Domain("commands", actions.router),
    Domain("deploy", deploy.router),
    Domain("tunnels", tunnels.router),
    Domain("options", options.router),
    Domain("files", files.router),
    Domain("customize", customize.router),
    Domain("audit", audit.router),
    Domain("system", system.router, prefix=""),
)
