"""The cloud's composition root: builds every object, starts and stops them in order."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import Depends, FastAPI, WebSocket

from cloud import handover, openapi, web
from cloud.db import Database
from cloud.domains.access.answers import WhyService
from cloud.domains.access.service import AccessService
from cloud.domains.alarms.handlers import OutageEvents
from cloud.domains.alarms.news import News, place_piece
from cloud.domains.alarms.service import AlarmService
from cloud.domains.all import DOMAINS
from cloud.domains.audit.middleware import AuditMiddleware
from cloud.domains.audit.recorder import Recorder
from cloud.domains.audit.service import AuditService
from cloud.domains.commands.auditing import AuditTeller
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
from cloud.domains.identity.access import permissions_of
from cloud.domains.identity.limits import LimitService
from cloud.domains.identity.profile import ProfileService
from cloud.domains.identity.service import IdentityService
from cloud.domains.identity.signin import SignInService
from cloud.domains.identity.signin_log import SignInLog
from cloud.domains.identity.users import UserService
from cloud.domains.importing.building import import_services
from cloud.domains.jobs.service import JobService
from cloud.domains.monitoring.service import MonitoringService
from cloud.domains.options.map_files import MapFiles
from cloud.domains.options.service import OptionService
from cloud.domains.overview.platform import PlatformService
from cloud.domains.overview.service import OverviewService
from cloud.domains.overview.values import ValueService
from cloud.domains.points.editing import Editing
from cloud.domains.points.forms import secret_names
from cloud.domains.points.point_service import PointService
from cloud.domains.points.scripts import ScriptService
from cloud.domains.points.service import PortService
from cloud.domains.points.settings import SettingService
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
from cloud.domains.templates import following as templates
from cloud.domains.templates.rooms import template_services
from cloud.domains.tunnels.loans import LoanBook
from cloud.domains.tunnels.service import TunnelService
from cloud.json_bodies import readable_texts
from cloud.link import Link, LinkHooks, service_authenticate
from cloud.link.brokers import emqx
from cloud.periodic import begin
from cloud.realtime.grants import ToldGrants
from cloud.realtime.hub import Hub
from cloud.realtime.line import push_line
from cloud.realtime.socket import Conversation
from cloud.services import Services
from cloud.settings import Settings
from cloud.timeseries import create as create_timeseries
from cloud.timeseries.base import TimeSeries
from cloud.tunnels.page_listener import server_tls
from cloud.tunnels.switchboard import Switchboard
from cloud.wires import Wires

log = logging.getLogger(__name__)

SOCKET = "/api/v1/ws"


class Cloud:
    """All objects of one process. Building checks settings and connects nothing."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        is_full = settings.role == "full"
        self.database = Database(settings.database)
        self.series: TimeSeries = create_timeseries(settings)
        hub = Hub()
        self.wires = wires = Wires()
        self._news = News(wires.audience, hub.push_to, wires.product)
        noted = OutageEvents(self._news).noted

        def placed(device_id: int) -> None:
            self._news.tell(place_piece(device_id))

        presence = PresenceService(self.database, wires.device_changed, wires.cleared, noted=noted)
        hooks = LinkHooks(
            on_hello=wires.hello,
            on_catalog=wires.catalog,
            on_state=wires.state,
            on_pulse=wires.pulse,
            on_result=wires.result,
            on_receipt=wires.receipt,
            on_configuration=wires.configuration,
            on_tunnel=wires.tunnel,
            series_of=wires.series_of,
            on_values=wires.values,
            on_filed=wires.filed,
            admits=wires.admits,
        )
        link = Link(settings, self.database, hooks, wires.authenticate, self.series, takes_in=is_full)
        self._line = push_line(settings, hub, link.dynsec)
        ends = wires.end_session if is_full and link.ends_sessions else None
        sessions = settings.data_dir / "sessions.json" if settings.broker == "emqx" else None
        admissions = Admissions(self.database, ends, wires.access_revoked, sessions)
        loans = LoanBook(self.database)
        devices = DeviceService(
            self.database, presence, link.streams, loans, wires.point_displays, wires.configuration_changed
        )
        outages = OutageService(self.database, loans, noted=noted)
        wires.switchboard = Switchboard(link.send_tunnel, link.healthy)
        token = settings.metrics_token_file
        options = OptionService(self.database, lambda: grants.forget())
        grants = ToldGrants(self.database, options.flags, hub)
        files = FileService(self.database, settings.data_dir / "files")
        recorder = Recorder(self.database)
        identity = IdentityService(self.database, hub.end, grants)
        sign_in = SignInService(self.database, identity, settings.demo_user)
        telemetry = TelemetryService(
            self.series, devices, wires.values_changed, watched=lambda: hub.listened, remembers=is_full
        )
        audit = AuditService(self.database, recorder)
        commands = CommandService(
            self.database, devices, link.send, wires.command_changed, audit=AuditTeller(audit)
        )
        deploy = DeployService(
            self.database, devices, link.send, wires.deployment_changed, wires.configuration_changed
        )
        alarms = AlarmService(
            self.database, wires.own_levels, self._news, hub.push_user, wires.device_changed
        )
        jobs = JobService(self.database, settings.data_dir / "exports", identity.user_now, hub.push_user)
        editing = Editing(
            self.database, devices, wires.configuration_changed, follow=(templates.follow_renames,)
        )
        point_settings = wires.point_settings = SettingService(self.database, devices)
        imports, exports = import_services(
            self.database,
            settings.data_dir / "imports",
            jobs,
            presence,
            (link.put_gateways, link.disable_gateway),
            wires.configuration_changed,
            devices,
            wires.remove_gateway,
        )
        self.services = wires.services = Services(
            identity=identity,
            sign_in=sign_in,
            sign_ins=SignInLog(self.database),
            users=UserService(self.database, identity),
            limits=LimitService(self.database),
            profiles=ProfileService(self.database, identity, settings.demo_user),
            access=AccessService(self.database, grants),
            why=WhyService(self.database, grants, permissions_of(domain.router for domain in DOMAINS)),
            presence=presence,
            catalogs=CatalogService(self.database),
            claims=ClaimService(
                self.database,
                link.put_gateway,
                link.disable_gateway,
                changed=presence.announce,
                entered=admissions.entered,
            ),
            admissions=admissions,
            devices=devices,
            registry=RegistryService(
                self.database,
                devices,
                presence,
                link.put_gateway,
                link.disable_gateway,
                wires.access_taken,
                wires.gateway_deleted,
                configured=wires.configuration_changed,
                placed=placed,
            ),
            binding=BindService(self.database, devices),
            outages=outages,
            shares=ShareService(self.database, wires.access_taken, wires.owner_left),
            positions=PositionService(self.database, placed=placed),
            follower=PositionFollower(self.database, wires.newest, placed=placed),
            alarms=alarms,
            completeness=CompletenessService(link.ledger, link.gapbook, link.collection, devices, outages),
            collection=CollectionService(link.collection, devices),
            telemetry=telemetry,
            charts=ChartService(self.series, devices, outages, alarms, link.collection),
            history_exports=HistoryExport(self.series, devices, jobs),
            retention=RetentionService(self.database, self.series, devices),
            monitoring=MonitoringService(self.database, telemetry),
            search=SearchService(self.database),
            overview=OverviewService(
                self.database,
                presence,
                devices,
                alarms,
                outages,
                options,
                ValueService(self.database, options, telemetry),
                PlatformService(
                    self.database,
                    settings.database,
                    settings.data_dir,
                    settings.data_dir / "timeseries.db" if settings.timeseries == "embedded" else None,
                    unlisted=jobs.unlisted,
                ),
            ),
            commands=commands,
            configurations=ConfigurationService(
                self.database,
                devices,
                wires.ask_configuration,
                wires.configuration_changed,
                follow=(point_settings.follow, templates.follow_renames),
            ),
            deploy=deploy,
            ports=PortService(editing, point_settings, wires.template_rows),
            points=PointService(editing, point_settings, devices, commands),
            scripts=ScriptService(editing, commands),
            system=SystemService(
                self.database,
                self.series,
                link.healthy,
                token.read_text().strip() if token else None,
                lambda: settings.broker_url or f"mqtt://{settings.broker_host}:{link.port}",
                settings.gateway_url,
            ),
            tunnels=TunnelService(
                self.database,
                devices,
                wires.switchboard,
                settings,
                server_tls(settings.rproxy_cert_file, settings.rproxy_key_file),
                user_now=identity.user_now,
            ),
            options=options,
            map_files=MapFiles(settings.data_dir / "map"),
            files=files,
            customize=CustomizeService(self.database, files, sign_in.demo_offered),
            recorder=recorder,
            audit=audit,
            reports=ReportService(self.database),
            exchange=ExchangeService(self.database, devices, commands, identity.user_now),
            jobs=jobs,
            imports=imports,
            exports=exports,
            templates=template_services(self.database, devices, jobs, wires.configuration_changed),
            projects=ProjectService(self.database),
            assignments=AssignmentService(self.database),
            campaigns=CampaignService(self.database, devices, jobs, deploy, commands),
            products=ProductService(self.database),
            hub=hub,
            link=link,
        )
        self._jobs: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        gc.freeze()  # what was imported and built stays: a full collection is not to go through it each time
        self.services.recorder.start()
        await self.series.start()
        await self.services.presence.clearing.refresh()
        if self.settings.role == "full":
            await self.services.admissions.look()
            await self.services.tunnels.start()
        await self.services.link.start()
        if self._line is not None:
            await self._line.start()
        self._jobs.append(asyncio.create_task(self._news.run()))
        if self.settings.role == "full":
            await self.services.jobs.runner.start()
            self._jobs += begin(self.services, self.wires)

    async def stop(self) -> None:
        for job in self._jobs:
            job.cancel()
        await asyncio.gather(*self._jobs, return_exceptions=True)
        await self.services.jobs.runner.stop()
        await self.services.tunnels.stop()
        if self._line is not None:
            await self._line.stop()
        await self.services.link.stop()
        await self.services.recorder.stop()
        await self.series.close()
        await self.database.close()


def create_app(settings: Settings) -> FastAPI:
    """The whole HTTP application on one set of objects."""
    cloud = Cloud(settings)
    full = handover.client(settings.full_url) if settings.role == "api" else None

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await cloud.start()
        yield
        await cloud.stop()
        if full is not None:
            await full.aclose()

    app = FastAPI(
        title="Edge cloud",
        version=version("edge-cloud"),
        lifespan=lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        responses=web.ERRORS,
        dependencies=[Depends(readable_texts)],
    )
    app.state.services = cloud.services
    web.install(app)
    openapi.install(app, DOMAINS)
    app.add_middleware(
        AuditMiddleware,
        recorder=cloud.services.recorder,
        who=cloud.services.identity.current,
        secret_names=secret_names(),
    )
    if full is not None:
        app.add_middleware(handover.HandOver, routes=handover.routes(DOMAINS), client=full)
    for domain in DOMAINS:
        app.include_router(domain.router, prefix=domain.prefix)
    if settings.emqx_secret_file is not None and full is None:
        file = settings.broker_password_file
        password = file.read_text().strip() if file else ""
        name = settings.broker_username or "edge-cloud"
        check = service_authenticate(name, password, cloud.services.claims.authenticate, several=True)
        app.include_router(emqx.router(check, settings.emqx_secret_file.read_text().strip()))

    @app.websocket(SOCKET)
    async def real_time(socket: WebSocket) -> None:
        services = cloud.services
        await Conversation(socket, services.hub, cloud.wires.may_listen, services.devices.watchable).run()

    web.serve_portal(app, settings.portal_dir, cloud.services.options.tile_origins)
    return app
