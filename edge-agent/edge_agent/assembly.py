"""Composition root of one configuration: builds every part of the agent and connects them."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from edge_agent.actions import Action
from edge_agent.alarms.linkage import LinkageRunner
from edge_agent.alarms.runner import RuleRunner, Sources
from edge_agent.bus import Bus
from edge_agent.bus.budget import budget
from edge_agent.channels.runner import NetworkChannels
from edge_agent.collection.recorder import CollectionRecorder
from edge_agent.config.model import Configuration, Point
from edge_agent.exchange.runner import ExchangeRunner, Plant
from edge_agent.forwarding.catalog import catalog_of
from edge_agent.forwarding.running import Forwarders, bounds_of
from edge_agent.forwarding.services import FirmwareService, Services
from edge_agent.history import LocalHistory, local_history
from edge_agent.localweb import passwords
from edge_agent.localweb.lasting import Lasting
from edge_agent.loop_write.writer import LoopWriter
from edge_agent.model import PointKey, Row, Sample
from edge_agent.points import LiveTable, same_value
from edge_agent.points.live_values import LiveValues
from edge_agent.proof import checked
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
from edge_agent.store.base import OutboxState
from edge_agent.store.clock_gate import ClockGate
from edge_agent.store.committer import Committer
from edge_agent.store.sqlite import open_sqlite
from edge_agent.store.wear import Wear
from edge_agent.supervision import Parts, Work
from edge_agent.system.clock import Clock
from edge_agent.system.link_bytes import LinkCounter
from edge_agent.system.private_files import cloud_secret
from edge_agent.system.restart import AgentRestart, MachineRestart
from edge_agent.tasks.runner import TaskRunner
from edge_agent.trace.gateway import GatewayTrace
from edge_agent.trace.recorder import TraceRecorder
from edge_contract.fieldbus import FieldbusFigures
from edge_contract.payloads import CommandAction, encode

if TYPE_CHECKING:
    from edge_agent.internal_slave.slave import ModbusInternalSlave
    from edge_agent.localweb.refusals import Pages
    from edge_agent.localweb.server import LocalWeb
    from edge_agent.localweb.view import GatewayView
    from edge_agent.system.cellular import Modem, ModemWatch

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ApplicationContext:
    """What stays through every switch of the configuration."""

    folder: Path
    version: str
    console: TextIO
    clock: Clock
    boot: str
    deployments: Callable[[], Deployments]
    firmware: Callable[[], FirmwareService | None]
    goodbye: Callable[[], str]
    restart: AgentRestart
    page: Lasting
    wear: Wear
    trace: TraceRecorder
    started_ms: int


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
    modem: Modem | None,
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
    if modem is not None:
        actions[CommandAction.SIGNAL] = signal_strength(modem)
    return actions


def modem_of(configuration: Configuration) -> Modem | None:
    """None where the configuration names none."""
    if configuration.cellular is None:
        return None
    from edge_agent.system.cellular import AtModem  # the serial library only where it is used

    return AtModem(configuration.cellular)


def modem_watch_of(modem: Modem | None, clock: Clock) -> ModemWatch | None:
    if modem is None:
        return None
    from edge_agent.system.cellular import ModemWatch

    return ModemWatch(modem, clock)


def internal_slave_of(
    configuration: Configuration,
    points: Mapping[PointKey, Point],
    numbers: Mapping[PointKey, int],
    live: LiveTable,
    execution: Execution,
) -> ModbusInternalSlave | None:
    """The gateway as a slave of another master, where the configuration wants it."""
    settings = configuration.internal_slave
    if settings is None or not settings.enable:
        return None
    from edge_agent.internal_slave.slave import ModbusInternalSlave

    return ModbusInternalSlave(settings, configuration, points, numbers, live.get, live.last, execution)


def figures_of(internal_slave: ModbusInternalSlave | None, writer: LoopWriter) -> FieldbusFigures:
    """What the cloud is told of the internal slave, where one runs, and of the loop-write tasks."""
    own = internal_slave.figures() if internal_slave is not None else None
    return FieldbusFigures(internal_slave=own, loop_writes=writer.figures())


def page_of(
    configuration: Configuration,
    context: ApplicationContext,
    plant: GatewayView,
    bus: Bus,
    history: LocalHistory | None,
    rules: RuleRunner,
    exchange: ExchangeRunner,
    timed_tasks: TaskRunner,
) -> LocalWeb:
    """The local page with everything that can be asked of it."""
    from edge_agent.localweb.alarms import AlarmPages
    from edge_agent.localweb.configuration import ConfigurationPages
    from edge_agent.localweb.exchange import ExchangePages
    from edge_agent.localweb.history import HistoryPages
    from edge_agent.localweb.machine import MachinePages
    from edge_agent.localweb.samples_file import SamplesFile
    from edge_agent.localweb.scanning import Scans
    from edge_agent.localweb.server import LocalWeb
    from edge_agent.localweb.support import Support
    from edge_agent.localweb.tasks import TaskPages
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
        ExchangePages(exchange),
        TaskPages(timed_tasks),
        SamplesFile(history),
        MachinePages(folder, configuration, context.restart.begin, page.log, support, clock),
    ]
    return LocalWeb(configuration.local_page, folder, plant, page, pages, scans.close)


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

        trace = GatewayTrace(configuration, folder, context.trace, lambda: bus.traces(), clock)
        live = LiveTable()
        sources = Sources.of(configuration, numbers, live.get, lambda: bus.states())
        rules = RuleRunner(sources, store.rules, clock, lambda noted: linkages.put(noted))
        await rules.open()
        points = dict(zip(keys, configuration.points, strict=True))
        exchange = ExchangeRunner(
            Plant(points, numbers, lambda: bus.states()),
            store.exchange,
            lambda command, who: execution.execute(command, who),
            clock,
        )
        await exchange.open()

        def newest(key: PointKey) -> Sample | None:
            return live.get(numbers[key])

        timed_tasks = TaskRunner(
            points, newest, store.tasks, lambda command, who: execution.execute(command, who), clock
        )
        await timed_tasks.open()

        def watch(row: Row) -> None:
            rules.put(row)
            exchange.put(row)

        bus = Bus(configuration, numbers, gate, live, clock=clock, memory=store.plans, watch=watch)
        modem = modem_of(configuration)
        modem_watch = modem_watch_of(modem, clock)
        actions = actions_of(configuration, points, bus, modem, context)
        execution = Execution(points, bus, same_value, clock, ServiceActions(actions), notify=trace.signal)

        def commands_of(target: str) -> CommandDispatcher:
            journal = store.journal.of_source(target)
            return CommandDispatcher(execution, journal, newest, f"target {target}")

        dispatcher = CommandDispatcher(execution, store.journal, newest)
        tasks: dict[str, Callable[[], Work]] = {"committer": committer.run, "commands": dispatcher.run}
        tasks["clock"] = gate.run
        linkages = LinkageRunner(execution.execute, store.rules, clock, rules.changed.set)
        tasks |= {"rules": rules.run, "linkages": linkages.run, "exchange": exchange.run}
        tasks["timed tasks"] = timed_tasks.run
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
        links = LinkCounter(folder, clock)
        tasks["link bytes"] = links.run
        if modem_watch is not None:
            tasks["modem"] = modem_watch.run
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
            fieldbus=lambda: figures_of(internal_slave, writer),
            live_values=LiveValues(points, numbers, live.get),
            commands=dispatcher,
            commands_of=commands_of,
            tunnels=tunnels_of(configuration, bus, clock),
            deployments=context.deployments(),
            collection=collection,
            rules=rules,
            exchange=exchange,
            timed_tasks=timed_tasks,
            firmware=context.firmware(),
            trace=trace,
            modem=lambda: modem_watch.state if modem_watch else None,
            links=links.links,
            clock=clock,
            commit=committer.flush,
            goodbye=context.goodbye,
        )
        forwarders = Forwarders(configuration, services)
        actions.update(forwarders.actions())
        tasks |= forwarders.tasks()
        tasks["collection"] = collection.run
        tasks["bus"] = bus.run
        writer = LoopWriter(configuration, bus, clock)
        if configuration.loop_writes:
            tasks["loop writes"] = writer.run
        channels = NetworkChannels(configuration, bus, clock)
        if channels.any:
            tasks["channels"] = channels.run
        internal_slave = internal_slave_of(configuration, points, numbers, live, execution)
        if internal_slave is not None:
            tasks["internal slave"] = internal_slave.run
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
                internal_slave=internal_slave.state if internal_slave else None,
                loop_writes=writer.states,
                execution=execution,
                clock=clock,
                budget=lambda: budget(configuration),
                capacity_bytes=max_bytes,
                secret_set=lambda: cloud_secret(folder) is not None,
            )
            tasks["local page"] = page_of(
                configuration, context, plant, bus, history, rules, exchange, timed_tasks
            ).run
        _log_start(configuration, committer.state())
        health = RunningHealth(configuration, numbers, live, bus.states, forwarders.link)
        parts = (committer, collection, rules, exchange, timed_tasks, forwarders, health)
        with trace.listening():
            yield Parts(tasks, *parts, context.goodbye)
