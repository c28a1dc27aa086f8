"""Faults of devices. One fault a file; BEHAVIOURS is the list."""

from __future__ import annotations

from firmware_sim.behaviours.bad_checksum import BadChecksum
from firmware_sim.behaviours.base import Behaviour, Exchange, Fault, Piece
from firmware_sim.behaviours.echo import Echo
from firmware_sim.behaviours.half_frame import HalfFrame
from firmware_sim.behaviours.silent import Silent
from firmware_sim.behaviours.slow import Slow
from firmware_sim.errors import FaultError

__all__ = ["BEHAVIOURS", "Exchange", "Fault", "Piece", "parse"]

BEHAVIOURS: dict[str, type[Behaviour]] = {
    "silent": Silent,
    "slow": Slow,
    "bad_checksum": BadChecksum,
    "half_frame": HalfFrame,
    "echo": Echo,
}


def parse(text: str, *, checksum: bool) -> Fault | None:
    """Fault of a text NAME[:ARGUMENT][/N], N: only every n-th answer; None for "none".

    checksum: the device's frames carry one, which serial lines have and Modbus TCP has not.
    """
    wanted, slash, nth = text.partition("/")
    name, _, argument = wanted.partition(":")
    if wanted == "none" and not slash:
        return None
    kind = BEHAVIOURS.get(name)
    if kind is None:
        raise FaultError(f"must be none or one of {', '.join(BEHAVIOURS)}, {name!r} is neither")
    if kind.serial_only and not checksum:
        raise FaultError(f"{name}: Modbus TCP knows no such fault, only serial lines do")
    if slash and not (nth.isascii() and nth.isdecimal() and int(nth) > 0):
        raise FaultError(f"/{nth}: must be / and a whole number from 1, such as {name}/5")
    return Fault(kind(argument), int(nth) if slash else 1)
