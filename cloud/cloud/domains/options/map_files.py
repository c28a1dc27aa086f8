"""Map files (PMTiles) that the operator has put into the data folder: which there are, and parts of them."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel

from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.options.maps import MAP_FILE
from cloud.errors import NotFound, ParameterError

MAGIC = b"PMTiles\x03"
MAX_FILES = 100
MAX_PART_BYTES = 8 * 1024 * 1024
"""Of one answer; a directory or a tile is smaller."""

_SPAN = re.compile(r"bytes=(\d{1,15})-(\d{1,15})")
_NAME = re.compile(MAP_FILE)


class MapFile(BaseModel):
    """A file of the folder. size: bytes."""

    name: str
    size: int


class MapPart(NamedTuple):
    """first: place of its first byte in the file, which has size bytes; tag: of what is in the file."""

    data: bytes
    first: int
    size: int
    tag: str


class MapFiles:
    """Reads in threads; writes nothing, not even the folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def all(self, user: CurrentUser) -> list[MapFile]:
        """By name, at most MAX_FILES; what is no map file is left out."""
        return await asyncio.to_thread(self._all)

    async def part(self, user: CurrentUser, name: str, span: str) -> MapPart:
        """Bytes of a file. span: as in a Range header, one span; it may reach beyond the end.

        Raises NotFound without such a file and ParameterError for a span that is too large.
        """
        asked = _SPAN.fullmatch(span)
        first, last = (int(asked[1]), int(asked[2])) if asked else (0, -1)
        if not 0 <= last - first < MAX_PART_BYTES:
            raise ParameterError("range", f"bytes=first-last, one span of at most {MAX_PART_BYTES} bytes")
        if not _NAME.fullmatch(name):
            raise NotFound("map file")
        try:
            return await asyncio.to_thread(self._part, self._folder / name, first, last - first + 1)
        except OSError:
            raise NotFound("map file") from None

    def _all(self) -> list[MapFile]:
        found = []
        for path in sorted(self._folder.glob("*.pmtiles")):
            try:
                if _NAME.fullmatch(path.name) and _begins(path):
                    found.append(MapFile(name=path.name, size=path.stat().st_size))
            except OSError:  # taken away, or not ours to read
                continue
        return found[:MAX_FILES]

    def _part(self, path: Path, first: int, length: int) -> MapPart:
        with path.open("rb") as file:
            state = path.stat()
            file.seek(first)
            tag = f'"{state.st_mtime_ns:x}-{state.st_size:x}"'
            return MapPart(file.read(length), first, state.st_size, tag)


def _begins(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC
