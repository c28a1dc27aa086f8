"""What a meter holds: items of the standard as bytes, single and in blocks, clock and status. Pure."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from random import Random

from edge_agent.protocols.dlt645.codec import int_to_bcd
from edge_agent.protocols.dlt645.items import Item, items
from firmware_sim.devices.dlt645.description import MeterDevice
from firmware_sim.process.process import Process

Bytes = Callable[[], bytes]


class MeterValues:
    """Value bytes by identifier, as printed. A value stays the same until the next refresh."""

    def __init__(self, device: MeterDevice, process: Process, *, seed: int) -> None:
        self._chance = Random(f"{seed}:{device.name}")  # noqa: S311 (a simulation)
        self._live: list[tuple[str, Bytes]] = []
        self._now: dict[str, bytes] = {}
        self._blocks: dict[str, list[str]] = {}
        known = items(device.statute)
        for source in device.items:
            item = known[source.item]
            read = process.reader(source.signal)
            self._live.append((item.di, self._measured(item, read, source.scale, source.noise)))
            if item.block:
                self._blocks.setdefault(item.block, []).append(item.di)
        position = {item.di: item.position for item in known.values()}
        length = {item.di: item.length for item in known.values()}
        self._layout = {
            block: [
                (next((di for di in dis if position[di] == at), None), length[dis[0]])
                for at in range(max(position[di] for di in dis) + 1)
            ]
            for block, dis in self._blocks.items()
        }
        self.refresh()

    def refresh(self) -> None:
        """Measure once."""
        for di, measure in self._live:
            self._now[di] = measure()

    def get(self, di: str) -> bytes | None:
        """Bytes of an item or a block; None for what the meter does not have.

        Within a block an item that the meter does not measure is FF, as for a missing phase.
        """
        if di in self._layout:
            return b"".join(
                self._now[member] if member else b"\xff" * length for member, length in self._layout[di]
            )
        return self._now.get(di)

    def _measured(self, item: Item, read: Callable[[], float], scale: float, noise: float) -> Bytes:
        gauss = self._chance.gauss
        if noise:
            return lambda: value_bytes(item, (read() + gauss(0, noise)) / scale)
        return lambda: value_bytes(item, read() / scale)


def value_bytes(item: Item, value: float) -> bytes:
    """A number as the item's BCD; counters go over to zero, other numbers stop at what fits."""
    number = round(abs(value) * 10**item.decimals)
    negative = item.signed and value < 0 and number > 0
    if item.unit.endswith("h"):
        number %= 100**item.length
    max_number = 8 * 100 ** (item.length - 1) * 10 - 1 if item.signed else 100**item.length - 1
    data = bytearray(int_to_bcd(min(number, max_number), item.length))
    if negative:
        data[-1] |= 0x80
    return bytes(data)


def date_bytes(moment: datetime) -> bytes:
    """WW DD MM YY, 0 is Sunday."""
    numbers = (moment.isoweekday() % 7, moment.day, moment.month, moment.year % 100)
    return b"".join(int_to_bcd(number, 1) for number in numbers)


def time_bytes(moment: datetime) -> bytes:
    """ss mm hh."""
    return b"".join(int_to_bcd(number, 1) for number in (moment.second, moment.minute, moment.hour))


def moment_of(data: bytes) -> datetime | None:
    """Moment of ss mm hh DD MM YY; None when it is none."""
    try:
        return datetime.strptime(data.hex(), "%S%M%H%d%m%y")  # noqa: DTZ007 (a meter's clock knows no zone)
    except ValueError:
        return None
