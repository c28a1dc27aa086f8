"""SIM cards, and what gateways report of them."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from cloud.core.bus import EventBus
from cloud.core.events import GatewayDeleted, NetworkReported
from cloud.core.services import Services
from cloud.core.tables import NamedTable, OwnedTable
from cloud.domains.alarms.system_alarms import SystemAlarms
from cloud.domains.base import FORGET_S, Build, Domain, Forgetting, Job, Periodic
from cloud.domains.sim_cards import endpoints
from cloud.domains.sim_cards.importing import CardImportService
from cloud.domains.sim_cards.models import SimCard
from cloud.domains.sim_cards.reports import WRITE_S, CardReports
from cloud.domains.sim_cards.repository import card_seen
from cloud.domains.sim_cards.service import SimCardService


def build(build: Build) -> None:
    services, zone = build.services, ZoneInfo(build.settings.time_zone)
    alarms = services[SystemAlarms]
    cards = services.add(SimCardService(build.database, alarms, zone))
    services.add(CardImportService(build.database, cards))
    services.add(CardReports(build.database, alarms, zone))


def periodic(services: Services) -> Sequence[Job]:
    reports = services[CardReports]
    return (Periodic(WRITE_S, reports.write), Forgetting(FORGET_S, reports.forget_old))


def handlers(bus: EventBus, services: Services) -> None:
    reports = services[CardReports]
    bus.handle_now(NetworkReported, lambda event: reports.said(event.gateway, event.modem, event.links))
    bus.handle_now(GatewayDeleted, lambda event: reports.forget(event.gateway))


DOMAIN = Domain(
    "sim_cards",
    (endpoints.router,),
    build,
    periodic=periodic,
    handlers=handlers,
    permissions=frozenset({"ota.Sim"}),
    owned=(OwnedTable(SimCard.owner_id),),
    named=(NamedTable("SIM card", SimCard.id, SimCard.iccid, card_seen),),
)
