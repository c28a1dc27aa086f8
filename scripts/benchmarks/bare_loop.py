"""The yardstick: a loop of pymodbus alone that reads float32 points from slaves and keeps none of them.

Usage: python -m benchmarks.bare_loop PORTS POINTS PERIOD_S SECONDS WARM_UP_S. PORTS: a JSON list, one slave a
port; a period of 0 is as fast as the slaves answer. At the end one JSON line: points, s, cpu_s, rss_mb.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

import psutil
from pymodbus.client import AsyncModbusTcpClient

MAX_REGISTERS = 124


class Slave:
    """One connection and the points that were read over it."""

    def __init__(self, port: int, registers: int) -> None:
        self.points = 0
        self._client = AsyncModbusTcpClient("127.0.0.1", port=port, retries=0)
        self._registers = registers

    async def poll(self, period_s: float, seconds: float) -> None:
        """Ends by itself: pymodbus takes a cancellation for a failed request, and goes on."""
        client, loop = self._client, asyncio.get_running_loop()
        end = loop.time() + seconds
        await client.connect()
        due = loop.time()
        while loop.time() < end:
            for start in range(0, self._registers, MAX_REGISTERS):
                count = min(MAX_REGISTERS, self._registers - start)
                reply = await client.read_holding_registers(start, count=count, device_id=1)
                values = client.convert_from_registers(reply.registers, client.DATATYPE.FLOAT32)
                self.points += len(values) if isinstance(values, list) else 1
            if period_s:
                due += period_s
                await asyncio.sleep(max(0.0, due - loop.time()))
        client.close()


async def main(ports: list[int], points: int, period_s: float, seconds: float, warm_up_s: float) -> None:
    slaves = [Slave(port, 2 * points) for port in ports]
    polls = asyncio.gather(*(slave.poll(period_s, warm_up_s + seconds + period_s) for slave in slaves))
    await asyncio.sleep(warm_up_s)
    before, cpu, begin = sum(slave.points for slave in slaves), time.process_time(), time.monotonic()
    await asyncio.sleep(seconds)
    figures = {
        "points": sum(slave.points for slave in slaves) - before,
        "s": time.monotonic() - begin,
        "cpu_s": time.process_time() - cpu,
        "rss_mb": psutil.Process().memory_info().rss / 1e6,
    }
    await polls
    print(json.dumps(figures))


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.argv[1]), int(sys.argv[2]), *map(float, sys.argv[3:6])))
