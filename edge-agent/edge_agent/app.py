"""Composition root: builds every part of the agent, starts them in order, stops them in reverse."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import signal
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from edge_agent.actions import Action
from edge_agent.alarms.linkage import LinkageRunner
from edge_agent.alarms.runner import RuleRunner, Sources
from edge_agent.bus import Bus
from edge_agent.bus.budget import budget
from edge_agent.collection.recorder import CollectionRecorder
from edge_agent.config.load import load
from edge_agent.config.model import Configuration, Point
from edge_agent.config.start import choose
from edge_agent.config.state_store import StateStore
from edge_agent.errors import ConfigError
from edge_agent.forwarding.catalog import catalog_of
from edge_agent.forwarding.running import Forwarders, bounds_of
from edge_agent.forwarding.services import Services
from edge_agent.history import LocalHistory, local_history
from edge_agent.localweb import passwords
from edge_agent.localweb.lasting import Lasting
from edge_agent.model import PointKey, Sample
from edge_agent.points import LiveTable, same_value
from edge_agent.points.live_values import LiveValues
from edge_agent.remote.commands import CommandDispatcher
from edge_agent.remote.deployments import Deployments
from edge_agent.remote.execution import Execution
from edge_agent.remote.running_health import RunningHealth
from edge_agent.remote.service import (
    Refresh,
    ServiceActions,
    report,
    resending,
    reverting,
    signal_strength,
    starting_again,
)
from edge_agent.remote.tryout import try_out
from edge_agent.remote.tunnel_ends import PageDoor
from edge_agent.remote.tunnels import GatewayTunnels
from edge_agent.remote.validation import Validation
from edge_agent.runtime_reload import RuntimeReload, beside
from edge_agent.store.base import OutboxState
from edge_agent.store.clock_gate import ClockGate
from edge_agent.store.committer import Committer
from edge_agent.store.lock import SingleInstanceLock
from edge_agent.store.sqlite import open_sqlite
from edge_agent.store.wear import Wear
from edge_agent.system.clock import Clock, SystemClock
from edge_agent.system.private_files import cloud_secret
from edge_agent.system.process import return_large_blocks, written_bytes
from edge_agent.system.restart import AgentRestart, MachineRestart
from edge_agent.transports import reach
from edge_contract.payloads import MAX_CONTROL_BYTES, Catalog, CommandAction, encode

if TYPE_CHECKING:
    from edge_agent.localweb.refusals import Pages
    from edge_agent.localweb.server import LocalWeb
    from edge_agent.localweb.view import GatewayView

log = logging.getLogger(__name__)

DRAIN_S = 3.0
"""How long a stop waits for the cloud to hold the last batch; the rest is sent at the next start."""
STOP_STEP_S = 3.0
"""How long one part may take to stop."""
LARGE_NUMBER = 1_000_000
"""Stands for the numbers of points in the size of a catalog whose points have none yet."""

Work = Coroutine[Any, Any, None]


@dataclass(frozen=True)
class Parts:
    """What runs, by name in starting order, and what a stop has to do between."""

    tasks: dict[str, Callable[[], Work]]
    committer: Committer
    collection: CollectionRecorder
    rules: RuleRunner
    forwarders: Forwarders
    health: RunningHealth
    goodbye: Callable[[], str]


@dataclass(frozen=True)
class ApplicationContext:
    """What stays through every switch of the configuration."""

    folder: Path
    version: str
    console: TextIO
    clock: Clock
    boot: str
    deployments: Callable[[], Deployments]
    goodbye: Callable[[], str]
    restart: AgentRestart
    page: Lasting
    wear: Wear
    started_ms: int


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
            goodbye=lambda: runtime.goodbye(),
            restart=restart,
            page=page,
            wear=wear,
            started_ms=clock.now_ms(),
        )
        runtime = RuntimeReload(
            lambda configuration: assemble(configuration, context), supervise, lambda parts: parts.health
        )
        deployments = Deployments(
            state_store,
            runtime,
            clock,
            Validation(budget, prove, reach.fault_of),
            lambda: choose(file, state_store, clock.now_ms(), prove, restart=False),
            end_after,
            start.faults,
        )
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, runtime.stop)
        watched = state_store.state.trial is not None
        async with beside(deployments.run(), runtime.stop):
            await runtime.run(start.configuration, watched=watched)
    log.info("stopped")
    return restart.requested


def end_after(seconds: float) -> None:
    """Let the system end this process after a time, whatever it is doing by then; 0: not any more."""
    signal.setitimer(signal.ITIMER_REAL, seconds)


def checked(catalog: Catalog) -> Catalog:
    """ConfigError when the catalog is too large for a control message."""
    size = len(encode(catalog))
    if size > MAX_CONTROL_BYTES:
        raise ConfigError(
            "points", f"must describe themselves in {MAX_CONTROL_BYTES} bytes together, not {size}"
        )
    return catalog


def _log_start(configuration: Configuration, held: OutboxState) -> None:
    counts = len(configuration.points), len(configuration.slaves)
    words = "gateway %s: %d points of %d slaves, stream %s, %d batches wait"
    log.info(words, configuration.gateway.id, *counts, held.stream, held.batches)


def tunnels_of(configuration: Configuration, bus: Bus, clock: Clock) -> GatewayTunnels:
    """The gateway's ends of tunnels, as far as the configuration allows any."""
    page = configuration.local_page
    door = PageDoor(page) if page.enable else None
    return GatewayTunnels(bus, door, clock, enable=configuration.tunnels.enable)


def actions_of(
    configuration: Configuration,
    points: Mapping[PointKey, Point],
    bus: Bus,
    context: ApplicationContext,
) -> dict[CommandAction, Action]:
    """What this gateway can do as a whole, as the cloud may ask for it."""
    ports, clock = {slave.name: slave.port for slave in configuration.slaves}, context.clock
    actions: dict[CommandAction, Action] = {
        CommandAction.REFRESH: Refresh(points, ports, bus, clock),
        CommandAction.RELOAD: starting_again(context.deployments().reload, clock),
        CommandAction.CONFIGURATION: report(context.deployments().report),
        CommandAction.REVERT: reverting(context.deployments().revert),
        CommandAction.TRY: try_out,
    }
    restarts = {"agent": context.restart.begin, "machine": MachineRestart().begin}
    if (begin := restarts.get(configuration.system.reboot)) is not None:
        actions[CommandAction.REBOOT] = starting_again(begin, clock)
    if configuration.cellular is not None:
        from edge_agent.system.cellular import AtModem  # the serial library only where it is used

        actions[CommandAction.SIGNAL] = signal_strength(AtModem(configuration.cellular))
    return actions


def page_of(
    configuration: Configuration,
    context: ApplicationContext,
    plant: GatewayView,
    bus: Bus,
    history: LocalHistory | None,
    rules: RuleRunner,
) -> LocalWeb:
    """The local page with everything that can be asked of it."""
    from edge_agent.localweb.alarms import AlarmPages
    from edge_agent.localweb.configuration import ConfigurationPages
    from edge_agent.localweb.history import HistoryPages
    from edge_agent.localweb.machine import MachinePages
    from edge_agent.localweb.samples_file import SamplesFile
    from edge_agent.localweb.scanning import Scans
    from edge_agent.localweb.server import LocalWeb
    from edge_agent.localweb.support import Support
    from edge_agent.localweb.tools import Tools

    folder, clock, page, deployments = context.folder, context.clock, context.page, context.deployments()
    scans = Scans(configuration, bus, clock)
    support = Support(folder, plant, deployments, page.log, bus.trace, history.state if history else None)
    pages: list[Pages] = [
        Tools(configuration, bus, clock),
        scans,
        ConfigurationPages(deployments, configuration, folder, clock.now_ms),
        HistoryPages(history),
        AlarmPages(rules),
        SamplesFile(history),
        MachinePages(folder, configuration, context.restart.begin, page.log, support, clock),
    ]
    return LocalWeb(configuration.local_page, folder, plant, page, pages, scans.close)


def prove(configuration: Configuration) -> None:
    """ConfigError for what would only show when the parts are put together on this gateway."""
    numbers = {
        PointKey(point.slave, point.name): LARGE_NUMBER + at for at, point in enumerate(configuration.points)
    }
    checked(catalog_of(configuration, numbers, 0))
    if configuration.local_page.enable:
        from edge_agent.localweb.server import tls_of

        tls_of(configuration.local_page)


@contextlib.asynccontextmanager
async def assemble(configuration: Configuration, context: ApplicationContext) -> AsyncIterator[Parts]:
    """Every part, connected and not started; the store is open."""
    folder, version, clock = context.folder, context.version, context.clock
    if configuration.local_page.enable:
        passwords.announce(folder, context.console)
    max_bytes = configuration.storage.max_mb * 1024 * 1024
    async with open_sqlite(folder, max_bytes, clock.now_ms, clock.monotonic) as store:
        keys = [PointKey(point.slave, point.name) for point in configuration.points]
        numbers = await store.numbers.assign(keys)
        catalog = checked(catalog_of(configuration, numbers, clock.now_ms()))
        await store.catalogs.keep(catalog.hash, encode(catalog))
        await store.outbox.attach(bounds_of(configuration))
        committer = Committer(
            store.outbox, catalog.hash, configuration.storage.commit_interval_s, clock.now_ms
        )
        gate = ClockGate(committer, clock)

        def outbox_state() -> OutboxState:
            return replace(gate.with_held(committer.state()), written_bytes_day=context.wear.bytes_day())

        live = LiveTable()
        sources = Sources.of(configuration, numbers, live.get, lambda: bus.states())
        rules = RuleRunner(sources, store.rules, clock, lambda noted: linkages.put(noted))
        await rules.open()
        bus = Bus(configuration, numbers, gate, live, clock=clock, memory=store.plans, watch=rules.put)
        points = dict(zip(keys, configuration.points, strict=True))
        actions = actions_of(configuration, points, bus, context)
        execution = Execution(points, bus, same_value, clock, ServiceActions(actions))

        def newest(key: PointKey) -> Sample | None:
            return live.get(numbers[key])

        def commands_of(target: str) -> CommandDispatcher:
            journal = store.journal.of_source(target)
            return CommandDispatcher(execution, journal, newest, f"target {target}")

        dispatcher = CommandDispatcher(execution, store.journal, newest)
        tasks: dict[str, Callable[[], Work]] = {"committer": committer.run, "commands": dispatcher.run}
        tasks["clock"] = gate.run
        linkages = LinkageRunner(execution.execute, store.rules, clock, rules.changed.set)
        tasks |= {"rules": rules.run, "linkages": linkages.run}
        history = local_history(configuration, numbers, live, committer, folder, clock)
        if history is not None:
            tasks["local history"] = history.run
            actions[CommandAction.HISTORY] = resending(history.resend)
        collection = CollectionRecorder(
            bus,
            store.collection,
            clock,
            lambda: forwarders.link.accepted and forwarders.link.takes_collection,
        )
        services = Services(
            configuration=configuration,
            folder=folder,
            agent=version,
            boot=context.boot,
            catalog=catalog,
            store=store,
            outbox_state=outbox_state,
            slaves=bus.states,
            targets=lambda: forwarders.targets(),
            live_values=LiveValues(points, numbers, live.get),
            commands=dispatcher,
            commands_of=commands_of,
            tunnels=tunnels_of(configuration, bus, clock),
            deployments=context.deployments(),
            collection=collection,
            rules=rules,
            clock=clock,
            commit=committer.flush,
            goodbye=context.goodbye,
        )
        forwarders = Forwarders(configuration, services)
        actions.update(forwarders.actions())
        tasks |= forwarders.tasks()
        tasks["collection"] = collection.run
        tasks["bus"] = bus.run
        if configuration.local_page.enable:
            from edge_agent.localweb.view import GatewayView  # a web server's memory only where it is used

            plant = GatewayView(
                gateway=configuration.gateway.id,
                title=configuration.gateway.title or configuration.gateway.id,
                agent=version,
                started_ms=context.started_ms,
                since_ms=lambda: context.deployments().since_ms,
                catalog=catalog,
                snapshot=live.readable,
                ports=bus.ports,
                slaves=bus.states,
                outbox=outbox_state,
                collection=collection.summary.snapshot,
                link=forwarders.link,
                forwarders=forwarders.statuses,
                execution=execution,
                clock=clock,
                budget=lambda: budget(configuration),
                capacity_bytes=max_bytes,
                secret_set=lambda: cloud_secret(folder) is not None,
            )
            tasks["local page"] = page_of(configuration, context, plant, bus, history, rules).run
        _log_start(configuration, committer.state())
        health = RunningHealth(configuration, numbers, live, bus.states, forwarders.link)
        yield Parts(tasks, committer, collection, rules, forwarders, health, context.goodbye)


async def supervise(parts: Parts, stop: asyncio.Event) -> None:
    """Run everything until stop is set; whatever ends it, what was collected is committed."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = {name: group.create_task(task(), name=name) for name, task in parts.tasks.items()}
            await stop.wait()
            await stop_in_order(tasks, parts)
    finally:
        await parts.rules.finish()
        await parts.collection.finish(parts.goodbye())
        await parts.committer.flush()


async def stop_in_order(tasks: dict[str, asyncio.Task[None]], parts: Parts) -> None:
    """Collecting ends first, then what waits is committed and sent, then the link says goodbye."""
    last = next(reversed(parts.forwarders.tasks()), "")
    for name in reversed(tasks):
        if name == last:
            await parts.committer.flush()
            await parts.forwarders.drain(DRAIN_S)
        tasks[name].cancel()
        _, late = await asyncio.wait([tasks[name]], timeout=STOP_STEP_S)
        if late:
            log.warning("%s did not stop within %.0f s", name, STOP_STEP_S)
