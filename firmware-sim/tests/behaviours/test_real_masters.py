"""Faults as a master on a real transport feels them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from firmware_sim.errors import FaultError

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
    where = {"port": simulator.port("lan")} if device == "tcp" else {"device": simulator.link("com1")}
    master = libmodbus(**where)
    assert await master.registers(unit, 0, 1) == [7]
    for text in ("silent", "half_frame") + (("bad_checksum",) if device == "rtu" else ()):
        simulator.put_fault(device, text)
        master.wait_for(0.15)
        with pytest.raises(Exception, match="errno"):
            await master.registers(unit, 0, 1)
        simulator.put_fault(device, "none")
        master.flush()
    master.wait_for(10)
    assert await master.registers(unit, 0, 1) == [7]
    simulator.put_fault(device, "slow:200")
    loop = asyncio.get_running_loop()
    start = loop.time()
    assert await master.registers(unit, 0, 1) == [7]
    assert loop.time() - start >= 0.2


async def test_a_fault_on_a_stranger_is_refused(running: Any) -> None:
    simulator = await running(PLANT)
    with pytest.raises(FaultError, match="must be one of com1, lan, rtu, tcp"):
        simulator.put_fault("nobody", "silent")
