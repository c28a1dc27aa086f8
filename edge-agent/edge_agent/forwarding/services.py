"""What the agent offers to its forwarders. Shapes only: who stands behind them is put together in app.py."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from edge_agent.config.model import Configuration
from edge_agent.model import DeviceState, Row
from edge_agent.store.base import OutboxState, Store
from edge_agent.system.clock import Clock
from edge_contract.collection import CollectionRecord
from edge_contract.deployment import ConfigurationReport, Deploy, Receipt
from edge_contract.payloads import Catalog, Command, Running


class Unstored(Protocol):
    """Newest values of points that are not stored."""

    def news(self, *, everything: bool = False) -> list[Row]:
        """Those that have changed since the last call, or all of them."""


class Records(Protocol):
    """Where records come from. news: set when there may be another closed one; left_out: dropped unsent."""

    news: asyncio.Event

    async def waiting(self) -> list[CollectionRecord]: ...

    async def acknowledged(self, seq: int) -> None: ...


class Commands(Protocol):
    """What takes commands; results is set whenever the journal holds a new one."""

    results: asyncio.Event

    def take(self, command: Command) -> None: ...


class Deployments(Protocol):
    """What takes configurations. news is set whenever something waits in unsent or reports."""

    news: asyncio.Event

    def running(self) -> Running: ...

    def take(self, deploy: Deploy) -> None:
        """Never blocks."""

    def unsent(self) -> list[Receipt]:
        """Steps to tell, in order; each is given once, but final ones until acknowledged."""

    def reports(self) -> list[ConfigurationReport]:
        """What the cloud asked for and was not given yet."""

    async def acknowledged(self, deployments: Sequence[str]) -> None: ...


class Tunnels(Protocol):
    """The gateway's ends of tunnels."""

    @property
    def has_open(self) -> bool: ...

    def take(self, frame: bytes) -> None:
        """A frame from the cloud, as it came. Never blocks; ContractError when it cannot be read."""

    async def run(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        """For one session. Cancelled when the link is lost: every tunnel ends."""


@dataclass(frozen=True)
class Services:
    """folder: the agent's data. boot: of this process. outbox_state: with what waits in memory.

    commit: stores what waits in memory. goodbye: why the agent ends what runs.
    """

    configuration: Configuration
    folder: Path
    agent: str
    boot: str
    catalog: Catalog
    store: Store
    outbox_state: Callable[[], OutboxState]
    slaves: Callable[[], list[DeviceState]]
    unstored: Unstored
    commands: Commands
    deployments: Deployments
    tunnels: Tunnels
    collection: Records
    clock: Clock
    commit: Callable[[], Awaitable[None]]
    goodbye: Callable[[], str]
