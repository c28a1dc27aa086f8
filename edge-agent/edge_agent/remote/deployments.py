"""Configurations that the cloud or the local page sends: at most once each, one at a time, with receipts."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from edge_agent.config.start import Start
from edge_agent.config.state import ActiveVersion, Order, VersionRecord
from edge_agent.config.state_store import StateStore
from edge_agent.errors import AgentError, ConfigError
from edge_agent.remote.deployer import SAY_S, Deployer, Job
from edge_agent.remote.receipts import Receipts
from edge_agent.remote.trial import RunningGateway
from edge_agent.remote.validation import Validation
from edge_agent.system.appliers import MachineParameters
from edge_agent.system.clock import Clock
from edge_contract.deployment import ConfigurationReport, Deploy, Document, Receipt, Step, document_hash
from edge_contract.payloads import MAX_CONTROL_BYTES, Running, encode

log = logging.getLogger(__name__)

LOCAL_EXPIRY_MS = 60_000
RELOAD = "reload"


class Busy(AgentError):
    """A configuration is being deployed."""


@dataclass(frozen=True)
class Situation:
    """For the local page. steps: receipts of the newest deployment; deadline_ms: of the trial, None: none.

    file_faults: why gateway.toml does not run; versions: hashes that are stored, newest first; records: how
    they came and fared, as far as that is known.
    """

    running: ActiveVersion
    previous: ActiveVersion | None
    deadline_ms: int | None
    steps: list[Receipt]
    file_faults: list[ConfigError]
    versions: list[str]
    records: dict[str, VersionRecord] = field(default_factory=dict)


class Deployments:
    """forwarding.services.DeploymentService, and the same for the local page; it outlives every switch.

    reread: what gateway.toml and the state store say now, for a reload. dead_man: see Trials.
    """

    def __init__(
        self,
        state_store: StateStore,
        plant: RunningGateway,
        clock: Clock,
        validation: Validation,
        reread: Callable[[], Start],
        dead_man: Callable[[float], None] = lambda seconds: None,
        file_faults: Sequence[ConfigError] = (),
        machine: MachineParameters | None = None,
    ) -> None:
        machine = machine or MachineParameters(Path(), ())
        self.receipts = Receipts(state_store, clock, lambda: machine.states)
        self.changed = self.receipts.changed
        self._state_store = state_store
        self._plant = plant
        self._clock = clock
        self._reread = reread
        self._file_faults = list(file_faults)
        self._deployer = Deployer(state_store, plant, clock, validation, self.receipts, machine, dead_man)
        self._job: Job | None = None
        self._wake = asyncio.Event()
        self._report_wanted = False

    @property
    def since_ms(self) -> int:
        """When the running version began to run: what cloud and local page see."""
        return max(self._state_store.state.running.since_ms, 0)

    # What the cloud's session sees.

    def running(self) -> Running:
        """What the gateway runs, for its hello."""
        state = self._state_store.state
        order = state.trial.order if state.trial else state.under_way
        if order is not None and order.cloud:
            step = Step.SWITCHED if state.trial else Step.RECEIVED
            return Running(hash=state.running.hash, deployment=order.id, step=step)
        last = next((one for one in reversed(state.past) if one.order.cloud), None)
        if last is None:
            return Running(hash=state.running.hash)
        return Running(hash=state.running.hash, deployment=last.order.id, step=last.receipt.step)

    def take(self, deploy: Deploy) -> None:
        """Carry it out, or answer why not. Never blocks."""
        job, order = self._job, Order(deploy.id, True, deploy.expires_ms)
        if self._state_store.state.outcome(deploy.id) is not None:
            self.receipts.repeat(deploy.id)
        elif job is None:
            self._begin(Job(order, "the cloud", deploy))
        elif job.order.id == deploy.id:
            if job.latest is not None:
                self.receipts.report(job.latest, cloud=True)
        elif deploy.check_only:
            self.receipts.report_check(self._busy(deploy.id))
        else:
            self.receipts.turn_away(order, self._busy(deploy.id))

    def unsent(self) -> list[Receipt]:
        """Receipts to send, in order."""
        return self.receipts.unsent()

    async def acknowledged(self, deployments: Sequence[str]) -> None:
        """The cloud holds the final receipts of these deployments."""
        await self.receipts.acknowledged(deployments)

    def revert(self, deployment: str, who: str) -> None:
        """End its trial now. NoTrial when it is not on trial."""
        self._deployer.trials.end(deployment, who)

    def report(self) -> None:
        """Tell the cloud the running configuration."""
        self._report_wanted = True
        self.changed.set()

    def reports(self) -> list[ConfigurationReport]:
        """The running configuration, once for each time that it was requested."""
        if not self._report_wanted:
            return []
        self._report_wanted = False
        running = self._state_store.state.running
        document = self._state_store.versions.read(running.hash)
        if document is None:
            log.error("the running configuration cannot be told: its version cannot be read")
            return []
        report = ConfigurationReport(
            hash=running.hash, origin=running.origin, t_ms=self.since_ms, document=document
        )
        if len(encode(report)) > MAX_CONTROL_BYTES:
            log.error("the running configuration cannot be told: it is larger than a message may be")
            return []
        return [report]

    # What the local page and commands see.

    def situation(self) -> Situation:
        """What runs, what ran before, the steps of the newest deployment and the stored versions."""
        state = self._state_store.state
        steps = list(self.receipts.current)
        if steps and (past := state.outcome(steps[-1].id)) and past.receipt not in steps:
            steps.append(past.receipt)
        versions = self._state_store.versions.hashes()
        return Situation(
            state.running,
            state.previous,
            state.trial.deadline_ms if state.trial else None,
            steps,
            self._file_faults,
            versions,
            {name: record for name in versions if (record := state.record(name)) is not None},
        )

    def document(self, name: str | None = None) -> Document | None:
        """A stored version, without a name the running one; None when it cannot be read."""
        return self._state_store.versions.read(name or self._state_store.state.running.hash)

    async def check_local(self, document: Document, *, base: str | None = None) -> Receipt:
        """CHECKED with what it would change (UNCHANGED: it runs), or REFUSED with every fault."""
        return await self._local(document, base, "the local page", check_only=True)

    async def apply_local(
        self, document: Document, who: str, *, base: str | None = None, confirm_s: int = 300
    ) -> Receipt:
        """STAGED, and the switch follows at once (the page goes and comes back); or REFUSED or UNCHANGED."""
        return await self._local(document, base, who, confirm_s=confirm_s)

    async def reload(self) -> None:
        """Look at gateway.toml again and start every part anew, after this has returned. Busy."""
        if self._job is not None:
            raise Busy("a configuration is being deployed: ask again when that is over")
        self._begin(Job(Order(RELOAD, False, 0), RELOAD))

    async def _local(
        self,
        document: Document,
        base: str | None,
        who: str,
        *,
        check_only: bool = False,
        confirm_s: int = 300,
    ) -> Receipt:
        deploy = Deploy(
            id=f"local-{secrets.token_hex(8)}",
            hash=document_hash(document),
            base=base,
            expires_ms=self._clock.now_ms() + LOCAL_EXPIRY_MS,
            document=document,
            check_only=check_only,
            confirm_s=confirm_s,
        )
        if self._job is not None:
            return self._busy(deploy.id)
        staged: asyncio.Future[Receipt] = asyncio.get_running_loop().create_future()
        self._begin(Job(Order(deploy.id, False, deploy.expires_ms), who, deploy, staged))
        del deploy
        return await staged

    # The work.

    async def run(self) -> None:
        """First what a stop interrupted; then one deployment after the other, until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self.receipts.run())
            if (trial := self._state_store.state.trial) is not None:
                log.info("deployment %s goes on: its version is on trial", trial.order.id)
                self._job = Job(trial.order, "an earlier start")
                await self._deployer.trials.watch()
                self._over()
            while True:
                await self._wake.wait()
                self._wake.clear()
                await self._work()
                self._over()

    async def _work(self) -> None:
        job = self._job
        if job is None:
            return
        if job.deploy is None:
            await self._start_anew()
            return
        # The document is on the medium by then, and the frames that held it are gone.
        ready = await self._deployer.carry_out(job, job.deploy)
        job.deploy = None
        if ready is not None:
            await self._deployer.begin(job, *ready)

    async def _start_anew(self) -> None:
        await self._clock.sleep(SAY_S)
        try:
            start = await self._state_store.exclusively(self._reread)
        except AgentError as error:
            log.error("nothing is reloaded: %s", error)
            return
        self._file_faults = start.faults
        log.info("every part starts anew")
        await self._plant.switch(start.configuration, watched=False)

    def _begin(self, job: Job) -> None:
        self._job = job
        self._wake.set()

    def _over(self) -> None:
        self._job = None
        self.changed.set()

    def _busy(self, deployment: str) -> Receipt:
        return self.receipts.make(deployment, Step.REFUSED, "busy", "another deployment is under way")
