"""Command line of the simulator."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

from firmware_sim import scenario
from firmware_sim.app import Simulator
from firmware_sim.behaviours import BEHAVIOURS
from firmware_sim.command_line import Command, port, positive, until_signal, write_line
from firmware_sim.control import faults, put_fault
from firmware_sim.devices.all import DEVICES
from firmware_sim.errors import SimulatorError
from firmware_sim.gateways.command import FLEET
from firmware_sim.hj212_platform.command import PLATFORM_COMMANDS
from firmware_sim.served_values import ServedValuesLog

PORT_HELP = "of the first line behind a TCP port, the next lines have the next ones; 0: free ones"


def main(words: Sequence[str] | None = None) -> int:
    chosen = arguments(words)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        chosen.run(chosen)
    except SimulatorError as error:
        sys.stderr.write(f"firmware-sim: {error}\n")
        return 1
    return 0


def arguments(words: Sequence[str] | None) -> argparse.Namespace:
    """run: of the command that was chosen."""
    parser = argparse.ArgumentParser(prog="firmware-sim", description="Simulated field devices.")
    parsers = parser.add_subparsers(dest="command", required=True)
    of_devices = [command for kind in DEVICES for command in kind.commands]
    for command in (*OWN_COMMANDS, *of_devices, FLEET, *PLATFORM_COMMANDS):
        below = parsers.add_parser(command.name, help=command.help)
        command.add_arguments(below)
        below.set_defaults(run=command.run)
    return parser.parse_args(words)


def add_serve_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scenario", help="name of a scenario, or a plant file")
    parser.add_argument("--state", type=Path, required=True, help="folder for the links to the serial lines")
    parser.add_argument("--modbus-port", type=port, default=0, help=PORT_HELP)
    parser.add_argument("--ledger", type=Path, help="note every counter value before it leaves")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--speed", type=positive, default=1.0, help="simulated seconds in one second")


async def serve(chosen: argparse.Namespace) -> None:
    """Serve the plant until SIGTERM or SIGINT."""
    plant = scenario.describe(chosen.scenario)
    with ExitStack() as stack:
        served_log = None if chosen.ledger is None else stack.enter_context(ServedValuesLog(chosen.ledger))
        simulator = Simulator(
            plant,
            chosen.state,
            start=datetime.now().replace(microsecond=0),  # noqa: DTZ005 (a plant lives in local time)
            first_port=chosen.modbus_port,
            served_log=served_log,
            seed=chosen.seed,
            speed=chosen.speed,
        )
        ready = await simulator.open()
        stack.callback(simulator.close)
        task = asyncio.ensure_future(simulator.run())
        write_line(json.dumps({"ready": True, "scenario": chosen.scenario, **ready}, ensure_ascii=False))
        await until_signal(task)


def add_config_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scenario")
    parser.add_argument("--gateway", required=True, metavar="ID")
    parser.add_argument("--cloud-url", required=True, metavar="URL")
    parser.add_argument("--plant", type=Path, required=True, help="the state folder of run")
    parser.add_argument("--modbus-port", type=port, required=True, help=PORT_HELP)
    parser.add_argument("--local-port", type=port, required=True)


def write_config(chosen: argparse.Namespace) -> None:
    text = scenario.gateway_toml(
        chosen.scenario,
        gateway=chosen.gateway,
        cloud_url=chosen.cloud_url,
        plant=str(chosen.plant.resolve()),
        first_port=chosen.modbus_port,
        local_port=chosen.local_port,
    )
    write_line(text.rstrip("\n"))


def write_scenarios(chosen: argparse.Namespace) -> None:
    for name in scenario.names():
        write_line(f"{name}\t{scenario.describe(name).title}")


def add_fault_arguments(parser: argparse.ArgumentParser) -> None:
    add_state_argument(parser)
    parser.add_argument("name", help="of the device or line")
    parser.add_argument(
        "fault",
        help=f"none or {', '.join(BEHAVIOURS)}, with :ARGUMENT where it has one, such as slow:300, "
        "slow:20-50, reboot:5, noise:3; /5 behind it: every 5th answer; several joined by +",
    )


def add_state_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("state", type=Path)


def write_faults(chosen: argparse.Namespace) -> None:
    for name, text in faults(chosen.state).items():
        write_line(f"{name}\t{text}")


OWN_COMMANDS = (
    Command(
        "run", "serve a plant until SIGTERM", add_serve_arguments, lambda chosen: asyncio.run(serve(chosen))
    ),
    Command("config", "print the agent's configuration for a scenario", add_config_arguments, write_config),
    Command("scenarios", "list the scenarios", lambda parser: None, write_scenarios),
    Command(
        "fault",
        "put a fault on a device or line of a running plant",
        add_fault_arguments,
        lambda chosen: put_fault(chosen.state, chosen.name, chosen.fault),
    ),
    Command(
        "faults",
        "list devices and lines of a running plant with their faults",
        add_state_argument,
        write_faults,
    ),
)


if __name__ == "__main__":
    sys.exit(main())
