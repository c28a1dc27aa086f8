"""Numbers that stand in the protocols' own documents."""

from __future__ import annotations

from edge_agent.protocols.dlt645 import codec as dlt645
from edge_agent.protocols.modbus import frame_description as modbus
from edge_agent.protocols.s7 import codec as s7
from edge_agent.protocols.s7 import frame_description as s7_frames


def test_of_modbus() -> None:
    """Modbus application protocol 1.1b3, section 6: coils, inputs and registers of one request."""
    assert modbus.MAX_COUNTS == {1: 2000, 2: 2000, 3: 125, 4: 125, 15: 1968, 16: 123}


def test_of_dlt645() -> None:
    """DL/T 645-2007, section 5.2: ten bytes before the data, check and end behind them."""
    assert (dlt645.HEAD, dlt645.SHORTEST, dlt645.LONGEST) == (10, 12, 267)


def test_of_s7() -> None:
    sizes = {0x01: 1, 0x02: 1, 0x03: 1, 0x04: 2, 0x05: 2, 0x06: 4, 0x07: 4, 0x08: 4}
    sizes |= {0x1C: 2, 0x1D: 2, 0x1E: 3, 0x1F: 5}
    assert sizes == s7.ELEMENT_BYTES
    assert s7_frames.AREAS == {
        0x04: "S", 0x05: "SM", 0x06: "AI", 0x07: "AQ", 0x1C: "C", 0x1D: "T", 0x1E: "C", 0x1F: "T",
        0x80: "P", 0x81: "I", 0x82: "Q", 0x83: "M", 0x84: "DB",
    }  # fmt: skip
