"""A simulated Mitsubishi PLC: what its memory shows, what it takes, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from edge_agent.protocols.mc.codec import Answer, Request
from firmware_sim.devices.mc.cells import McCell, errors
from firmware_sim.devices.mc.plc import McPlc
from firmware_sim.process.process import Process
from firmware_sim.process.signals import Setpoint

D, X, M, CN, R = 0x4420, 0x5820, 0x4D20, 0x434E, 0x5220
D3, Y3, X3 = 0xA8, 0x9D, 0x9C


def cell(name: str, area: str, offset: int | str, **words: Any) -> McCell:
    return McCell(name=name, area=area, offset=offset, **words)


def plc(*cells: McCell, model: Any = "FX3U", **words: Any) -> tuple[McPlc, Process]:
    signals = [
        Setpoint(name="wanted", value=12.5, min=0, max=50),
        Setpoint(name="lamp", value=0, min=0, max=1),
    ]
    process = Process(signals, step_s=0.1, seed=1, day_s=0)
    return McPlc("plc", model, cells, process, **words), process


def read(device: int, start: int, count: int, bits: bool = False) -> Request:
    return Request("read", bits, device, start, count)


def write(device: int, start: int, data: str, bits: bool = False) -> Request:
    raw = bytes.fromhex(data)
    return Request("write", bits, device, start, len(raw) if bits else len(raw) // 2, data=raw)


CELLS = [
    ("signal", cell("a", "D", 10, type="float", signal="wanted"), read(D, 10, 2), "00004841"),
    ("scaled", cell("a", "D", 10, signal="wanted", scale=0.1), read(D, 10, 1), "7d00"),
    ("negative", cell("a", "D", 10, type="int32", value=-2), read(D, 10, 2), "feffffff"),
    ("octal input", cell("a", "X", 17, type="bit", value=1), Request("read", True, X, 15, 2), "0100"),
    ("special", cell("a", "M", 8000, type="bit", value=1), Request("read", True, M, 8000, 1), "01"),
    ("counter", cell("a", "CN", 201, type="int32", value=-1), read(CN, 200, 4), "00000000ffffffff"),
    ("text", cell("a", "R", 5, type="string", text="PUMPE"), read(R, 5, 3), "50554d504500"),
    ("bits as words", cell("a", "M", 17, type="bit", value=1), read(M, 16, 1), "0200"),
]


@pytest.mark.parametrize(("one", "request_", "data"), [r[1:] for r in CELLS], ids=[r[0] for r in CELLS])
def test_cell_in_memory(one: McCell, request_: Request, data: str) -> None:
    made, _ = plc(one)
    assert made.answer(request_) == Answer(data=bytes.fromhex(data))


REFUSED = [
    ("too many words", "FX3U", read(D, 0, 65), 0x57),
    ("too many bits", "FX3U", read(M, 0, 257, True), 0x57),
    ("too many bits written", "FX3U", write(M, 0, "01" * 161, True), 0x57),
    ("too many words of bits", "FX3U", read(M, 0, 33), 0x57),
    ("words of bits not at 16", "FX3U", read(M, 8, 1), 0x58),
    ("no such device", "FX3U", read(0x4242, 0, 1), 0x56),
    ("behind the last", "FX3U", read(D, 7999, 2), 0x58),
    ("between plain and special", "FX3U", read(D, 7998, 3), 0x58),
    ("beyond", "FX3U", read(D, 8512, 1), 0x58),
    ("bits of words", "FX3U", read(D, 0, 1, True), 0x58),
    ("half a counter", "FX3U", read(CN, 200, 3), 0x57),
    ("counters of both kinds", "FX3U", read(CN, 199, 2), 0x58),
    ("3E, too many words", "FX5", read(D3, 0, 961), 0xC051),
    ("3E, no such device", "FX5", read(0x01, 0, 1), 0xC05B),
    ("3E, beyond", "FX5", read(D3, 32767, 2), 0xC056),
    ("3E, bits of words", "FX5", read(D3, 0, 1, True), 0xC05C),
]


@pytest.mark.parametrize(("model", "request_", "code"), [r[1:] for r in REFUSED], ids=[r[0] for r in REFUSED])
def test_refused(model: str, request_: Request, code: int) -> None:
    made, _ = plc(model=model)
    assert made.answer(request_) == Answer(code)


def test_what_is_written_stays_and_can_be_read() -> None:
    made, _ = plc()
    for request in (write(D, 5, "0102fffe"), write(CN, 200, "4e61bc00")):
        assert made.answer(request) == Answer()
        assert made.answer(read(request.device, request.start, 2)).data == request.data
    assert made.answer(write(M, 30, "010001", True)) == Answer()
    assert made.answer(read(M, 30, 4, True)).data.hex() == "01000100"
    assert made.answer(write(M, 32, "0580")) == Answer()
    assert made.answer(read(M, 32, 16, True)).data.hex() == "01000100000000000000000000000001"
    made.restart()
    assert made.answer(read(D, 5, 2)).data == bytes(4)


def test_a_written_value_reaches_the_process_or_is_put_back() -> None:
    made, process = plc(
        cell("wanted", "D", 0, type="float", signal="wanted", writable=True, max=40),
        cell("lamp", "Y", 20, type="bit", signal="lamp", writable=True),
        cell("fixed", "D", 9, value=7),
    )
    assert made.answer(write(D, 0, "00002041")) == Answer()
    assert process.value("wanted") == 10.0
    for beyond in ("00002c42", "0000c842"):  # 43: over the cell's own limit; 100: over the setpoint's
        assert made.answer(write(D, 0, beyond)) == Answer()
        assert made.answer(read(D, 0, 2)).data.hex() == "00002041"
    made.answer(write(0x5920, 16, "01", True))
    assert process.value("lamp") == 1
    made.answer(write(D, 9, "0100"))
    assert made.answer(read(D, 9, 1)).data.hex() == "0700"
    made.restart()
    assert (process.value("wanted"), process.value("lamp")) == (12.5, 0)


def test_counters_count_whole_reads_and_what_is_logged_survives_a_restart() -> None:
    made, _ = plc(
        cell("own", "D", 0, type="uint32", counter=True),
        cell("kept", "D", 2, counter=True, ledger=True),
        resume=lambda name: 40 if name == "kept" else 0,
    )
    assert made.answer(read(D, 0, 3)).data.hex() == "010000002900"
    assert made.served == [("kept", 41)]
    made.answer(read(D, 1, 2))
    assert made.served == [("kept", 42)]
    made.restart()
    assert made.answer(read(D, 0, 3)).data.hex() == "010000002b00"
    assert made.answer(read(D, 100, 1)).data == bytes(2)
    assert made.served == []


def test_noise_is_seeded() -> None:
    noisy = cell("a", "D", 0, type="float", signal="wanted", noise=0.5)
    first, second, other = (plc(noisy, seed=seed)[0].answer(read(D, 0, 2)) for seed in (1, 1, 2))
    assert first == second != other


def test_series_say_how_inputs_are_printed() -> None:
    made, _ = plc(cell("a", "X", 20, type="bit", value=1), model="FX5")
    assert made.answer(read(X3, 16, 1, True)).data == b"\1"
    made, _ = plc(cell("a", "Y", "1F", type="bit", value=1), model="Q")
    assert made.answer(read(Y3, 31, 1, True)).data == b"\1"
    assert made.answer(Request("model")).data.startswith(b"Q03UDECPU ")


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"area": "Q", "value": 1.0}, "area", "must be one of X, Y, M"),
    ({"area": "X", "offset": 18, "type": "bit", "value": 1.0}, "offset", "octal"),
    ({"offset": 7999, "type": "uint32", "value": 1.0}, "offset", "that model FX3U has, whole"),
    ({"area": "M", "value": 1.0}, "type", "must be bit in area M"),
    ({"area": "CN", "offset": 200, "value": 1.0}, "type", "must be uint32 or int32"),
    ({}, "signal", "must be given"),
    ({"value": 1.0, "counter": True}, "signal", "must be given, or one"),
    ({"type": "string", "value": 1.0}, "text", "must be given for type string"),
    ({"type": "float", "counter": True}, "counter", "uint16 or uint32"),
    ({"value": 1.0, "ledger": True}, "ledger", "must be of a counter"),
    ({"value": 1.0, "writable": True}, "writable", "must have a signal"),
    ({"value": 1.0, "scale": 0.0}, "scale", "must not be 0"),
]


@pytest.mark.parametrize(("words", "field", "rule"), WRONG)
def test_wrong_cells_name_field_and_rule(words: dict[str, Any], field: str, rule: str) -> None:
    wrong = McCell(**{"name": "a", "area": "D", "offset": 0, **words})
    cell_errors = list(errors("FX3U", [cell("sound", "D", 0, value=1.0), wrong]))
    assert [fault.field for fault in cell_errors] == [f"cells[1].{field}"]
    assert rule in cell_errors[0].rule
