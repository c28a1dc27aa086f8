"""What commands of the program are made of: their arguments' types, output, and the wait for a signal."""

from __future__ import annotations

import argparse
import asyncio
import math
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from firmware_sim.behaviours.slow import delay_range_s
from firmware_sim.errors import FaultError


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the program. run: until it is done; raises a SimulatorError that is meant for the user."""

    name: str
    help: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], None]


def write_line(text: str) -> None:
    """One line to standard output, at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


async def until_signal(work: asyncio.Future[None]) -> None:
    """Let work go on until SIGTERM or SIGINT."""
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, work.cancel)
    with suppress(asyncio.CancelledError):
        await work


def integer_between(low: int, high: int) -> Callable[[str], int]:
    """Type of a whole number within limits."""

    def number(text: str) -> int:
        """Raises ArgumentTypeError when the text is none."""
        if not (text.isascii() and text.isdecimal() and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(f"must be a whole number from {low} to {high}")
        return int(text)

    return number


def latency_s(text: str) -> tuple[float, float]:
    """Seconds from and to, of milliseconds. Raises ArgumentTypeError when the text is none."""
    try:
        return delay_range_s(text)
    except FaultError:
        raise argparse.ArgumentTypeError("must be milliseconds such as 20 or 20-50") from None


def port(text: str) -> int:
    """A TCP port, 0 for a free one. Raises ArgumentTypeError when it is out of range."""
    number = int(text)
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError("must be from 0 to 65535")
    return number


def positive(text: str) -> float:
    """Raises ArgumentTypeError when the number is not above 0."""
    number = float(text)
    if not (math.isfinite(number) and number > 0):
        raise argparse.ArgumentTypeError("must be above 0")
    return number
