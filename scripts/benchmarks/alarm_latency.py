"""What scripts/bench measures of an alarm's way: from the field to a browser, and back to the field."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from pymodbus.client import AsyncModbusTcpClient
from stack import Stack
from websockets.asyncio.client import connect

from benchmarks.product import Figures, configuration, running

STACKS, ROUNDS = 5, 20
"""Rounds of each stack: linkages write to a point as often in 10 minutes, then they rest."""
TIMEOUT_S = 30.0
LOOK_S = 0.005
WATCHED, WRITTEN = "pressure_setpoint", "level_setpoint"
LIMIT, WITHIN, BEYOND = 1.3, 1.0, 1.4
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
        """When the register has this value, in seconds."""
        while True:
            reply = await self._client.read_holding_registers(self._written, count=1, device_id=self._number)
            if reply.registers == [value]:
                return time.time()
            await asyncio.sleep(LOOK_S)


async def until_alarm(socket: Any, *, is_recovery: bool) -> tuple[float, float]:
    """Time of its sample, and when a browser hears of it, in seconds."""
    while True:
        push = json.loads(await socket.recv())
        is_new = push["type"] == "alarm" and push["event"] == "new"
        if is_new and (push["alarm_type"] == 0) is is_recovery:
            return push["at"] / 1000, time.time()


def prepare(stack: Stack) -> None:
    """A trigger with a linkage, which the gateway evaluates."""
    device = stack.api.get("/device?page=1&limit=1")["rows"][0]["id"]
    numbers = {
        row["ds_name"]: row["dsid"] for row in stack.api.get(f"/device/dss?device_id={device}")["rows"]
    }
    writes = [{"dsid": numbers[WRITTEN], "value": LINKED}]
    preset = stack.api.call("POST", f"/device/{device}/preset", {"title": "linked", "writes": writes})
    condition = {"type": 1, "dsid": numbers[WATCHED], "trigger_optype": 1, "trigger_threshold": LIMIT}
    rule = {"title": "beyond", "conditions": [condition], "linkage": [{"preset_id": preset["id"]}]}
    made = stack.api.call("POST", "/trigger", {"title": "Latency", "rules": [rule]})

    def is_at_gateway() -> bool:
        return bool(stack.api.get(f"/trigger/{made['id']}")["rules"][0]["home"] == "gateway")

    stack.wait(is_at_gateway, "the gateway evaluates the rule", timeout_s=2 * TIMEOUT_S)


class AlarmTimes(NamedTuple):
    """Times in seconds: of the register's change beyond the limit, of its sample, of the alarm in a browser,
    and of the linkage's write in the field.
    """

    changed_s: float
    sampled_s: float
    heard_s: float
    written_s: float


async def rounds(stack: Stack) -> list[AlarmTimes]:
    """One after the other, from any moment of the capture cycle."""
    client = AsyncModbusTcpClient("127.0.0.1", port=stack.ports.modbus)
    await client.connect()
    field, done = Field(client, configuration(stack)), list[AlarmTimes]()
    url = stack.api.base.replace("http", "ws") + "/api/v1/ws"
    async with connect(url, origin=stack.api.base) as socket:  # type: ignore[arg-type]
        await socket.send(json.dumps({"type": "identify", "token": stack.api.token}))
        for _ in range(ROUNDS):
            await field.set_written(UNLINKED)
            await asyncio.sleep(random.random())
            changed_s = time.time()
            await field.set_watched(BEYOND)
            async with asyncio.timeout(TIMEOUT_S):
                (sampled_s, heard_s), written_s = await asyncio.gather(
                    until_alarm(socket, is_recovery=False), field.until_written(LINKED)
                )
            done.append(AlarmTimes(changed_s, sampled_s, heard_s, written_s))
            await field.set_watched(WITHIN)
            async with asyncio.timeout(TIMEOUT_S):
                await until_alarm(socket, is_recovery=True)
    client.close()
    return done


def _ranks(name: str, delays_s: Iterable[float]) -> Figures:
    ordered = [1000 * delay_s for delay_s in sorted(delays_s)]
    return {
        f"{name}, p50 ms": ordered[len(ordered) // 2],
        f"{name}, p99 ms": ordered[int(len(ordered) * 0.99)],
        f"{name}, worst ms": ordered[-1],
    }


def alarm_latency() -> Figures:
    """From the field to an alarm in a browser and to its linkage's write, with the demo's cycles."""
    done, cycle_ms = list[AlarmTimes](), 0
    for _ in range(STACKS):
        with running("boiler_house") as stack:
            cycle_ms = configuration(stack)["ports"][0].get("capture_cycle_ms", 1000)
            prepare(stack)
            done += asyncio.run(rounds(stack))
    return {
        "capture cycle ms": cycle_ms,
        "alarms": len(done),
        **_ranks("change -> alarm in a browser", (each.heard_s - each.changed_s for each in done)),
        **_ranks(
            "change -> linkage's write in the field", (each.written_s - each.changed_s for each in done)
        ),
        **_ranks("sample -> alarm in a browser", (each.heard_s - each.sampled_s for each in done)),
        **_ranks(
            "sample -> linkage's write in the field", (each.written_s - each.sampled_s for each in done)
        ),
    }


ALARM_LATENCY_BENCHMARKS: dict[str, Callable[[], Figures]] = {"alarm_latency": alarm_latency}
