"""How many answers the protocols turn from bytes into values a second: one core, no line, every check.

DL/T 645 stands beside an independent implementation that stops at bytes; both take turns in the same run.
"""

from __future__ import annotations

import statistics
import struct
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from benchmarks.peer_environments import DLT645, NoPeer, python_peer
from edge_agent.config.model import Point, Slave
from edge_agent.protocols.base import Block, Raw
from edge_agent.protocols.dlt645.codec import Decoder as MeterDecoder
from edge_agent.protocols.dlt645.codec import Frame
from edge_agent.protocols.dlt645.codec import encode as meter_frame
from edge_agent.protocols.dlt645.planner import MeterBlock
from edge_agent.protocols.dlt645.planner import plan as plan_meter
from edge_agent.protocols.fx.codec import Decoder as FxDecoder
from edge_agent.protocols.fx.codec import answer_data, digits_of, framed
from edge_agent.protocols.fx.planner import FxBlock
from edge_agent.protocols.fx.planner import plan as plan_fx
from edge_agent.protocols.mc.codec import Answer
from edge_agent.protocols.mc.planner import McBlock
from edge_agent.protocols.mc.planner import plan as plan_mc
from edge_agent.protocols.modbus.frames import read_request, rtu
from edge_agent.protocols.modbus.listener import Listener
from edge_agent.protocols.modbus.planner import ModbusBlock
from edge_agent.protocols.modbus.planner import plan as plan_modbus
from edge_agent.protocols.s7 import iso
from edge_agent.protocols.s7.codec import DATA_WORD, OK, Value, decode, read_answer, read_values
from edge_agent.protocols.s7.codec import encode as s7_pdu
from edge_agent.protocols.s7.planner import S7Block
from edge_agent.protocols.s7.planner import plan as plan_s7

Figures = dict[str, float | int | str]
Read = Callable[[], Sequence[Raw]]
B = TypeVar("B")

ROUNDS = 7
SLICE_S = 0.2
PEER_FRAMES = "900"  # a tenth of what it decodes; it tells the best tenth
METER = "202311150042"
TARIFFS = ("EPF", "EPF1", "EPF2", "EPF3", "EPF4")
VALUES = tuple(0.25 * number for number in range(16))


def codec() -> Figures:
    """Bytes to engineering values: DL/T 645 beside PyPI's dlt645, and the other protocols' answers."""
    figures: Figures = {}
    for title, frames, reads in (
        ("DL/T 645, 1 value", *_meter([("Ua",), ("EPF",), ("PS",)])),
        ("DL/T 645, block of 5 tariffs", *_meter([TARIFFS])),
    ):
        figures |= _beside_peer(title, frames, reads)
    for title, read in (
        ("Modbus RTU, 16 float32", _modbus_rtu()),
        ("S7, 16 float32", _s7()),
        ("FX, 16 float32", _fx()),
        ("MC 3E binary, 16 float32", _mc("binary")),
        ("MC 3E ASCII, 16 float32", _mc("ascii")),
    ):
        if tuple(read()) != VALUES:
            raise RuntimeError(f"{title}: {read()} is not what was sent")
        rates = [_rate([read]) for _ in range(ROUNDS)]
        figures[f"{title}: answers/s"] = round(statistics.median(rates))
        figures[f"{title}: answers/s, best"] = round(max(rates))
    return figures


def _beside_peer(title: str, frames: Sequence[bytes], reads: Sequence[Read]) -> Figures:
    """Median ratio of rounds beside each other, and the best of each."""
    ours, theirs = [], []
    try:
        for _ in range(ROUNDS):
            ours.append(_rate(reads))
            theirs.append(_peer_rate(frames))
    except NoPeer as reason:
        ours += [_rate(reads) for _ in range(ROUNDS - len(ours))]
        peer: Figures = {f"{title}: dlt645 3.2.0 left out": str(reason)}
    else:
        ratios = sorted(own / peer for own, peer in zip(ours, theirs, strict=True))
        peer = {
            f"{title}: dlt645 3.2.0 to bytes, frames/s, best": round(max(theirs)),
            f"{title}: times dlt645 3.2.0": statistics.median(ratios),
            f"{title}: times dlt645 3.2.0, all": " ".join(f"{ratio:.2f}" for ratio in ratios),
        }
    rates: Figures = {
        f"{title}: frames/s": round(statistics.median(ours)),
        f"{title}: frames/s, best": round(max(ours)),
    }
    return rates | peer


def _rate(reads: Sequence[Read]) -> float:
    """Calls a second of CPU."""
    count, begin = 0, time.process_time()
    while (taken := time.process_time() - begin) < SLICE_S:
        for _ in range(100):
            for read in reads:
                read()
        count += 100 * len(reads)
    return count / taken


def _peer_rate(frames: Sequence[bytes]) -> float:
    with tempfile.TemporaryDirectory() as folder:  # it leaves log files where it runs
        done = subprocess.run(
            [python_peer("dlt645", DLT645), DLT645.parent / "peer.py", "speed", PEER_FRAMES],
            input="\n".join(frame.hex() for frame in frames),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=folder,
            check=True,
        )
    return float(done.stdout)


def _meter(requests: Sequence[Sequence[str]]) -> tuple[list[bytes], list[Read]]:
    """Answers as a meter sends them, and what reads each. requests: items of one answer each."""
    slave = Slave(name="s", port="p", protocol="dlt645_2007", address=METER)
    decoder, frames, reads = MeterDecoder(), [], []
    for names in requests:
        points = [Point(slave="s", name=name, address={"item": name}) for name in names]
        block = _only(plan_meter(slave, points), MeterBlock)
        size = sum(item.length for _, item in block.fields)
        wire = meter_frame(Frame(METER, 0x91, block.di + (b"\x56\x34\x12\0" * size)[:size]), 4)
        read = _meter_read(decoder, wire, block)
        if None in read() or len(read()) != len(names):
            raise RuntimeError(f"{names}: {read()} are no values")
        frames.append(wire)
        reads.append(read)
    return frames, reads


def _meter_read(decoder: MeterDecoder, wire: bytes, block: MeterBlock) -> Read:
    def read() -> Sequence[Raw]:
        (frame,) = decoder.feed(wire)
        if frame.address != METER or frame.control != 0x91 or frame.data[:4] != block.di:
            raise RuntimeError("another answer")
        return block.decode(frame.data[4:])

    return read


def _modbus_rtu() -> Read:
    slave = Slave(name="s", port="p", protocol="modbus_rtu", address="1")
    block = _only(plan_modbus(slave, _floats(step=2, reg_type="4X")), ModbusBlock)
    listener, data = Listener(), struct.pack(">16f", *VALUES)
    request = rtu(1, read_request(block.function, block.start, block.count))
    wire = rtu(1, bytes((block.function, len(data))) + data)

    def read() -> Sequence[Raw]:
        listener.begin(request)
        pdu = listener.heard(wire)
        return block.decode(pdu[2:]) if pdu is not None else ()

    return read


def _s7() -> Read:
    slave = Slave(name="s", port="p", protocol="s7", address="1", options={"model": "1200"})
    block = _only(plan_s7(slave, _floats(step=4, area="DB", db=1)), S7Block)
    decoder = iso.Decoder()
    answer = read_answer(1, [Value(OK, DATA_WORD, struct.pack(">16f", *VALUES))])
    wire = iso.encode_data(s7_pdu(answer))

    def read() -> Sequence[Raw]:
        (pdu,) = decoder.feed(wire)
        if not isinstance(pdu, bytes):
            return ()
        return block.decode(b"".join([value.data for value in read_values(decode(pdu), block.items)]))

    return read


def _fx() -> Read:
    slave = Slave(name="s", port="p", protocol="fx", address="0", options={"model": "FX3U"})
    block = _only(plan_fx(slave, _floats(step=2, area="D")), FxBlock)
    decoder, wire = FxDecoder(), framed(digits_of(struct.pack("<16f", *VALUES)))

    def read() -> Sequence[Raw]:
        (token,) = decoder.feed(wire)
        return block.decode(answer_data(token)) if isinstance(token, bytes) else ()

    return read


def _mc(code: str) -> Read:
    options = {"series": "Q", "code": code}
    slave = Slave(name="s", port="p", protocol="mc_3e", address="0", options=options)
    block = _only(plan_mc(slave, _floats(step=2, area="D")), McBlock)
    frame, request = block.frame, block.request
    wire = frame.encode_answer(request, Answer(data=struct.pack("<16f", *VALUES)))

    def read() -> Sequence[Raw]:
        if frame.answer_size(request, wire) != len(wire):
            return ()
        return block.decode(frame.decode_answer(request, wire).data)

    return read


def _floats(*, step: int, **address: str | int) -> list[Point]:
    """As many float32 points behind each other as there are VALUES."""
    return [
        Point(slave="s", name=f"p{at}", data_type="float", address={**address, "offset": step * at})
        for at in range(len(VALUES))
    ]


def _only(blocks: Sequence[Block], kind: type[B]) -> B:
    """The one request that a plan must have."""
    (block,) = blocks
    if not isinstance(block, kind):
        raise TypeError(f"{block} is no {kind.__name__}")
    return block
