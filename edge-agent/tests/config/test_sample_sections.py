"""The sections that the Modbus sample has as comments are a configuration once the marks are taken away."""

from __future__ import annotations

import re
from importlib import resources

from edge_agent.config.load import parse


def test_they_are_there_and_have_no_faults() -> None:
    text = resources.files("edge_agent.protocols.modbus").joinpath("sample.toml").read_text("utf-8")
    configuration = parse(re.sub(r"^#(?! )", "", text, flags=re.MULTILINE))
    assert configuration.internal_slave is not None
    assert configuration.internal_slave.port == 1502
    assert [point.name for point in configuration.internal_slave_points if point.writable] == [
        "pressure_setpoint"
    ]
    assert [task.name for task in configuration.loop_writes] == ["clock"]
