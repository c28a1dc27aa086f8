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
from cloud.domains.completeness.slaves import CollectionService
from cloud.domains.customize.service import CustomizeService
from cloud.domains.deploy.configurations import ConfigurationService
from cloud.domains.deploy.service import DeployService
from cloud.domains.devices.admissions import Admissions
from cloud.domains.devices.binding import BindService
from cloud.domains.devices.catalog import CatalogService
from cloud.domains.devices.claims import ClaimService
from cloud.domains.devices.outages import OutageService
from cloud.domains.devices.positions import PositionFollower, PositionService
from cloud.domains.devices.presence import PresenceService
from cloud.domains.devices.registry_service import RegistryService
from cloud.domains.devices.service import DeviceService
from cloud.domains.devices.shares import ShareService
from cloud.domains.exchange.service import ExchangeService
from cloud.domains.files.service import FileService
from cloud.domains.identity.limits import LimitService
from cloud.domains.identity.profile import ProfileService
from cloud.domains.identity.service import IdentityService
from cloud.domains.identity.signin import SignInService
from cloud.domains.identity.signin_log import SignInLog
from cloud.domains.identity.users import UserService
from cloud.domains.importing.exporting import ExportService
from cloud.domains.importing.service import ImportService
from cloud.domains.jobs.service import JobService
from cloud.domains.monitoring.service import MonitoringService
from cloud.domains.options.map_files import MapFiles
from cloud.domains.options.service import OptionService
from cloud.domains.overview.service import OverviewService
from cloud.domains.points.point_service import PointService
from cloud.domains.points.scripts import ScriptService
from cloud.domains.points.service import PortService
from cloud.domains.products.service import ProductService
from cloud.domains.projects.assignments import AssignmentService
from cloud.domains.projects.campaigns import CampaignService
from cloud.domains.projects.service import ProjectService
from cloud.domains.reports.service import ReportService
from cloud.domains.retention.service import RetentionService
from cloud.domains.search.service import SearchService
from cloud.domains.system.service import SystemService
from cloud.domains.telemetry.charts import ChartService
from cloud.domains.telemetry.exporting import HistoryExport
from cloud.domains.telemetry.service import TelemetryService
from cloud.domains.templates.rooms import TemplateServices
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
    limits: LimitService
    profiles: ProfileService
    access: AccessService
    why: WhyService
    presence: PresenceService
    catalogs: CatalogService
    claims: ClaimService
    admissions: Admissions
    devices: DeviceService
    registry: RegistryService
    binding: BindService
    outages: OutageService
    shares: ShareService
    positions: PositionService
    follower: PositionFollower
    alarms: AlarmService
    completeness: CompletenessService
    collection: CollectionService
    telemetry: TelemetryService
    charts: ChartService
    history_exports: HistoryExport
    retention: RetentionService
    monitoring: MonitoringService
    search: SearchService
    overview: OverviewService
    commands: CommandService
    configurations: ConfigurationService
    deploy: DeployService
    ports: PortService
    points: PointService
    scripts: ScriptService
    system: SystemService
    tunnels: TunnelService
    options: OptionService
    map_files: MapFiles
    files: FileService
    customize: CustomizeService
    recorder: Recorder
    audit: AuditService
    reports: ReportService
    exchange: ExchangeService
    jobs: JobService
    imports: ImportService
    exports: ExportService
    projects: ProjectService
    assignments: AssignmentService
    campaigns: CampaignService
    products: ProductService
    templates: TemplateServices
    hub: Hub
    link: Link
