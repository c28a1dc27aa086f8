"""A configuration on trial: switched to, watched, and confirmed or left again by the gateway itself.

What is missing is reported while the trial lasts, at each change; the command revert ends it (code asked).
Parts that fail by themselves end it at once. Linked: a welcome to the hello that names the new version.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Protocol

from edge_agent.config.load import stored_configuration_of
from edge_agent.config.model import Configuration
from edge_agent.config.state import ActiveVersion, ConfigurationState, Trial, confirmed, reverted, switched
from edge_agent.config.state_store import StateStore
from edge_agent.errors import AgentError, StoreError
from edge_agent.model import PointKey
from edge_agent.remote.health import Signs, Verdict, Wanted, assess, polled_slaves
from edge_agent.remote.receipts import Receipts
from edge_agent.signals import signal
from edge_agent.system.clock import Clock, wait
from edge_contract.deployment import Missing, Step
from edge_contract.trace import TraceKind

log = logging.getLogger(__name__)

LOOK_S = 1.0
STABLE_S = 5.0
"""So long all has to be well before a configuration is confirmed: a first good read proves little."""
ANSWER_S = 0.5
"""The answer to who ends a trial may leave before everything is switched."""
AGAIN_S = 1.0
"""Pause before a medium that refused is tried again."""
DEAD_MAN_S = 30.0
"""So long after its time the process is ended if the watch itself has not come to a word: it hangs."""


class NoTrial(AgentError):
    """No deployment of that id is on trial."""

    code = "no_trial"


class RunningGateway(Protocol):
    """What runs. failure: why the parts on trial ended by themselves, empty while they run."""

    @property
    def failure(self) -> str:
        """Why the parts on trial ended by themselves, empty while they run."""

    @property
    def configuration(self) -> Configuration:
        """The configuration that runs."""

    def good(self) -> set[PointKey]:
        """Points of which the newest value is good."""

    def answering(self) -> set[str]:
        """Slaves that answer."""

    def answered(self) -> set[str]:
        """Slaves that answered when they were last asked, by these parts or by those before them."""

    def linked(self) -> bool:
        """The cloud has accepted this gateway."""

    def reasons(self) -> dict[str, str]:
        """Why a slave is silent, by name; "": why there is no link."""

    async def switch(self, configuration: Configuration, *, watched: bool) -> None:
        """Everything anew with it. AgentError when it cannot be put together."""

    def end_watch(self) -> None:
        """It is watched no longer."""


class Trials:
    """dead_man: ends the process after so many seconds, 0: never."""

    def __init__(
        self,
        state_store: StateStore,
        plant: RunningGateway,
        clock: Clock,
        receipts: Receipts,
        dead_man: Callable[[float], None],
    ) -> None:
        self._state_store = state_store
        self._plant = plant
        self._clock = clock
        self._receipts = receipts
        self._dead_man = dead_man
        self._end = asyncio.Event()
        self._ended_by: str | None = None

    def end(self, deployment: str, who: str) -> None:
        """Go back from it, soon after this has returned. NoTrial when it is not on trial."""
        trial = self._state_store.state.trial
        if trial is None:
            raise NoTrial("nothing is on trial")
        if trial.order.id != deployment:
            raise NoTrial(f"{trial.order.id} is on trial")
        self._ended_by = who
        self._end.set()

    async def begin(self, running: ActiveVersion, configuration: Configuration, trial: Trial) -> None:
        """Switch, and watch to the end. StoreError, and nothing is changed, when the medium refuses."""
        self._end.clear()
        self._ended_by = None
        await self._state_store.update(lambda now: switched(now, running, trial))
        log.info(
            "version %s is switched to, on trial for %d s", running.hash[:12], trial.confirm_s,
            extra=signal(TraceKind.CONFIGURATION, Step.SWITCHED),
        )  # fmt: skip
        receipt = self._receipts.make(trial.order.id, Step.SWITCHED, parameters=())
        self._receipts.report(receipt, cloud=trial.order.cloud)
        try:
            await self._plant.switch(configuration, watched=True)
        except AgentError as error:
            await self._back(Verdict("error", str(error)[:200]))
            return
        await self.watch()

    async def watch(self) -> None:
        """Watch what is on trial until it is confirmed or left; nothing when nothing is."""
        trial = self._state_store.state.trial
        if trial is None:
            return
        left_s = min(max(trial.deadline_ms - self._clock.now_ms(), 0) / 1000, trial.confirm_s)
        self._dead_man(left_s + DEAD_MAN_S)
        try:
            verdict = await self._verdict(trial, self._clock.monotonic() + left_s)
            if verdict.well:
                self._plant.end_watch()
                receipt = self._receipts.make(
                    trial.order.id, Step.CONFIRMED, detail=verdict.words, missing=verdict.missing
                )
                await self._surely(lambda now: confirmed(now, receipt))
                extra = signal(TraceKind.CONFIGURATION, Step.CONFIRMED)
                log.info("version %s is confirmed", receipt.running[:12], extra=extra)
            else:
                await self._back(verdict)
        finally:
            self._dead_man(0.0)

    async def _verdict(self, trial: Trial, end: float) -> Verdict:
        """Well once all was well for STABLE_S, or at the end; what is wrong at the end otherwise."""
        wanted = Wanted(
            [PointKey(*key) for key in trial.good], trial.slaves, trial.healthy_share, trial.linked
        )
        well_since: float | None = None
        reported: Missing | None = None
        while True:
            if self._plant.failure:
                return Verdict("crash", self._plant.failure[:200])
            if failed := self._receipts.failed_parameters():
                return Verdict("error", failed)
            verdict = assess(wanted, self._signs())
            if self._ended_by is not None:
                await self._clock.sleep(ANSWER_S)
                return Verdict("asked", f"ended by {self._ended_by}"[:200], verdict.missing)
            now = self._clock.monotonic()
            if verdict.well:
                well_since = now if well_since is None else well_since
                if now - well_since >= STABLE_S:
                    return verdict
            else:
                well_since = None
            if now >= end:
                return verdict
            if verdict.missing != reported:
                reported = verdict.missing
                receipt = self._receipts.make(trial.order.id, Step.SWITCHED, missing=reported)
                self._receipts.report(receipt, cloud=trial.order.cloud)
            await wait(self._clock, self._end, min(LOOK_S, max(end - now, 0.0)))

    def _signs(self) -> Signs:
        plant = self._plant
        return Signs(
            plant.good(),
            plant.answering(),
            polled_slaves(plant.configuration),
            plant.linked(),
            plant.reasons(),
        )

    async def _back(self, verdict: Verdict) -> None:
        """What ran before runs again, durable first, but also when the medium refuses."""
        state = self._state_store.state
        if state.trial is None:
            return
        back = state.trial.back
        log.error(
            "version %s is left again (%s: %s); back to %s",
            state.running.hash[:12], verdict.code, verdict.words, back.hash[:12],
            extra=signal(TraceKind.CONFIGURATION, Step.REVERTED),
        )  # fmt: skip
        document = self._state_store.versions.read(back.hash)
        if document is None:
            raise StoreError(f"version {back.hash[:12]} of the configuration cannot be read")
        change = left(verdict, self._clock.now_ms())
        try:
            await self._state_store.update(change)
        except StoreError as error:
            log.error("the way back cannot be recorded: %s", error)
            self._state_store.assume(change)
        await self._plant.switch(stored_configuration_of(document), watched=False)
        await self._surely(lambda now: now)

    async def _surely(self, change: Callable[[ConfigurationState], ConfigurationState]) -> None:
        """Durable, however long the medium refuses."""
        said = False
        while True:
            try:
                await self._state_store.update(change)
                return
            except StoreError as error:
                if not said:
                    log.error("how a deployment ended cannot be recorded: %s; trying on", error)
                said = True
            await self._clock.sleep(AGAIN_S)


def left(verdict: Verdict, t_ms: int) -> Callable[[ConfigurationState], ConfigurationState]:
    """The change of state with which a trial is reverted. t_ms: UTC."""
    return lambda now: reverted(now, verdict.code, verdict.words, t_ms, verdict.missing)
