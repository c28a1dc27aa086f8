"""The agent as a process: one at a time, until it is told to stop, through every switch of configuration."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from edge_agent.assembly import ApplicationContext, assemble
from edge_agent.bus.budget import budget
from edge_agent.config.load import load
from edge_agent.config.model import Configuration
from edge_agent.config.start import choose
from edge_agent.config.state_store import StateStore
from edge_agent.firmware.building import upgrades_of
from edge_agent.localweb.lasting import Lasting
from edge_agent.proof import prove
from edge_agent.remote.deployments import Deployments
from edge_agent.remote.validation import Validation
from edge_agent.runtime_reload import RuntimeReload, beside
from edge_agent.store.lock import SingleInstanceLock
from edge_agent.store.sqlite import set_newer_aside
from edge_agent.store.wear import Wear
from edge_agent.supervision import Parts, supervise
from edge_agent.system.appliers import Applier, MachineParameters
from edge_agent.system.clock import SystemClock
from edge_agent.system.ip_network import IpNetwork
from edge_agent.system.process import return_large_blocks, written_bytes
from edge_agent.system.restart import AgentRestart
from edge_agent.system.unsupported import UnsupportedGroup, hotspot_reason, mobile_reason
from edge_agent.trace.recorder import TraceRecorder
from edge_agent.transports import reach

if TYPE_CHECKING:
    from edge_agent.firmware.upgrades import Upgrades

log = logging.getLogger(__name__)


def _check_first_start(file: Path, folder: Path) -> None:
    """ConfigError before anything is made, so that a first start with a wrong file leaves nothing behind."""
    if not folder.exists():
        load(file)


async def run(file: Path, folder: Path, version: str, console: TextIO) -> bool:
    """Run until SIGTERM or SIGINT; True when a command asked for another start. file: gateway.toml.

    ConfigError or StoreError when it cannot start.
    """
    return_large_blocks()
    page = Lasting()
    logging.getLogger().addHandler(page.log)
    clock = SystemClock()
    _check_first_start(file, folder)
    with SingleInstanceLock(folder):
        state_store = StateStore(folder)
        start = choose(file, state_store, clock.now_ms(), prove)
        restart = AgentRestart(lambda: runtime.stop())
        boot = secrets.token_hex(8)
        wear = Wear(clock.monotonic, written_bytes)
        context = ApplicationContext(
            folder=folder,
            version=version,
            console=console,
            clock=clock,
            boot=boot,
            deployments=lambda: deployments,
            firmware=lambda: upgrades,
            goodbye=lambda: runtime.goodbye(),
            restart=restart,
            page=page,
            wear=wear,
            trace=TraceRecorder(clock),
            started_ms=clock.now_ms(),
        )
        machine = MachineParameters(folder, appliers())
        runtime = RuntimeReload(
            lambda configuration: _assembled(configuration, context, machine),
            supervise,
            lambda parts: parts.health,
        )
        deployments = Deployments(
            state_store,
            runtime,
            clock,
            Validation(budget, prove, reach.fault_of),
            lambda: choose(file, state_store, clock.now_ms(), prove, restart=False),
            end_after,
            start.faults,
            machine,
        )
        upgrades = upgrades_of(folder, version, runtime, lambda: _obstacle(state_store), restart.begin, clock)
        if upgrades is not None and upgrades.rolled_back:
            set_newer_aside(folder, clock.now_ms())
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, runtime.stop)
        watched = state_store.state.trial is not None
        async with beside(_work(deployments, upgrades), runtime.stop):
            await runtime.run(start.configuration, watched=watched)
    log.info("stopped")
    return restart.requested


@contextlib.asynccontextmanager
async def _assembled(
    configuration: Configuration, context: ApplicationContext, machine: MachineParameters
) -> AsyncIterator[Parts]:
    """The parts of a configuration, once the machine is as it has it."""
    await machine.apply(lambda group: getattr(configuration, group))
    async with assemble(configuration, context) as parts:
        yield parts


def appliers() -> list[Applier]:
    """Of the parameter groups that the machine itself has to carry out."""
    return [
        IpNetwork(),
        UnsupportedGroup("mobile", mobile_reason),
        UnsupportedGroup("hotspot", hotspot_reason),
    ]


def _obstacle(state_store: StateStore) -> str:
    """What must end before another version of the agent starts."""
    state = state_store.state
    return "a configuration is being deployed" if state.trial or state.under_way else ""


async def _work(deployments: Deployments, upgrades: Upgrades | None) -> None:
    """What changes the gateway, beside what runs."""
    async with asyncio.TaskGroup() as group:
        group.create_task(deployments.run())
        if upgrades is not None:
            group.create_task(upgrades.run())


def end_after(seconds: float) -> None:
    """Let the system end this process after a time, whatever it is doing by then; 0: not any more."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
