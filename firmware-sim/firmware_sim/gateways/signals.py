"""What a simulated gateway measures: any (gateway, point, time) has one value, whoever asks. Pure."""

from __future__ import annotations

import zlib

from edge_contract.payloads import Catalog, PointEntry, SlaveEntry, catalog_hash

DECIMALS = 1
SPAN = 20_000
"""Raw values lie in -SPAN / 2 .. SPAN / 2 - 1: tenths in 16 bits, as most registers give them."""

RESOLUTION_MS = 10
"""Two times within this step may have one value."""

SLAVE = "load"


class Signals:
    """The points of one gateway, numbered from 1. Each is a saw-tooth of its own slope and phase."""

    def __init__(self, seed: int, gateway: str, points: int) -> None:
        hashes = [zlib.crc32(f"{seed}/{gateway}/{point}".encode()) for point in range(1, points + 1)]
        self._lines = [(value % SPAN, value // SPAN % 97 + 1) for value in hashes]
        self.points = points

    def raw(self, t_ms: int) -> list[int]:
        """Every point at a time, in tenths."""
        step, half = t_ms // RESOLUTION_MS, SPAN // 2
        return [(phase + step * slope) % SPAN - half for phase, slope in self._lines]

    def value(self, point: int, t_ms: int) -> float:
        """What the cloud must hold for this point at this time."""
        phase, slope = self._lines[point - 1]
        raw = (phase + t_ms // RESOLUTION_MS * slope) % SPAN - SPAN // 2
        return raw / 10.0**DECIMALS


def catalog(points: int, period_ms: int, t_ms: int) -> Catalog:
    """One slave with so many read-only numbers and, when there are two or more, a writable last one."""
    slaves = [SlaveEntry(name=SLAVE, title="Load", protocol="modbus_tcp", port="lan", address="1")]
    entries = [
        PointEntry(
            id=point,
            slave=SLAVE,
            name=f"p{point}",
            title=f"Point {point}",
            kind="num",
            rw="readwrite" if point == points > 1 else "readonly",
            data_type="int16",
            decimals=DECIMALS,
            period_ms=period_ms,
            min=-SPAN / 20,
            max=SPAN / 20,
        )
        for point in range(1, points + 1)
    ]
    return Catalog(hash=catalog_hash(slaves, entries), t_ms=t_ms, slaves=slaves, points=entries)
