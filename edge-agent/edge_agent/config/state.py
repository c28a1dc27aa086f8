"""State of a gateway's configurations: the active version, the trial, the outcome of each deployment. Pure.

Every function takes a state and returns the next one, which is made durable before it takes effect.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from edge_contract.deployment import Missing, Origin, Receipt, Step

MAX_STARTS = 2
"""So often a configuration on trial may be started: by the switch, and once after the agent was killed."""
MIN_OUTCOMES = 50
"""Deployments of which the outcome is stored even after they have expired."""
MAX_OUTCOMES = 200
MAX_RECORDS = 40
"""Versions of which is known how they came."""
DETAILED_RECEIPTS = 5
"""Receipts that keep their faults; those of older ones go."""


class ActiveVersion(msgspec.Struct, frozen=True):
    """A version and how it came."""

    hash: str
    origin: Origin
    since_ms: int


class Order(msgspec.Struct, frozen=True):
    """A deployment that was accepted. cloud: it is reported there; otherwise it came from the local page."""

    id: str
    cloud: bool
    expires_ms: int


class Trial(msgspec.Struct, frozen=True):
    """The running version is on trial. back: what runs again when it fails.

    good: slave and name of every point that is to be good again; slaves: must answer whatever healthy_share
    says; linked: the link is needed as well.
    """

    order: Order
    back: ActiveVersion
    deadline_ms: int
    confirm_s: int
    healthy_share: float
    linked: bool
    good: list[tuple[str, str]]
    starts: int = 1
    slaves: list[str] = []


class VersionRecord(msgspec.Struct, frozen=True):
    """How a version came and fared. failed: code of why it was left again, empty when it was not."""

    hash: str
    origin: Origin
    t_ms: int
    failed: str = ""
    detail: str = ""


class PastDeployment(msgspec.Struct, frozen=True):
    """What came of a deployment. acknowledged: the cloud knows, or need not."""

    order: Order
    receipt: Receipt
    acknowledged: bool


class ConfigurationState(msgspec.Struct, frozen=True):
    """file_text, file_hash: of gateway.toml as it was last taken in. previous: what ran before, confirmed."""

    running: ActiveVersion
    previous: ActiveVersion | None = None
    file_text: str = ""
    file_hash: str = ""
    under_way: Order | None = None
    trial: Trial | None = None
    past: list[PastDeployment] = []
    records: list[VersionRecord] = []

    def outcome(self, deployment: str) -> PastDeployment | None:
        return next((one for one in self.past if one.order.id == deployment), None)

    def record(self, version: str) -> VersionRecord | None:
        """Of a version; of one that was never switched to, what is known because it runs or ran before."""
        record = next((one for one in self.records if one.hash == version), None)
        if record is None:
            known = next((one for one in (self.running, self.previous) if one and one.hash == version), None)
            record = VersionRecord(known.hash, known.origin, known.since_ms) if known else None
        return record

    def needed(self) -> set[str]:
        """Versions that must not be deleted."""
        used = [self.running, self.previous, self.trial.back if self.trial else None]
        return {one.hash for one in used if one is not None}


def accepted(state: ConfigurationState, order: Order) -> ConfigurationState:
    return replace(state, under_way=order)


def switched(state: ConfigurationState, running: ActiveVersion, trial: Trial) -> ConfigurationState:
    state = _recorded(state, VersionRecord(running.hash, running.origin, running.since_ms))
    return replace(state, running=running, trial=trial, under_way=None)


def confirmed(state: ConfigurationState, receipt: Receipt) -> ConfigurationState:
    trial = state.trial
    if trial is None or trial.order.id != receipt.id:
        return state
    done = replace(state, previous=trial.back, trial=None)
    return finished(done, trial.order, receipt, receipt.t_ms)


def reverted(
    state: ConfigurationState, code: str, detail: str, t_ms: int, missing: Missing | None = None
) -> ConfigurationState:
    """The trial failed; what ran before runs again, from now on."""
    trial = state.trial
    if trial is None:
        return state
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
    left = state.running
    state = _recorded(state, VersionRecord(left.hash, left.origin, t_ms, code, detail[:200]))
    return finished(replace(state, running=again, trial=None), trial.order, receipt, t_ms)


def finished(state: ConfigurationState, order: Order, receipt: Receipt, now_ms: int) -> ConfigurationState:
    """Its outcome is stored; the first one counts."""
    under_way = state.under_way
    if under_way is not None and under_way.id == order.id:
        state = replace(state, under_way=None)
    if state.outcome(order.id) is not None:
        return state
    past = [*state.past, PastDeployment(order, receipt, not order.cloud)]
    spare = len(past) - MIN_OUTCOMES
    past = [
        one
        for at, one in enumerate(past)
        if at >= spare or (one.order.expires_ms > now_ms and at >= len(past) - MAX_OUTCOMES)
    ]
    return replace(state, past=[_plain(one) for one in past[:-DETAILED_RECEIPTS]] + past[-DETAILED_RECEIPTS:])


def reopened(state: ConfigurationState, deployment: str) -> ConfigurationState:
    """The cloud asks again for what it has acknowledged."""
    return _marked(state, {deployment}, acknowledged=False)


def acknowledged(state: ConfigurationState, deployments: set[str]) -> ConfigurationState:
    return _marked(state, deployments, acknowledged=True)


def replaced(state: ConfigurationState, running: ActiveVersion, why: str, t_ms: int) -> ConfigurationState:
    """Another version runs from now on, whatever was on trial; why: in words, for who deployed that."""
    state = reverted(state, "error", why, t_ms)
    state = _recorded(state, VersionRecord(running.hash, running.origin, running.since_ms))
    return replace(state, running=running, previous=state.running)


def started(state: ConfigurationState, now_ms: int, *, clock_set: bool) -> ConfigurationState:
    """As a start of the agent finds it: a trial that was interrupted goes on, or has failed."""
    order, trial = state.under_way, state.trial
    if order is not None:
        receipt = Receipt(
            id=order.id,
            step=Step.REVERTED,
            t_ms=max(now_ms, 0),
            running=state.running.hash,
            code="crash",
            detail="the gateway stopped before it switched",
        )
        state = finished(state, order, receipt, now_ms)
    if trial is None:
        return state
    if clock_set and now_ms > trial.deadline_ms:
        return reverted(state, "crash", "the gateway stopped and its time is over", now_ms)
    if trial.starts >= MAX_STARTS:
        return reverted(state, "crash", f"the gateway stopped {trial.starts} times with it", now_ms)
    return replace(state, trial=replace(trial, starts=trial.starts + 1))


def _recorded(state: ConfigurationState, record: VersionRecord) -> ConfigurationState:
    """With the newest word on a version, and on what runs if there was none yet."""
    first = state.record(state.running.hash)
    known = state.records if first is None or first in state.records else [*state.records, first]
    records = [*(one for one in known if one.hash != record.hash), record]
    return replace(state, records=records[-MAX_RECORDS:])


def _marked(state: ConfigurationState, deployments: set[str], *, acknowledged: bool) -> ConfigurationState:
    past = [
        replace(one, acknowledged=acknowledged) if one.order.id in deployments and one.order.cloud else one
        for one in state.past
    ]
    return state if past == state.past else replace(state, past=past)


def _plain(past: PastDeployment) -> PastDeployment:
    return replace(past, receipt=replace(past.receipt, faults=[], change=None, missing=None))
