"""The configuration state in its file, beside the versions."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

from edge_agent.config.state import ConfigurationState
from edge_agent.config.versions import FOLDER, Versions, read_text, write_durable

log = logging.getLogger(__name__)

FILE = "state.json"

T = TypeVar("T")


class StateStore:
    """folder: of the agent's data. StoreError when what lies there cannot be read."""

    def __init__(self, folder: Path) -> None:
        self.versions = Versions(folder)
        self._path = folder / FOLDER / FILE
        self._writing = asyncio.Lock()
        self._state = self._read()
        self._durable = True

    @property
    def first_start(self) -> bool:
        return self._state is None

    @property
    def state(self) -> ConfigurationState:
        """As it was last made durable. LookupError before the first one."""
        if self._state is None:
            raise LookupError("no configuration was ever taken in")
        return self._state

    def save(self, state: ConfigurationState) -> None:
        """Durable when it returns; StoreFull when the medium refuses, and the state is as before."""
        if state != self._state or not self._durable:
            write_durable(self._path, msgspec.json.encode(state))
            self._state, self._durable = state, True
            self.versions.prune(state.needed())

    async def update(self, change: Callable[[ConfigurationState], ConfigurationState]) -> ConfigurationState:
        """The next state, made durable in a thread. StoreFull: the medium refuses."""
        async with self._writing:
            await asyncio.to_thread(self.save, change(self.state))
            return self.state

    async def exclusively(self, work: Callable[[], T]) -> T:
        """What work returns, while nobody else changes the state."""
        async with self._writing:
            return await asyncio.to_thread(work)

    def assume(self, change: Callable[[ConfigurationState], ConfigurationState]) -> None:
        """The next state in memory alone, when the medium refuses to be written."""
        self._state, self._durable = change(self.state), False

    def _read(self) -> ConfigurationState | None:
        payload = read_text(self._path)
        if payload is None:
            return None
        try:
            return msgspec.json.decode(payload, type=ConfigurationState)
        except msgspec.MsgspecError as error:
            aside = self._path.with_name(f"{FILE}.bad")
            self._path.replace(aside)
            log.error("%s is damaged (%s) and kept as %s; gateway.toml counts", self._path, error, aside)
            return None
