"""Plans and upgrades as replies have them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from typing import Literal, cast

from cloud.domains.firmware.gate import Evidence
from cloud.domains.firmware.hindrances import Hindrance
from cloud.domains.firmware.models import FirmwareFile, FirmwarePlan, GatewayFirmware, GatewayUpgrade
from cloud.domains.firmware.orders import rules_of
from cloud.domains.firmware.planning import faults_of, left_out
from cloud.domains.firmware.reach import PlanReach
from cloud.domains.firmware.rollout import PlanAction, PlanState, WaveCounts, actions
from cloud.domains.firmware.schemas import (
    EvidenceRow,
    FirmwareGatewayRow,
    PlanDetail,
    PlanFile,
    PlanHindrance,
    PlanPreview,
    PlanRow,
    PlanTarget,
    RunningFirmware,
    SkippedCount,
    SkippedFault,
    UpgradeCounts,
    UpgradeRow,
    WaveRow,
)
from cloud.domains.firmware.states import UpgradeState
from cloud.domains.inventory.models import Device
from edge_contract.firmware import Manifest
from edge_contract.upgrade import UpgradeStep

MAX_FAULTS = 50
"""Of a preview."""
MAX_TITLES = 3
"""Of gateways that have the same fault."""

Counted = Mapping[tuple[int, bool], Sequence[WaveCounts]]
"""Waves by plan and direction."""


def actions_of(plan: FirmwarePlan) -> list[PlanAction]:
    """What is possible with a plan in its state."""
    is_approved = plan.approved_version == plan.version
    wants_approval = rules_of(plan).approval and not is_approved
    return actions(PlanState(plan.state), is_back=plan.is_back, wants_approval=wants_approval)


def plan_row(plan: FirmwarePlan, file: FirmwareFile, counted: Counted) -> PlanRow:
    """counted: of this plan too."""
    waves = counted.get((plan.id, plan.is_back), ())
    names = UpgradeCounts.model_fields
    sums = {name: sum(getattr(wave, name) for wave in waves) for name in names}
    sums["total"] = sum(wave.total + wave.skipped for wave in waves)
    is_approved = plan.approved_version == plan.version
    return PlanRow(
        id=plan.id,
        name=plan.name,
        title=plan.title,
        enabled=plan.enabled,
        range=cast(Literal["project", "device"], plan.range),
        project_ids=plan.project_ids,
        device_ids=plan.device_ids,
        created_after_ms=plan.created_after_ms,
        scope=plan.scope,
        plan_control_count=plan.control_count,
        file=PlanFile(
            id=file.id,
            file_name=file.file_name,
            name=file.name,
            version=file.version,
            version_text=file.version_text,
            upgrade_type=file.upgrade_type,
            size=file.size,
        ),
        rules=rules_of(plan),
        state=PlanState(plan.state),
        reason=plan.reason,
        is_back=plan.is_back,
        wave=plan.wave,
        wave_count=len(waves),
        counts=UpgradeCounts(**sums),
        actions=actions_of(plan),
        approved=is_approved,
        approved_name=plan.approved_name if is_approved else "",
        changed_name=plan.changed_name,
        user_name=plan.user_name,
        created_ms=plan.created_ms,
        changed_ms=plan.changed_ms,
        started_ms=plan.started_ms,
        finished_ms=plan.finished_ms,
    )


def plan_detail(
    plan: FirmwarePlan,
    file: FirmwareFile,
    counted: Counted,
    targets: Sequence[tuple[int, str]],
    *,
    steps: Mapping[str, int],
    to_retry: int,
    to_go_back: int,
    hindered: Mapping[Hindrance, list[PlanAction]],
) -> PlanDetail:
    """With each wave. targets: number and title; hindered: what stops which actions."""
    waves = [
        WaveRow(number=number, **asdict(wave) | {"total": wave.total + wave.skipped})
        for number, wave in enumerate(counted.get((plan.id, plan.is_back), ()))
    ]
    return PlanDetail(
        **plan_row(plan, file, counted).model_dump(),
        waves=waves,
        targets=[PlanTarget(id=number, title=title) for number, title in targets],
        steps={UpgradeState(state): count for state, count in steps.items()},
        to_retry=to_retry,
        to_go_back=to_go_back,
        hindrances=[PlanHindrance(code=code, actions=stopped) for code, stopped in hindered.items()],
    )


def preview_row(reach: PlanReach, manifest: Manifest, allow_older: bool) -> PlanPreview:
    """What a start would do."""
    chosen = [each for each in reach.planned if not each.code]
    misfits = faults_of(reach.left, manifest, allow_older=allow_older)
    return PlanPreview(
        total=len(chosen),
        offline=sum(not each.online for each in chosen),
        waves=[count for _, count in sorted(Counter(each.wave for each in chosen).items())],
        skipped=[
            SkippedCount(code=code, count=count) for code, count in sorted(left_out(reach.planned).items())
        ],
        faults=[
            SkippedFault(**asdict(fault), count=len(titles), titles=titles[:MAX_TITLES])
            for fault, titles in islice(misfits.items(), MAX_FAULTS)
        ],
    )


def upgrade_row(upgrade: GatewayUpgrade, device: Device, state: GatewayFirmware | None) -> UpgradeRow:
    """With the names of its gateway, and what that runs now."""
    return UpgradeRow(
        id=upgrade.id,
        plan_id=upgrade.plan_id,
        plan_name=upgrade.plan_name,
        device_id=device.id,
        device_title=device.display_title,
        gateway_id=device.gateway_id,
        wave=upgrade.wave,
        attempt=upgrade.attempt,
        is_back=upgrade.is_back,
        state=UpgradeState(upgrade.state),
        code=upgrade.code,
        detail=upgrade.detail,
        from_version=upgrade.from_version,
        version=upgrade.to_version,
        version_text=upgrade.version_text,
        done=upgrade.done,
        size=upgrade.size,
        created_ms=upgrade.created_ms,
        ordered_ms=upgrade.ordered_ms,
        step_ms=upgrade.step_ms,
        ended_ms=upgrade.ended_ms,
        expires_ms=upgrade.expires_ms,
        worse=upgrade.worse,
        before=_evidence(Evidence.of_json(upgrade.before)),
        after=_evidence(Evidence.of_json(upgrade.after)),
        running=None if state is None else _running(upgrade, state),
    )


def _running(upgrade: GatewayUpgrade, state: GatewayFirmware) -> RunningFirmware:
    """went_back is of the newest order that the gateway knows: a later one may have changed what runs."""
    is_newest = upgrade.upgrade_id is not None and upgrade.upgrade_id == state.upgrade_id
    return RunningFirmware(
        name=state.name,
        version=state.version,
        version_text=state.version_text,
        reported_ms=state.reported_ms,
        went_back=is_newest and state.step == UpgradeStep.ROLLED_BACK.value,
    )


def gateway_row(
    device: Device, state: GatewayFirmware | None, upgrade: GatewayUpgrade | None
) -> FirmwareGatewayRow:
    """What a gateway runs, and its newest upgrade."""
    return FirmwareGatewayRow(
        device_id=device.id,
        device_title=device.display_title,
        gateway_id=device.gateway_id,
        online=device.online,
        agent_version=device.agent_version,
        takes_firmware=state is not None,
        name=state.name if state else None,
        model=state.model if state else None,
        version=state.version if state else None,
        version_text=state.version_text if state else None,
        security_version=state.security_version if state else None,
        reported_ms=state.reported_ms if state else None,
        upgrade=upgrade_row(upgrade, device, state) if upgrade else None,
    )


def _evidence(evidence: Evidence | None) -> EvidenceRow | None:
    return None if evidence is None else EvidenceRow(**evidence.to_json())
