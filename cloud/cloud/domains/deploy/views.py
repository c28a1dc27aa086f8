"""Rows and differences as the API shows them. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from cloud.domains.configuration.difference import Difference, Section
from cloud.domains.configuration.models import (
    ConfigurationStateRow,
    ConfigurationVersion,
    Deployment,
    DeploymentReceipt,
)
from cloud.domains.configuration.reach import of_reach
from cloud.domains.configuration.state_changes import is_rebased, situation
from cloud.domains.configuration.states import DeploymentState, is_local_edit
from cloud.domains.deploy.schemas import (
    ConfigurationChange,
    ConfigurationDifference,
    ConfigurationFault,
    ConfigurationState,
    DeploymentDetail,
    DeploymentStatus,
    DeploymentStep,
    DifferenceCounts,
    Draft,
    ParameterCondition,
    Reverted,
    RunningVersion,
    SectionCounts,
    TrialMissing,
    Version,
)
from edge_contract.deployment import Step

_STEPS = [step.value for step in Step]


def version(row: ConfigurationVersion) -> Version:
    return Version(
        hash=row.hash,
        origin=row.origin,
        parent=row.parent,
        author=row.author,
        note=row.note,
        created_ms=row.created_ms,
        size=row.size,
        points=row.points,
    )


def status(row: Deployment) -> DeploymentStatus:
    return DeploymentStatus(
        id=row.id,
        device_id=row.device_id,
        hash=row.hash,
        base=row.base,
        state=row.state,
        check_only=row.check_only,
        wait=row.wait,
        confirm_s=row.confirm_s,
        healthy_share=row.healthy_share,
        user=row.user_name,
        created_ms=row.created_ms,
        expires_ms=row.expires_ms,
        sent_ms=row.sent_ms,
        finished_ms=row.finished_ms,
        code=row.code,
        detail=row.detail,
    )


def detail(row: Deployment, receipts: Sequence[DeploymentReceipt]) -> DeploymentDetail:
    """Steps in the order of their arrival; the last one that names faults or a change counts."""
    receipts = sorted(receipts, key=lambda each: (each.received_ms, _STEPS.index(each.step)))
    steps = [
        DeploymentStep(
            step=receipt.step,
            t_ms=receipt.t_ms,
            received_ms=receipt.received_ms,
            running=receipt.running,
            code=receipt.code,
            detail=receipt.detail,
        )
        for receipt in receipts
    ]
    faults = next((receipt.faults for receipt in reversed(receipts) if receipt.faults), [])
    change = next((receipt.change for receipt in reversed(receipts) if receipt.change), None)
    missing = receipts[-1].missing if receipts else None
    parameters: list[dict[str, str]] = next(
        (receipt.parameters for receipt in reversed(receipts) if receipt.parameters), []
    )
    return DeploymentDetail(
        **status(row).model_dump(),
        steps=steps,
        faults=[ConfigurationFault(**fault) for fault in faults],
        change=ConfigurationChange(**change) if change else None,
        missing=TrialMissing(**missing) if missing else None,
        parameters=[ParameterCondition(**each) for each in parameters],
    )


def state(
    config_state: ConfigurationStateRow | None,
    known: bool,
    latest: Deployment | None,
    of_draft: Deployment | None,
    versions: Sequence[ConfigurationVersion],
    total: int,
) -> ConfigurationState:
    """latest: the last deployment of all; of_draft: the last one of the draft."""
    now = situation(config_state)
    running = draft = None
    if config_state is not None and config_state.running is not None:
        running = RunningVersion(
            hash=config_state.running, origin=config_state.origin, since_ms=config_state.since_ms, known=known
        )
    if config_state is not None and now.draft is not None:
        draft = Draft(
            hash=now.draft,
            base=config_state.draft_base,
            author=config_state.draft_author or "",
            changed_ms=config_state.draft_ms or 0,
            behind=config_state.running not in (None, config_state.draft_base, now.draft),
            carried=is_rebased(config_state),
            reverted=_reverted(of_draft),
        )
    last = (latest.hash, DeploymentState(latest.state)) if latest else (None, None)
    return ConfigurationState(
        running=running,
        accepted=now.accepted,
        local_edit=is_local_edit(now, *last),
        draft=draft,
        newest=config_state.newest if config_state else None,
        deployment=status(latest) if latest else None,
        versions=[version(row) for row in versions],
        total=total,
    )


def _reverted(row: Deployment | None) -> Reverted | None:
    if row is None or row.state != DeploymentState.REVERTED:
        return None
    return Reverted(deployment=row.id, finished_ms=row.finished_ms, code=row.code, detail=row.detail)


def difference(
    before: str, after: str, changes: Difference, limit: int, *, link_lost: bool
) -> ConfigurationDifference:
    """At most so many rows of each list."""
    sections = (changes.points, changes.slaves, changes.ports, changes.scripts)
    link, other = of_reach(changes.other)
    return ConfigurationDifference(
        before=before,
        after=after,
        counts=DifferenceCounts(
            points=_counts(changes.points),
            slaves=_counts(changes.slaves),
            ports=_counts(changes.ports),
            scripts=_counts(changes.scripts),
            other=len(other),
            points_reached=changes.points_reached,
            slaves_reached=changes.slaves_reached,
        ),
        periods=changes.periods[:limit],
        points=_cut(changes.points, limit),
        slaves=_cut(changes.slaves, limit),
        ports=_cut(changes.ports, limit),
        scripts=_cut(changes.scripts, limit),
        other=other[:limit],
        link=link,
        link_lost=link_lost,
        truncated=any(
            len(rows) > limit
            for rows in (
                changes.periods,
                other,
                *(part for section in sections for part in (section.added, section.removed, section.changed)),
            )
        ),
    )


def _counts(section: Section) -> SectionCounts:
    return SectionCounts(added=len(section.added), removed=len(section.removed), changed=len(section.changed))


def _cut(section: Section, limit: int) -> Section:
    return Section(section.added[:limit], section.removed[:limit], section.changed[:limit])
