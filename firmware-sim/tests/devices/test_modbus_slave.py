"""PDU in, PDU out. The frames are written out by hand from the protocol's specification."""

import random

import pytest

from firmware_sim.devices.modbus.codec import RtuRequests, crc, pack_bits, request_length, rtu, unpack_bits
from firmware_sim.devices.modbus.description import ModbusDevice
from firmware_sim.devices.modbus.slave import ModbusSlave
from firmware_sim.plant.load import read
from firmware_sim.process.process import Process

PLANT = """
title: t
signals:
  - {name: pressure, kind: setpoint, value: 1.5, min: 0, max: 9}
  - {name: wanted, kind: setpoint, value: 12.5, min: 0, max: 100}
  - {name: level, kind: setpoint, value: -7}
  - {name: switch, kind: setpoint, value: 1}
  - {name: lamp, kind: setpoint, value: 0}
lines: [{name: lan, kind: modbus_tcp}]
devices:
  - name: d
    kind: modbus
    line: lan
    unit: 1
    registers:
      - {name: wanted, area: 4X, address: 0, type: float, signal: wanted, writable: true, max: 50}
      - {name: level, area: 4X, address: 2, type: int16, signal: level, writable: true}
      - {name: fixed, area: 4X, address: 4, value: 258}
      - {name: pressure, area: 3X, address: 0, type: uint16, scale: 0.01, signal: pressure}
      - {name: status, area: 3X, address: 1, bits: {0: switch, 9: lamp}}
      - {name: model, area: 3X, address: 2, type: string, text: ABC}
      - {name: switch, area: 0X, address: 0, type: bit, signal: switch, writable: true}
      - {name: lamp, area: 0X, address: 1, type: bit, signal: lamp, writable: true}
      - {name: lamp, area: 1X, address: 0, type: bit, signal: lamp}
""".replace("name: lamp, area: 1X", "name: lamp_input, area: 1X")

EXCHANGES = [
    ("read float", "0300000002", "030441480000"),
    ("read two values", "0300000003", "030641480000fff9"),
    ("read fixed", "0300040001", "03020102"),
    ("read input, scale", "0400000001", "04020096"),
    ("read status word and text", "0400010003", "0406000141424300"),
    ("read coils", "0100000002", "010101"),
    ("read discrete input", "0200000001", "020100"),
    ("hole", "0300030001", "8302"),
    ("across a hole", "0300020003", "8302"),
    ("behind the end", "0300050001", "8302"),
    ("count 0", "0300000000", "8303"),
    ("count 126", "030000007e", "8303"),
    ("count 2001 bits", "01000007d1", "8103"),
    ("short request", "03000000", "8303"),
    ("function 17h", "1700000001", "9701"),
    ("function 07", "07", "8701"),
    ("write float", "10000000020441200000", "1000000002"),
    ("write float above max", "100000000204426c0000", "9003"),
    ("write NaN", "100000000204 7fc00000", "9003"),
    ("write one register", "0600020005", "0600020005"),
    ("write both values", "1000000003064120000000 08", "1000000003"),
    ("write half a float", "0600004120", "0600004120"),
    ("write what is read-only", "0600040001", "8602"),
    ("write across a hole", "10000200020400010001", "9002"),
    ("write with wrong byte count", "10000000020341200000", "9003"),
    ("coil off", "0500000000", "0500000000"),
    ("coil on", "050001ff00", "050001ff00"),
    ("coil neither", "0500010001", "8503"),
    ("coils", "0f000000020102", "0f00000002"),
    ("coils, one too many", "0f000000030102", "8f02"),
]


def slave() -> tuple[ModbusSlave, Process]:
    plant = read(PLANT)
    process = Process(plant.signals, step_s=0.1, seed=1, day_s=0)
    device = plant.devices[0]
    assert isinstance(device, ModbusDevice)
    return ModbusSlave(device, process), process


@pytest.mark.parametrize(
    ("request_", "answer"), [row[1:] for row in EXCHANGES], ids=[r[0] for r in EXCHANGES]
)
def test_exchange(request_: str, answer: str) -> None:
    made, _ = slave()
    assert made.answer(bytes.fromhex(request_)).hex() == answer


def test_a_write_reaches_the_process_and_is_read_back() -> None:
    made, process = slave()
    made.answer(bytes.fromhex("10000000030641200000ffec"))
    assert (process.value("wanted"), process.value("level")) == (10.0, -20)
    made.refresh()
    assert made.answer(bytes.fromhex("0300000003")).hex() == "030641200000ffec"
    made.answer(bytes.fromhex("0f000000020102"))
    assert (process.value("switch"), process.value("lamp")) == (0, 1)
    made.refresh()
    assert made.answer(bytes.fromhex("0200000001")).hex() == "020101"
    assert made.answer(bytes.fromhex("0400010001")).hex() == "04020200"


def test_a_refused_write_changes_nothing() -> None:
    made, process = slave()
    made.answer(bytes.fromhex("10000000030642700000 0001"))
    assert (process.value("wanted"), process.value("level")) == (12.5, -7)
    assert made.answer(bytes.fromhex("0300000003")).hex() == "030641480000fff9"


def test_the_limit_itself_can_be_written_as_float() -> None:
    made, process = slave()
    assert made.answer(bytes.fromhex("1000000002043dcccccd")).hex() == "1000000002"
    assert process.value("wanted") == 0.1


def test_any_bytes_get_an_answer() -> None:
    made, _ = slave()
    chance = random.Random(5)
    for _ in range(5000):
        pdu = bytes([chance.choice((1, 2, 3, 4, 5, 6, 15, 16, chance.randrange(128)))]) + chance.randbytes(
            chance.choice((0, 1, 4, 5, 9))
        )
        answer = made.answer(pdu)
        assert answer[0] & 0x7F == pdu[0]


def test_golden_rtu_frames() -> None:
    assert rtu(1, bytes.fromhex("0300000002")).hex() == "010300000002c40b"
    assert rtu(1, bytes.fromhex("0304000a000b")).hex() == "010304000a000b9bf6"
    assert crc(b"") == b"\xff\xff"


@pytest.mark.parametrize("size", [1, 3, 8])
def test_rtu_requests_in_portions(size: int) -> None:
    wire = rtu(1, bytes.fromhex("0300000002")) + rtu(7, bytes.fromhex("10000000020441200000"))
    requests = RtuRequests()
    decoded = []
    for at in range(0, len(wire), size):
        decoded += requests.feed(wire[at : at + size])
    assert [(unit, pdu.hex()) for unit, pdu in decoded] == [(1, "0300000002"), (7, "10000000020441200000")]
    assert not requests.pending


def test_rtu_damage_ends_with_silence() -> None:
    requests = RtuRequests()
    good = rtu(1, bytes.fromhex("0300000002"))
    assert requests.feed(good[:-1] + b"\0") == []
    assert requests.silence() == []
    assert requests.checksum_errors == 1
    assert requests.feed(good) == [(1, good[1:-2])]
    assert requests.feed(rtu(1, b"\x2b\x0e\x01")) == []  # an unknown length: silence says where it ends
    assert requests.silence() == [(1, b"\x2b\x0e\x01")]
    assert requests.feed(b"\x01\x2b" + bytes(400)) == []
    assert not requests.pending


def test_bits_are_packed_lowest_first() -> None:
    bits = bytes([1, 0, 1, 1, 0, 0, 1, 1, 1, 1, 0])
    assert pack_bits(bits).hex() == "cd03"
    assert unpack_bits(bytes.fromhex("cd03"), 11) == bits
    assert request_length(b"\x01\x10\0\0\0\1") is None
