"""What the link asks, answered; and what it says of gateways, published for the domains above."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter

from cloud.core.bus import EventBus
from cloud.core.events import (
    CommandEnded,
    ConfigurationReported,
    ConfigurationRunning,
    ExchangeReported,
    FieldbusSaid,
    FirmwareReported,
    GatewayChanged,
    GatewayConnected,
    GatewayGone,
    NetworkReported,
    ReceiptCame,
    RuleEventsCame,
    RulesReported,
    TargetsSaid,
    TasksReported,
    TraceReported,
    TraceTaken,
    TunnelFrameCame,
    ValuesReceived,
    ValuesStored,
    WatchTaken,
)
from cloud.domains.devices.admissions import Admissions
from cloud.domains.devices.catalog import CatalogService
from cloud.domains.devices.presence import PresenceService
from cloud.link import LinkHooks, service_authenticate
from cloud.link.brokers import emqx
from cloud.link.hooks import Authenticate
from cloud.settings import Settings
from cloud.timeseries.base import SeriesColumn
from edge_contract.deployment import ConfigurationReport, Receipt
from edge_contract.edge_rules import RuleEvents, RulesReport
from edge_contract.edge_tasks import TaskReport
from edge_contract.exchange_rules import ExchangeReport
from edge_contract.payloads import Catalog, CommandResult, Hello, Pulse, State, Welcome
from edge_contract.trace import TraceReport
from edge_contract.upgrade import FirmwareReport

BROKERS_THAT_ASK = frozenset({"embedded", "emqx"})
"""They ask the cloud who may connect; what they do not end, it ends."""


class LinkAnswers:
    """This domain answers; what others must take before it is acknowledged is a DurableEvent."""

    def __init__(
        self, bus: EventBus, presence: PresenceService, catalogs: CatalogService, admissions: Admissions
    ) -> None:
        self._bus = bus
        self._presence = presence
        self._catalogs = catalogs
        self._admissions = admissions

    def hooks(self) -> LinkHooks:
        return LinkHooks(
            on_hello=self._hello,
            on_catalog=self._catalog,
            on_state=self._state,
            on_pulse=self._pulse,
            on_result=self._result,
            on_receipt=self._receipt,
            on_configuration=self._configuration,
            on_rules_report=self._rules_report,
            on_rule_events=self._rule_events,
            on_exchange_report=self._exchange_report,
            on_task_report=self._task_report,
            on_firmware=self._firmware,
            on_trace=self._trace,
            on_tunnel=self._tunnel,
            series_of=self._catalogs.series_of,
            on_values=self._values,
            on_stored=self._stored,
            admits=self._admissions.admits,
        )

    async def _hello(self, gateway: str, hello: Hello) -> Welcome:
        self._bus.publish_now(GatewayGone(gateway, "the gateway has connected anew"))
        welcome = await self._presence.hello(gateway, hello)
        if welcome.accepted:
            await self._admissions.welcomed(gateway)
            await self._bus.publish(
                GatewayConnected(
                    gateway,
                    hello.configuration,
                    hello.takes_rules,
                    hello.takes_exchange,
                    hello.takes_tasks,
                    hello.firmware,
                )
            )
        return welcome

    async def _catalog(self, gateway: str, catalog: Catalog) -> None:
        self._presence.note(gateway)
        await self._catalogs.apply(gateway, catalog)
        await self._bus.publish(GatewayChanged(gateway))

    async def _state(self, gateway: str, state: State) -> None:
        if not state.online:
            self._bus.publish_now(GatewayGone(gateway, "the gateway is offline"))
        await self._presence.state(gateway, state)

    async def _pulse(self, gateway: str, pulse: Pulse) -> None:
        self._presence.pulse(gateway, pulse)
        if pulse.takes_watch:
            self._bus.publish_now(WatchTaken(gateway))
        self._bus.publish_now(TraceTaken(gateway, pulse.takes_trace))
        if pulse.targets is not None:
            self._bus.publish_now(TargetsSaid(gateway, pulse.targets))
        if pulse.fieldbus is not None:
            self._bus.publish_now(FieldbusSaid(gateway, pulse.fieldbus))
        if pulse.modem is not None or pulse.links is not None:
            self._bus.publish_now(NetworkReported(gateway, pulse.modem, pulse.links))
        if pulse.configuration is not None:
            await self._bus.publish(ConfigurationRunning(gateway, pulse.configuration))

    async def _result(self, gateway: str, result: CommandResult) -> None:
        self._presence.note(gateway)
        await self._bus.publish(CommandEnded(gateway, result))

    async def _receipt(self, gateway: str, receipt: Receipt) -> None:
        self._presence.note(gateway)
        await self._bus.publish(ReceiptCame(gateway, receipt))

    async def _configuration(self, gateway: str, report: ConfigurationReport) -> None:
        self._presence.note(gateway)
        await self._bus.publish(ConfigurationReported(gateway, report))

    async def _rules_report(self, gateway: str, report: RulesReport) -> None:
        self._presence.note(gateway)
        await self._bus.publish(RulesReported(gateway, report))

    async def _rule_events(self, gateway: str, events: RuleEvents) -> None:
        self._presence.note(gateway)
        await self._bus.publish(RuleEventsCame(gateway, events))

    async def _exchange_report(self, gateway: str, report: ExchangeReport) -> None:
        self._presence.note(gateway)
        await self._bus.publish(ExchangeReported(gateway, report))

    async def _task_report(self, gateway: str, report: TaskReport) -> None:
        self._presence.note(gateway)
        await self._bus.publish(TasksReported(gateway, report))

    async def _firmware(self, gateway: str, report: FirmwareReport) -> None:
        self._presence.note(gateway)
        await self._bus.publish(FirmwareReported(gateway, report))

    async def _trace(self, gateway: str, report: TraceReport) -> None:
        self._presence.note(gateway)
        self._bus.publish_now(TraceReported(gateway, report))

    def _tunnel(self, gateway: str, frame: bytes) -> None:
        self._presence.note(gateway)
        self._bus.publish_now(TunnelFrameCame(gateway, frame))

    async def _stored(self, gateway: str, columns: Sequence[SeriesColumn], is_late: bool) -> None:
        self._presence.note(gateway)
        await self._bus.publish(ValuesStored(gateway, columns, is_late))

    async def _values(self, gateway: str, columns: Sequence[SeriesColumn]) -> None:
        self._presence.note(gateway)
        await self._bus.publish(ValuesReceived(gateway, columns))


def emqx_router(settings: Settings, authenticate: Authenticate) -> APIRouter:
    """What EMQX asks over HTTP; emqx_secret_file must be set."""
    assert settings.emqx_secret_file is not None
    file = settings.broker_password_file
    password = file.read_text().strip() if file else ""
    name = settings.broker_username or "edge-cloud"
    check = service_authenticate(name, password, authenticate, several=True)
    return emqx.router(check, settings.emqx_secret_file.read_text().strip())
