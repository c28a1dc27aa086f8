"""What the gateways of projects run, each with those of everything below it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, cast

from cloud.domains.firmware.models import FirmwarePlan
from cloud.domains.firmware.rollout import PlanState
from cloud.domains.firmware.schemas import FirmwareProjectRow, FirmwareVersionCount, ProjectPlan
from cloud.domains.inventory.project_models import Project
from cloud.domains.projects.tree import ids_of, ordered


class Release(NamedTuple):
    """What a gateway says that it runs."""

    name: str
    version: int
    version_text: str


@dataclass
class ProjectCounts:
    """Gateways of a project. versions: of those that take firmware; plans: by the plan's id."""

    gateways: int = 0
    online: int = 0
    versions: Counter[Release] = field(default_factory=Counter)
    plans: Counter[int] = field(default_factory=Counter)

    def add(self, other: ProjectCounts) -> None:
        self.gateways += other.gateways
        self.online += other.online
        self.versions.update(other.versions)
        self.plans.update(other.plans)


def project_rows(
    nodes: Sequence[Project], own: Mapping[int | None, ProjectCounts], plans: Mapping[int, FirmwarePlan]
) -> list[FirmwareProjectRow]:
    """A parent before its children; last the gateways of no project, if there are any. own: by the project's
    id, without what is below.
    """
    totals = {node.id: ProjectCounts() for node in nodes}
    parents = {node.id: [number for number in ids_of(node.path) if number in totals] for node in nodes}
    for node in nodes:
        for number in parents[node.id]:
            totals[number].add(own.get(node.id, ProjectCounts()))
    rows = [_row(node, len(parents[node.id]), totals[node.id], plans) for node in ordered(nodes)]
    return [*rows, _row(None, 1, own[None], plans)] if None in own else rows


def _row(
    node: Project | None, depth: int, counts: ProjectCounts, plans: Mapping[int, FirmwarePlan]
) -> FirmwareProjectRow:
    named = [(plans[number], count) for number, count in sorted(counts.plans.items()) if number in plans]
    return FirmwareProjectRow(
        project_id=None if node is None else node.id,
        kind="none" if node is None else cast(Literal["project", "group"], node.kind),
        title="" if node is None else node.title,
        depth=depth,
        gateways=counts.gateways,
        online=counts.online,
        taking=counts.versions.total(),
        versions=[
            FirmwareVersionCount(**release._asdict(), gateways=count)
            for release, count in sorted(counts.versions.items(), key=lambda each: (-each[1], each[0]))
        ],
        plans=[
            ProjectPlan(
                id=plan.id, name=plan.name, title=plan.title, state=PlanState(plan.state), gateways=count
            )
            for plan, count in named
        ],
    )
