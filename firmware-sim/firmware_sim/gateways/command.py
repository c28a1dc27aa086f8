"""The command `fleet` of the command line."""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import sys
import threading
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from firmware_sim.command_line import Command, integer_between, write_line
from firmware_sim.errors import StartError
from firmware_sim.gateways.connection import Broker
from firmware_sim.gateways.firmware import Boards
from firmware_sim.gateways.fleet import Fleet, Plan

FILES_BESIDE = 64
"""Open files that are no connections."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--url", required=True, help="of the broker: mqtt://host:port or mqtts://host:port")
    parser.add_argument("--ca-file", help="own authority of a mqtts broker")
    parser.add_argument(
        "--secrets", type=Path, required=True,
        help="JSON object of gateway and secret, as `edge-cloud gateway claim --count` prints it",
    )  # fmt: skip
    parser.add_argument(
        "--first",
        type=integer_between(0, 100_000),
        default=0,
        help="gateways of the file to leave out (default %(default)s)",
    )
    parser.add_argument("--gateways", type=integer_between(1, 100_000), help="how many; all when left out")
    parser.add_argument(
        "--points",
        type=integer_between(1, 20_000),
        default=50,
        metavar="P",
        help="samples of a batch (default %(default)s)",
    )
    pace = parser.add_mutually_exclusive_group()
    pace.add_argument("--interval", type=seconds, default=1.0, metavar="S",
                      help="seconds between two batches of one (default %(default)s)")  # fmt: skip
    pace.add_argument(
        "--rate",
        type=seconds,
        metavar="N",
        help="samples a second of the whole fleet, in place of the interval",
    )
    parser.add_argument("--duration", type=seconds, default=10.0, metavar="S",
                      help="seconds in which batches are made (default %(default)s)")  # fmt: skip
    parser.add_argument(
        "--flood", type=integer_between(0, 10_000_000), default=0, metavar="B",
        help="batches of each gateway, as fast as the cloud acknowledges them, instead of a duration "
        "(default %(default)s: none)",
    )  # fmt: skip
    parser.add_argument(
        "--backlog", type=integer_between(0, 10_000_000), default=0, metavar="B",
        help="batches of each gateway that it holds from before the connection (default %(default)s: none)",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=1, help="of the values (default %(default)s)")
    parser.add_argument("--ledger", type=Path, help="write what was acknowledged, a JSON line a gateway")
    parser.add_argument("--wait", action="store_true", help="begin at a line on standard input")
    parser.add_argument(
        "--firmware", type=Path, metavar="FOLDER",
        help="the gateways take firmware: has firmware.toml, and gets their slots; the fleet goes on until "
        "standard input ends, at most --duration",
    )  # fmt: skip
    parser.add_argument("--speed", type=seconds, default=1.0, metavar="N",
                        help="upgrades pass so many times as fast (default 1)")  # fmt: skip


def run_fleet(chosen: argparse.Namespace) -> None:
    """Connect, write that it is ready, run, write the summary. Raises StartError when it cannot start."""
    secrets = _secrets(chosen.secrets, chosen.first, chosen.gateways)
    interval_s = len(secrets) * chosen.points / chosen.rate if chosen.rate else chosen.interval
    plan = Plan(chosen.points, interval_s, chosen.duration, chosen.seed, chosen.backlog, chosen.flood)
    broker = Broker(chosen.url, chosen.ca_file)
    boards = None
    if chosen.firmware is not None:
        boards = Boards(chosen.firmware, broker.host, chosen.points, chosen.speed)
    _allow_files(len(secrets) + FILES_BESIDE)

    async def work() -> dict[str, Any]:
        fleet = Fleet(plan, secrets, broker, boards)
        try:
            await fleet.connect()
            write_line(json.dumps({"ready": True, "gateways": len(secrets)}))
            if chosen.wait:
                await asyncio.to_thread(sys.stdin.readline)
            if boards is not None:
                threading.Thread(target=_until_closed, args=(fleet.finish,), daemon=True).start()
            await fleet.run()
            if chosen.ledger is not None:
                lines = [msgspec.json.encode(entry) + b"\n" for entry in fleet.acknowledged()]
                await asyncio.to_thread(chosen.ledger.write_bytes, b"".join(lines))
            return fleet.summary()
        finally:
            await fleet.close()

    factory = None
    if find_spec("uvloop") is not None:  # twice as many gateways on a core; the simulator does not need it
        import uvloop

        factory = uvloop.new_event_loop
    with asyncio.Runner(loop_factory=factory) as runner:
        write_line(json.dumps(runner.run(work())))


def _until_closed(finish: Callable[[], None]) -> None:
    """Read standard input to its end."""
    while sys.stdin.readline():
        pass
    finish()


def _secrets(path: Path, first: int, max_count: int | None) -> dict[str, str]:
    try:
        secrets = msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except (OSError, msgspec.MsgspecError) as error:
        raise StartError(f"secrets {path}: {error}") from None
    chosen = dict(list(secrets.items())[first : None if max_count is None else first + max_count])
    if not chosen or (max_count is not None and len(chosen) < max_count):
        raise StartError(
            f"secrets {path}: holds {len(secrets)} gateways, {first + (max_count or 1)} are needed"
        )
    return chosen


def _allow_files(wanted: int) -> None:
    """A connection is an open file; raise the process's own limit as far as it goes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < wanted:
        if hard != resource.RLIM_INFINITY and hard < wanted:
            raise StartError(f"{wanted} open files are needed, {hard} are allowed (ulimit -n)")
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def seconds(text: str) -> float:
    """A number of the command line. Raises ArgumentTypeError unless it is above 0 and at most a million."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= 1e6:
        raise argparse.ArgumentTypeError("must be above 0 and at most 1000000")
    return number


FLEET = Command(
    "fleet", "many gateways that speak the contract, for load on a cloud", add_arguments, run_fleet
)
