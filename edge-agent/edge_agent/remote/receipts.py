"""Receipts of deployments: what is still to be reported to the cloud, and what the local page shows."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence

from edge_agent.config.state import ConfigurationState, Order, acknowledged, finished, reopened
from edge_agent.config.state_store import StateStore
from edge_agent.errors import StoreError
from edge_agent.system.clock import Clock
from edge_contract.deployment import Change, Fault, GroupCondition, GroupState, Missing, Receipt, Step

log = logging.getLogger(__name__)

MAX_STEPS = 64
MAX_CHECKED = 8
MAX_FINAL = 16
"""Final receipts repeated together."""
MAX_CHORES = 32
MAX_CURRENT = 16
RUNNING_STEPS = frozenset({Step.SWITCHED, Step.CONFIRMED})


class Receipts:
    """Steps are reported once, final receipts until acknowledged. dropped: receipts that found no place.

    Final receipts lie in the state store; those of checks in memory, for a check may be made again.
    parameters: what became of every parameter group of the machine.
    """

    def __init__(
        self,
        state_store: StateStore,
        clock: Clock,
        parameters: Callable[[], Sequence[GroupState]] = tuple,
    ) -> None:
        self.changed = asyncio.Event()
        self.dropped = 0
        self.current: deque[Receipt] = deque(maxlen=MAX_CURRENT)
        self._state_store = state_store
        self._clock = clock
        self._parameters = parameters
        self._steps: deque[Receipt] = deque()
        self._checked: dict[str, Receipt] = {}
        self._chores: asyncio.Queue[Callable[[ConfigurationState], ConfigurationState]] = asyncio.Queue(
            MAX_CHORES
        )

    def make(
        self,
        deployment: str,
        step: Step,
        code: str = "",
        detail: str = "",
        *,
        faults: Sequence[Fault] = (),
        change: Change | None = None,
        missing: Missing | None = None,
        parameters: Sequence[GroupState] | None = None,
    ) -> Receipt:
        """A receipt of now; t_ms UTC, detail cut to 200 characters.

        parameters: when not given, of what runs, in the steps that come when it does.
        """
        if parameters is None:
            parameters = self._parameters() if step in RUNNING_STEPS else ()
        return Receipt(
            id=deployment,
            step=step,
            t_ms=max(self._clock.now_ms(), 0),
            running=self._state_store.state.running.hash,
            code=code,
            detail=detail[:200],
            faults=list(faults),
            change=change,
            missing=missing,
            parameters=list(parameters),
        )

    def failed_parameters(self) -> str:
        """Groups that the machine did not take, with the reason; empty when there are none."""
        failed = [one for one in self._parameters() if one.condition is GroupCondition.FAILED]
        return "; ".join(f"{one.group}: {one.reason}" for one in failed)[:200]

    def report(self, receipt: Receipt, *, cloud: bool) -> None:
        """A step, for the page and (cloud) for the cloud; the newest word on the same step counts."""
        if self.current and self.current[-1].id != receipt.id:
            self.current.clear()
        _replace_last(self.current, receipt)
        if receipt not in self.current:
            self.current.append(receipt)
        if cloud:
            _replace_last(self._steps, receipt)
            while len(self._steps) >= MAX_STEPS:
                self._steps.popleft()
                self.dropped += 1
            self._steps.append(receipt)
        self.changed.set()

    def report_check(self, receipt: Receipt) -> None:
        """The end of a check, to the cloud."""
        while len(self._checked) >= MAX_CHECKED:
            self._checked.pop(next(iter(self._checked)))
            self.dropped += 1
        self._checked[receipt.id] = receipt
        self.changed.set()

    def unsent(self) -> list[Receipt]:
        """Steps, ends of checks, and final receipts that the cloud has not acknowledged, in this order."""
        steps = list(self._steps)
        self._steps.clear()
        past = self._state_store.state.past
        final = [one.receipt for one in past if one.order.cloud and not one.acknowledged]
        return [*steps, *self._checked.values(), *final[-MAX_FINAL:]]

    async def acknowledged(self, deployments: Sequence[str]) -> None:
        """Send these final receipts no more. Raises StoreError when that cannot be recorded."""
        for deployment in deployments:
            self._checked.pop(deployment, None)
        known = set(deployments)
        if any(one.order.id in known and not one.acknowledged for one in self._state_store.state.past):
            await self._state_store.update(lambda now: acknowledged(now, known))

    def turn_away(self, order: Order, receipt: Receipt) -> None:
        """Note a refusal beside what is under way."""
        self._chore(lambda now: finished(now, order, receipt, receipt.t_ms))

    def repeat(self, deployment: str) -> None:
        """The cloud asks again for how it ended."""
        self._chore(lambda now: reopened(now, deployment))

    def _chore(self, change: Callable[[ConfigurationState], ConfigurationState]) -> None:
        try:
            self._chores.put_nowait(change)
        except asyncio.QueueFull:
            self.dropped += 1

    async def run(self) -> None:
        """Note what is to be noted; what the medium refuses is not answered, and will be asked again."""
        while True:
            change = await self._chores.get()
            try:
                await self._state_store.update(change)
            except StoreError as error:
                self.dropped += 1
                log.error("the answer to a deployment cannot be recorded: %s", error)
            self.changed.set()


def _replace_last(steps: deque[Receipt], receipt: Receipt) -> None:
    """Make way for what is reported anew."""
    if steps and (steps[-1].id, steps[-1].step) == (receipt.id, receipt.step):
        steps.pop()
