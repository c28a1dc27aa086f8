"""An upgrade that waited gets its order: what is written down before anything is sent."""

from __future__ import annotations

import secrets
from typing import Any
from zoneinfo import ZoneInfo

from cloud.domains.firmware.gate import Evidence
from cloud.domains.firmware.models import FirmwareFile, FirmwarePlan, GatewayUpgrade
from cloud.domains.firmware.schemas import PlanRules
from cloud.domains.firmware.states import UpgradeState
from cloud.domains.firmware.windows import utc_window
from edge_contract.upgrade import Upgrade


def rules_of(plan: FirmwarePlan) -> PlanRules:
    """As they were saved."""
    return PlanRules.model_validate(plan.rules)


def place(
    upgrade: GatewayUpgrade,
    plan: FirmwarePlan,
    from_version: int,
    before: Evidence | None,
    zone: ZoneInfo,
    now_ms: int,
) -> None:
    """The caller commits, and sends after that. zone: of the installation, where the plan has none."""
    rules = rules_of(plan)
    if rules.window is not None:
        own = ZoneInfo(rules.zone) if rules.zone else zone
        upgrade.window = list(utc_window(rules.window.begin, rules.window.end, own, now_ms))
    upgrade.upgrade_id = f"fw-{secrets.token_hex(12)}"
    upgrade.state, upgrade.is_open = UpgradeState.ORDERED.value, True
    upgrade.from_version = from_version
    upgrade.expires_ms = now_ms + rules.expires_s * 1000
    upgrade.ordered_ms = upgrade.step_ms = now_ms
    upgrade.before = None if before is None else before.to_json()


def message(upgrade: GatewayUpgrade, plan: FirmwarePlan, file: FirmwareFile, url: str) -> Upgrade:
    """The order, the same whenever it is sent: its gateway carries its id out once (C-204)."""
    rules = rules_of(plan)
    window = upgrade.window
    return Upgrade(
        id=upgrade.upgrade_id or "",
        url=url,
        size=file.size,
        sha256=file.sha256,
        version=file.version,
        expires_ms=upgrade.expires_ms or 0,
        window=None if window is None else (window[0], window[1]),
        allow_older=rules.allow_older or upgrade.is_back,
        confirm_s=rules.confirm_s,
    )


def new_upgrade(
    plan: FirmwarePlan,
    device_id: int,
    file: FirmwareFile,
    wave: int,
    now_ms: int,
    *,
    is_back: bool = False,
    attempt: int = 1,
    code: str = "",
) -> dict[str, Any]:
    """Columns of one that waits for its turn. code: why it is left out instead."""
    state = UpgradeState.SKIPPED if code else UpgradeState.WAITING
    return {
        "plan_id": plan.id,
        "plan_name": plan.name,
        "device_id": device_id,
        "firmware_id": file.id,
        "wave": wave,
        "attempt": attempt,
        "is_back": is_back,
        "state": state.value,
        "code": code,
        "to_version": file.version,
        "version_text": file.version_text,
        "size": file.size,
        "created_ms": now_ms,
        "ended_ms": now_ms if code else None,
    }


def next_attempt(row: GatewayUpgrade, now_ms: int) -> dict[str, Any]:
    """Columns of another attempt at the same."""
    names = ("plan_id", "plan_name", "device_id", "firmware_id", "wave", "is_back", "to_version",
             "version_text", "size")  # fmt: skip
    same = {name: getattr(row, name) for name in names}
    return same | {"attempt": row.attempt + 1, "state": UpgradeState.WAITING.value, "created_ms": now_ms}


def end(upgrade: GatewayUpgrade, state: UpgradeState, code: str, now_ms: int) -> None:
    """It has ended, or is passed over."""
    upgrade.state, upgrade.code, upgrade.is_open = state.value, code, False
    upgrade.ended_ms = now_ms
