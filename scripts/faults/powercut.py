"""Power cuts of the gateway's store: a file system of its own forgets what it was not told to keep.

The writer is stopped first (state T) and then the file system is shut down without flushing its log, so that
no answer of a flush under way is taken for a durable one. What a cut leaves, an honest disk would hold.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import random
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from edge_agent.history.chunk import decoded
from edge_agent.history.place import Disk
from edge_agent.history.storing import noted_on
from edge_agent.store.sqlite import open_sqlite
from edge_contract import batch
from edge_contract.model import Value
from faults import powercut_writer as load

SHUTDOWN = (2 << 30) | (4 << 16) | (ord("X") << 8) | 125
"""FS_IOC_SHUTDOWN of linux/fs.h: _IOR('X', 125, __u32)."""
NO_LOG_FLUSH = 2
IMAGE_BYTES = 128 << 20
STARTED_TIMEOUT_S = 60.0
STOPPED_TIMEOUT_S = 30.0
TOOLS = ("losetup", "mkfs.ext4", "mount", "umount")


class NotPossible(Exception):
    """No file system can be cut on this machine; the text says why."""


@dataclass
class Cut:
    """What one power cut left. lost: durable values that are gone; corrupt: files that were set aside."""

    rows: int
    lost: int
    corrupt: int
    open_s: float


class Medium:
    """An ext4 in a file, on a loop device."""

    def __init__(self, folder: Path) -> None:
        self._image = folder / "image"
        self.root = folder / "medium"
        self._device = ""

    def make(self) -> None:
        missing = [tool for tool in TOOLS if shutil.which(tool) is None]
        if os.geteuid() != 0 or missing:
            raise NotPossible(f"needs root and {', '.join(TOOLS)}; missing: {', '.join(missing) or 'root'}")
        self.root.mkdir()
        with self._image.open("wb") as file:
            file.truncate(IMAGE_BYTES)
        try:
            run("mkfs.ext4", "-q", str(self._image))
            self._device = run("losetup", "-f", "--show", str(self._image)).strip()
            self.mount()
        except subprocess.CalledProcessError as error:
            raise NotPossible(f"loop devices are not to be had: {error.stderr.strip()}") from error

    def mount(self) -> None:
        run("mount", self._device, str(self.root))

    def cut(self) -> None:
        """Nothing that was not flushed survives; then the power is back."""
        handle = os.open(self.root, os.O_RDONLY)
        try:
            fcntl.ioctl(handle, SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))
        finally:
            os.close(handle)

    def again(self) -> None:
        run("umount", str(self.root))
        self.mount()

    def remove(self) -> None:
        if self.root.is_mount():
            run("umount", "-l", str(self.root))
        if self._device:
            run("losetup", "-d", self._device)

    def written_bytes(self) -> int:
        """What the block device took so far."""
        sectors = Path(f"/sys/block/{Path(self._device).name}/stat").read_text().split()[6]
        return int(sectors) * 512


def run(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=60).stdout


@contextmanager
def medium() -> Iterator[Medium]:
    """NotPossible where there can be none."""
    with tempfile.TemporaryDirectory() as folder:
        made = Medium(Path(folder))
        try:
            made.make()
            yield made
        finally:
            made.remove()


def cuts(disk: Medium, count: int, longest_s: float, seed: int) -> Iterator[Cut]:
    """Cut the power of a writing store so many times, at random moments of up to longest_s."""
    chance = random.Random(seed)
    durable = Durable(0, 0, 0)
    for _ in range(count):
        write_until_cut(disk, durable, 0.3 + chance.random() * longest_s)
        begun = time.monotonic()
        cut = asyncio.run(look(disk.root, durable))
        cut.open_s = time.monotonic() - begun
        cut.corrupt = len(list(disk.root.glob("*.bad-*")))
        yield cut


@dataclass
class Durable:
    """What the writer called durable, and up to which batch it began to forget."""

    value: int
    stored: int
    forgotten: int


def write_until_cut(disk: Medium, durable: Durable, seconds: float) -> None:
    """Let the writer count on from what was there, and note what it says."""
    words = [sys.executable, load.__file__, str(disk.root), str(durable.value), str(durable.stored)]
    with tempfile.TemporaryFile("w+") as lines:
        writer = subprocess.Popen(words, stdout=lines)
        try:
            deadline = time.monotonic() + STARTED_TIMEOUT_S
            while os.fstat(lines.fileno()).st_size == 0 and writer.poll() is None:
                if time.monotonic() > deadline:
                    raise RuntimeError("the writer says nothing")
                time.sleep(0.02)
            time.sleep(seconds)
            if writer.poll() is not None:
                raise RuntimeError(f"the writer ended by itself with {writer.returncode}")
            writer.send_signal(signal.SIGSTOP)
            deadline = time.monotonic() + STOPPED_TIMEOUT_S
            while stat_of(writer.pid) != "T":
                if time.monotonic() > deadline:
                    raise RuntimeError("the writer does not stop")
                time.sleep(0.005)
            disk.cut()
        finally:
            writer.kill()
            writer.wait()
        disk.again()
        lines.seek(0)
        for line in lines.read().splitlines(keepends=True):
            if not line.endswith("\n"):
                continue  # stopped while it wrote it
            what, number = line.split()
            name = {"c": "value", "f": "forgotten", "h": "stored"}[what]
            setattr(durable, name, int(number))


def stat_of(pid: int) -> str:
    """Letter of a process's state, when every thread has it; none while one of them ends."""
    try:
        letters = {(path / "stat").read_text().rpartition(")")[2].split()[0]
                   for path in Path(f"/proc/{pid}/task").iterdir()}  # fmt: skip
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return letters.pop() if len(letters) == 1 else ""


async def look(folder: Path, durable: Durable) -> Cut:
    """Open everything as the agent does and compare it with durable, which is then what is there."""
    async with open_sqlite(folder, load.STORE_BYTES, load.now_ms, time.monotonic) as store:
        held = await store.outbox.following(0, 1_000_000)
        next_seq = store.outbox.state().next_seq
    values = integers(value for one in held for value in batch.decode(one.payload)[1][0].values)
    last = max(values, default=0)
    numbers = [one.seq for one in held]
    first = min(values, default=1)
    lost = max(durable.value - last, 0) + (last - first + 1 - len(values) if values else 0)
    lost += len(set(range(durable.forgotten + 1, next_seq)) - set(numbers))
    shelf = Disk(folder / "history.sqlite", load.HISTORY_BYTES, lambda _: True, load.now_ms).open()
    keys = shelf.keys()
    chunks = shelf.chunks(None, 0, 2**53, 0, 2**53, 1_000_000)
    kept = [one.value for chunk in chunks for one in decoded(chunk.payload, keys)]
    kept += [one.value for one in noted_on(shelf)]
    shelf.close()
    history = integers(kept)
    lost += len(set(range(1, durable.stored + 1)) - history) + len(kept) - len(history)
    for name in ("outbox.sqlite", "history.sqlite"):
        with closing(sqlite3.connect(folder / name)) as connection:
            if connection.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
                lost += 1
    durable.value, durable.stored = max(last, durable.value), max(history, default=durable.stored)
    return Cut(durable.value + durable.stored, lost, 0, 0.0)


def integers(values: Iterable[Value]) -> set[int]:
    """What the writer counted."""
    return {value for value in values if isinstance(value, int)}
