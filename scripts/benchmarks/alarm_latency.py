"""What scripts/bench measures of an alarm's way: from the field to a browser, and back to the field."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Callable, Sequence
from typing import Any

from pymodbus.client import AsyncModbusTcpClient
from stack import Stack
from websockets.asyncio.client import connect

from benchmarks.product import Figures, configuration, running

ROUNDS = 20
"""A rule writes as often in 10 minutes; then its linkages rest."""
TIMEOUT_S = 30.0
LOOK_S = 0.005
WATCHED, WRITTEN = "pressure_setpoint", "level_setpoint"
LIMIT, WITHIN, BEYOND = 1.2, 1.0, 1.4
LINKED, UNLINKED = 40, 0


class Field:
    """The registers of the two points, as a master of the plant's own would see them."""

    def __init__(self, client: AsyncModbusTcpClient, toml: dict[str, Any]) -> None:
        self._client = client
        points = {(point["slave"], point["name"]): point for point in toml["points"]}
        slave = next(one for one in toml["slaves"] if (one["name"], WATCHED) in points)
        self._number = int(slave["address"])
        self._watched = points[slave["name"], WATCHED]["address"]["offset"]
        self._written = points[slave["name"], WRITTEN]["address"]["offset"]

    async def set_watched(self, value: float) -> None:
        words = self._client.convert_to_registers(value, self._client.DATATYPE.FLOAT32)
        await self._client.write_registers(self._watched, words, device_id=self._number)

    async def set_written(self, value: int) -> None:
        await self._client.write_registers(self._written, [value], device_id=self._number)

    async def until_written(self, value: int) -> float:
        """When the register has this value, by the monotonic clock."""
        while True:
            reply = await self._client.read_holding_registers(self._written, count=1, device_id=self._number)
            if reply.registers == [value]:
                return time.monotonic()
            await asyncio.sleep(LOOK_S)


async def until_alarm(socket: Any, *, is_recovery: bool) -> float:
    """When a browser hears of it, by the monotonic clock."""
    while True:
        push = json.loads(await socket.recv())
        is_new = push["type"] == "alarm" and push["event"] == "new"
        if is_new and (push["alarm_type"] == 0) is is_recovery:
            return time.monotonic()


def prepare(stack: Stack) -> None:
    """A trigger with a linkage, which the gateway evaluates."""
    device = stack.api.get("/device?page=1&limit=1")["rows"][0]["id"]
    numbers = {
        row["ds_name"]: row["dsid"] for row in stack.api.get(f"/device/dss?device_id={device}")["rows"]
    }
    writes = [{"dsid": numbers[WRITTEN], "value": LINKED}]
    preset = stack.api.call("POST", f"/device/{device}/preset", {"title": "linked", "writes": writes})
    condition = {"type": 1, "dsid": numbers[WATCHED], "trigger_optype": 1, "trigger_threshold": LIMIT}
    linkages = [{"on": "raised", "preset_id": preset["id"]}]
    rule = {"title": "beyond", "conditions": [condition], "linkages": linkages}
    made = stack.api.call("POST", "/trigger", {"title": "Latency", "rules": [rule]})

    def is_at_gateway() -> bool:
        return bool(stack.api.get(f"/trigger/{made['id']}")["rules"][0]["home"] == "gateway")

    stack.wait(is_at_gateway, "the gateway evaluates the rule", timeout_s=2 * TIMEOUT_S)


async def rounds(stack: Stack) -> tuple[list[float], list[float]]:
    """Seconds from a register's change beyond the limit to the alarm in a browser, and to the linkage's
    write in the field.
    """
    client = AsyncModbusTcpClient("127.0.0.1", port=stack.ports.modbus)
    await client.connect()
    field, heard, linked = Field(client, configuration(stack)), list[float](), list[float]()
    url = stack.api.base.replace("http", "ws") + "/api/v1/ws"
    async with connect(url, origin=stack.api.base) as socket:  # type: ignore[arg-type]
        await socket.send(json.dumps({"type": "identify", "token": stack.api.token}))
        for _ in range(ROUNDS):
            await field.set_written(UNLINKED)
            await asyncio.sleep(random.random())
            start = time.monotonic()
            await field.set_watched(BEYOND)
            async with asyncio.timeout(TIMEOUT_S):
                ends = await asyncio.gather(
                    until_alarm(socket, is_recovery=False), field.until_written(LINKED)
                )
            heard.append(ends[0] - start)
            linked.append(ends[1] - start)
            await field.set_watched(WITHIN)
            async with asyncio.timeout(TIMEOUT_S):
                await until_alarm(socket, is_recovery=True)
    client.close()
    return heard, linked


def _ranks(name: str, delays_s: Sequence[float]) -> Figures:
    ordered = sorted(delays_s)
    return {f"{name}, p50 s": ordered[len(ordered) // 2], f"{name}, worst s": ordered[-1]}


def alarm_latency() -> Figures:
    """From the field to an alarm in a browser and to its linkage's write, with the demo's cycles."""
    with running("boiler_house") as stack:
        toml = configuration(stack)
        prepare(stack)
        heard, linked = asyncio.run(rounds(stack))
    return {
        "capture cycle ms": toml["ports"][0].get("capture_cycle_ms", 1000),
        "alarms": len(heard),
        **_ranks("alarm in a browser", heard),
        **_ranks("linkage's write in the field", linked),
    }


ALARM_LATENCY_BENCHMARKS: dict[str, Callable[[], Figures]] = {"alarm_latency": alarm_latency}
