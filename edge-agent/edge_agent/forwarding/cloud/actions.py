"""What the cloud may ask of its own link."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from edge_agent.actions import Action, ActionOutcome
from edge_agent.errors import NoAnswer
from edge_contract.payloads import Command


def forward(
    flush: Callable[[], Awaitable[None]], waiting: Callable[[], int], report_now: Callable[[], None]
) -> Action:
    """Commit what is in memory; the link sends at once what is committed. The value: batches that wait."""

    async def act(command: Command, timeout_s: float) -> ActionOutcome:
        await flush()
        report_now()
        return ActionOutcome(waiting())

    return act


def reallocation(reconnect: Callable[[float], Awaitable[bool]]) -> Action:
    """reconnect: leave the broker; whether the cloud has accepted it anew within so many seconds."""

    async def act(command: Command, timeout_s: float) -> ActionOutcome:
        if await reconnect(timeout_s):
            return ActionOutcome()
        return ActionOutcome(code=NoAnswer.code, detail="the cloud has not accepted this gateway again yet")

    return act
