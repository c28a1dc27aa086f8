"""A modem stands in no plant: a command serves one."""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path

from firmware_sim.command_line import Command, integer_between, until_signal, write_line
from firmware_sim.devices.base import DeviceKind
from firmware_sim.devices.modem.at_modem import UNKNOWN_CSQ, AtModem, ModemIdentity


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--link", type=Path, required=True, help="where the agent finds it")
    parser.add_argument(
        "--csq", type=integer_between(0, UNKNOWN_CSQ), default=UNKNOWN_CSQ, help="signal strength"
    )
    parser.add_argument("--imei", default=ModemIdentity.imei, help="15 digits")
    parser.add_argument("--iccid", default="", help="up to 20 digits; without it there is no card")


async def serve(chosen: argparse.Namespace) -> None:
    """Serve a cellular modem's command port until SIGTERM or SIGINT."""
    served = AtModem(chosen.link, chosen.csq, ModemIdentity(chosen.imei, chosen.iccid))
    served.open()
    try:
        write_line(json.dumps({"ready": True, "link": str(chosen.link)}))
        await until_signal(asyncio.get_running_loop().create_future())
    finally:
        served.close()


MODEM = DeviceKind(
    commands=(
        Command(
            "modem",
            "serve a cellular modem's command port",
            add_arguments,
            lambda chosen: asyncio.run(serve(chosen)),
        ),
    )
)
