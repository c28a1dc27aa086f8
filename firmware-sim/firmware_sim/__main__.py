"""Command line of the simulator."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import math
import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from datetime import datetime
from pathlib import Path

from firmware_sim import scenario
from firmware_sim.app import Simulator
from firmware_sim.control import put_fault
from firmware_sim.errors import SimulatorError
from firmware_sim.ledger import Ledger


def main(words: Sequence[str] | None = None) -> int:
    chosen = arguments(words)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        if chosen.command == "run":
            asyncio.run(run(chosen))
        elif chosen.command == "config":
            say(config(chosen))
        elif chosen.command == "scenarios":
            for name in scenario.names():
                say(f"{name}\t{scenario.describe(name).title}")
        else:
            put_fault(chosen.state, chosen.device, chosen.fault)
    except SimulatorError as error:
        sys.stderr.write(f"firmware-sim: {error}\n")
        return 1
    return 0


async def run(chosen: argparse.Namespace) -> None:
    """Serve the plant until SIGTERM or SIGINT."""
    plant = scenario.describe(chosen.scenario)
    with ExitStack() as stack:
        ledger = None if chosen.ledger is None else stack.enter_context(Ledger(chosen.ledger))
        simulator = Simulator(
            plant,
            chosen.state,
            start=datetime.now().replace(microsecond=0),  # noqa: DTZ005 (a plant lives in local time)
            modbus_port=chosen.modbus_port,
            ledger=ledger,
            seed=chosen.seed,
            speed=chosen.speed,
        )
        ready = await simulator.open()
        stack.callback(simulator.close)
        task = asyncio.ensure_future(simulator.run())
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, task.cancel)
        say(json.dumps({"ready": True, "scenario": chosen.scenario, **ready}, ensure_ascii=False))
        with suppress(asyncio.CancelledError):
            await task


def config(chosen: argparse.Namespace) -> str:
    return scenario.gateway_toml(
        chosen.scenario,
        gateway=chosen.gateway,
        cloud_url=chosen.cloud_url,
        plant=str(chosen.plant.resolve()),
        modbus_port=chosen.modbus_port,
        local_port=chosen.local_port,
    ).rstrip("\n")


def arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="firmware-sim", description="Simulated field devices.")
    commands = parser.add_subparsers(dest="command", required=True)
    serve = commands.add_parser("run", help="serve a plant until SIGTERM")
    serve.add_argument("scenario", help="name of a scenario, or a plant file")
    serve.add_argument("--state", type=Path, required=True, help="folder for the links to the serial lines")
    serve.add_argument("--modbus-port", type=port, default=0, help="0: a free one")
    serve.add_argument("--ledger", type=Path, help="note every counter value before it leaves")
    serve.add_argument("--seed", type=int, default=1)
    serve.add_argument("--speed", type=positive, default=1.0, help="simulated seconds in one second")
    fill = commands.add_parser("config", help="print the agent's configuration for a scenario")
    fill.add_argument("scenario")
    fill.add_argument("--gateway", required=True, metavar="ID")
    fill.add_argument("--cloud-url", required=True, metavar="URL")
    fill.add_argument("--plant", type=Path, required=True, help="the state folder of run")
    fill.add_argument("--modbus-port", type=port, required=True)
    fill.add_argument("--local-port", type=port, required=True)
    commands.add_parser("scenarios", help="list the scenarios")
    fault = commands.add_parser("fault", help="put a fault on a device of a running plant")
    fault.add_argument("state", type=Path)
    fault.add_argument("device")
    fault.add_argument(
        "fault",
        help="none, silent, slow:300, bad_checksum, half_frame or echo; /5 behind it: every 5th answer",
    )
    return parser.parse_args(words)


def port(text: str) -> int:
    number = int(text)
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError("must be from 0 to 65535")
    return number


def positive(text: str) -> float:
    number = float(text)
    if not (math.isfinite(number) and number > 0):
        raise argparse.ArgumentTypeError("must be above 0")
    return number


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
