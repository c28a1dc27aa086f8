"""What scripts/bench measures. Each function returns figures by name; units are in the names."""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3
import statistics
import subprocess
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
from _environment import PYTHON
from pymodbus.client import AsyncModbusTcpClient
from stack import Ports, Stack
from websockets.asyncio.client import connect

from edge_contract import batch

Figures = dict[str, float | int | str]

COLLECT_S = 15.0
WARM_UP_S = 5.0
LATENCY_CHANGES = 40
LATENCY_TIMEOUT_S = 30.0
IDLE_AFTER_S = 30.0
MQTT_HEADER_BYTES = 5  # fixed header, topic length, packet id

BARE_LOOP = """
import asyncio, json, sys, time
from pymodbus.client import AsyncModbusTcpClient
async def main(port, slaves, registers, seconds):
    client = AsyncModbusTcpClient("127.0.0.1", port=port, retries=0)
    await client.connect()
    points, end, cpu = 0, time.monotonic() + seconds, time.process_time()
    while time.monotonic() < end:
        for slave in slaves:
            for start in range(0, registers, 124):
                count = min(124, registers - start)
                reply = await client.read_holding_registers(start, count=count, device_id=slave)
                values = client.convert_from_registers(reply.registers, client.DATATYPE.FLOAT32)
                points += len(values)
    print(json.dumps({"points": points, "cpu_s": time.process_time() - cpu}))
    client.close()
asyncio.run(main(int(sys.argv[1]), json.loads(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])))
"""


@contextmanager
def running(scenario: str) -> Iterator[Stack]:
    """A stack in a temporary folder, signed in, with a first value."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Stack(Path(folder), Ports.free(), scenario=scenario).running() as stack,
    ):
        yield stack


def configuration(stack: Stack) -> dict[str, Any]:
    return tomllib.loads((stack.data / "agent" / "gateway.toml").read_text())


def cpu_s(pid: int) -> float:
    used = psutil.Process(pid).cpu_times()
    return float(used.user + used.system)


def landed(stack: Stack) -> list[bytes]:
    """Payloads of the batches that the cloud has landed durably."""
    database = next((stack.data / "cloud").glob("*.db"))
    for path in (stack.data / "cloud").glob("*.db"):
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
            if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'link_batch'").fetchone():
                database = path
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        return [row[0] for row in connection.execute("SELECT payload FROM link_batch")]


def collect() -> Figures:
    """Modbus TCP points from slave to cloud storage, beside a bare pymodbus loop on the same slaves."""
    with running("bench") as stack:
        toml = configuration(stack)
        slaves = [int(slave["address"]) for slave in toml["slaves"]]
        registers = 2 * max(sum(p["slave"] == s["name"] for p in toml["points"]) for s in toml["slaves"])
        time.sleep(WARM_UP_S)
        before, agent, cloud, start = (
            landed(stack),
            cpu_s(stack.agent.pid),
            cpu_s(stack.cloud.pid),
            time.monotonic(),
        )
        time.sleep(COLLECT_S)
        after, seconds = landed(stack), time.monotonic() - start
        agent, cloud = cpu_s(stack.agent.pid) - agent, cpu_s(stack.cloud.pid) - cloud
        fresh = after[len(before) :]
        samples = sum(batch.read_header(payload).samples for payload in fresh)
        stack.agent.stop()
        words = [
            str(PYTHON),
            "-c",
            BARE_LOOP,
            str(stack.ports.modbus),
            json.dumps(slaves),
            str(registers),
            "5",
        ]
        bare = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    ours, yardstick = samples / agent, bare["points"] / bare["cpu_s"]
    return {
        "points in the configuration": len(toml["points"]),
        "points/s landed durably in the cloud": samples / seconds,
        "agent: points per CPU-second": ours,
        "bare pymodbus loop: points per CPU-second": yardstick,
        "ratio agent / bare loop": ours / yardstick,
        "agent: CPU %": 100 * agent / seconds,
        "cloud (broker inside): CPU %": 100 * cloud / seconds,
        "cloud: points per CPU-second": samples / cloud,
        "bytes a sample in landed batches": sum(map(len, fresh)) / max(samples, 1),
    }


async def changes(stack: Stack) -> list[float]:
    """Seconds from a register's change in the field to its value on the WebSocket."""
    toml = configuration(stack)
    tcp = next(slave for slave in toml["slaves"] if slave["protocol"] == "modbus_tcp")
    point = next(
        p
        for p in toml["points"]
        if p["slave"] == tcp["name"] and p.get("rw") == "readwrite" and p["address"]["reg_type"] == "4X"
    )
    device = stack.api.get("/device?page=1&limit=1")["rows"][0]["id"]
    source = next(
        row
        for row in stack.api.get(f"/device/dss?device_id={device}")["rows"]
        if row["ds_name"] == point["name"] and row["slave"] == tcp["name"]
    )
    low, high = source["min"], source["max"]
    client = AsyncModbusTcpClient("127.0.0.1", port=stack.ports.modbus)
    await client.connect()
    delays_s = []
    url = stack.api.base.replace("http", "ws") + "/api/v1/ws"
    async with connect(url, origin=stack.api.base) as socket:  # type: ignore[arg-type]
        await socket.send(json.dumps({"type": "identify", "token": stack.api.token}))
        await socket.send(json.dumps({"type": "subscribe", "devices": [device], "dsids": [source["dsid"]]}))
        for step in range(LATENCY_CHANGES):
            wanted = round(low + (high - low) * (0.3 + 0.4 * ((step * 7) % 10) / 10), source["decimals"] or 0)
            raw = (wanted - point.get("bias", 0)) / point.get("ratio", 1)
            kind = client.DATATYPE.FLOAT32 if point.get("data_type") == "float" else client.DATATYPE.UINT16
            words = client.convert_to_registers(raw if kind is client.DATATYPE.FLOAT32 else round(raw), kind)
            await asyncio.sleep(random.random())
            start = time.monotonic()
            await client.write_registers(point["address"]["offset"], words, device_id=int(tcp["address"]))
            async with asyncio.timeout(LATENCY_TIMEOUT_S):
                while True:
                    push = json.loads(await socket.recv())
                    rows = push.get("rows", []) if push["type"] == "dp" else []
                    if any(row[0] == source["dsid"] and abs(row[2] - wanted) < 1e-6 for row in rows):
                        break
            delays_s.append(time.monotonic() - start)
    client.close()
    return delays_s


def latency() -> Figures:
    """From a change in the field to the WebSocket, with the demo's capture cycle and commit interval."""
    with running("boiler_house") as stack:
        toml = configuration(stack)
        delays_s = sorted(asyncio.run(changes(stack)))
    return {
        "capture cycle ms": toml["ports"][0].get("capture_cycle_ms", 1000),
        "commit interval s": toml.get("storage", {}).get("commit_interval_s", 1.0),
        "changes": len(delays_s),
        "p50 s": statistics.median(delays_s),
        "p99 s (nearest rank)": delays_s[min(len(delays_s) - 1, int(0.99 * len(delays_s)))],
        "worst s": delays_s[-1],
    }


def agent() -> Figures:
    """Memory and start time of the agent on the demo's configuration."""
    with running("boiler_house") as stack:
        time.sleep(IDLE_AFTER_S)
        process = psutil.Process(stack.agent.pid)
        memory, children = process.memory_full_info(), len(process.children())
        cpu = cpu_s(stack.agent.pid)
        time.sleep(IDLE_AFTER_S / 3)
        busy = (cpu_s(stack.agent.pid) - cpu) / (IDLE_AFTER_S / 3)
        stack.agent.stop()
        start = time.monotonic()
        stack.start_agent()
        stack.wait(stack.first_value, "a value after the restart", stack.agent)
        begin = time.monotonic() - start
    return {
        "resident memory MB": memory.rss / 1e6,
        "unique memory MB": memory.uss / 1e6,
        "child processes": children,
        "CPU % on the demo": 100 * busy,
        "start to a value answered by REST, s": begin,
    }


BENCHMARKS: dict[str, Callable[[], Figures]] = {
    "collect": collect,
    "latency": latency,
    "agent": agent,
}
