"""Receipts of deployments: what is still to be told to the cloud, and what the local page shows."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence

from edge_agent.config.state import ConfigurationState, Order, acknowledged, finished, reopened
from edge_agent.config.state_store import StateStore
from edge_agent.errors import StoreError
from edge_agent.system.clock import Clock
from edge_contract.deployment import Change, Fault, Missing, Receipt, Step

log = logging.getLogger(__name__)

MOST_STEPS = 64
MOST_CHECKED = 8
MOST_FINAL = 16
"""Final receipts repeated together."""
MOST_CHORES = 32
MOST_SHOWN = 16


class Receipts:
    """Steps are told once, final receipts until acknowledged. dropped: what could be told or noted no more.

    Final receipts lie in the state store; those of checks in memory, for a check may be made again.
    """

    def __init__(self, state_store: StateStore, clock: Clock) -> None:
        self.news = asyncio.Event()
        self.dropped = 0
        self.shown: deque[Receipt] = deque(maxlen=MOST_SHOWN)
        self._state_store = state_store
        self._clock = clock
        self._steps: deque[Receipt] = deque()
        self._checked: dict[str, Receipt] = {}
        self._chores: asyncio.Queue[Callable[[ConfigurationState], ConfigurationState]] = asyncio.Queue(
            MOST_CHORES
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
    ) -> Receipt:
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
        )

    def tell(self, receipt: Receipt, *, cloud: bool) -> None:
        """A step, for the page and (cloud) for the cloud; the newest word on the same step counts."""
        if self.shown and self.shown[-1].id != receipt.id:
            self.shown.clear()
        _replace_last(self.shown, receipt)
        if receipt not in self.shown:
            self.shown.append(receipt)
        if cloud:
            _replace_last(self._steps, receipt)
            while len(self._steps) >= MOST_STEPS:
                self._steps.popleft()
                self.dropped += 1
            self._steps.append(receipt)
        self.news.set()

    def tell_checked(self, receipt: Receipt) -> None:
        """The end of a check, to the cloud."""
        while len(self._checked) >= MOST_CHECKED:
            self._checked.pop(next(iter(self._checked)))
            self.dropped += 1
        self._checked[receipt.id] = receipt
        self.news.set()

    def unsent(self) -> list[Receipt]:
        steps = list(self._steps)
        self._steps.clear()
        past = self._state_store.state.past
        final = [one.receipt for one in past if one.order.cloud and not one.acknowledged]
        return [*steps, *self._checked.values(), *final[-MOST_FINAL:]]

    async def acknowledged(self, deployments: Sequence[str]) -> None:
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
            self.news.set()


def _replace_last(steps: deque[Receipt], receipt: Receipt) -> None:
    """Make room for what is told anew."""
    if steps and (steps[-1].id, steps[-1].step) == (receipt.id, receipt.step):
        steps.pop()
