"""Faults of devices and lines. One fault a file; BEHAVIOURS is the list."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from firmware_sim.behaviours.bad_checksum import BadChecksum
from firmware_sim.behaviours.base import Behaviour, Chunk, Exchange, Fault, Needs, Stage
from firmware_sim.behaviours.echo import Echo
from firmware_sim.behaviours.foreign_answer import ForeignAnswer
from firmware_sim.behaviours.framing import Framing
from firmware_sim.behaviours.half_frame import HalfFrame
from firmware_sim.behaviours.noise import Noise
from firmware_sim.behaviours.reboot import Reboot
from firmware_sim.behaviours.silent import Silent
from firmware_sim.behaviours.slow import Slow
from firmware_sim.behaviours.wrong_address import WrongAddress
from firmware_sim.errors import FaultError

__all__ = ["BEHAVIOURS", "Chunk", "Exchange", "Fault", "Framing", "parse"]

BEHAVIOURS: dict[str, type[Behaviour]] = {
    "silent": Silent,
    "slow": Slow,
    "wrong_address": WrongAddress,
    "bad_checksum": BadChecksum,
    "half_frame": HalfFrame,
    "echo": Echo,
    "foreign_answer": ForeignAnswer,
    "reboot": Reboot,
    "noise": Noise,
}


def parse(
    text: str, framing: Framing, *, seed: str = "", kinds: Mapping[str, type[Behaviour]] = BEHAVIOURS
) -> Fault | None:
    """Fault of a text NAME[:ARGUMENT][/N], several joined by +; None for "none"; FaultError.

    N: only every n-th answer. seed: what chance begins with. kinds: the faults that there are.
    """
    if text == "none":
        return None
    chance = Random(f"{seed}:{text}")  # noqa: S311 (a simulation)
    stages = [_stage(part, framing, chance, kinds) for part in text.split("+")]
    reboots = [stage for stage in stages if isinstance(stage.behaviour, Reboot)]
    if not reboots:
        return Fault(text, stages)
    if len(stages) > 1 or reboots[0].every > 1:
        raise FaultError("reboot: must stand alone, it happens once")
    behaviour = reboots[0].behaviour
    assert isinstance(behaviour, Reboot)
    return Fault(text, stages, behaviour.lasts_s)


def _stage(text: str, framing: Framing, chance: Random, kinds: Mapping[str, type[Behaviour]]) -> Stage:
    wanted, slash, nth = text.partition("/")
    name, _, argument = wanted.partition(":")
    kind = kinds.get(name)
    if kind is None:
        raise FaultError(f"must be none or one of {', '.join(kinds)}, {name!r} is neither")
    if not _has(framing, kind.needs):
        raise FaultError(f"{name}: {framing.title} has no {kind.needs} {_PART[kind.needs]}")
    if slash and not (nth.isascii() and nth.isdecimal() and int(nth) > 0):
        raise FaultError(f"/{nth}: must be / and a whole number from 1, such as {name}/5")
    return Stage(kind(argument, chance), int(nth) if slash else 1)


_PART = {"serial": "line", "checksum": "in its frames", "address": "in its frames", None: ""}


def _has(framing: Framing, needs: Needs) -> bool:
    match needs:
        case "serial":
            return framing.serial
        case "checksum":
            return framing.spoiled is not None
        case "address":
            return framing.moved is not None
    return True
