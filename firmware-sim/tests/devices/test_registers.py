import pytest

from firmware_sim.devices.modbus.area import Area
from firmware_sim.plc.number_bytes import from_bytes, to_bytes

ORDERS = {"ABCD": "12345678", "CDAB": "56781234", "BADC": "34127856", "DCBA": "78563412"}
LONG = {
    "ABCD": "0123456789abcdef",
    "CDAB": "cdef89ab45670123",
    "BADC": "23016745ab89efcd",
    "DCBA": "efcdab8967452301",
}


@pytest.mark.parametrize("order", ORDERS)
def test_the_four_byte_orders(order: str) -> None:
    assert to_bytes(0x12345678, "uint32", order).hex() == ORDERS[order]  # type: ignore[arg-type]
    assert to_bytes(0x0123456789ABCDEF, "uint64", order).hex() == LONG[order]  # type: ignore[arg-type]
    assert from_bytes(bytes.fromhex(LONG[order]), "uint64", order) == 0x0123456789ABCDEF  # type: ignore[arg-type]


def test_float_of_the_field() -> None:
    assert to_bytes(12.5, "float", "ABCD").hex() == "41480000"


@pytest.mark.parametrize(
    ("value", "kind", "wire"),
    [(70000, "uint16", "ffff"), (-3, "uint16", "0000"), (-40000, "int16", "8000"), (-1.6, "int16", "fffe")],
)
def test_integers_stop_at_their_ends(value: float, kind: str, wire: str) -> None:
    assert to_bytes(value, kind, "ABCD").hex() == wire  # type: ignore[arg-type]


def test_gaps_are_no_cells_unless_they_read_as_zero() -> None:
    area = Area(4, 2, gaps_are_zero=False)
    area.known[0:2] = b"\1\1"
    assert area.has(0, 2)
    assert not area.has(1, 3)
    assert not area.has(0, 5)
    assert Area(4, 2, gaps_are_zero=True).has(0, 4)
