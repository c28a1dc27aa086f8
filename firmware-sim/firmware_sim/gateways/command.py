"""The verb `fleet` of the command line."""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from firmware_sim.errors import StartError
from firmware_sim.gateways.connection import Broker
from firmware_sim.gateways.fleet import Fleet, Plan

FILES_BESIDE = 64
"""Open files that are no connections."""


def add_arguments(verb: argparse.ArgumentParser, whole: Callable[[int, int], Callable[[str], int]]) -> None:
    """Arguments of the verb. whole: makes a type of whole numbers within limits."""
    verb.add_argument("--url", required=True, help="of the broker: mqtt://host:port or mqtts://host:port")
    verb.add_argument("--ca-file", help="own authority of a mqtts broker")
    verb.add_argument(
        "--secrets", type=Path, required=True,
        help="JSON object of gateway and secret, as `edge-cloud gateway claim --count` prints it",
    )  # fmt: skip
    verb.add_argument(
        "--first",
        type=whole(0, 100_000),
        default=0,
        help="gateways of the file to leave out (default %(default)s)",
    )
    verb.add_argument("--gateways", type=whole(1, 100_000), help="how many; all when left out")
    verb.add_argument(
        "--points",
        type=whole(1, 20_000),
        default=50,
        metavar="P",
        help="samples of a batch (default %(default)s)",
    )
    pace = verb.add_mutually_exclusive_group()
    pace.add_argument("--interval", type=seconds, default=1.0, metavar="S",
                      help="seconds between two batches of one (default %(default)s)")  # fmt: skip
    pace.add_argument(
        "--rate",
        type=seconds,
        metavar="N",
        help="samples a second of the whole fleet, in place of the interval",
    )
    verb.add_argument("--duration", type=seconds, default=10.0, metavar="S",
                      help="seconds in which batches are made (default %(default)s)")  # fmt: skip
    verb.add_argument(
        "--flood", type=whole(0, 10_000_000), default=0, metavar="B",
        help="batches of each gateway, as fast as the cloud acknowledges them, instead of a duration "
        "(default %(default)s: none)",
    )  # fmt: skip
    verb.add_argument(
        "--backlog", type=whole(0, 10_000_000), default=0, metavar="B",
        help="batches of each gateway that it holds from before the connection (default %(default)s: none)",
    )  # fmt: skip
    verb.add_argument("--seed", type=int, default=1, help="of the values (default %(default)s)")
    verb.add_argument("--ledger", type=Path, help="write what was acknowledged, a JSON line a gateway")
    verb.add_argument("--wait", action="store_true", help="begin at a line on standard input")


def run_fleet(chosen: argparse.Namespace, say: Callable[[str], None]) -> None:
    """Connect, say that it is ready, run, say the summary. StartError says what is wrong."""
    secrets = _secrets(chosen.secrets, chosen.first, chosen.gateways)
    interval_s = len(secrets) * chosen.points / chosen.rate if chosen.rate else chosen.interval
    plan = Plan(chosen.points, interval_s, chosen.duration, chosen.seed, chosen.backlog, chosen.flood)
    broker = Broker(chosen.url, chosen.ca_file)
    _allow_files(len(secrets) + FILES_BESIDE)

    async def work() -> dict[str, Any]:
        fleet = Fleet(plan, secrets, broker)
        try:
            await fleet.connect()
            say(json.dumps({"ready": True, "gateways": len(secrets)}))
            if chosen.wait:
                await asyncio.to_thread(sys.stdin.readline)
            await fleet.run()
            if chosen.ledger is not None:
                lines = [msgspec.json.encode(entry) + b"\n" for entry in fleet.ledger()]
                await asyncio.to_thread(chosen.ledger.write_bytes, b"".join(lines))
            return fleet.summary()
        finally:
            await fleet.close()

    factory = None
    if find_spec("uvloop") is not None:  # twice as many gateways on a core; the simulator does not need it
        import uvloop

        factory = uvloop.new_event_loop
    with asyncio.Runner(loop_factory=factory) as runner:
        say(json.dumps(runner.run(work())))


def _secrets(path: Path, first: int, most: int | None) -> dict[str, str]:
    try:
        found = msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except (OSError, msgspec.MsgspecError) as error:
        raise StartError(f"secrets {path}: {error}") from None
    chosen = dict(list(found.items())[first : None if most is None else first + most])
    if not chosen or (most is not None and len(chosen) < most):
        raise StartError(f"secrets {path}: holds {len(found)} gateways, {first + (most or 1)} are needed")
    return chosen


def _allow_files(wanted: int) -> None:
    """A connection is an open file; raise the process's own limit as far as it goes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < wanted:
        if hard != resource.RLIM_INFINITY and hard < wanted:
            raise StartError(f"{wanted} open files are needed, {hard} are allowed (ulimit -n)")
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def seconds(text: str) -> float:
    """A number of the command line above 0 and at most a million."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= 1e6:
        raise argparse.ArgumentTypeError("must be above 0 and at most 1000000")
    return number
