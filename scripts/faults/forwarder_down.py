"""Two forwarders and the cloud on one outbox, one of them down; the writer is killed again and again."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

WRITER = Path(__file__).with_name("forwarder_down_writer.py")
BEGIN_MS = 1_790_000_000_000


@dataclass
class Soak:
    """What came of it. committed: batches; largest_bytes: of the outbox's file."""

    committed: int = 0
    kills: int = 0
    largest_bytes: int = 0
    waiting: dict[str, int] = field(default_factory=dict)
    lost: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        waiting = ", ".join(f"{count:,} wait for {name}" for name, count in self.waiting.items())
        lost = ", ".join(f"{count:,} lost to {name} by its own bound" for name, count in self.lost.items())
        figures = f"{self.committed:,} batches, {self.kills} kills, outbox {self.largest_bytes / 1e6:.1f} MB"
        return f"{figures} at most, {waiting}, {lost}; faults: {'; '.join(self.faults) or 'none'}"


def soak(folder: Path, batches: int, kills: int, seed: int) -> Soak:
    """Write so many batches, killed so often at random. RuntimeError when the writer ends with an error."""
    draw, soak_result = random.Random(seed), Soak()
    ends = sorted(draw.randrange(1, batches) for _ in range(kills))
    for end in [*ends, None]:
        command = [sys.executable, str(WRITER), str(folder), str(BEGIN_MS), str(batches)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            first, known = 0, soak_result.committed
            for line in child.stdout:
                if not line.endswith("\n"):
                    break
                word, *rest = line.split()
                if word == "c":
                    first = first or int(rest[0])
                    soak_result.committed = max(soak_result.committed, int(rest[0]))
                    if end is not None and soak_result.committed >= end:
                        child.send_signal(signal.SIGKILL)
                elif word == "s":
                    soak_result.largest_bytes = max(soak_result.largest_bytes, int(rest[0]))
                elif word in ("down", "small"):
                    held_first, held, lost = map(int, rest)
                    _check(soak_result, word, held_first, held, lost, batches)
        if end is not None:
            soak_result.kills += 1
        elif child.returncode != 0:
            raise RuntimeError(f"the writer ended with {child.returncode}")
        if 0 < first <= known:
            soak_result.faults.append(f"batches {first} to {known} were committed and are gone")
    for name in ("cloud", "file"):
        numbers = [int(line) for line in (folder / f"{name}.txt").read_text().split()]
        soak_result.faults += missing_or_twice(name, numbers, batches)
    return soak_result


def missing_or_twice(name: str, numbers: list[int], batches: int) -> list[str]:
    """What is wrong with the numbers that a target got; nothing when it has each once, in order."""
    if numbers == list(range(1, batches + 1)):
        return []
    return [f"{name} got {len(set(numbers)):,} of {batches:,} batches in {len(numbers):,} rows"]


def _check(soak_result: Soak, name: str, first: int, count: int, lost: int, batches: int) -> None:
    soak_result.waiting[name] = count
    if lost:
        soak_result.lost[name] = lost
    if lost + count != batches or first != batches - count + 1:
        soak_result.faults.append(f"{name} has {count:,} from {first:,} on and lost {lost:,} of {batches:,}")
    if name == "down" and lost:
        soak_result.faults.append(f"{name} lost {lost:,} although its bound holds all")
