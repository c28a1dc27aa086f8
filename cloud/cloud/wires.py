"""What one room of the cloud is told by another: every call from below, passed to the services concerned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from cloud.domains.alarms.codes import OwnLevel
from cloud.domains.commands.schemas import CommandStatus
from cloud.domains.commands.service import CLOUD
from cloud.domains.deploy.schemas import DeploymentStatus
from cloud.domains.devices.point_display import PointDisplay
from cloud.domains.devices.schemas import READERS
from cloud.domains.devices.visibility import Audience
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.identity.scope import Scope
from cloud.domains.options.schemas import AlarmLevelsOption
from cloud.domains.points.settings import SettingService
from cloud.domains.telemetry.schemas import LastValue
from cloud.domains.templates.content import GATEWAY, expanded, rows_of, with_parts
from cloud.errors import NoPermission, NotFound
from cloud.services import Services
from cloud.timeseries.base import SeriesColumn
from cloud.tunnels.switchboard import Switchboard
from edge_contract.access import Principal
from edge_contract.deployment import ConfigurationReport, Document, Receipt
from edge_contract.model import Value
from edge_contract.payloads import Catalog, CommandAction, CommandResult, Hello, Pulse, State, Welcome
from edge_contract.topics import Message


class Wires:
    """services, switchboard, point_settings: set once they are built; nothing is called before the start."""

    services: Services
    switchboard: Switchboard
    point_settings: SettingService

    async def may_listen(self, token: str) -> CurrentUser:
        """The WebSocket's check of a token: whose it is."""
        user = await self.services.identity.current(token)
        if not user.may("Monitor.DeviceMonitor"):
            raise NoPermission("Monitor.DeviceMonitor")
        return user

    async def access_taken(self, device_id: int, user_id: int | None) -> None:
        self.services.hub.doubt(device_id, user_id)
        await self.services.deploy.access_taken(device_id, user_id)
        await self.services.tunnels.access_taken(device_id, user_id)

    async def owner_left(self, device_id: int) -> None:
        """What he prepared is not for who has the gateway next."""
        await self.services.configurations.drop_draft(device_id)
        await self.services.commands.presets.delete_all(device_id)

    async def gateway_deleted(self, gateway: str) -> None:
        """Nothing that is remembered of it may meet the next gateway with its serial number."""
        self.services.admissions.deleted(gateway)
        self.services.devices.forget(gateway)
        self.services.catalogs.forget(gateway)
        self.services.presence.forget(gateway)
        self.services.deploy.forget(gateway)
        self.services.link.forget(gateway)
        self.switchboard.gateway_gone(gateway, "the gateway was deleted")
        await self.services.link.erase(gateway)

    async def erase_former(self) -> None:
        async def is_claimed(gateway: str) -> bool:
            return await self.services.devices.id_of(gateway) is not None

        await self.services.link.erase_others(is_claimed)

    async def remove_gateway(self, user: CurrentUser, device_id: int) -> None:
        await self.services.registry.delete(user, device_id)

    async def point_displays(self, scope: Scope, device_id: int) -> Mapping[tuple[str, str], PointDisplay]:
        return await self.point_settings.displays(scope, device_id)

    async def template_rows(self, user: CurrentUser, template_id: int) -> Document:
        """Rows of a gateway template with those of the point templates that it names."""
        if not user.may("DeviceTemplate"):
            raise NoPermission("DeviceTemplate")
        file = await self.services.templates.making.export(user, template_id)
        if file.category != GATEWAY:
            raise NotFound("template")
        named = {
            slave: rows_of(each.document, "points")
            for each in file.templates.values()
            for slave in each.slaves
        }
        return with_parts({}, expanded(file.document, named))

    async def audience(self, device_id: int) -> Audience:
        return await self.services.devices.audience(device_id)

    async def product(self, device_id: int) -> int | None:
        return await self.services.products.of_device(device_id)

    async def own_levels(self) -> Mapping[int, OwnLevel]:
        option = await self.services.options.option("alarm_levels")
        levels = option.value if isinstance(option, AlarmLevelsOption) else []
        return {level.id: OwnLevel(level.title, level.color) for level in levels}

    async def clean_files(self) -> None:
        used = await self.services.customize.pictures() | await self.services.options.icons()
        await self.services.files.clean(used)

    def admits(self, gateway: str, message: Message) -> bool:
        return self.services.admissions.admits(gateway, message)

    async def end_session(self, gateway: str) -> None:
        await self.services.link.end_session(gateway)

    async def access_revoked(self, gateway: str) -> None:
        """It was disabled or deleted, or has another secret, by whatever process."""
        self.switchboard.gateway_gone(gateway, "the gateway may not connect any more")
        device_id = await self.services.devices.id_of(gateway)
        if device_id is not None:
            await self.device_changed(device_id)

    async def authenticate(self, username: str, password: str) -> Principal | None:
        return await self.services.claims.authenticate(username, password)

    async def hello(self, gateway: str, hello: Hello) -> Welcome:
        self.switchboard.gateway_gone(gateway, "the gateway has connected anew")
        welcome = await self.services.presence.hello(gateway, hello)
        if welcome.accepted:
            await self.services.admissions.welcomed(gateway)
            self.services.deploy.came(gateway, hello.configuration)
            if hello.configuration is not None:
                await self.services.deploy.running(gateway, hello.configuration)
        return welcome

    async def catalog(self, gateway: str, catalog: Catalog) -> None:
        self.services.presence.note(gateway)
        await self.services.catalogs.apply(gateway, catalog)
        device_id = await self.services.devices.id_of(gateway)
        if device_id is not None:
            await self.device_changed(device_id)

    async def state(self, gateway: str, state: State) -> None:
        if not state.online:
            self.switchboard.gateway_gone(gateway, "the gateway is offline")
        await self.services.presence.state(gateway, state)

    async def pulse(self, gateway: str, pulse: Pulse) -> None:
        self.services.presence.pulse(gateway, pulse)
        if pulse.configuration is not None:
            await self.services.deploy.running(gateway, pulse.configuration)

    async def result(self, gateway: str, result: CommandResult) -> None:
        self.services.presence.note(gateway)
        await self.services.commands.result(gateway, result)

    async def receipt(self, gateway: str, receipt: Receipt) -> None:
        self.services.presence.note(gateway)
        await self.services.deploy.receipt(gateway, receipt)

    async def configuration(self, gateway: str, report: ConfigurationReport) -> None:
        self.services.presence.note(gateway)
        await self.services.configurations.report(gateway, report)

    def tunnel(self, gateway: str, frame: bytes) -> None:
        self.services.presence.note(gateway)
        self.switchboard.take(gateway, frame)

    async def series_of(self, gateway: str, catalog: str) -> dict[int, int] | None:
        return await self.services.catalogs.series_of(gateway, catalog)

    async def filed(self, gateway: str, columns: list[SeriesColumn], late: bool) -> None:
        self.services.presence.note(gateway)
        self.services.follower.filed(columns)
        await self.services.telemetry.filed(gateway, columns, late)
        if not late:
            self.services.exchange.filed(columns)

    async def values(self, gateway: str, columns: list[SeriesColumn]) -> None:
        self.services.presence.note(gateway)
        self.services.follower.filed(columns)
        await self.services.telemetry.filed(gateway, columns, False)
        self.services.exchange.filed(columns)

    async def newest(self, dsids: Sequence[int]) -> dict[int, tuple[int, Value]]:
        """Time and value of the newest sample of these points."""
        found = await self.services.telemetry.last_values(Scope.system(), dsids)
        return {last.dsid: (last.t_ms, last.value) for last in found}

    async def values_changed(self, gateway: str, values: list[LastValue]) -> None:
        if not self.services.hub.listened:
            return
        device_id = await self.services.devices.id_of(gateway)
        if device_id is not None:
            rows = [(value.dsid, value.t_ms, value.value, value.quality) for value in values]
            self.services.hub.push_values(device_id, rows)

    async def cleared(self, gateway: str, device_id: int, unknown: bool) -> None:
        await self.services.telemetry.cleared(gateway, device_id, unknown)

    async def device_changed(self, device_id: int) -> None:
        if self.services.hub.listened:
            with suppress(NotFound):  # deleted meanwhile
                row = await self.services.devices.row(Scope.system(), device_id)
                self.services.hub.push_device(device_id, row.model_dump(exclude=set(READERS)))

    async def command_changed(self, device_id: int, command: CommandStatus) -> None:
        self.services.hub.push_command(device_id, command.model_dump())

    async def ask_configuration(self, device_id: int) -> None:
        await self.services.commands.act(CLOUD, device_id, CommandAction.CONFIGURATION)

    async def deployment_changed(self, device_id: int, deployment: DeploymentStatus) -> None:
        self.services.hub.push_deployment(device_id, deployment.model_dump())

    async def configuration_changed(self, device_id: int) -> None:
        self.services.hub.push_configuration(device_id)
