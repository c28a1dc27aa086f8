"""Mutated frames against all that reads frames. As a program: python dlt645_fuzz.py [frames] [seed]."""

from __future__ import annotations

import csv
import sys
import time
from pathlib import Path
from random import Random

from edge_agent.config.model import Point, Slave
from edge_agent.errors import BadFrame
from edge_agent.protocols.dlt645.codec import LONGEST, Decoder, Frame, encode
from edge_agent.protocols.dlt645.describe import describe
from edge_agent.protocols.dlt645.items import items
from edge_agent.protocols.dlt645.planner import MeterBlock, plan

FRAMES = Path(__file__).parent / "frames.csv"


def mutated(frame: bytes, chance: Random) -> bytes:
    """Up to four changes: bits, bytes, cuts, insertions, doublings. Every other one gets a right checksum."""
    data = bytearray(frame)
    for _ in range(chance.randrange(5)):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(6):
            case 0 if at < len(data):
                data[at] ^= 1 << chance.randrange(8)
            case 1 if at < len(data):
                data[at] = chance.choice((0x16, 0x68, 0xFE, chance.randrange(256)))
            case 2:
                del data[at : at + chance.randint(1, 4)]
            case 3:
                data[at:at] = chance.randbytes(chance.randint(1, 4))
            case 4:
                data[at:at] = data[: chance.randint(0, len(data))]
            case _:
                del data[at:]
    start = len(data) - len(data.lstrip(b"\xfe"))
    if chance.randrange(2) and len(data) > start + 2:
        data[-2] = sum(data[start:-2]) & 0xFF
    return bytes(data)


def decoded(data: bytes, chance: Random) -> list[Frame]:
    """Frames, fed in pieces; each stands in the data as it would be built, and nothing stays held."""
    decoder = Decoder()
    cut = chance.randrange(len(data) + 1)
    frames = decoder.feed(data[:cut]) + decoder.feed(data[cut:])
    assert decoder.pending <= LONGEST
    frames += decoder.give_up()
    assert decoder.pending == 0, data.hex()
    at = 0
    for frame in frames:
        wire = _wire(frame)
        found = data.find(wire, at)
        assert found >= 0, (data.hex(), frame)
        at = found + len(wire)
    return frames


def _wire(frame: Frame) -> bytes:
    """As built, but with any nibbles in the address: an answer's is compared with the asked one later."""
    built = bytearray(encode(Frame("0" * 12, frame.control, frame.data), 0))
    address = bytes.fromhex(frame.address)[::-1]
    built[1:7] = address
    built[-2] = (built[-2] + sum(address)) & 0xFF
    return bytes(built)


def described(data: bytes, statute: str) -> bool:
    """BadFrame, or fields of the one frame that the data is."""
    try:
        fields = describe(data, None, statute)
    except BadFrame:
        return False
    (frame,) = Decoder().feed(data)
    assert (fields["address"], fields["length"]) == (frame.address, len(frame.data)), data.hex()
    assert fields["wake_up"] + 12 + fields["length"] == len(data), data.hex()
    return True


def blocks(statute: str) -> list[MeterBlock]:
    """Every item of a statute, single and in blocks."""
    points = [Point(slave="m", name=name, address={"item": name}) for name in items(statute)]
    found = []
    for whole in (False, True):
        slave = Slave(
            name="m", port="p", protocol=f"dlt645_{statute}", address="1" * 12, options={"blocks": whole}
        )
        found += plan(slave, points)
    return found  # type: ignore[return-value]


def run(count: int, seed: int) -> dict[str, int]:
    """How many mutants held a frame, were described, gave a value."""
    chance = Random(seed)
    golden = [
        (row["standard"], bytes.fromhex(row["frame"]))
        for row in csv.DictReader(FRAMES.read_text().splitlines())
    ]
    known = {(block.di, block.whole): block for statute in ("2007", "1997") for block in blocks(statute)}
    found = {"frames": 0, "described": 0, "values": 0}
    for _ in range(count):
        statute, wire = chance.choice(golden)
        data = mutated(wire, chance)
        size = 4 if statute == "2007" else 2
        found["described"] += described(data, statute)
        for frame in decoded(data, chance):
            found["frames"] += 1
            for whole in (False, True):
                block = known.get((frame.data[:size], whole))
                if block is not None and frame.from_meter:
                    values = block.decode(frame.data[size:])
                    assert len(values) == len(block.points)
                    found["values"] += any(value is not None for value in values)
    return found


if __name__ == "__main__":
    frames = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else time.time_ns()
    print(f"{frames} frames, seed {seed}: {run(frames, seed)}")
