"""A command is a signal when it is taken and when it is answered, whoever gave it."""

from __future__ import annotations

from typing import Any

from edge_agent.config.model import Point
from edge_agent.model import PointKey, Sample, Value
from edge_agent.points import same_value
from edge_agent.remote.execution import Execution
from edge_contract.payloads import Command, CommandAction

KEY = PointKey("boiler", "setpoint")


class Field:
    """A device that takes what is written."""

    async def write(self, key: PointKey, value: Value, timeout_s: float) -> Sample:
        return Sample(1, 1, value)

    async def read(self, key: PointKey, timeout_s: float) -> Sample:
        return Sample(1, 1, 7)


async def test_a_command_is_taken_and_answered(gateway: Any) -> None:
    points = {KEY: Point(slave="boiler", name="setpoint", rw="readwrite", data_type="float")}
    execution = Execution(points, Field(), same_value, gateway.clock, notify=gateway.trace.signal)
    gateway.ask()
    for number, action in enumerate((CommandAction.WRITE, CommandAction.READ)):
        command = Command(
            id=f"command-{number}",
            action=action,
            expires_ms=gateway.clock.now_ms() + 5000,
            slave=KEY.slave,
            point=KEY.point,
            value=21.5 if action is CommandAction.WRITE else None,
        )
        await execution.execute(command, "cloud (ann)")
    entries = gateway.entries()
    assert [(one.kind, one.code, one.source, one.device) for one in entries] == [
        ("command", "taken", "W", "boiler"),
        ("command", "answered", "W", "boiler"),
        ("command", "taken", "R", "boiler"),
        ("command", "answered", "R", "boiler"),
    ]
    assert entries[0].text == "cloud (ann) writes 21.5 to boiler.setpoint"
    assert entries[3].text == "cloud (ann) reads boiler.setpoint: done (0 ms)"
