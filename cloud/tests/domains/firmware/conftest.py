"""A tenant's gateways that take firmware by hand, files that are really signed, and a simulated clock."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import select, update

from cloud.core.scope import Scope
from cloud.domains.firmware.actions import PlanActions
from cloud.domains.firmware.evidence import EvidenceReader
from cloud.domains.firmware.file_schemas import FirmwareKeyBody
from cloud.domains.firmware.files import FirmwareFileService
from cloud.domains.firmware.keys import KeyService
from cloud.domains.firmware.models import FirmwarePlan, GatewayUpgrade
from cloud.domains.firmware.reports import FirmwareReports
from cloud.domains.firmware.runner import RolloutRunner
from cloud.domains.firmware.schemas import PlanBody, PlanDetail, UpgradeRow
from cloud.domains.firmware.sending import OrderSender
from cloud.domains.firmware.service import PlanService
from cloud.domains.firmware.tickets import Tickets
from cloud.domains.firmware.upgrade_filter import UpgradeFilter
from cloud.domains.identity.models import User
from cloud.domains.identity.permissions import CODES
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import Device
from cloud.domains.telemetry.schemas import LastValue
from cloud.link import LinkDown
from edge_contract.firmware import Manifest, write_header
from edge_contract.payloads import Pulse, State
from edge_contract.upgrade import FirmwareReport, FirmwareState, Upgrade, UpgradeStep

from ...conftest import BOOT, DomainServices, hello

MAKER = CurrentUser(1, "maker", 1, CODES, "", Scope(1, "/1/"))
SECOND = CurrentUser(2, "second", 2, CODES, "", Scope(2, "/1/2/"))
STRANGER = CurrentUser(3, "stranger", 1, CODES, "", Scope(3, "/3/"))
KEY_ID, MODEL = "release", "gw-200"
SHANGHAI = ZoneInfo("Asia/Shanghai")
URL = "https://cloud.example.com"


def manifest(payload: bytes, key_id: str = KEY_ID, **changes: object) -> Manifest:
    fields: dict[str, object] = {
        "name": "edge-agent",
        "models": [MODEL],
        "version": 2,
        "version_text": "2.0",
        "security_version": 0,
        "upgrade_type": 2,
        "size": len(payload),
        "sha256": hashlib.sha256(payload).hexdigest(),
        "min_agent": "0",
        "key_id": key_id,
    }
    return Manifest(**{**fields, **changes})  # type: ignore[arg-type]


def signed(key: Ed25519PrivateKey, payload: bytes = b"image" * 100, **changes: object) -> bytes:
    """A file of firmware."""
    return write_header(manifest(payload, **changes), key.sign) + payload  # type: ignore[arg-type]


def public(key: Ed25519PrivateKey) -> str:
    return base64.b64encode(key.public_key().public_bytes_raw()).decode()


async def chunks(content: bytes, size: int = 64) -> AsyncIterator[bytes]:
    for start in range(0, len(content), size):
        yield content[start : start + size]


@dataclass
class Gateway:
    """By its number and serial number: what it runs, and its order."""

    number: int
    name: str
    version: int = 1
    order: Upgrade | None = None
    orders: list[str] = field(default_factory=list)
    step: UpgradeStep | None = None

    @property
    def state(self) -> FirmwareState:
        return FirmwareState(
            name="edge-agent",
            model=MODEL,
            version=self.version,
            version_text=f"{self.version}.0",
            security_version=0,
            upgrade_types=[2],
            upgrade=self.orders[-1] if self.orders else None,
            step=self.step,
        )


class FirmwareSite:
    """The services of this domain around one database."""

    def __init__(self, services: DomainServices, folder: Path) -> None:
        self.services = services
        self.folder = folder
        self.clock = services.clock
        self.key = Ed25519PrivateKey.generate()
        self.gateways: dict[str, Gateway] = {}
        self.link_down = False
        self.url = URL
        self.users: dict[int, CurrentUser | None] = {1: MAKER, 2: SECOND, 3: STRANGER}
        self.good: dict[int, int] = {}
        self.restart()

    def restart(self) -> None:
        """As another process on the same tables and folder."""
        database, devices, clock = self.services.database, self.services.devices, self.clock
        self.tickets = Tickets(self.folder / "tickets.key", self.url)
        evidence = EvidenceReader(database, self._last_values, clock=clock)
        self.sender = OrderSender(database, self.tickets, self._send, clock=clock)
        self.keys = KeyService(database, clock=clock)
        self.files = FirmwareFileService(database, self.folder / "files", self.tickets, clock=clock)
        self.plans = PlanService(database, self.tickets, clock=clock)
        self.actions = PlanActions(database, devices, evidence, self.tickets, SHANGHAI, clock=clock)
        self.reports = FirmwareReports(database, self.sender, clock=clock)
        self.runner = RolloutRunner(
            database, devices, evidence, self.sender, self._user_now, SHANGHAI, clock=clock
        )

    async def _send(self, gateway: str, message: Upgrade) -> None:
        if self.link_down:
            raise LinkDown("broker is away")
        known = self.gateways[gateway]
        if message.id not in known.orders:
            known.orders.append(message.id)
            known.order = message

    async def _user_now(self, user_id: int) -> CurrentUser | None:
        return self.users[user_id]

    async def _last_values(self, scope: Scope, dsids: Sequence[int]) -> list[LastValue]:
        return []

    async def make(self, count: int, **columns: object) -> list[Gateway]:
        """So many more gateways of the maker, online and running version 1."""
        made = []
        for _ in range(count):
            name = f"gw-{len(self.gateways) + 1:04}"
            await self.services.claims.claim(name, name)
            async with self.services.database.session() as session:
                number = await session.scalar(select(Device.id).where(Device.gateway_id == name))
                assert number is not None
                values = {"owner_id": 1, "offline_alarm_delay_s": 0, **columns}
                await session.execute(update(Device).where(Device.id == number).values(values))
                await session.commit()
            gateway = self.gateways[name] = Gateway(number, name)
            await self.comes(gateway)
            made.append(gateway)
        return made

    async def comes(self, gateway: Gateway) -> None:
        """It connects and says what it runs."""
        await self.services.presence.hello(gateway.name, hello())
        await self.reports.connected(gateway.name, gateway.state)

    async def goes(self, gateway: Gateway) -> None:
        await self.services.presence.state(gateway.name, State(online=False, boot=BOOT, t_ms=1))

    async def uses(self, gateway: Gateway, memory_bytes: int) -> None:
        """Its next pulse."""
        pulse = Pulse(
            t_ms=1, boot=BOOT, stream="0" * 16, next_seq=1, outbox_batches=0, outbox_bytes=0, hours_left=None,
            evicted_batches=0, memory_bytes=memory_bytes, slaves=[],
        )  # fmt: skip
        self.services.presence.pulse(gateway.name, pulse)
        await self.services.presence.write_pulses()

    async def trust(self, user: CurrentUser = MAKER) -> None:
        await self.keys.add(user, FirmwareKeyBody(key_id=KEY_ID, public_key=public(self.key)))

    async def upload(self, user: CurrentUser = MAKER, **changes: object) -> int:
        content = signed(self.key, **changes)  # type: ignore[arg-type]
        return (await self.files.upload(user, "a.bin", len(content), chunks(content))).id

    async def plan(self, firmware_id: int, user: CurrentUser = MAKER, **changes: object) -> int:
        """Of all gateways, in waves of 1, 3, 9 ..., without being watched."""
        rules = {"growth": 3, "watch_s": 0, "error_share": 0.2} | dict(changes.pop("rules", {}))  # type: ignore[call-overload]
        fields: dict[str, object] = {
            "name": 1,
            "range": "device",
            "device_ids": [gateway.number for gateway in self.gateways.values()],
            "scope": 2,
            "plan_control_count": 1,
            "firmware_id": firmware_id,
            "upgrade_type": 2,
        }
        body = PlanBody.model_validate({**fields, **changes, "rules": rules})
        return (await self.plans.create(user, body)).id

    async def detail(self, plan_id: int) -> PlanDetail:
        return await self.plans.detail(MAKER, plan_id)

    async def history(self, gateway: Gateway, user: CurrentUser = MAKER) -> list[UpgradeRow]:
        return (await self.plans.upgrades(user, 1, 100, UpgradeFilter(device_id=gateway.number))).rows

    async def turn(self, seconds: float = 2) -> list[Gateway]:
        """One round of the periodic job; the gateways that have an order then."""
        self.clock.pass_s(seconds)
        await self.runner.advance()
        return [gateway for gateway in self.gateways.values() if gateway.order is not None]

    async def says(
        self, gateway: Gateway, step: UpgradeStep, code: str = "", order: Upgrade | None = None
    ) -> None:
        order = order or gateway.order
        assert order is not None
        gateway.step = step
        if step is UpgradeStep.CONFIRMED:
            gateway.version = order.version
        if step in (UpgradeStep.CONFIRMED, UpgradeStep.ROLLED_BACK, UpgradeStep.REFUSED):
            gateway.order = None
        report = FirmwareReport(id=order.id, step=step, t_ms=1, firmware=gateway.state, code=code)
        await self.reports.reported(gateway.name, report)

    async def run(self, outcome: dict[str, str] | str = "", rounds: int = 60) -> None:
        """Until nothing changes any more: each gateway confirms at once, or rolls back with its code."""
        for _ in range(rounds):
            before = await self._states()
            for gateway in await self.turn():
                code = outcome if isinstance(outcome, str) else outcome.get(gateway.name, "")
                step = UpgradeStep.ROLLED_BACK if code else UpgradeStep.CONFIRMED
                await self.says(gateway, step, code)
            if before == await self._states() and not any(each.order for each in self.gateways.values()):
                return
        raise AssertionError("the rollout comes to no end")

    async def _states(self) -> object:
        async with self.services.database.reading() as session:
            rows = await session.execute(select(GatewayUpgrade.id, GatewayUpgrade.state))
            plans = await session.execute(select(FirmwarePlan.id, FirmwarePlan.state, FirmwarePlan.wave))
            return sorted(map(tuple, rows)), sorted(map(tuple, plans))


async def begun(site: FirmwareSite, count: int, **changes: object) -> tuple[list[Gateway], int]:
    """So many gateways and a plan for them that was started."""
    gateways = await site.make(count)
    plan = await site.plan(await site.upload(), **changes)
    await site.actions.start(MAKER, plan)
    return gateways, plan


@pytest.fixture
async def site(services: DomainServices, tmp_path: Path) -> FirmwareSite:
    """Users maker, second below him, and a stranger; the maker's key is trusted."""
    async with services.database.session() as session:
        for user in (MAKER, SECOND, STRANGER):
            session.add(
                User(
                    id=user.id,
                    user_name=user.name,
                    password_hash="x",
                    user_type=user.user_type,
                    path=user.scope.path,
                    created_ms=1,
                )
            )
        await session.commit()
    made = FirmwareSite(services, tmp_path / "firmware")
    await made.trust()
    return made
