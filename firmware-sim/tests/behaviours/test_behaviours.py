from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firmware_sim.behaviours import BEHAVIOURS, Exchange, parse
from firmware_sim.behaviours.base import Fault
from firmware_sim.devices.delivery import MOST_WAITING, Delivery, Station
from firmware_sim.devices.modbus_codec import rtu
from firmware_sim.errors import FaultError
from firmware_sim.ledger import Ledger

REQUEST = rtu(3, bytes.fromhex("0300000001"))
ANSWER = rtu(3, bytes.fromhex("03020007"))

WHAT_LEAVES = {
    "silent": [],
    "slow:300": [(ANSWER, 0.3, True)],
    "bad_checksum": [(ANSWER[:-1] + bytes([ANSWER[-1] ^ 0xFF]), 0, False)],
    "half_frame": [(ANSWER[:3], 0, False)],
    "echo": [(REQUEST + ANSWER, 0, True)],
}


def fault(text: str) -> Fault:
    made = parse(text, checksum=True)
    assert made is not None
    return made


@pytest.mark.parametrize("text", WHAT_LEAVES)
def test_what_leaves(text: str) -> None:
    pieces = fault(text).pieces(Exchange(REQUEST, ANSWER, -1))
    assert [(piece.data, piece.delay_s, piece.sound) for piece in pieces] == WHAT_LEAVES[text]


def test_every_behaviour_is_tested() -> None:
    assert {text.partition(":")[0] for text in WHAT_LEAVES} == set(BEHAVIOURS)


def test_every_third_answer() -> None:
    made = fault("silent/3")
    left = [len(made.pieces(Exchange(REQUEST, ANSWER, -1))) for _ in range(7)]
    assert left == [1, 1, 0, 1, 1, 0, 1]


@pytest.mark.parametrize(
    "text",
    ["", "loud", "slow", "slow:x", "slow:-1", "slow:9999999", "silent:1", "silent/0", "silent/x", "none/2"],
)
def test_a_wrong_fault_is_refused(text: str) -> None:
    with pytest.raises(FaultError):
        parse(text, checksum=True)


def test_modbus_tcp_has_no_checksum_to_be_wrong() -> None:
    assert parse("none", checksum=False) is None
    assert parse("half_frame", checksum=False) is not None
    for text in ("bad_checksum", "echo"):
        with pytest.raises(FaultError, match="Modbus TCP"):
            parse(text, checksum=False)


def test_a_meters_checksum_stands_before_its_last_byte() -> None:
    answer = bytes.fromhex("684200151123206893067533484456 53F116")
    (piece,) = fault("bad_checksum").pieces(Exchange(b"", answer, -2))
    assert piece.data == answer[:-2] + b"\x0e\x16"


async def test_delayed_answers_are_bounded_and_end_with_the_line() -> None:
    left: list[bytes] = []

    def write(data: bytes) -> bool:
        left.append(data)
        return True

    delivery, station = Delivery(write, None), Station("d", turnaround_s=0.02, checksum_at=-1)
    for _ in range(MOST_WAITING + 3):
        delivery.send(station, REQUEST, ANSWER)
    assert (left, delivery.dropped) == ([], 3)
    await asyncio.sleep(0.05)
    assert len(left) == MOST_WAITING
    delivery.send(station, REQUEST, ANSWER)
    delivery.close()
    await asyncio.sleep(0.03)
    assert len(left) == MOST_WAITING


async def test_the_ledger_has_only_what_a_master_can_take(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    ledger_when_written: list[int] = []

    def write(data: bytes) -> bool:
        ledger_when_written.append(len(path.read_text().splitlines()))
        return True

    with Ledger(path, clock_ms=lambda: 1234) as ledger:
        delivery, station = Delivery(write, ledger), Station("d", turnaround_s=0, checksum_at=-1)
        for number, text in enumerate(("none", "silent", "bad_checksum", "half_frame", "echo")):
            station.fault = parse(text, checksum=True)
            delivery.send(station, REQUEST, ANSWER, [("a", number), ("b", number)])
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(row["register"], row["value"]) for row in rows] == [("a", 0), ("b", 0), ("a", 4), ("b", 4)]
    assert rows[0] == {"t_ms": 1234, "device": "d", "register": "a", "value": 0}
    assert ledger_when_written == [2, 2, 2, 4]  # noted before it leaves


PLANT = """
title: t
lines: [{name: lan, kind: modbus_tcp}, {name: com1, kind: modbus_rtu}]
devices:
  - {name: tcp, kind: modbus, line: lan, unit: 1, registers: [{name: v, area: 4X, address: 0, value: 7}]}
  - {name: rtu, kind: modbus, line: com1, unit: 3, registers: [{name: v, area: 4X, address: 0, value: 7}]}
"""


@pytest.mark.parametrize("device", ["tcp", "rtu"])
async def test_a_real_master_feels_the_faults(
    running: Any, libmodbus: Callable[..., Any], device: str
) -> None:
    simulator = await running(PLANT)
    unit = 1 if device == "tcp" else 3
    where = (
        {"port": simulator.lines["lan"].port} if device == "tcp" else {"device": simulator.lines["com1"].link}
    )
    master = libmodbus(timeout_s=0.15, **where)
    assert await master.registers(unit, 0, 1) == [7]
    for text in ("silent", "half_frame") + (("bad_checksum",) if device == "rtu" else ()):
        simulator.put_fault(device, text)
        with pytest.raises(Exception, match="errno"):
            await master.registers(unit, 0, 1)
        simulator.put_fault(device, "none")
        master.flush()
    master = libmodbus(timeout_s=1, **where)
    simulator.put_fault(device, "slow:200")
    loop = asyncio.get_running_loop()
    start = loop.time()
    assert await master.registers(unit, 0, 1) == [7]
    assert 0.2 <= loop.time() - start < 0.9


async def test_a_fault_on_a_stranger_is_refused(running: Any) -> None:
    simulator = await running(PLANT)
    with pytest.raises(FaultError, match="must be one of tcp, rtu"):
        simulator.put_fault("nobody", "silent")
