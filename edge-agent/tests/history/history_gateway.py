"""What the tests of the local history share: clock, configuration, live values."""

from __future__ import annotations

import asyncio

from edge_agent.config.load import parse
from edge_agent.history.archive import Archive
from edge_agent.history.base import StoredSample
from edge_agent.history.chunk import decoded
from edge_agent.history.place import HistoryPlace
from edge_agent.history.storing import StoredSlave, Storing
from edge_agent.model import PointKey, Quality, Sample, Value

NOW = 1_800_000_000_000
DAY_MS = 24 * 3600 * 1000


class HandClock:
    """offset_ms: what the wall clock shows beyond NOW and the seconds that passed."""

    def __init__(self) -> None:
        self.seconds = 1000.0
        self.offset_ms = 0

    def now_ms(self) -> int:
        return NOW + round((self.seconds - 1000) * 1000) + self.offset_ms

    def monotonic(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.seconds += seconds
        await asyncio.sleep(0)


CONFIGURATION = parse("""
[gateway]
id = "gw-1"
[[ports]]
name = "lan"
type = "NET"
host = "127.0.0.1"
[[slaves]]
name = "meter"
port = "lan"
protocol = "modbus_tcp"
address = "1"
storage_cycle_s = 10
[[slaves]]
name = "tank"
port = "lan"
protocol = "modbus_tcp"
address = "2"
storage_cycle_s = 30
[[slaves]]
name = "fan"
port = "lan"
protocol = "modbus_tcp"
address = "3"
[[points]]
slave = "meter"
name = "power"
address = { reg_type = "3X", offset = 1 }
[[points]]
slave = "meter"
name = "energy"
address = { reg_type = "3X", offset = 2 }
[[points]]
slave = "meter"
name = "secret"
record = 0
address = { reg_type = "3X", offset = 3 }
[[points]]
slave = "tank"
name = "level"
address = { reg_type = "3X", offset = 1 }
[[points]]
slave = "fan"
name = "speed"
address = { reg_type = "3X", offset = 1 }
""")
NUMBERS = {PointKey(point.slave, point.name): at for at, point in enumerate(CONFIGURATION.points, start=7)}
POWER, ENERGY, LEVEL = PointKey("meter", "power"), PointKey("meter", "energy"), PointKey("tank", "level")


class Values:
    """The live table."""

    def __init__(self, clock: HandClock) -> None:
        self._clock = clock
        self.samples: dict[int, Sample] = {}

    def show(self, key: PointKey, value: Value, quality: Quality = Quality.GOOD) -> Sample:
        """A point is read now."""
        sample = Sample(NUMBERS[key], self._clock.now_ms(), value, quality)
        self.samples[sample.point] = sample
        return sample


def slaves() -> list[StoredSlave]:
    return [
        StoredSlave("meter", 10, {NUMBERS[POWER]: POWER, NUMBERS[ENERGY]: ENERGY}),
        StoredSlave("tank", 30, {NUMBERS[LEVEL]: LEVEL}),
    ]


def storing_at(
    place: HistoryPlace, values: Values, clock: HandClock, days: int = 30
) -> tuple[Storing, Archive]:
    archive = Archive(place)
    return Storing(slaves(), values.samples.get, archive, days, clock), archive


async def chunks_in(archive: Archive) -> list[StoredSample]:
    """Everything that lies in chunks, in the order of storing."""
    return await archive.call(
        lambda store: [
            one
            for chunk in store.chunks(None, 0, 2**53, 0, 2**53, 10_000)
            for one in decoded(chunk.payload, store.keys())
        ]
    )
