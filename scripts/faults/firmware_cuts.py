"""Power cuts in upgrades of a simulated gateway: it always starts an image that was signed.

The medium forgets what it was not told to keep: content beyond the last sync, names of folders that were not
synced, removals. Moments are counted in units: every operation and every byte that is written is one.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import random
import shutil
import signal
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from firmware_files.files import Release, manifest_of, public_text

from edge_agent.firmware.medium import Medium
from edge_agent.firmware.settings import FirmwareSettings
from edge_contract.firmware import UpgradeType, write_header
from edge_contract.upgrade import FINAL_UPGRADE, FirmwareReport, Upgrade, UpgradeStep
from firmware_sim.gateways.board import Board, BoardParts, StartedImage

BEGIN_MS = 1_790_000_000_000
IMAGE_BYTES = 1_300_000
MAX_CUTS = 2
"""In one upgrade: with a third one in its trial the launcher rolls back, as it should."""
TURNS = 200_000
"""Turns of the loop in which an upgrade ends."""


class PowerCut(BaseException):
    """The power is gone: nothing that the agent catches."""


class CutMedium(Medium):
    """cut_at: after so many units, 0: never. kill: end this process with SIGKILL; what was written stays."""

    def __init__(self, chance: random.Random, cut_at: int = 0, *, kill: bool = False) -> None:
        self.units = 0
        self.marks: list[int] = []  # units before each operation
        self._chance = chance
        self._cut_at = cut_at
        self._kill = kill
        self._off = False
        self._synced: dict[Path, int] = {}  # of files with content that is not durable: bytes that are
        self._new: set[Path] = set()  # names that are not durable
        self._removed: dict[Path, bytes] = {}  # of files whose removal is not durable

    def replace(self, path: Path, content: bytes) -> None:
        """The draft may be cut anywhere; the name is old or new until the folder is synced."""
        written = self._spend(len(content))
        draft = path.with_name(f".{path.name}.draft")
        draft.write_bytes(content[:written])
        if written < len(content):
            self._cut()
        before = path.read_bytes() if path.exists() else None
        draft.replace(path)
        if not self._spend(1):
            if self._chance.random() < 0.5 and not self._kill:
                path.unlink() if before is None else path.write_bytes(before)
            self._cut()

    def write_at(self, path: Path, offset: int, content: bytes) -> None:
        """Any number of bytes of it."""
        self._operation()
        durable = min(self._synced.get(path, path.stat().st_size if path.exists() else 0), offset)
        if not path.exists():
            self._new.add(path)
        self._synced[path] = durable
        written = self._spend(len(content))
        super().write_at(path, offset, content[:written])
        if written < len(content):
            self._cut()

    def sync(self, path: Path) -> None:
        """The content is durable."""
        self._operation()
        self._synced.pop(path, None)

    def sync_folder(self, path: Path) -> None:
        """The names are."""
        self._operation()
        self._new = {each for each in self._new if each.parent != path}
        self._removed = {each: content for each, content in self._removed.items() if each.parent != path}

    def make_folder(self, path: Path) -> None:
        """Durable at once: a folder without content is no danger."""
        self._operation()
        super().make_folder(path)

    def remove(self, path: Path) -> None:
        """Of a folder some files may go, and a file may come back."""
        self._operation()
        if path.is_file():
            self._removed[path] = path.read_bytes()
            super().remove(path)
            return
        for file in sorted(path.rglob("*")) if path.is_dir() else ():
            if file.is_file():
                self._operation()
                file.unlink()
        super().remove(path)

    def _operation(self) -> None:
        if not self._spend(1):
            self._cut()

    def _spend(self, units: int) -> int:
        """How many of them are left before the cut."""
        if self._off:
            raise PowerCut
        self.marks.append(self.units)
        left = units if not self._cut_at else max(min(units, self._cut_at - self.units), 0)
        self.units += units
        return left

    def _cut(self) -> None:
        if self._kill:
            os.kill(os.getpid(), signal.SIGKILL)
        self._off = True
        for path, content in self._removed.items():
            if self._chance.random() < 0.5 and path.parent.is_dir():
                path.write_bytes(content)
        for path, durable in self._synced.items():
            with contextlib.suppress(FileNotFoundError):
                self._damage(path, durable)
        for path in self._new:
            if self._chance.random() < 0.5:
                path.unlink(missing_ok=True)
        raise PowerCut

    def _damage(self, path: Path, durable: int) -> None:
        """What was written since the last sync: a part of it, then zeros, or nothing more."""
        size = path.stat().st_size
        length = self._chance.randint(min(durable, size), size)
        os.truncate(path, length)
        if self._chance.random() < 0.5:
            os.truncate(path, size)


class UnchangedMedium(Medium):
    """For who only looks: a start on it is not counted."""

    def replace(self, path: Path, content: bytes) -> None:
        """Nothing."""


class SteppedClock:
    """Time passes when somebody waits, and only then."""

    def __init__(self) -> None:
        self._passed_s = 0.0

    def now_ms(self) -> int:
        """UTC milliseconds."""
        return BEGIN_MS + round(self._passed_s * 1000)

    def monotonic(self) -> float:
        """Seconds."""
        return self._passed_s

    async def sleep(self, seconds: float) -> None:
        """Let the others have their turn."""
        self._passed_s += seconds
        await asyncio.sleep(0)


class FileSource:
    """download.FirmwareSource from memory."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    @asynccontextmanager
    async def open(self, url: str, offset: int, size: int) -> AsyncIterator[tuple[int, AsyncIterator[bytes]]]:
        """From offset on."""

        async def parts() -> AsyncIterator[bytes]:
            for at in range(offset, len(self._content), 1 << 16):
                yield self._content[at : at + (1 << 16)]

        yield offset, parts()


@dataclass(frozen=True)
class Bench:
    """A signed image, an order for it, and boards that can carry it out."""

    image: bytes
    file: bytes
    order: Upgrade
    settings: FirmwareSettings

    def board(self, folder: Path, medium: Medium) -> Board:
        """A gateway that has power from now on."""
        parts = BoardParts(self.settings, FileSource(self.file), SteppedClock(), "cloud.example")
        return Board(folder, parts, lambda: True, medium)


def bench(seed: int, *, head: bytes = b"", version: int = 1, upgrade: str = "upgrade-1") -> Bench:
    """head: first bytes of the image."""
    key = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    image = head + random.Random(seed).randbytes(IMAGE_BYTES)
    release = Release(
        models=["sim"], version=version, version_text=f"{version}", upgrade_type=UpgradeType.IMAGE
    )
    digest = hashlib.sha256(image).hexdigest()
    file = write_header(manifest_of(release, len(image), digest, "test"), key.sign) + image
    order = Upgrade(
        id=upgrade,
        url="https://cloud.example/firmware.bin",
        size=len(file),
        sha256=hashlib.sha256(file).hexdigest(),
        version=version,
        expires_ms=BEGIN_MS + 86_400_000,
    )
    return Bench(image, file, order, FirmwareSettings(model="sim", keys={"test": public_text(key)}))


async def carry_out(board: Board, order: Upgrade) -> FirmwareReport:
    """Run a board until the order has ended. Raises PowerCut, TimeoutError, and what the board raises."""
    work = asyncio.create_task(board.run())
    try:
        for _ in range(TURNS):
            await asyncio.sleep(0)
            if work.done():
                _raise_cut(work)
            if (upgrades := board.upgrades) is None:
                continue
            ended = [one for one in upgrades.unsent() if one.step in FINAL_UPGRADE and one.id == order.id]
            if ended:
                return ended[-1]
            if upgrades.state().upgrade != order.id:
                upgrades.take(order)
            await asyncio.sleep(0.0005)
        raise TimeoutError(f"upgrade {order.id} did not end")
    finally:
        work.cancel()
        await asyncio.wait([work])
        if not work.cancelled():
            work.exception()


def _raise_cut(work: asyncio.Task[None]) -> None:
    error = work.exception()
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if error is not None:
        raise error


def upgrade_with_cuts(
    folder: Path, of: Bench, cuts: list[int], seed: int
) -> tuple[FirmwareReport, list[StartedImage]]:
    """cuts: units after which each start loses power. The end, and the image of every start."""
    chance, started = random.Random(seed), []
    for cut_at in [*cuts, 0]:
        medium = CutMedium(chance, cut_at)
        board = of.board(folder, medium)
        try:
            report = asyncio.run(carry_out(board, of.order))
        except PowerCut:
            started.append(of.board(folder, UnchangedMedium()).power_on())
            continue
        started.append(of.board(folder, UnchangedMedium()).power_on())
        return report, started
    raise AssertionError("the last start has no cut")


def operations_of(folder: Path, of: Bench) -> list[int]:
    """Units before each operation of an upgrade without a cut, and after the last one."""
    medium = CutMedium(random.Random(0))
    report = asyncio.run(carry_out(of.board(folder, medium), of.order))
    if report.step is not UpgradeStep.CONFIRMED:
        raise AssertionError(report)
    return [*medium.marks, medium.units]


def killed_and_upgraded(
    folder: Path, of: Bench, unit: int
) -> tuple[bool, FirmwareReport, list[StartedImage]]:
    """A process that carries out the upgrade is killed by SIGKILL after so many units; another goes on.

    The first: whether it was killed; it had ended the upgrade otherwise.
    """
    child = os.fork()
    if not child:
        with contextlib.suppress(BaseException):
            medium = CutMedium(random.Random(unit), unit, kill=True)
            asyncio.run(carry_out(of.board(folder, medium), of.order))
        os._exit(0)
    _, status = os.waitpid(child, 0)
    started = of.board(folder, UnchangedMedium()).power_on()
    report, after = upgrade_with_cuts(folder, of, [], unit)
    return os.WIFSIGNALED(status), report, [started, *after]


def faults(report: FirmwareReport, started: list[StartedImage], of: Bench) -> Iterator[str]:
    """What is wrong after cuts; a start of a damaged image has raised before."""
    if report.step is not UpgradeStep.CONFIRMED:
        yield f"ended as {report.step.value} {report.code}: {report.detail}"
    if any(image.content not in (b"as delivered", of.image) for image in started):
        yield "an image was started that nobody signed"
    if started[-1].content != of.image:
        yield f"slot {started[-1].slot} starts at last"


def _moments(chance: random.Random, units: int) -> list[int]:
    return [chance.randint(1, units) for _ in range(chance.randint(1, MAX_CUTS))]


def run_cuts(count: int, seed: int) -> int:
    """One upgrade for every operation, with a cut at its begin or in it; then count upgrades, each with 1 to
    MAX_CUTS cuts at random bytes. Exit code 1 when one is wrong.
    """
    chance, of = random.Random(seed), bench(seed)
    wrong, ends = 0, Counter[str]()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as place:  # noqa: S108
        *marks, units = operations_of(Path(place) / "all" / "firmware", of)
        plans = [[unit + extra] for unit in marks for extra in (0, 1)]
        plans += [_moments(chance, units) for _ in range(count)]
        for number, cuts in enumerate(plans):
            folder = Path(place) / f"{number}" / "firmware"
            try:
                report, started = upgrade_with_cuts(folder, of, cuts, seed + number)
                bad = list(faults(report, started, of))
                ends[report.step.value] += 1
            except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
                bad = [f"{type(error).__name__}: {error}"]
            if bad:
                wrong += 1
                print(f"cuts {cuts} of {units}: {'; '.join(bad)}")
            shutil.rmtree(folder.parent)
    print(
        f"seed {seed}: {len(plans)} upgrades of {len(marks)} operations and {units:,} units,"
        f" {count} of them cut at random bytes; {dict(ends)}, {wrong} wrong"
    )
    return int(wrong > 0)
