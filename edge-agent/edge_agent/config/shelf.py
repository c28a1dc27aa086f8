"""The standing of the configurations in its file, beside the versions."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

from edge_agent.config.standing import Standing
from edge_agent.config.versions import FOLDER, Versions, read_text, write_durable

log = logging.getLogger(__name__)

FILE = "state.json"

T = TypeVar("T")


class Shelf:
    """folder: of the agent's data. StoreError when what lies there cannot be read."""

    def __init__(self, folder: Path) -> None:
        self.versions = Versions(folder)
        self._path = folder / FOLDER / FILE
        self._writing = asyncio.Lock()
        self._standing = self._read()
        self._durable = True

    @property
    def first_start(self) -> bool:
        return self._standing is None

    @property
    def standing(self) -> Standing:
        """As it was last made durable."""
        if self._standing is None:
            raise LookupError("no configuration was ever taken in")
        return self._standing

    def save(self, standing: Standing) -> None:
        """Durable when it returns; StoreFull when the medium refuses, and the standing is as before."""
        if standing != self._standing or not self._durable:
            write_durable(self._path, msgspec.json.encode(standing))
            self._standing, self._durable = standing, True
            self.versions.drop_others(standing.needed())

    async def update(self, change: Callable[[Standing], Standing]) -> Standing:
        """The next standing, made durable beside the loop."""
        async with self._writing:
            await asyncio.to_thread(self.save, change(self.standing))
            return self.standing

    async def exclusively(self, work: Callable[[], T]) -> T:
        """What work makes beside the loop, while nobody else changes the standing."""
        async with self._writing:
            return await asyncio.to_thread(work)

    def assume(self, change: Callable[[Standing], Standing]) -> None:
        """The next standing in memory alone, where the medium refuses and the show must go on."""
        self._standing, self._durable = change(self.standing), False

    def _read(self) -> Standing | None:
        payload = read_text(self._path)
        if payload is None:
            return None
        try:
            return msgspec.json.decode(payload, type=Standing)
        except msgspec.MsgspecError as error:
            aside = self._path.with_name(f"{FILE}.bad")
            self._path.replace(aside)
            log.error("%s is damaged (%s) and kept as %s; gateway.toml counts", self._path, error, aside)
            return None
