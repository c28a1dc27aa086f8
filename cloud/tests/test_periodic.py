"""What is forgotten by age goes by the time that gateways confirm, whatever the clock says."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import func, select

from cloud.core import clock
from cloud.core.clock import DeletionTime
from cloud.db import Base
from cloud.domains.alarms.models import AlarmEvent, Suppression
from cloud.domains.all import DOMAINS
from cloud.domains.audit.models import AuditEntry
from cloud.domains.base import Forgetting
from cloud.domains.devices.claims import ClaimService
from cloud.domains.devices.service import DeviceService
from cloud.domains.firmware.models import GatewayUpgrade
from cloud.domains.identity.models import LoginLog
from cloud.domains.inventory.models import OnOfflineLog
from cloud.domains.notifications.models import Delivery
from cloud.domains.signal_trace.models import SignalTrace
from cloud.domains.sim_cards.models import SimCard, SimCardBilling
from cloud.domains.tasks.models import Task, TaskGateway, TaskRun
from cloud.domains.triggers.models import LinkageRun, Trigger
from cloud.link.models import LinkBatch
from cloud.link.reception_models import LinkHour
from cloud.link.reception_statistics import HOUR_MS
from cloud.main import Cloud
from cloud.periodic import jobs

from .databases import migrated_settings

YEARS_MS = 1500 * 24 * 3600 * 1000
FORGOTTEN: list[type[Base]] = [
    AuditEntry, AlarmEvent, Suppression, OnOfflineLog, LoginLog, LinkHour, LinkageRun, Delivery, TaskRun,
    GatewayUpgrade, SimCardBilling, SignalTrace, LinkBatch,
]  # fmt: skip

TRIGGER = Trigger(
    id=1, title="t", type=1, mode=1, interval_s=0, enabled=False, user_name="a", created_ms=1, changed_ms=1
)
TASK = Task(
    id=1, title="t", enabled=False, version=1, schedule={}, actions=[], after_ms=1, user_name="a", granted={},
    created_ms=1, changed_ms=1,
)  # fmt: skip
CARD = SimCard(
    id=1, iccid="89860000000000000001", operator="", supplier="", status="", activated=False, plan_title="",
    remark="", noted_ms=1, changed_ms=1,
)  # fmt: skip


def batch(seq: int, t_ms: int) -> LinkBatch:
    return LinkBatch(
        gateway="gw-1", stream="s", seq=seq, catalog="c", lane="live", t_ms=t_ms,
        received_ms=t_ms, samples=1, payload=b"", filed_ms=t_ms,
    )  # fmt: skip


def rows(device: int, t_ms: int) -> list[Base]:
    """One of everything that is forgotten by age; of the batches the newest always stays."""
    return [
        AuditEntry(
            at_ms=t_ms, user_name="a", user_path="/", address="", method="PUT", path="", operation="",
            ids={}, query={}, changes={}, status=200, code=0, duration_ms=1, request_id="",
        ),
        AlarmEvent(at_ms=t_ms, noted_ms=t_ms, alarm_type=4, device_id=device),
        Suppression(
            kind="shelved", device_id=device, title="", reason="r", user_name="a", begin_ms=t_ms,
            until_ms=t_ms, ended_ms=t_ms,
        ),
        OnOfflineLog(device_id=device, offline_ms=t_ms, online_ms=t_ms, reason="link_lost"),
        LoginLog(at_ms=t_ms, user_name="a", address="", result="ok"),
        LinkageRun(
            trigger_id=1, rule_id=1, kind="raised", preset_id=1, at_ms=t_ms, noted_ms=t_ms, is_due=False
        ),
        Delivery(
            owner=1, recipient="contact-1", name="", channel="email", address="", is_test=False, state="sent",
            reason="", detail="", receipt="", subject="", count=1, attempts=1, charged=0, created_ms=t_ms,
            due_ms=t_ms,
        ),
        TaskRun(
            task_id=1, version=1, planned_ms=t_ms, noted_ms=t_ms, finished_ms=t_ms, is_due=False, status=1,
            user_name="a", granted={},
        ),
        GatewayUpgrade(
            plan_name=1, device_id=device, wave=1, to_version=2, version_text="2", size=1, created_ms=t_ms
        ),
        SimCardBilling(
            card_id=1, day=datetime.fromtimestamp(t_ms / 1000, UTC).date(), used_bytes=1, source="file",
            noted_ms=t_ms,
        ),
        SignalTrace(
            id=str(t_ms), device_id=device, user_id=1, user_name="a", address="", started_ms=t_ms,
            ended_ms=t_ms,
        ),
        LinkHour(gateway="gw-1", hour_ms=t_ms - t_ms % HOUR_MS, batches=1),
        batch(1, t_ms),
    ]  # fmt: skip


async def test_a_wrong_clock_forgets_nothing(
    tmp_path: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cloud = Cloud(migrated_settings(tmp_path, sqlite_template))
    services, now = cloud.services, clock.now_ms()
    await services[ClaimService].claim("gw-1", "")
    device = await services[DeviceService].id_of("gw-1")
    assert device is not None
    async with cloud.database.session() as session:
        session.add_all([TRIGGER, TASK, CARD])
        await session.flush()
        session.add_all([*rows(device, now), batch(2, now), TaskGateway(task_id=1, device_id=device)])
        await session.commit()
    monkeypatch.setattr(clock.time, "time_ns", lambda: (now + YEARS_MS) * 1_000_000)

    async def left() -> list[int]:
        forgetting = [job for job in jobs(DOMAINS, services) if isinstance(job, Forgetting)]
        assert len(forgetting) == 12
        for job in forgetting:
            await job.work(await services[DeletionTime].read())
        async with cloud.database.reading() as session:
            return [await session.scalar(select(func.count()).select_from(kind)) or 0 for kind in FORGOTTEN]

    assert await left() == [1] * 12 + [2]
    async with cloud.database.session() as session:
        session.add(batch(3, now + YEARS_MS))
        await session.commit()
    assert await left() == [0] * 12 + [1]
    await cloud.database.close()
