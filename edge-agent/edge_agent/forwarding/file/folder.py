"""The folder of a file forwarder: one file that grows (.part), finished ones, all writing and syncing.

Names: NAME_TIME_STREAM_FIRST-LAST.csv, with the numbers of the first and last batch; NAME_STREAM.csv.part.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from edge_agent.errors import AgentError
from edge_agent.forwarding.file import rows

log = logging.getLogger(__name__)

MEGABYTE = 1024 * 1024
LEAST_FREE_BYTES = MEGABYTE
"""A medium with less is full: an attempt would end in the middle of a row."""


class MediumDown(AgentError):
    """The folder is missing, full or cannot be written."""


@contextmanager
def medium() -> Iterator[None]:
    """MediumDown for whatever the system says."""
    try:
        yield
    except OSError as error:
        raise MediumDown(f"{error.strerror or error}: {error.filename or 'the medium'}") from error


@dataclass(frozen=True)
class Layout:
    """Where and how. apart_from: a folder of another file system than which it must be; None: of any."""

    folder: Path
    name: str
    stream: str
    format: str
    columns: tuple[str, ...]
    max_total_bytes: int
    apart_from: Path | None = None

    @property
    def part(self) -> Path:
        """The file that grows; it gets its final name when it is full."""
        return self.folder / f"{self.name}_{self.stream}.{self.format}.part"


class Folder:
    """Open from construction; every call may raise MediumDown and blocks. Then it is closed and made anew."""

    def __init__(self, layout: Layout, durable_seq: int) -> None:
        """What stands in the growing file beyond batch durable_seq goes: it is written again."""
        self._layout = layout
        self._file: BinaryIO | None = None
        self._first_seq = self._last_seq = 0
        self.size = 0
        with medium():
            self._device = layout.folder.stat().st_dev
            if layout.apart_from is not None and self._device == layout.apart_from.stat().st_dev:
                raise MediumDown(f"no medium is mounted at {layout.folder}")
            usage = os.statvfs(layout.folder)
            if usage.f_flag & os.ST_RDONLY or not os.access(layout.folder, os.W_OK):
                raise MediumDown(f"{layout.folder} cannot be written")
            if usage.f_bavail * usage.f_frsize < LEAST_FREE_BYTES:
                raise MediumDown(f"no room is left in {layout.folder}")
            self._finish_foreign()
            self.written_seq = max(
                [durable_seq, *(last for stream, last in self._finished() if stream == layout.stream)]
            )
            if layout.part.exists():
                self._recover(durable_seq)

    def _pattern(self) -> re.Pattern[str]:
        name = re.escape(self._layout.name)
        return re.compile(rf"{name}_\d{{8}}T\d{{6}}Z_([0-9a-f]{{16}})_\d+-(\d+)\.(csv|jsonl)")

    def _finished(self) -> list[tuple[str, int]]:
        """Stream and last batch of each finished file."""
        matching = (self._pattern().fullmatch(path.name) for path in self._layout.folder.iterdir())
        return [(match[1], int(match[2])) for match in matching if match]

    def _finish_foreign(self) -> None:
        """A growing file of another stream or format is ended as it is."""
        pattern = re.compile(rf"{re.escape(self._layout.name)}_([0-9a-f]{{16}})\.(csv|jsonl)\.part")
        for path in list(self._layout.folder.iterdir()):
            match = pattern.fullmatch(path.name)
            if match and path != self._layout.part:
                first, last, size = _extent(path, match[2], None)
                os.truncate(path, size)
                if last:
                    self._rename(path, match[1], first, last, match[2])
                else:
                    path.unlink()

    def _recover(self, durable_seq: int) -> None:
        part = self._layout.part
        self._first_seq, self._last_seq, size = _extent(part, self._layout.format, durable_seq)
        if not self._last_seq:
            part.unlink()
            return
        if size < part.stat().st_size:
            os.truncate(part, size)
        self._open()

    def _open(self) -> None:
        self._file = self._layout.part.open("ab", buffering=0)
        self.size = os.fstat(self._file.fileno()).st_size
        _sync(self._layout.folder)

    def write(self, first_seq: int, last_seq: int, text: str) -> None:
        """Append lines of these batches and make them durable.

        Raises MediumDown when the medium was changed, taken away or is full.
        """
        with medium():
            if self._layout.folder.stat().st_dev != self._device:
                raise MediumDown(f"another medium is mounted at {self._layout.folder}")
            if self._file is not None and not self._layout.part.exists():
                raise MediumDown(f"{self._layout.part.name} was taken away")
            self._keep_bound()
            if self._file is None:
                self._open()
                text = rows.heading(self._layout.columns, self._layout.format) + text
            self._first_seq = self._first_seq or first_seq
            assert self._file is not None
            data = memoryview(text.encode())
            while data:
                data = data[self._file.write(data) :]
            os.fsync(self._file.fileno())
            self.size = os.fstat(self._file.fileno()).st_size
            self._last_seq = self.written_seq = last_seq

    def rotate(self) -> None:
        """End the growing file, if there is one."""
        if self._file is None:
            return
        with medium():
            self._rename(
                self._layout.part, self._layout.stream, self._first_seq, self._last_seq, self._layout.format
            )
        self.close()
        self._first_seq = self._last_seq = self.size = 0

    def _rename(self, path: Path, stream: str, first: int, last: int, format: str) -> None:
        time = rows.utc(round(path.stat().st_mtime) * 1000)[:19].replace("-", "").replace(":", "")
        path.rename(path.with_name(f"{self._layout.name}_{time}Z_{stream}_{first}-{last}.{format}"))
        _sync(path.parent)

    def _keep_bound(self) -> None:
        """Delete the oldest finished files beyond the bound."""
        pattern = self._pattern()
        matching = [path for path in self._layout.folder.iterdir() if pattern.fullmatch(path.name)]
        sizes = {path: path.stat().st_size for path in sorted(matching)}
        total = sum(sizes.values()) + self.size
        for path, size in sizes.items():
            if total <= self._layout.max_total_bytes:
                return
            path.unlink()
            total -= size
            log.info("forwarder %s: %s is deleted: its files are full", self._layout.name, path.name)

    def close(self) -> None:
        """Leave the growing file as it is."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _extent(path: Path, format: str, durable_seq: int | None) -> tuple[int, int, int]:
    """First and last batch (0: none) and bytes of the whole lines up to batch durable_seq; None: of all."""
    first = last = size = 0
    with path.open("rb") as file:
        for line in file:
            seq = rows.seq_of(line, format)
            if seq is None and size == 0 and format == "csv" and line.endswith(b"\n"):
                size = len(line)  # the heading
                continue
            if seq is None or (durable_seq is not None and seq > durable_seq):
                break
            first, last, size = first or seq, seq, size + len(line)
    return first, last, size


def _sync(folder: Path) -> None:
    """Make names durable."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
