"""The command `modbus-load`: slaves for benchmarks of masters."""

from __future__ import annotations

import argparse
import asyncio
import json

from firmware_sim.command_line import Command, integer_between, latency_s, port, until_signal, write_line
from firmware_sim.devices.modbus.load import MAX_POINTS, MAX_SLAVES, LoadServer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--slaves", type=integer_between(1, MAX_SLAVES), default=1, metavar="N", help="one port each"
    )
    parser.add_argument(
        "--points", type=integer_between(1, MAX_POINTS), default=1000, metavar="N",
        help="float32 of each slave, from holding and input register 0",
    )  # fmt: skip
    parser.add_argument(
        "--port", type=port, default=0, help="of the first slave, the others follow; 0: free ones"
    )
    parser.add_argument("--latency-ms", type=latency_s, default=(0.0, 0.0), metavar="X[-Y]")
    parser.add_argument("--seed", type=int, default=1, help="of a latency between X and Y")


async def serve(chosen: argparse.Namespace) -> None:
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
        write_line(json.dumps({"ready": True, "points": chosen.points, "ports": server.ports}))
        await until_signal(asyncio.get_running_loop().create_future())
    finally:
        server.close()
    write_line(json.dumps(server.figures()))


LOAD = Command(
    "modbus-load",
    "serve fast Modbus TCP slaves, for benchmarks of masters",
    add_arguments,
    lambda chosen: asyncio.run(serve(chosen)),
)
