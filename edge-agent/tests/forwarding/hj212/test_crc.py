"""Check digits against the algorithm as the standard words it, bit by bit, and against published values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_agent.forwarding.hj212.crc import CRCS, UNIVERSAL, CrcVariant, fitting, modbus, standard, swapped

SEGMENT = (
    b"QN=20160801085857223;ST=32;CN=1062;PW=100000;MN=010000A8900016F000169DC0;Flag=5;CP=&&RtdInterval=30&&"
)


def bit_by_bit(data: bytes, *, keeps_low_byte: bool) -> int:
    register = 0xFFFF
    for byte in data:
        register = register ^ byte if keeps_low_byte else (register >> 8) ^ byte
        for _ in range(8):
            odd = register & 1
            register >>= 1
            if odd:
                register ^= 0xA001
    return register


@pytest.mark.parametrize(
    ("data", "crc", "of_modbus"),
    [
        (b"", 0xFFFF, 0xFFFF),
        (b"A", 0x7080, 0x707F),
        (b"123456789", 0x2F80, 0x4B37),
        (b"\0", 0x4040, 0x40BF),
        (SEGMENT, 0x1C80, 0x0759),
    ],
)
def test_published_values(data: bytes, crc: int, of_modbus: int) -> None:
    assert standard(data) == crc
    assert modbus(data) == of_modbus


@given(st.binary(max_size=1100))
def test_it_is_the_standards_algorithm(data: bytes) -> None:
    assert standard(data) == bit_by_bit(data, keeps_low_byte=False)
    assert modbus(data) == bit_by_bit(data, keeps_low_byte=True)


def test_every_length_around_a_fold() -> None:
    data = bytes((7 * n + 1) & 0xFF for n in range(2050))
    for size in [*range(70), *range(505, 520), *range(1015, 1035), 2047, 2048, 2049]:
        assert standard(data[:size]) == bit_by_bit(data[:size], keeps_low_byte=False), size


def test_variants() -> None:
    assert swapped(0x1C80) == 0x801C
    assert {variant: crc(SEGMENT) for variant, crc in CRCS.items()} == {
        CrcVariant.STANDARD: 0x1C80,
        CrcVariant.STANDARD_SWAPPED: 0x801C,
        CrcVariant.MODBUS: 0x0759,
        CrcVariant.MODBUS_SWAPPED: 0x5907,
        CrcVariant.UNCHECKED: 0x1C80,
    }
    for variant in CrcVariant:
        if variant is not CrcVariant.UNCHECKED:
            assert fitting(SEGMENT, CRCS[variant](SEGMENT)) is variant
    assert fitting(SEGMENT, 0x1234) is None
    assert UNIVERSAL == 0xA55A
