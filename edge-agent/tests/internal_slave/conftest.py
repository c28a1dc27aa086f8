"""A gateway with a slave of libmodbus behind it, as fixtures."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "protocols" / "modbus")]

from libmodbus_slave import LibmodbusSlave  # noqa: E402
from slave_gateway import Gateway, running  # noqa: E402


@pytest.fixture
def device() -> Iterator[tuple[LibmodbusSlave, int]]:
    behind = LibmodbusSlave()
    behind.holding[0], behind.holding[2], behind.holding[3] = 215, 0x41AC, 0x0000
    behind.input_registers[4], behind.input_registers[5] = 1, 2
    with behind.tcp() as port:
        yield behind, port


@pytest.fixture
async def gateway(
    device: tuple[LibmodbusSlave, int], request: pytest.FixtureRequest
) -> AsyncIterator[Gateway]:
    """Settings of [internal_slave] by @pytest.mark.parametrize("gateway", [...], indirect=True)."""
    async with running(*device, getattr(request, "param", "")) as made:
        yield made
