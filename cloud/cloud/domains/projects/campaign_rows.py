"""What a campaign does to each gateway, and when it stops. No session, no clock."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from cloud.domains.projects.repository import Member


class CampaignStep(StrEnum):
    """waiting: its turn has not come. begun: asked for. kept: asked for, begins when the gateway comes.

    The others are ends; not_begun: the campaign stopped before.
    """

    WAITING = "waiting"
    BEGUN = "begun"
    WAITING_FOR_GATEWAY = "kept"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    NOT_BEGUN = "not_begun"


ENDS = frozenset(
    {
        CampaignStep.WAITING_FOR_GATEWAY,
        CampaignStep.DONE,
        CampaignStep.FAILED,
        CampaignStep.SKIPPED,
        CampaignStep.NOT_BEGUN,
    }
)


@dataclass
class Row:
    """One gateway. work: id of its deployment or command; state: of that, in its own words; code: why."""

    device_id: int
    device_title: str
    gateway_id: str
    step: CampaignStep = CampaignStep.WAITING
    state: str = ""
    code: str = ""
    work: str = ""
    online: bool = True

    def end(self, step: CampaignStep, state: str = "", code: str = "") -> None:
        self.step, self.state, self.code = step, state, code[:60]


@dataclass
class CampaignRows:
    """Of a whole campaign. stopped: why no more is begun, "" while it goes on."""

    rows: list[Row] = field(default_factory=list)
    stopped: str = ""

    def in_step(self, *steps: CampaignStep) -> list[Row]:
        return [row for row in self.rows if row.step in steps]

    @property
    def ended(self) -> int:
        return sum(row.step in ENDS for row in self.rows)

    def stop(self, reason: str) -> None:
        """Begin nothing more."""
        self.stopped = reason
        for row in self.in_step(CampaignStep.WAITING):
            row.end(CampaignStep.NOT_BEGUN, code=reason)

    def too_many_failed(self, share: float) -> bool:
        """More than this share of what there is to do has failed."""
        failed = len(self.in_step(CampaignStep.FAILED))
        to_do = sum(row.step is not CampaignStep.SKIPPED for row in self.rows)
        return failed > share * to_do

    def summary(self) -> dict[str, Any]:
        """JSON: counts by step, why it stopped, and every gateway."""
        counts = Counter(row.step.value for row in self.rows)
        return {
            "counts": {step.value: counts[step.value] for step in CampaignStep},
            "stopped": self.stopped,
            "rows": [asdict(row) for row in self.rows],
        }

    @classmethod
    def read(cls, summary: Mapping[str, Any]) -> CampaignRows:
        """From a summary."""
        rows = [Row(**{**row, "step": CampaignStep(row["step"])}) for row in summary.get("rows", ())]
        return cls(rows, str(summary.get("stopped", "")))


def planned(members: Iterable[Member], *, needs_draft: bool, wait: bool) -> Iterator[Row]:
    """Rows for the gateways of a subtree, those online first; what is not to be touched is skipped."""
    for member in sorted(members, key=lambda one: not one.online):
        row = Row(member.id, member.title, member.gateway_id, online=member.online)
        if not member.writable:
            row.end(CampaignStep.SKIPPED, code="read_only")
        elif needs_draft and member.draft is None:
            row.end(CampaignStep.SKIPPED, code="no_draft")
        elif not member.online and not wait:
            row.end(CampaignStep.SKIPPED, code="offline")
        yield row
