"""Every service of a running cloud, as the endpoints find them in app.state.services."""

from __future__ import annotations

from dataclasses import dataclass

from cloud.domains.access.answers import WhyService
from cloud.domains.access.service import AccessService
from cloud.domains.alarms.service import AlarmService
from cloud.domains.audit.recorder import Recorder
from cloud.domains.audit.service import AuditService
from cloud.domains.commands.service import CommandService
from cloud.domains.completeness.service import CompletenessService
from cloud.domains.customize.service import CustomizeService
from cloud.domains.deploy.configurations import ConfigurationService
from cloud.domains.deploy.service import DeployService
from cloud.domains.devices.catalog import CatalogService
from cloud.domains.devices.claims import ClaimService
from cloud.domains.devices.outages import OutageService
from cloud.domains.devices.presence import PresenceService
from cloud.domains.devices.service import DeviceService
from cloud.domains.devices.shares import ShareService
from cloud.domains.files.service import FileService
from cloud.domains.identity.profile import ProfileService
from cloud.domains.identity.service import IdentityService
from cloud.domains.identity.signin import SignInService
from cloud.domains.identity.signin_log import SignInLog
from cloud.domains.identity.users import UserService
from cloud.domains.options.service import OptionService
from cloud.domains.system.service import SystemService
from cloud.domains.telemetry.service import TelemetryService
from cloud.domains.tunnels.service import TunnelService
from cloud.link import Link
from cloud.realtime.hub import Hub


@dataclass(frozen=True)
class Services:
    """Built by main.py, in this order."""

    identity: IdentityService
    sign_in: SignInService
    sign_ins: SignInLog
    users: UserService
    profiles: ProfileService
    access: AccessService
    why: WhyService
    presence: PresenceService
    catalogs: CatalogService
    claims: ClaimService
    devices: DeviceService
    outages: OutageService
    shares: ShareService
    alarms: AlarmService
    completeness: CompletenessService
    telemetry: TelemetryService
    commands: CommandService
    configurations: ConfigurationService
    deploy: DeployService
    system: SystemService
    tunnels: TunnelService
    options: OptionService
    files: FileService
    customize: CustomizeService
    recorder: Recorder
    audit: AuditService
    hub: Hub
    link: Link
