"""Every service of a running cloud, as the endpoints find them in app.state.services."""

from __future__ import annotations

from dataclasses import dataclass

from cloud.domains.commands.service import CommandService
from cloud.domains.completeness.service import CompletenessService
from cloud.domains.deploy.configurations import ConfigurationService
from cloud.domains.deploy.service import DeployService
from cloud.domains.devices.catalog import CatalogService
from cloud.domains.devices.claims import ClaimService
from cloud.domains.devices.outages import OutageService
from cloud.domains.devices.presence import PresenceService
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.service import IdentityService
from cloud.domains.system.service import SystemService
from cloud.domains.telemetry.service import TelemetryService
from cloud.domains.tunnels.service import TunnelService
from cloud.link import Link
from cloud.realtime.hub import Hub


@dataclass(frozen=True)
class Services:
    """Built by main.py, in this order."""

    identity: IdentityService
    presence: PresenceService
    catalogs: CatalogService
    claims: ClaimService
    devices: DeviceService
    outages: OutageService
    completeness: CompletenessService
    telemetry: TelemetryService
    commands: CommandService
    configurations: ConfigurationService
    deploy: DeployService
    system: SystemService
    tunnels: TunnelService
    hub: Hub
    link: Link
