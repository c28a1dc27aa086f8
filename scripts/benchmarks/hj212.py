"""HJ 212: packets a second, encoded and decoded, beside splitting and floats without a check."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from edge_agent.forwarding.hj212.codec import PacketCodec
from edge_agent.forwarding.hj212.fields import factor_group
from edge_agent.forwarding.hj212.packet import Packet
from edge_agent.forwarding.hj212.profile import profile

Figures = dict[str, float | int | str]

FACTORS = 16
ROUNDS = 9
SLICE_S = 0.2
GOAL = 28_000
PACKET = Packet(
    qn="20250712081000001",
    st="31",
    cn="2011",
    pw="123456",
    mn="010000A8900016F000169DC0",
    flag=5,
    area=(
        (("DataTime", "20250712081000"),),
        *(factor_group(f"a210{n:02}", {"Rtd": f"{35.2 + n:.3f}", "Flag": "N"}) for n in range(FACTORS)),
    ),
)


def hj212() -> Figures:
    """16 factors with check digits to text values and back, beside bare split and float without a check."""
    codec = PacketCodec(profile("2017"))
    wire = codec.encode(PACKET)
    if codec.decode(wire) != PACKET or len(_bare(wire)) != FACTORS:
        raise RuntimeError("the packet does not come back")
    decoded, encoded, streamed, bare = [], [], [], []
    reader = codec.reader()
    for _ in range(ROUNDS):
        decoded.append(_rate(lambda: codec.decode(wire)))
        bare.append(_rate(lambda: _bare(wire)))
        encoded.append(_rate(lambda: codec.encode(PACKET)))
        streamed.append(_rate(lambda: reader.feed(wire)))
    figures: Figures = {"bytes of a packet": len(wire), "goal, packets/s": GOAL}
    for title, rates in (("decode", decoded), ("decode a stream", streamed), ("encode", encoded)):
        figures |= {
            f"{title}: packets/s of CPU": round(statistics.median(rates)),
            f"{title}: packets/s, best": round(max(rates)),
            f"{title}: part of bare": statistics.median(a / b for a, b in zip(rates, bare, strict=True)),
        }
    return figures | {"bare split and float, no check: packets/s, best": round(max(bare))}


def _bare(wire: bytes) -> dict[str, float]:
    """The least that gives numbers."""
    area = wire[wire.index(b"&&") + 2 : -8].decode()
    values = (item.split("=") for group in area.split(";")[1:] for item in group.split(","))
    return {name: float(value) for name, value in values if name.endswith("-Rtd")}


def _rate(call: Callable[[], object]) -> float:
    """Calls a second of CPU."""
    count, begin = 0, time.process_time()
    while (taken := time.process_time() - begin) < SLICE_S:
        for _ in range(200):
            call()
        count += 200
    return count / taken


HJ212_BENCHMARKS = {"hj212": hj212}
