"""How the configurations of a gateway stand: what runs, what is on trial, what came of each one. Pure.

Every function takes a Standing and gives the next one, which is made durable before anybody acts on it.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from edge_contract.deployment import Missing, Origin, Receipt, Step

MOST_STARTS = 2
"""So often a configuration on trial may be started: by the switch, and once after the agent was killed."""
REMEMBERED = 50
"""Deployments of which the outcome is kept even after they have expired."""
MOST_REMEMBERED = 200
MOST_RECORDS = 40
"""Versions of which is known how they came."""
DETAILED = 5
"""Receipts that keep their faults; those of older ones go."""


class InForce(msgspec.Struct, frozen=True):
    """A version and how it came."""

    hash: str
    origin: Origin
    since_ms: int


class Order(msgspec.Struct, frozen=True):
    """A deployment that was accepted. cloud: it is told there; otherwise it came from the local page."""

    id: str
    cloud: bool
    expires_ms: int


class Trial(msgspec.Struct, frozen=True):
    """The running version is on trial. back: what runs again when it fails.

    good: slave and name of every point that is to be good again; slaves: must answer whatever healthy_share
    says; linked: the link is needed as well.
    """

    order: Order
    back: InForce
    deadline_ms: int
    confirm_s: int
    healthy_share: float
    linked: bool
    good: list[tuple[str, str]]
    starts: int = 1
    slaves: list[str] = []


class Record(msgspec.Struct, frozen=True):
    """How a version came and fared. failed: code of why it was left again, empty when it was not."""

    hash: str
    origin: Origin
    t_ms: int
    failed: str = ""
    detail: str = ""


class Past(msgspec.Struct, frozen=True):
    """What came of a deployment. acknowledged: the cloud knows, or need not."""

    order: Order
    receipt: Receipt
    acknowledged: bool


class Standing(msgspec.Struct, frozen=True):
    """file_text, file_hash: of gateway.toml as it was last taken in. previous: what ran before, confirmed."""

    running: InForce
    previous: InForce | None = None
    file_text: str = ""
    file_hash: str = ""
    under_way: Order | None = None
    trial: Trial | None = None
    past: list[Past] = []
    records: list[Record] = []

    def outcome(self, deployment: str) -> Past | None:
        return next((one for one in self.past if one.order.id == deployment), None)

    def record(self, version: str) -> Record | None:
        """Of a version; of one that was never switched to, what is known because it runs or ran before."""
        found = next((one for one in self.records if one.hash == version), None)
        if found is None:
            known = next((one for one in (self.running, self.previous) if one and one.hash == version), None)
            found = Record(known.hash, known.origin, known.since_ms) if known else None
        return found

    def needed(self) -> set[str]:
        """Versions that must not be deleted."""
        used = [self.running, self.previous, self.trial.back if self.trial else None]
        return {one.hash for one in used if one is not None}


def accepted(standing: Standing, order: Order) -> Standing:
    return replace(standing, under_way=order)


def switched(standing: Standing, running: InForce, trial: Trial) -> Standing:
    standing = _recorded(standing, Record(running.hash, running.origin, running.since_ms))
    return replace(standing, running=running, trial=trial, under_way=None)


def confirmed(standing: Standing, receipt: Receipt) -> Standing:
    trial = standing.trial
    if trial is None or trial.order.id != receipt.id:
        return standing
    done = replace(standing, previous=trial.back, trial=None)
    return finished(done, trial.order, receipt, receipt.t_ms)


def reverted(
    standing: Standing, code: str, detail: str, t_ms: int, missing: Missing | None = None
) -> Standing:
    """The trial failed; what ran before runs again, from now on."""
    trial = standing.trial
    if trial is None:
        return standing
    receipt = Receipt(
        id=trial.order.id,
        step=Step.REVERTED,
        t_ms=max(t_ms, 0),
        running=trial.back.hash,
        code=code,
        detail=detail[:200],
        missing=missing,
    )
    again = replace(trial.back, since_ms=t_ms)
    left = standing.running
    standing = _recorded(standing, Record(left.hash, left.origin, t_ms, code, detail[:200]))
    return finished(replace(standing, running=again, trial=None), trial.order, receipt, t_ms)


def finished(standing: Standing, order: Order, receipt: Receipt, now_ms: int) -> Standing:
    """Its outcome is kept; the first one counts."""
    under_way = standing.under_way
    if under_way is not None and under_way.id == order.id:
        standing = replace(standing, under_way=None)
    if standing.outcome(order.id) is not None:
        return standing
    past = [*standing.past, Past(order, receipt, not order.cloud)]
    spare = len(past) - REMEMBERED
    past = [
        one
        for at, one in enumerate(past)
        if at >= spare or (one.order.expires_ms > now_ms and at >= len(past) - MOST_REMEMBERED)
    ]
    return replace(standing, past=[_plain(one) for one in past[:-DETAILED]] + past[-DETAILED:])


def reopened(standing: Standing, deployment: str) -> Standing:
    """The cloud asks again for what it has acknowledged."""
    return _marked(standing, {deployment}, acknowledged=False)


def acknowledged(standing: Standing, deployments: set[str]) -> Standing:
    return _marked(standing, deployments, acknowledged=True)


def replaced(standing: Standing, running: InForce, why: str, t_ms: int) -> Standing:
    """Another version runs from now on, whatever was on trial; why: in words, for who deployed that."""
    standing = reverted(standing, "error", why, t_ms)
    standing = _recorded(standing, Record(running.hash, running.origin, running.since_ms))
    return replace(standing, running=running, previous=standing.running)


def started(standing: Standing, now_ms: int, *, clock_set: bool) -> Standing:
    """As a start of the agent finds it: a trial that was interrupted goes on, or has failed."""
    order, trial = standing.under_way, standing.trial
    if order is not None:
        receipt = Receipt(
            id=order.id,
            step=Step.REVERTED,
            t_ms=max(now_ms, 0),
            running=standing.running.hash,
            code="crash",
            detail="the gateway stopped before it switched",
        )
        standing = finished(standing, order, receipt, now_ms)
    if trial is None:
        return standing
    if clock_set and now_ms > trial.deadline_ms:
        return reverted(standing, "crash", "the gateway stopped and its time is over", now_ms)
    if trial.starts >= MOST_STARTS:
        return reverted(standing, "crash", f"the gateway stopped {trial.starts} times with it", now_ms)
    return replace(standing, trial=replace(trial, starts=trial.starts + 1))


def _recorded(standing: Standing, record: Record) -> Standing:
    """With the newest word on a version, and on what runs if there was none yet."""
    first = standing.record(standing.running.hash)
    kept = standing.records if first is None or first in standing.records else [*standing.records, first]
    records = [*(one for one in kept if one.hash != record.hash), record]
    return replace(standing, records=records[-MOST_RECORDS:])


def _marked(standing: Standing, deployments: set[str], *, acknowledged: bool) -> Standing:
    past = [
        replace(one, acknowledged=acknowledged) if one.order.id in deployments and one.order.cloud else one
        for one in standing.past
    ]
    return standing if past == standing.past else replace(standing, past=past)


def _plain(past: Past) -> Past:
    return replace(past, receipt=replace(past.receipt, faults=[], change=None, missing=None))
