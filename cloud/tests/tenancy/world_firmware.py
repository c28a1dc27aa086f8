"""What a tenant has of firmware: a key, a file, a plan, and an upgrade that has ended."""

from __future__ import annotations

from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.domains.firmware.models import FirmwareFile, FirmwareKey, FirmwarePlan, GatewayUpgrade
from cloud.domains.firmware.schemas import PlanRules
from edge_contract.firmware import Manifest, UpgradeType, canonical_manifest

VERSION = 2


async def add_firmware(
    session: AsyncSession, name: str, plant: str, plant_id: int, device_id: int
) -> dict[str, Any]:
    """Ids by the names of their parameters; the caller commits."""
    made: dict[str, Any] = {"user_name": plant, "created_ms": 1}
    key = FirmwareKey(owner_id=plant_id, key_id=f"key-{name}", public_key="", **made)
    digest = ("a" if name == "alpha" else "b") * 64
    manifest = Manifest(
        name="edge-agent",
        models=[f"model-{name}"],
        version=VERSION,
        version_text=f"2-{name}",
        security_version=0,
        upgrade_type=UpgradeType.IMAGE,
        size=1,
        sha256=digest,
        min_agent="0",
        key_id=key.key_id,
    )
    release: dict[str, Any] = {"version_text": manifest.version_text, "size": 1}
    file = FirmwareFile(
        owner_id=plant_id,
        sha256=digest,
        file_name=f"{name}.bin",
        name=manifest.name,
        version=VERSION,
        upgrade_type=int(manifest.upgrade_type),
        manifest=canonical_manifest(manifest).decode(),
        public_key="",
        **release,
        **made,
    )
    session.add_all([key, file])
    await session.flush()
    plan = FirmwarePlan(
        owner_id=plant_id,
        name=1,
        title=f"Plan {name}",
        enabled=True,
        range="device",
        project_ids=[],
        device_ids=[device_id],
        scope=3,
        firmware_id=file.id,
        rules=PlanRules().model_dump(mode="json"),
        version=1,
        changed_by=plant_id,
        changed_name=plant,
        created_ms=1,
        changed_ms=1,
    )
    session.add(plan)
    await session.flush()
    session.add(
        GatewayUpgrade(
            plan_id=plan.id,
            plan_name=plan.name,
            device_id=device_id,
            firmware_id=file.id,
            wave=0,
            is_newest=False,
            state="failed",
            upgrade_id=f"upgrade-{name}",
            to_version=VERSION,
            created_ms=1,
            ordered_ms=1,
            ended_ms=1,
            **release,
        )
    )
    return {
        "firmware_key": key.id,
        "firmware_id": file.id,
        "plan_id": plan.id,
        "upgrade_id": f"upgrade-{name}",
    }
