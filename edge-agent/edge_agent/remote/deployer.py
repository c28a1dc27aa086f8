"""One deployment from its receipt to its end: validated, made durable, put on trial."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass

from edge_agent.config.model import Configuration
from edge_agent.config.state import ActiveVersion, Order, Trial, accepted, finished
from edge_agent.config.state_store import StateStore
from edge_agent.errors import ConfigError, StoreError
from edge_agent.remote.health import bound_to_answer, expected
from edge_agent.remote.receipts import Receipts
from edge_agent.remote.trial import RunningGateway, Trials
from edge_agent.remote.validation import Validation, ValidationResult, refused
from edge_agent.signals import signal
from edge_agent.system.appliers import MachineParameters
from edge_agent.system.clock import Clock
from edge_contract.deployment import Deploy, GroupState, Origin, Receipt, Step, document_hash
from edge_contract.trace import TraceKind

log = logging.getLogger(__name__)

SAY_S = 0.5
"""What was said last may leave before everything is switched."""


@dataclass
class Job:
    """deploy: None once its document lies on the medium: it takes much memory.

    staged: takes the first receipt that says whether it is carried out. latest: the newest one.
    """

    order: Order
    who: str
    deploy: Deploy | None = None
    staged: asyncio.Future[Receipt] | None = None
    latest: Receipt | None = None

    def answer(self, receipt: Receipt) -> None:
        """Hand over the receipt that says whether it is carried out, once."""
        if self.staged is not None and not self.staged.done():
            self.staged.set_result(receipt)


class Deployer:
    """machine: its parameter groups. dead_man: see Trials."""

    def __init__(
        self,
        state_store: StateStore,
        plant: RunningGateway,
        clock: Clock,
        validation: Validation,
        receipts: Receipts,
        machine: MachineParameters,
        dead_man: Callable[[float], None],
    ) -> None:
        self._state_store = state_store
        self._plant = plant
        self._clock = clock
        self._validation = validation
        self._receipts = receipts
        self._machine = machine
        self.trials = Trials(state_store, plant, clock, receipts, dead_man)

    async def carry_out(self, job: Job, deploy: Deploy) -> tuple[ActiveVersion, Configuration, Trial] | None:
        """Judge and stage it; what is to be begun, None when a final receipt has been given."""
        self._report(job, self._receipts.make(deploy.id, Step.RECEIVED))
        receipt, validated = await self._checked(deploy, by_cloud=job.order.cloud)
        if receipt is not None or validated.configuration is None:
            await self._finish(
                job, receipt or self._receipts.make(deploy.id, Step.UNCHANGED), deploy.check_only
            )
            return None
        try:
            await self._state_store.update(lambda now: accepted(now, job.order))
            await asyncio.to_thread(self._state_store.versions.keep, deploy.document)
        except StoreError as error:
            await self._refuse_for_the_medium(job, error)
            return None
        staged_signal = signal(TraceKind.CONFIGURATION, Step.STAGED)
        log.info(
            "audit: %s deploys version %s as %s", job.who, deploy.hash[:12], deploy.id, extra=staged_signal
        )
        staged = self._receipts.make(
            deploy.id,
            Step.STAGED,
            change=validated.change,
            parameters=await self._forecast(validated.configuration),
        )
        self._report(job, staged)
        job.answer(staged)
        await self._clock.sleep(SAY_S)
        return self._trial(job, deploy, validated.configuration)

    async def begin(
        self, job: Job, running: ActiveVersion, configuration: Configuration, trial: Trial
    ) -> None:
        """Switch and watch, to the end."""
        try:
            await self.trials.begin(running, configuration, trial)
        except StoreError as error:
            if self._state_store.state.trial is not None:
                raise  # only a new start of the agent finds back
            await self._refuse_for_the_medium(job, error)

    def _trial(
        self, job: Job, deploy: Deploy, configuration: Configuration
    ) -> tuple[ActiveVersion, Configuration, Trial]:
        now_ms = self._clock.now_ms()
        wanted = expected(self._plant.good(), configuration, deploy.confirm_s)
        slaves = bound_to_answer(
            self._plant.answered(), self._plant.configuration, configuration, deploy.confirm_s
        )
        trial = Trial(
            order=job.order,
            back=self._state_store.state.running,
            deadline_ms=now_ms + deploy.confirm_s * 1000,
            confirm_s=deploy.confirm_s,
            healthy_share=deploy.healthy_share,
            linked=job.order.cloud,
            good=sorted((key.slave, key.point) for key in wanted),
            slaves=sorted(slaves),
        )
        origin = Origin.CLOUD if job.order.cloud else Origin.LOCAL
        return ActiveVersion(deploy.hash, origin, now_ms), configuration, trial

    async def _checked(self, deploy: Deploy, *, by_cloud: bool) -> tuple[Receipt | None, ValidationResult]:
        """A final receipt, or what is to be carried out."""
        nothing = ValidationResult([])
        running = self._state_store.state.running.hash
        here = self._plant.configuration.gateway.id
        now_ms = self._clock.now_ms()

        def no(code: str, detail: str) -> tuple[Receipt, ValidationResult]:
            return self._receipts.make(deploy.id, Step.REFUSED, code, detail), nothing

        if now_ms > deploy.expires_ms:
            return no("expired", f"{now_ms - deploy.expires_ms} ms ago on the gateway's clock")
        if await asyncio.to_thread(content, deploy) != deploy.hash:
            return no("hash", "the document is not what its hash says")
        named = gateway_of(deploy)
        if named is not None and named != here:
            return no("not_this_gateway", f"this is {here}, the document is for {named[:80]}")
        unchanged = deploy.hash == running
        if unchanged and not deploy.check_only:
            return self._receipts.make(deploy.id, Step.UNCHANGED), nothing
        if not unchanged and deploy.base not in (None, running):
            return no("conflict", f"this gateway runs {running[:12]}, which is not the base")
        validated = await asyncio.to_thread(
            self._validated, deploy, forced=deploy.base is None, by_cloud=by_cloud
        )
        if validated.faults and not unchanged:
            receipt = self._receipts.make(
                deploy.id,
                Step.REFUSED,
                "invalid",
                f"faults: {len(validated.faults)}",
                faults=validated.faults,
            )
            return receipt, nothing
        if deploy.check_only:
            step = Step.UNCHANGED if unchanged else Step.CHECKED
            parameters = await self._forecast(validated.configuration)
            receipt = self._receipts.make(deploy.id, step, change=validated.change, parameters=parameters)
            return receipt, nothing
        return None, validated

    async def _forecast(self, configuration: Configuration | None) -> list[GroupState]:
        """Groups of the machine that it does not support."""
        if configuration is None:
            return []
        return await self._machine.forecast(lambda group: getattr(configuration, group))

    def _validated(self, deploy: Deploy, *, forced: bool, by_cloud: bool) -> ValidationResult:
        try:
            return self._validation.validate(
                deploy.document, self._plant.configuration, forced=forced, by_cloud=by_cloud
            )
        except Exception:  # supervisor of one document: nothing that somebody sends may end the agent
            log.exception("deployment %s cannot be judged", deploy.id)
            return refused([ConfigError("file", "cannot be judged: the gateway's log says why")])

    async def _refuse_for_the_medium(self, job: Job, error: StoreError) -> None:
        receipt = self._receipts.make(job.order.id, Step.REFUSED, "store", str(error))
        await self._finish(job, receipt, check_only=False)

    async def _finish(self, job: Job, receipt: Receipt, check_only: bool) -> None:
        """The last word on a deployment that changed nothing."""
        log.info(
            "deployment %s of %s: %s %s", receipt.id, job.who, receipt.step, receipt.code,
            extra=signal(TraceKind.CONFIGURATION, receipt.step),
        )  # fmt: skip
        if check_only and job.order.cloud:
            self._receipts.report_check(receipt)
        elif not check_only:
            try:
                await self._state_store.update(lambda now: finished(now, job.order, receipt, receipt.t_ms))
            except StoreError as error:
                log.error("how deployment %s ended cannot be recorded: %s", receipt.id, error)
                self._state_store.assume(lambda now: finished(now, job.order, receipt, receipt.t_ms))
        self._receipts.report(receipt, cloud=False)
        job.answer(receipt)

    def _report(self, job: Job, receipt: Receipt) -> None:
        job.latest = receipt
        self._receipts.report(receipt, cloud=job.order.cloud)


def content(deploy: Deploy) -> str:
    """Hash of the document; empty when it has none."""
    try:
        return document_hash(deploy.document)
    except (RecursionError, ValueError, OverflowError):
        return ""


def gateway_of(deploy: Deploy) -> str | None:
    """The gateway that the document names, None where it names none that can be known."""
    section = deploy.document.get("gateway")
    name = section.get("id") if isinstance(section, dict) else None
    return name if isinstance(name, str) else None
