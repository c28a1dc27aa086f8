"""The commands `hj212-platform` and `hj212-request` of the command line."""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from pathlib import Path

import msgspec

from firmware_sim.command_line import Command, integer_between, port, until_signal, write_line
from firmware_sim.control import send_request
from firmware_sim.errors import StartError
from firmware_sim.hj212_platform import report
from firmware_sim.hj212_platform.load import load
from firmware_sim.hj212_platform.platform import Hj212Platform
from firmware_sim.hj212_platform.request_exchange import Outcome
from firmware_sim.hj212_platform.store import ReceivedReader

POLL_S = 0.1


def add_platform_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("stations", type=Path, nargs="?", help="file of the platform; a report needs none")
    parser.add_argument("--state", type=Path, required=True, help="folder for what comes")
    parser.add_argument("--port", type=port, default=0, help="to listen on, 0: a free one")
    parser.add_argument("--seed", type=int, default=1, help="of the faults' chance")
    parser.add_argument("--report", action="store_true", help="print what came, be it running or not")
    parser.add_argument("--records", action="store_true", help="print every record, a JSON line each")
    parser.add_argument("--since", type=_data_time, help="report from this DataTime on")
    parser.add_argument("--until", type=_data_time, help="report up to before this DataTime")


def run_platform(chosen: argparse.Namespace) -> None:
    """Serve until SIGTERM, or print a report. Raises StartError without a file to serve."""
    if chosen.records:
        for record in report.records(ReceivedReader(chosen.state).packets()):
            write_line(json.dumps(record, ensure_ascii=False))
    elif chosen.report:
        reader = ReceivedReader(chosen.state)
        made = report.report(
            reader.packets(),
            reader.requests(),
            reader.counters(),
            reader.minute_intervals(),
            chosen.since,
            chosen.until,
        )
        write_line(json.dumps(made, ensure_ascii=False, indent=2))
    elif chosen.stations is None:
        raise StartError("stations: must name the file of the platform")
    else:
        asyncio.run(serve(chosen))


async def serve(chosen: argparse.Namespace) -> None:
    """Serve the platform until SIGTERM or SIGINT."""
    platform = Hj212Platform(load(chosen.stations), chosen.state, port=chosen.port, seed=chosen.seed)
    ready = await platform.open()
    try:
        task = asyncio.ensure_future(platform.run())
        write_line(json.dumps({"ready": True, **ready}))
        await until_signal(task)
    finally:
        platform.close()


def add_request_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("state", type=Path, help="folder of the running platform")
    parser.add_argument("station")
    parser.add_argument("cn", help="command, such as 1062")
    parser.add_argument(
        "items",
        nargs="?",
        default="",
        help="of its area, such as RtdInterval=60; {now} and {now-3600} are times",
    )
    parser.add_argument(
        "--wait", type=integer_between(0, 3600), default=60, metavar="S", help="for the outcome (default 60)"
    )


def run_request(chosen: argparse.Namespace) -> None:
    """Print the request's record once it has an outcome, or when the wait is over."""
    number = send_request(chosen.state, chosen.station, f"{chosen.cn} {chosen.items}")
    reader = ReceivedReader(chosen.state)
    end_s = time.monotonic() + chosen.wait
    while reader.requests()[number].outcome is Outcome.WAITING and time.monotonic() < end_s:
        time.sleep(POLL_S)
    write_line(msgspec.json.encode(reader.requests()[number]).decode())


def _data_time(text: str) -> str:
    """14 digits. Raises ArgumentTypeError when the text is none."""
    if not (len(text) == 14 and text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError("must be 14 digits YYYYMMDDhhmmss")
    return text


PLATFORM_COMMANDS = (
    Command(
        "hj212-platform",
        "serve a platform of an environmental authority (HJ 212), or report what came",
        add_platform_arguments,
        run_platform,
    ),
    Command("hj212-request", "let a running platform request something", add_request_arguments, run_request),
)
