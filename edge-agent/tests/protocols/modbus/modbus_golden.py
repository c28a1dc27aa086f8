"""The golden frames: rows of frames.csv as PDUs and whole frames."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from edge_agent.protocols.modbus import frames

HERE = Path(__file__).resolve().parent


def rows(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@dataclass(frozen=True)
class Golden:
    """One frame. start, count, data: as the fields of the frame say; count of an exception is its code."""

    exchange: str
    carrier: Literal["tcp", "rtu"]
    direction: Literal["request", "answer"]
    unit: int
    function: int
    start: int
    count: int
    data: bytes
    frame: bytes

    def __str__(self) -> str:
        return f"{self.exchange}-{self.direction}"

    @property
    def pdu(self) -> bytes:
        """Built from the fields."""
        if self.function & frames.EXCEPTION:
            return bytes((self.function, self.count))
        if self.function in (5, 6):
            if self.function == 5:
                return frames.write_coil(self.start, bool(self.count))
            return frames.write_register(self.start, self.count.to_bytes(2, "big"))
        if self.direction == "request" and self.function == 15:
            return frames.write_coils(self.start, self.count, self.data)
        if self.direction == "request" and self.function == 16:
            return frames.write_registers(self.start, self.data)
        if self.data:
            return bytes((self.function, self.count)) + self.data
        return frames.read_request(self.function, self.start, self.count)

    @property
    def fields(self) -> dict[str, Any]:
        """What a reader must be shown of it, without names, header and checksum."""
        result: dict[str, Any] = {"unit": self.unit, "function": self.function}
        if self.function & frames.EXCEPTION:
            return result | {"exception": self.count}
        if self.function in (5, 6):
            return result | {"address": self.start, "value": self.count}
        if self.data and self.function < 5:
            return result | {"byte_count": self.count, "data": self.data.hex()}
        result |= {"start": self.start, "count": self.count}
        return result | ({"data": self.data.hex()} if self.data else {})


def goldens() -> list[Golden]:
    return [
        Golden(
            exchange=row["exchange"],
            carrier=row["carrier"],  # type: ignore[arg-type]
            direction=row["direction"],  # type: ignore[arg-type]
            unit=int(row["unit"]),
            function=int(row["function"]),
            start=int(row["start"] or 0),
            count=int(row["count"]),
            data=bytes.fromhex(row["data"]),
            frame=bytes.fromhex(row["frame"]),
        )
        for row in rows("frames.csv")
    ]


def exchanges(carrier: str) -> list[tuple[Golden, Golden]]:
    """Requests with their answers."""
    kept = [golden for golden in goldens() if golden.carrier == carrier]
    return list(zip(kept[::2], kept[1::2], strict=True))
