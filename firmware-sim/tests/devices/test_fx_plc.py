"""Frames on the wire, most of them of public traces and manuals."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from edge_agent.protocols.fx.codec import Decoder, Request, encode
from firmware_sim.devices.fx.cells import FxCell, errors
from firmware_sim.devices.fx.plc import FxPlc
from firmware_sim.process.process import Process
from firmware_sim.process.signals import Setpoint

SIGNALS = {
    "pressure": 12.5, "setpoint": 40.0, "valve": 0.0, "strokes": 100_000.0, "relay": 1.0, "button": 1.0,
}  # fmt: skip


def cell(name: str, area: str, offset: int, **words: Any) -> FxCell:
    return msgspec.convert({"name": name, "area": area, "offset": offset, **words}, FxCell)


def plc(model: Any, *cells: FxCell, **words: Any) -> tuple[FxPlc, Process]:
    signals = [
        Setpoint(name=name, value=value, min=0.0 if name == "setpoint" else None)
        for name, value in SIGNALS.items()
    ]
    process = Process(signals, step_s=0.1, seed=1, day_s=0)
    return FxPlc("plc", model, cells, process, **words), process


def ask(made: FxPlc, request: str | Request) -> str | None:
    """Answer's wire bytes; request: a whole frame or ENQ, as hexadecimal digits, or what it asks."""
    wire = bytes.fromhex(request) if isinstance(request, str) else encode(request)
    (token,) = Decoder().feed(wire)
    answer = made.answer(token)
    return None if answer is None else answer.hex(" ").upper()


FX1S = [
    cell("d123", "D", 123, value=0x1234),
    cell("d124", "D", 124, value=0x5678),
    cell("stopped", "M", 8001, value=1, type="bit"),
    cell("stopped_too", "M", 8003, value=1, type="bit"),
    cell("version", "D", 8001, value=22210),
    cell("watchdog", "D", 8000, value=200),
    cell("t0", "TV", 0, value=30),
]
FX3U = [
    cell("d10", "D", 10, value=0x1234),
    cell("m0", "M", 0, value=1, type="bit"),
    cell("m15", "M", 15, value=1, type="bit"),
    cell("x0", "X", 0, signal="button", type="bit"),
    cell("x2", "X", 2, value=1, type="bit"),
    cell("c200", "CN", 200, signal="strokes", type="int32"),
]
GOLDEN = [
    ("FX1S", FX1S, "05", "06"),
    ("FX1S", FX1S, "02 30 31 30 46 36 30 34 03 37 34", "02 33 34 31 32 37 38 35 36 03 41 37"),
    ("FX1S", FX1S, "02 30 30 31 45 30 30 31 03 36 41", "02 30 41 03 37 34"),
    ("FX1S", FX1S, "02 30 30 45 30 32 30 32 03 36 43", "02 43 32 35 36 03 45 33"),
    ("FX1S", FX1S, "02 30 30 45 30 30 30 32 03 36 41", "02 43 38 30 30 03 44 45"),
    ("FX1S", FX1S, "02 30 30 38 30 30 30 32 03 35 44", "02 31 45 30 30 03 44 39"),
    ("FX1S", FX1S, "02 31 31 30 32 38 30 32 30 30 31 30 03 32 32", "06"),
    ("FX1S", FX1S, "02 37 36 34 30 38 03 30 43", "06"),
    ("FX1S", FX1S, "02 30 39 30 30 30 30 32 03 35 45", "15"),
    ("FX1S", FX1S, "02 45 30 30 34 30 31 34 30 32 03 44 33", "15"),
    ("FX2N", [], "02 30 30 30 38 30 30 35 03 36 30", "02 30 30 30 30 30 30 30 30 30 30 03 45 33"),
    ("FX2N", [], "02 38 30 30 30 35 03 30 30", "06"),
    (
        "FX2N",
        [cell("c200", "CN", 200, signal="strokes", type="int32")],
        "02 30 30 43 30 30 30 34 03 36 41",
        "02 41 30 38 36 30 31 30 30 03 41 33",
    ),
    ("FX3U", FX3U, "02 45 30 30 34 30 31 34 30 32 03 44 33", "02 33 34 31 32 03 43 44"),
    ("FX3U", FX3U, "02 45 30 30 38 38 30 30 30 32 03 44 41", "02 30 31 38 30 03 43 43"),
    ("FX3U", FX3U, "02 45 30 30 38 43 41 30 30 31 03 46 35", "02 30 35 03 36 38"),
    ("FX3U", FX3U, "02 45 31 30 34 30 30 30 30 32 30 35 30 30 03 39 34", "06"),
    ("FX3U", FX3U, "02 45 37 30 30 35 45 03 35 39", "06"),
    ("FX3U", FX3U, "02 30 31 30 46 36 30 34 03 37 34", "15"),
    ("FX3U", FX3U, "02 45 30 31 38 30 35 43 30 36 03 45 46", "15"),  # program memory
    ("FX1S", FX1S, "02 41 32 03 37 36", "06"),
    ("FX1S", FX1S, "06", None),
]


@pytest.mark.parametrize(("model", "cells", "request_", "answer"), GOLDEN)
def test_golden(model: str, cells: list[FxCell], request_: str, answer: str | None) -> None:
    assert ask(plc(model, *cells)[0], request_) == answer


def test_what_is_written_stays_and_can_be_read() -> None:
    made, _ = plc("FX1S")
    assert ask(made, Request("write", "classic", 0x1028, data=b"\x00\x10")) == "06"
    assert ask(made, Request("read", "classic", 0x1028, 2)) == "02 30 30 31 30 03 43 34"
    assert ask(made, Request("force_on", "classic", 0x0864)) == "06"
    assert ask(made, Request("read", "classic", 0x010C, 1)) == "02 31 30 03 36 34"
    assert ask(made, Request("force_off", "classic", 0x0864)) == "06"
    assert ask(made, Request("read", "classic", 0x010C, 1)) == "02 30 30 03 36 33"


@pytest.mark.parametrize(
    "request_",
    [
        Request("read", "classic", 0x11FE, 4),
        Request("write", "classic", 0x1200, data=b"\0\0"),
        Request("force_on", "classic", 0x0800 + 512),
        Request("read", "extended", 0xFFFF, 2),
    ],
)
def test_what_the_model_has_not_is_refused(request_: Request) -> None:
    assert ask(plc("FX1S")[0], request_) == "15"


def test_a_written_value_reaches_the_process() -> None:
    made, process = plc(
        "FX3U",
        cell("setpoint", "D", 20, type="float", signal="setpoint", writable=True, max=90),
        cell("valve", "Y", 17, type="bit", signal="valve", writable=True),
        cell("pressure", "D", 30, type="int16", signal="pressure", scale=0.1),
    )
    assert ask(made, Request("write", "extended", 0x4028, data=bytes.fromhex("00003442"))) == "06"
    assert process.value("setpoint") == 45.0
    assert ask(made, Request("force_on", "extended", 0x5E00 + 15)) == "06"
    assert process.value("valve") == 1
    for refused in ("0000C842", "000080BF"):  # 100 is above the cell's limit, -1 below the setpoint's
        assert ask(made, Request("write", "extended", 0x4028, data=bytes.fromhex(refused))) == "06"
        assert process.value("setpoint") == 45.0
        assert ask(made, Request("read", "extended", 0x4028, 4)) == "02 30 30 30 30 33 34 34 32 03 39 30"
    assert ask(made, Request("write", "extended", 0x403C, data=b"\0\0")) == "06"
    assert ask(made, Request("read", "extended", 0x403C, 2)) == "02 37 44 30 30 03 44 45"  # 125, put back
    process.set("pressure", -1.5)
    made.refresh()
    assert ask(made, Request("read", "extended", 0x403C, 2)) == "02 46 31 46 46 03 30 36"


def test_counters_and_restart() -> None:
    made, process = plc(
        "FX1S",
        cell("kept", "D", 0, counter=True, ledger=True),
        cell("lost", "D", 1, counter=True),
        cell("relay", "M", 0, type="bit", signal="relay", writable=True),
        resume=lambda name: {"kept": 41, "lost": 7}[name],
    )
    assert ask(made, Request("read", "classic", 0x1000, 4)) == "02 32 41 30 30 30 38 30 30 03 39 45"
    assert made.served == [("kept", 42)]
    ask(made, Request("read", "classic", 0x1002, 2))
    assert made.served == []
    ask(made, Request("force_off", "classic", 0x0800))
    ask(made, Request("write", "classic", 0x1010, data=b"\1\1"))
    assert process.value("relay") == 0
    made.restart()
    assert process.value("relay") == 1
    assert ask(made, Request("read", "classic", 0x1010, 2)) == "02 30 30 30 30 03 43 33"
    assert ask(made, Request("read", "classic", 0x1000, 4)) == "02 32 42 30 30 30 31 30 30 03 39 38"


def test_texts_and_noise() -> None:
    made, _ = plc(
        "FX2N",
        cell("recipe", "D", 200, type="string", text="PUMPE"),
        cell("noisy", "D", 300, signal="pressure", scale=0.01, noise=0.5),
    )
    assert (
        ask(made, Request("read", "classic", 0x1190, 6)) == "02 35 30 35 35 34 44 35 30 34 35 30 30 03 37 38"
    )
    seen = set()
    for _ in range(5):
        made.refresh()
        seen.add(ask(made, Request("read", "classic", 0x1258, 2)))
    assert len(seen) > 2


@pytest.mark.parametrize(
    ("words", "field", "rule"),
    [
        ({"area": "R", "offset": 0, "value": 1}, "area", "must be one of S, X"),
        ({"area": "X", "offset": 8, "type": "bit", "value": 1}, "offset", "octal digits"),
        ({"area": "D", "offset": 255, "type": "float", "value": 1}, "offset", "whole"),
        ({"area": "D", "offset": 256, "value": 1}, "offset", "FX1S"),
        ({"area": "M", "offset": 0, "value": 1}, "type", "must be bit"),
        ({"area": "D", "offset": 0, "type": "bit", "value": 1}, "type", "must be uint16"),
        ({"area": "CN", "offset": 235, "value": 1}, "type", "must be uint32 or int32"),
        ({"area": "D", "offset": 0}, "signal", "must be given"),
        ({"area": "D", "offset": 0, "value": 1, "counter": True}, "signal", "must be given"),
        ({"area": "D", "offset": 0, "type": "string", "value": 1}, "text", "must be given"),
        ({"area": "D", "offset": 0, "type": "int16", "counter": True}, "counter", "must be of type"),
        ({"area": "D", "offset": 0, "value": 1, "ledger": True}, "ledger", "counter"),
        ({"area": "D", "offset": 0, "value": 1, "writable": True}, "writable", "signal"),
        ({"area": "D", "offset": 0, "value": 1, "scale": 0}, "scale", "must not be 0"),
    ],
)
def test_wrong_cells_name_field_and_rule(words: dict[str, Any], field: str, rule: str) -> None:
    wrong = msgspec.convert({"name": "c", **words}, FxCell)
    wrong_cells = [error for error in errors("FX1S", [cell("ok", "D", 0, value=1), wrong]) if error]
    assert f"cells[1].{field}" in [error.field for error in wrong_cells]
    assert any(rule in error.rule for error in wrong_cells)


def test_sound_cells_have_no_faults() -> None:
    assert list(errors("FX1S", FX1S)) == []
    assert list(errors("FX3U", FX3U)) == []
