"""The engine of scripts/fuzz: mutants of sound frames, one after the other, with a bound on the time of each.

A mutant depends on the seed and its number alone, so that one of them can be made again by itself.
"""

from __future__ import annotations

import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from types import FrameType
from typing import Protocol

BOUND_S = 0.5  # of processor time for one mutant; noticed after at most twice that
REPORT_S = 10.0
UNTOUCHED, NOISE, SPLICED = 0.03, 0.06, 0.16  # shares of mutants, each up to here
REPAIRED = 0.5  # share with right lengths and checksum, else little would come behind those checks
STRIKING = (0x00, 0x01, 0x02, 0x03, 0x10, 0x16, 0x30, 0x68, 0x7F, 0x80, 0xE5, 0xFE, 0xFF)
MAX_NOISE = 300
MAX_EDITS = 4
MAX_BYTES = 1000  # of a mutant


class Target(Protocol):
    """Something that is given mutants."""

    def mutant(self, chance: Random) -> tuple[int, bytes]:
        """Number of the frame that it was made of, and the bytes."""

    def check(self, origin: int, data: bytes, chance: Random) -> Counter[str]:
        """Results, counted; any exception is a failure."""


class Hang(BaseException):
    """A mutant took more than BOUND_S."""


@dataclass
class Result:
    """seconds: of the whole run; failure: of the first mutant that failed, with how to make it again."""

    frames: int = 0
    seconds: float = 0.0
    slowest_ms: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)
    failure: str = ""


def run(target: Target, count: int, seed: int, first: int = 0, name: str = "") -> Result:
    """Mutants number first to first + count - 1; ends with the first failure."""
    result, chance = Result(), Random()
    begun = reported = time.monotonic()
    with _bounded(lambda: result.frames):
        for number in range(first, first + count):
            chance.seed(seed << 40 | number)
            data = b""
            before = time.thread_time()
            try:
                origin, data = target.mutant(chance)
                result.counts.update(target.check(origin, data, chance))
            except (Exception, Hang) as error:  # noqa: BLE001  # whatever it is, it is what is looked for
                again = f"scripts/fuzz {name} --seed {seed} --first {number} --count 1"
                result.failure = f"{type(error).__name__}: {error}\n  frame {data.hex()}\n  again: {again}"
                break
            result.frames += 1
            result.slowest_ms = max(result.slowest_ms, 1000 * (time.thread_time() - before))
            if number % 1000 == 0 and time.monotonic() - reported > REPORT_S:
                reported = time.monotonic()
                rate = result.frames / (reported - begun)
                print(f"{name}: {result.frames:,} of {count:,}, {rate:,.0f}/s", file=sys.stderr, flush=True)
    result.seconds = time.monotonic() - begun
    return result


@contextmanager
def _bounded(done: Callable[[], int]) -> Iterator[None]:
    """Hang in the mutant that has not ended from one tick of the processor's time to the next."""
    last = [-1]

    def tick(_signal: int, _frame: FrameType | None) -> None:
        if last[0] == done():
            raise Hang(f"more than {BOUND_S} s of processor time")
        last[0] = done()

    before = signal.signal(signal.SIGPROF, tick)
    signal.setitimer(signal.ITIMER_PROF, BOUND_S, BOUND_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


class Mutator:
    """Makes mutants of frames.

    answers: frames from this number on are half of the origins; lengths: offsets of length fields; repair:
    sets lengths and checksum right.
    """

    def __init__(
        self,
        frames: Sequence[bytes],
        answers: int,
        lengths: Sequence[int],
        repair: Callable[[bytearray], None],
    ) -> None:
        self._frames = frames
        self._answers = answers
        self._lengths = lengths
        self._repair = repair

    def __call__(self, chance: Random) -> tuple[int, bytes]:
        first = self._answers if chance.random() < 0.5 else 0
        origin = first + int(chance.random() * (len(self._frames) - first))
        frame, kind = self._frames[origin], chance.random()
        if kind < UNTOUCHED:
            return origin, frame
        if kind < NOISE:
            return origin, chance.randbytes(int(chance.random() * MAX_NOISE))
        data = bytearray(frame)
        if kind < SPLICED:
            other = self._frames[int(chance.random() * len(self._frames))]
            data[int(chance.random() * (len(data) + 1)) :] = other[int(chance.random() * len(other)) :]
        edits = 1 + int(chance.random() * MAX_EDITS)
        for _ in range(edits):
            self._edit(data, chance)
        del data[MAX_BYTES:]
        if data and chance.random() < REPAIRED:
            self._repair(data)
        return origin, bytes(data)

    def _edit(self, data: bytearray, chance: Random) -> None:
        size = len(data)
        at = int(chance.random() * (size + 1))
        other = int(chance.random() * (size + 1))
        match int(chance.random() * 9):
            case 0 if at < size:
                data[at] ^= 1 << int(chance.random() * 8)
            case 1 if at < size:
                data[at] = STRIKING[int(chance.random() * len(STRIKING))]
            case 2 if at < size:
                data[at] = int(chance.random() * 256)
            case 3:
                del data[at : at + 1 + int(chance.random() * 4)]
            case 4:
                data[at:at] = chance.randbytes(1 + int(chance.random() * 4))
            case 5 if at < size and other < size:
                data[at], data[other] = data[other], data[at]
            case 6 if self._lengths:
                at = self._lengths[int(chance.random() * len(self._lengths))]
                if at < size:
                    data[at] = (data[at] + int(chance.random() * 7) - 3) & 0xFF
            case 7:
                data[at:at] = data[min(at, other) : max(at, other)]
            case _:
                del data[max(at, size // 2) :]
