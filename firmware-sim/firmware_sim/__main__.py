"""Command line of the simulator."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import math
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from datetime import datetime
from pathlib import Path

from firmware_sim import scenario
from firmware_sim.app import Simulator
from firmware_sim.behaviours import BEHAVIOURS
from firmware_sim.behaviours.slow import delay_range_s
from firmware_sim.control import faults, put_fault
from firmware_sim.devices.at_modem import UNKNOWN_CSQ, AtModem
from firmware_sim.devices.modbus_load import MOST_POINTS, MOST_SLAVES, LoadServer
from firmware_sim.errors import FaultError, SimulatorError
from firmware_sim.gateways.command import add_arguments as add_fleet_arguments
from firmware_sim.gateways.command import run_fleet
from firmware_sim.ledger import Ledger

PORT_HELP = "of the first line behind a TCP port, the next lines have the next ones; 0: free ones"


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
        elif chosen.command == "modbus-load":
            asyncio.run(modbus_load(chosen))
        elif chosen.command == "fleet":
            run_fleet(chosen, say)
        elif chosen.command == "modem":
            asyncio.run(modem(chosen))
        elif chosen.command == "fault":
            put_fault(chosen.state, chosen.name, chosen.fault)
        else:
            for name, text in faults(chosen.state).items():
                say(f"{name}\t{text}")
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
        say(json.dumps({"ready": True, "scenario": chosen.scenario, **ready}, ensure_ascii=False))
        await until_signal(task)


async def modbus_load(chosen: argparse.Namespace) -> None:
    """Serve the load until SIGTERM or SIGINT; then one line says what it answered."""
    server = LoadServer(
        slaves=chosen.slaves,
        points=chosen.points,
        base_port=chosen.port,
        latency_s=chosen.latency_ms,
        seed=chosen.seed,
    )
    await server.open()
    try:
        say(json.dumps({"ready": True, "points": chosen.points, "ports": server.ports}))
        await until_signal(asyncio.get_running_loop().create_future())
    finally:
        server.close()
    say(json.dumps(server.figures()))


async def modem(chosen: argparse.Namespace) -> None:
    """Serve a cellular modem's command port until SIGTERM or SIGINT."""
    served = AtModem(chosen.link, chosen.csq)
    served.open()
    try:
        say(json.dumps({"ready": True, "link": str(chosen.link)}))
        await until_signal(asyncio.get_running_loop().create_future())
    finally:
        served.close()


async def until_signal(work: asyncio.Future[None]) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, work.cancel)
    with suppress(asyncio.CancelledError):
        await work


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
    serve.add_argument("--modbus-port", type=port, default=0, help=PORT_HELP)
    serve.add_argument("--ledger", type=Path, help="note every counter value before it leaves")
    serve.add_argument("--seed", type=int, default=1)
    serve.add_argument("--speed", type=positive, default=1.0, help="simulated seconds in one second")
    fill = commands.add_parser("config", help="print the agent's configuration for a scenario")
    fill.add_argument("scenario")
    fill.add_argument("--gateway", required=True, metavar="ID")
    fill.add_argument("--cloud-url", required=True, metavar="URL")
    fill.add_argument("--plant", type=Path, required=True, help="the state folder of run")
    fill.add_argument("--modbus-port", type=port, required=True, help=PORT_HELP)
    fill.add_argument("--local-port", type=port, required=True)
    commands.add_parser("scenarios", help="list the scenarios")
    fault = commands.add_parser("fault", help="put a fault on a device or line of a running plant")
    fault.add_argument("state", type=Path)
    fault.add_argument("name", help="of the device or line")
    fault.add_argument(
        "fault",
        help=f"none or {', '.join(BEHAVIOURS)}, with :ARGUMENT where it has one, such as slow:300, "
        "slow:20-50, reboot:5, noise:3; /5 behind it: every 5th answer; several joined by +",
    )
    listed = commands.add_parser("faults", help="list devices and lines of a running plant with their faults")
    listed.add_argument("state", type=Path)
    cellular = commands.add_parser("modem", help="serve a cellular modem's command port")
    cellular.add_argument("--link", type=Path, required=True, help="where the agent finds it")
    cellular.add_argument("--csq", type=whole(0, UNKNOWN_CSQ), default=UNKNOWN_CSQ, help="signal strength")
    load = commands.add_parser("modbus-load", help="serve fast Modbus TCP slaves, for benchmarks of masters")
    load.add_argument("--slaves", type=whole(1, MOST_SLAVES), default=1, metavar="N", help="one port each")
    load.add_argument(
        "--points", type=whole(1, MOST_POINTS), default=1000, metavar="N",
        help="float32 of each slave, from holding and input register 0",
    )  # fmt: skip
    load.add_argument(
        "--port", type=port, default=0, help="of the first slave, the others follow; 0: free ones"
    )
    load.add_argument("--latency-ms", type=latency_s, default=(0.0, 0.0), metavar="X[-Y]")
    load.add_argument("--seed", type=int, default=1, help="of a latency between X and Y")
    fleet = commands.add_parser("fleet", help="many gateways that speak the contract, for load on a cloud")
    add_fleet_arguments(fleet, whole)
    return parser.parse_args(words)


def whole(low: int, high: int) -> Callable[[str], int]:
    """A whole number of the command line within limits."""

    def number(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(f"must be a whole number from {low} to {high}")
        return int(text)

    return number


def latency_s(text: str) -> tuple[float, float]:
    try:
        return delay_range_s(text)
    except FaultError:
        raise argparse.ArgumentTypeError("must be milliseconds such as 20 or 20-50") from None


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
