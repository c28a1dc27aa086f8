from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from firmware_sim.behaviours import BEHAVIOURS, Exchange, Fault, Framing, parse
from firmware_sim.devices.all import LINE_KINDS
from firmware_sim.devices.modbus.codec import rtu
from firmware_sim.errors import FaultError
from firmware_sim.lines.delivery import MAX_WAITING, Delivery, Segment, Station
from firmware_sim.served_values import ServedValuesLog

REFUSED = (
    "", "loud", "slow", "slow:x", "slow:-1", "slow:9999999", "slow:50-20", "slow:1-2-3", "silent:1",
    "silent/0", "silent/x", "none/2", "echo+", "none+echo", "wrong_address:2", "foreign_answer:1",
    "reboot", "reboot:0", "reboot:4000", "reboot:5/2", "reboot:5+echo", "noise:0", "noise:257", "noise:x",
)  # fmt: skip
RTU, TCP = LINE_KINDS["modbus_rtu"].framing, LINE_KINDS["modbus_tcp"].framing
REQUEST = rtu(3, bytes.fromhex("0300000001"))
ANSWER = rtu(3, bytes.fromhex("03020007"))
OLDER = rtu(9, bytes.fromhex("03020001"))
METER = bytes.fromhex("684200151123206893067533484456 53F116")  # of facts: 220.1 V

WHAT_LEAVES = {
    "silent": [],
    "slow:300": [(ANSWER, 0.3, True)],
    "wrong_address": [(rtu(4, bytes.fromhex("03020007")), 0, False)],
    "bad_checksum": [(ANSWER[:-1] + bytes([ANSWER[-1] ^ 0xFF]), 0, False)],
    "half_frame": [(ANSWER[:3], 0, False)],
    "echo": [(REQUEST + ANSWER, 0, True)],
    "foreign_answer": [(OLDER, 0, False)],
    "reboot:5": [],
    "noise:3": [(b"***" + ANSWER, 0, True)],
}


def exchange(framing: Framing = RTU, answer: bytes = ANSWER) -> Exchange:
    return Exchange(REQUEST, answer, framing, foreign=OLDER)


def fault(text: str, framing: Framing = RTU, seed: str = "") -> Fault:
    made = parse(text, framing, seed=seed)
    assert made is not None
    return made


@pytest.mark.parametrize("text", WHAT_LEAVES)
def test_what_leaves(text: str) -> None:
    chunks = fault(text).chunks(exchange())
    left = [(chunk.data, chunk.delay_s, chunk.sound) for chunk in chunks]
    if text.startswith("noise"):
        left = [(b"***" + data[3:], *rest) for data, *rest in left]
    assert left == WHAT_LEAVES[text]


def test_every_behaviour_is_tested() -> None:
    assert {text.partition(":")[0] for text in WHAT_LEAVES} == set(BEHAVIOURS)


def test_every_third_answer() -> None:
    made = fault("silent/3")
    left = [len(made.chunks(exchange())) for _ in range(7)]
    assert left == [1, 1, 0, 1, 1, 0, 1]


def test_faults_work_one_behind_the_other() -> None:
    chunks = fault("echo+half_frame/2+slow:100").chunks(exchange())
    assert [(chunk.data, chunk.delay_s, chunk.sound) for chunk in chunks] == [(REQUEST + ANSWER, 0.1, True)]
    made = fault("half_frame+slow:100+slow:50")
    assert [(p.data, round(p.delay_s, 6), p.sound) for p in made.chunks(exchange())] == [
        (ANSWER[:3], 0.15, False)
    ]


def delays(seed: str) -> list[float]:
    made = fault("slow:20-50", seed=seed)
    return [made.chunks(exchange())[0].delay_s for _ in range(50)]


def test_jitter_stays_in_its_range_and_comes_again_with_its_seed() -> None:
    first = delays("1:d")
    assert all(0.02 <= each <= 0.05 for each in first)
    assert max(first) - min(first) > 0.02
    assert delays("1:d") == first
    assert delays("2:d") != first


def test_a_devices_fault_comes_before_its_lines() -> None:
    segment = Segment("com1", RTU)
    station = Station("d", segment)
    assert station.direct
    segment.fault, station.fault = fault("echo"), fault("half_frame")
    assert not station.direct
    (chunk,) = station.chunks(REQUEST, ANSWER)
    assert (chunk.data, chunk.sound) == (REQUEST + ANSWER[:3], False)


def test_a_foreign_answer_is_another_devices_or_an_older_one() -> None:
    segment = Segment("com1", RTU)
    first, second = Station("a", segment), Station("b", segment)
    first.fault = fault("foreign_answer")
    assert list(first.chunks(REQUEST, ANSWER)) == []  # nobody answered yet
    assert [chunk.data for chunk in first.chunks(REQUEST, OLDER)] == [ANSWER]
    second.chunks(REQUEST, METER)
    assert [chunk.data for chunk in first.chunks(REQUEST, ANSWER)] == [METER]


@pytest.mark.parametrize("text", REFUSED)
def test_a_wrong_fault_is_refused(text: str) -> None:
    with pytest.raises(FaultError):
        parse(text, RTU)


def test_a_fault_needs_its_part_of_the_frame() -> None:
    assert parse("none", TCP) is None
    assert parse("half_frame+wrong_address", TCP) is not None
    for text in ("bad_checksum", "echo", "noise"):
        with pytest.raises(FaultError, match="Modbus TCP"):
            parse(text, TCP)
    with pytest.raises(FaultError, match="no address in its frames"):
        parse("wrong_address", LINE_KINDS["fx"].framing)


SPOILED = [
    ("dlt645", METER, METER[:-2] + b"\x0e\x16"),
    ("dlt645", b"\xfe\xfe" + METER, b"\xfe\xfe" + METER[:-2] + b"\x0e\x16"),
    ("ppi", bytes.fromhex("680505680002080102 0d16"), bytes.fromhex("680505680002080102 f216")),
    ("ppi", b"\xe5", b"\xe5"),
    ("fx", b"\x021234\x03CD", b"\x021234\x03C0"),
    ("fx", b"\x06", b"\x06"),
]
MOVED = [
    ("modbus_tcp", bytes.fromhex("00010000000501030200 07"), bytes.fromhex("00010000000502030200 07")),
    ("modbus_rtu", rtu(247, b"\x03\x02\0\7"), rtu(1, b"\x03\x02\0\7")),
    ("dlt645", METER, bytes.fromhex("684300151123206893067533484456 53F216")),
    ("ppi", bytes.fromhex("680505680002080102 0d16"), bytes.fromhex("680505680003080102 0e16")),
    ("ppi", b"\xe5", b"\xe5"),
    ("mc_3e", b"\xd0\0\0\xff\xff\x03\0\x02\0\0\0", b"\xd0\0\1\xff\xff\x03\0\x02\0\0\0"),
    ("mc_3e", b"D00000FF03FF0000040000", b"D00001FF03FF0000040000"),
]


@pytest.mark.parametrize(("kind", "frame", "wanted"), SPOILED)
def test_where_the_checksum_stands(kind: str, frame: bytes, wanted: bytes) -> None:
    (chunk,) = fault("bad_checksum", LINE_KINDS[kind].framing).chunks(
        exchange(LINE_KINDS[kind].framing, frame)
    )
    assert (chunk.data, chunk.sound) == (wanted, wanted == frame)


@pytest.mark.parametrize(("kind", "frame", "wanted"), MOVED)
def test_where_the_address_stands(kind: str, frame: bytes, wanted: bytes) -> None:
    (chunk,) = fault("wrong_address", LINE_KINDS[kind].framing).chunks(
        exchange(LINE_KINDS[kind].framing, frame)
    )
    assert (chunk.data, chunk.sound) == (wanted, wanted == frame)


async def test_delayed_answers_are_bounded_and_end_with_the_line() -> None:
    left: list[bytes] = []

    def write(data: bytes) -> bool:
        left.append(data)
        return True

    delivery, station = Delivery(write, None), Station("d", Segment("d", RTU), turnaround_s=0.02)
    for _ in range(MAX_WAITING + 3):
        delivery.send(station, REQUEST, ANSWER)
    assert (left, delivery.dropped) == ([], 3)
    await asyncio.sleep(0.05)
    assert len(left) == MAX_WAITING
    delivery.send(station, REQUEST, ANSWER)
    delivery.close()
    await asyncio.sleep(0.03)
    assert len(left) == MAX_WAITING


async def test_the_log_has_only_what_a_master_can_take(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    logged_when_written: list[int] = []

    def write(data: bytes) -> bool:
        logged_when_written.append(len(path.read_text().splitlines()))
        return True

    with ServedValuesLog(path, clock_ms=lambda: 1234) as served_log:
        delivery, station = Delivery(write, served_log), Station("d", Segment("d", RTU))
        for number, text in enumerate(("none", "silent", "bad_checksum", "half_frame", "echo")):
            station.fault = parse(text, RTU)
            delivery.send(station, REQUEST, ANSWER, [("a", number), ("b", number)])
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(row["register"], row["value"]) for row in rows] == [("a", 0), ("b", 0), ("a", 4), ("b", 4)]
    assert rows[0] == {"t_ms": 1234, "device": "d", "register": "a", "value": 0}
    assert logged_when_written == [2, 2, 2, 4]  # noted before it leaves
