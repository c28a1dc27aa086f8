"""Brings gateways of a rollout back to what they ran before."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.firmware.files import is_trusted, manifest_of
from cloud.domains.firmware.firmware_repository import FirmwareRepository
from cloud.domains.firmware.models import FirmwareFile, FirmwarePlan
from cloud.domains.firmware.orders import end, new_upgrade
from cloud.domains.firmware.rollout import PlanState
from cloud.domains.firmware.states import UpgradeState
from cloud.domains.firmware.upgrade_repository import AT_ONCE, UpgradeRepository
from edge_contract.firmware import FirmwareRefusal

NO_FILE = "no_file"
"""What it ran before is in no file here: it was delivered with it, or the file was deleted."""
NOT_WATCHED = "not_watched"
"""It was confirmed, and turned back before it was known whether it is as well as before."""


async def turn_back(
    session: AsyncSession, scope: Scope, plan: FirmwarePlan, reason: str, now_ms: int
) -> None:
    """The rollout goes back from now on; nobody else gets the file. The caller commits."""
    await UpgradeRepository(session, Scope.system()).skip_waiting(plan.id, now_ms, is_back=False)
    plan.is_back, plan.state, plan.reason = True, PlanState.RUNNING.value, reason
    plan.wave, plan.wave_ms, plan.finished_ms = 0, now_ms, None
    await add_back(session, scope, plan, now_ms)


async def add_back(session: AsyncSession, scope: Scope, plan: FirmwarePlan, now_ms: int) -> None:
    """A row for gateways that run the plan's file and have none yet, also when they came to it later; so many
    that the next round goes on.

    scope: whose files and keys count. The caller commits.
    """
    upgrades, files = UpgradeRepository(session, Scope.system()), FirmwareRepository(session, scope)
    moved = await upgrades.moved(plan.id, AT_ONCE)
    if not moved:
        return
    plan_file = await session.get(FirmwareFile, plan.firmware_id)
    assert plan_file is not None  # a plan keeps its file
    trusted = await files.trusted()
    known: dict[int, FirmwareFile | None] = {}
    rows = []
    for forward in moved:
        if forward.state == UpgradeState.WATCHING.value:
            end(forward, UpgradeState.SUCCEEDED, NOT_WATCHED, now_ms)
        version = forward.from_version or 0
        if version not in known:
            known[version] = await files.file_of_version(plan_file.name, version)
        file, code = known[version], ""
        if file is None or not is_trusted(file, trusted):
            code = NO_FILE
        elif not _is_secure(plan_file, file):
            code = FirmwareRefusal.SECURITY.value
        row = new_upgrade(plan, forward.device_id, file or plan_file, 0, now_ms, is_back=True, code=code)
        known_text = "" if file is None else file.version_text
        rows.append(
            row
            | {
                "to_version": version,
                "version_text": known_text,
                "firmware_id": None if file is None else file.id,
            }
        )
    await session.flush()
    await upgrades.add(rows)


def _is_secure(now: FirmwareFile, before: FirmwareFile) -> bool:
    """No order overrides a security version (C-202)."""
    return manifest_of(before).security_version >= manifest_of(now).security_version
