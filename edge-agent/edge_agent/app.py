"""Composition root: builds every part of the agent, starts them in order, stops them in reverse."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import signal
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from edge_agent.bus import Bus
from edge_agent.config.model import Configuration
from edge_agent.errors import ConfigError
from edge_agent.forwarding.cloud.catalog import catalog_of
from edge_agent.forwarding.cloud.forwarder import CloudForwarder
from edge_agent.forwarding.cloud.link import LinkState
from edge_agent.forwarding.cloud.session import Gateway
from edge_agent.localweb import passwords
from edge_agent.model import PointKey
from edge_agent.points import LiveTable, same_value
from edge_agent.remote.commands import CommandDesk
from edge_agent.remote.execution import Execution
from edge_agent.store.committer import Committer
from edge_agent.store.lock import FolderLock
from edge_agent.store.sqlite import open_sqlite
from edge_agent.system.clock import SystemClock
from edge_agent.system.private_files import cloud_secret
from edge_agent.system.process import return_large_blocks
from edge_contract.payloads import MAX_CONTROL_BYTES, Catalog, encode

log = logging.getLogger(__name__)

DRAIN_S = 3.0
"""How long a stop waits for the cloud to hold the last batch; the rest is sent at the next start."""
STOP_STEP_S = 3.0
"""How long one part may take to stop."""

Work = Coroutine[Any, Any, None]


@dataclass(frozen=True)
class Parts:
    """What runs, by name in starting order, and what a stop has to do between."""

    tasks: dict[str, Callable[[], Work]]
    committer: Committer
    forwarder: CloudForwarder | None


async def run(configuration: Configuration, folder: Path, version: str, console: TextIO) -> None:
    """Run until SIGTERM or SIGINT. ConfigError or StoreError when it cannot start."""
    return_large_blocks()
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    with FolderLock(folder):
        if configuration.local_page.enable:
            announce_password(folder, console)
        async with assemble(configuration, folder, version) as parts:
            await supervise(parts, stop)
    log.info("stopped")


def announce_password(folder: Path, console: TextIO) -> None:
    """At first boot make the local page's password; show it, this once, to a person, never to a log."""
    password = passwords.ensure(folder)
    if password is None:
        return
    where = folder / passwords.TEXT_FILE
    if console.isatty():
        console.write(f"First start. Local page: user admin, password {password}\n")
    console.write(f"The local page's password lies in {where}; delete that file once it is noted.\n")
    console.flush()


def checked(catalog: Catalog) -> Catalog:
    """ConfigError when the catalog is too large for a control message."""
    size = len(encode(catalog))
    if size > MAX_CONTROL_BYTES:
        raise ConfigError(
            "points", f"must describe themselves in {MAX_CONTROL_BYTES} bytes together, not {size}"
        )
    return catalog


@contextlib.asynccontextmanager
async def assemble(configuration: Configuration, folder: Path, version: str) -> AsyncIterator[Parts]:
    """Every part, connected and not started; the store is open."""
    clock = SystemClock()
    started_ms = clock.now_ms()
    most_bytes = configuration.storage.max_mb * 1024 * 1024
    async with open_sqlite(folder, most_bytes, clock.now_ms, clock.monotonic) as store:
        keys = [PointKey(point.slave, point.name) for point in configuration.points]
        numbers = await store.numbers.assign(keys)
        catalog = checked(catalog_of(configuration, numbers, started_ms))
        await store.catalogs.keep(catalog.hash, encode(catalog))
        interval_s = configuration.storage.commit_interval_s
        committer = Committer(store.outbox, catalog.hash, interval_s, clock.now_ms)
        live = LiveTable()
        bus = Bus(configuration, numbers, committer, live, clock=clock, memory=store.plans)
        points = dict(zip(keys, configuration.points, strict=True))
        execution = Execution(points, bus, same_value, clock)
        desk = CommandDesk(execution, store.journal)
        tasks: dict[str, Callable[[], Work]] = {"committer": committer.run, "commands": desk.run}
        forwarder = None
        link = LinkState(enabled=False)
        cloud = configuration.cloud
        if cloud is not None and cloud.enable:
            gateway = Gateway(
                id=configuration.gateway.id,
                agent=version,
                boot=secrets.token_hex(8),
                catalog=catalog,
                store=store,
                outbox_state=committer.state,
                slaves=bus.states,
                commands=desk,
                clock=clock,
            )
            forwarder = CloudForwarder(gateway, cloud.url, lambda: cloud_secret(folder), cloud.ca_file)
            link = forwarder.link
            tasks["forwarder"] = forwarder.run
        tasks["bus"] = bus.run
        if configuration.local_page.enable:
            from edge_agent.localweb.server import LocalWeb  # a web server's memory only where it is used
            from edge_agent.localweb.tools import Tools
            from edge_agent.localweb.view import Plant

            plant = Plant(
                gateway=configuration.gateway.id,
                title=configuration.gateway.title or configuration.gateway.id,
                agent=version,
                started_ms=started_ms,
                catalog=catalog,
                snapshot=live.snapshot,
                ports=bus.ports,
                slaves=bus.states,
                outbox=committer.state,
                link=link,
                execution=execution,
                clock=clock,
            )
            tools = Tools(configuration, bus, clock)
            tasks["local page"] = LocalWeb(configuration.local_page, folder, plant, tools).run
        log.info(
            "gateway %s: %d points of %d slaves, stream %s, %d batches wait",
            configuration.gateway.id, len(keys), len(configuration.slaves),
            store.outbox.state().stream, store.outbox.state().batches,
        )  # fmt: skip
        yield Parts(tasks, committer, forwarder)


async def supervise(parts: Parts, stop: asyncio.Event) -> None:
    """Run everything until stop is set; whatever ends it, what was collected is committed."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = {name: group.create_task(task(), name=name) for name, task in parts.tasks.items()}
            await stop.wait()
            await stop_in_order(tasks, parts)
    finally:
        await parts.committer.flush()


async def stop_in_order(tasks: dict[str, asyncio.Task[None]], parts: Parts) -> None:
    """Collecting ends first, then what waits is committed and sent, then the link says goodbye."""
    for name in reversed(tasks):
        if name == "forwarder" and parts.forwarder is not None:
            await parts.committer.flush()
            await parts.forwarder.drain(DRAIN_S)
        tasks[name].cancel()
        _, late = await asyncio.wait([tasks[name]], timeout=STOP_STEP_S)
        if late:
            log.warning("%s did not stop within %.0f s", name, STOP_STEP_S)
