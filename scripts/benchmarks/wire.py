"""Bytes of a sample on the wire, and what encoding costs, beside what others send for the same samples."""

from __future__ import annotations

import random
import struct
import time
import zlib
from collections.abc import Callable, Sequence

import msgspec

from edge_contract import batch
from edge_contract.model import Sample, rows_of
from edge_contract.topics import Message, topic

Figures = dict[str, float | int | str]

T0_MS = 1_780_000_000_000
POINTS = 50
MQTT_HEADER_BYTES = 5  # fixed header, topic length, packet id
SPARKPLUG_TOPIC = "spBv1.0/plant/DDATA/gw-demo-0001/meter-01"
SPARKPLUG_DOUBLE = 10


def wire() -> Figures:
    """Bytes of a sample on the wire, and encoding beside JSON objects, Sparkplug protobuf and MessagePack."""
    figures: Figures = {}
    for label, snapshots in (("50 points x 1", 1), ("50 points x 10 s", 10)):
        samples = measurements(snapshots)
        rows = rows_of(samples)
        named = len(topic("gw-demo-0001", Message.LIVE))
        own = batch.encode("00" * 8, 1, "11" * 8, T0_MS + 10_000, rows)
        beside = {
            "JSON objects": (json_objects(samples), named),
            "MessagePack maps": (msgspec.msgpack.encode(objects(samples)), named),
            "MessagePack arrays with aliases": (message_pack_arrays(samples), named),
            "Sparkplug B with aliases": (sparkplug(samples), len(SPARKPLUG_TOPIC)),
        }
        beside |= {
            f"{other}, deflated": (zlib.compress(payload, 9), length)
            for other, (payload, length) in beside.items()
        }
        whole = len(own) + MQTT_HEADER_BYTES + named
        figures[f"{label}: bytes a sample with topic"] = whole / len(samples)
        for other, (payload, length) in beside.items():
            theirs = len(payload) + MQTT_HEADER_BYTES + length
            figures[f"{label}: {other}, bytes a sample"] = theirs / len(samples)
            figures[f"{label}: {other}, times as large"] = theirs / whole
    figures["encode 50 x 10: thousand samples per second"] = 0.5 / best_of(
        lambda: batch.encode("00" * 8, 1, "11" * 8, T0_MS + 10_000, rows)
    )
    figures["decode 50 x 10: thousand samples per second"] = 0.5 / best_of(lambda: batch.decode(own))
    return figures


def measurements(snapshots: int) -> list[Sample]:
    """Noisy values with one or two decimals, a second apart."""
    noise = random.Random(1)
    return [
        Sample(point, T0_MS + 1000 * step, round(20 * point + noise.gauss(0, 2), 1 + point % 2))
        for point in range(1, POINTS + 1)
        for step in range(snapshots)
    ]


def objects(samples: Sequence[Sample]) -> list[dict[str, object]]:
    return [{"name": f"point_{s.point}", "t": s.t_ms, "v": s.value, "q": int(s.quality)} for s in samples]


def json_objects(samples: Sequence[Sample]) -> bytes:
    return msgspec.json.encode(objects(samples))


def message_pack_arrays(samples: Sequence[Sample]) -> bytes:
    return msgspec.msgpack.encode([(s.point, s.t_ms, s.value, int(s.quality)) for s in samples])


def sparkplug(samples: Sequence[Sample]) -> bytes:
    """A DDATA payload as its most compact allowed form: alias, time, type and double of each metric.

    Sparkplug B 3.0, 6.4: Payload timestamp = 1, metrics = 2, seq = 3; Metric alias = 2, timestamp = 3,
    datatype = 4, double_value = 13.
    """
    payload = b"\x08" + varint(samples[-1].t_ms)
    for sample in samples:
        metric = b"\x10" + varint(sample.point) + b"\x18" + varint(sample.t_ms)
        metric += b"\x20" + varint(SPARKPLUG_DOUBLE) + b"\x69" + struct.pack("<d", sample.value)
        payload += b"\x12" + varint(len(metric)) + metric
    return payload + b"\x18" + varint(7)


def varint(number: int) -> bytes:
    """Base 128 of Protocol Buffers."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def best_of(work: Callable[[], object], rounds: int = 200) -> float:
    """Seconds of the fastest of many calls."""
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best
