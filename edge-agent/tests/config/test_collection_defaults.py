"""[collection] and [reporting]: what ports and slaves do not state, and what goes together."""

from __future__ import annotations

import pytest

from edge_agent.config.load import parse
from edge_agent.errors import ConfigErrors

TOML = """
[gateway]
id = "gw-1"
{sections}
[[ports]]
name = "own"
type = "NET"
host = "192.0.2.1"
capture_cycle_ms = 250
[[ports]]
name = "general"
type = "NET"
host = "192.0.2.2"
[[slaves]]
name = "a"
port = "own"
protocol = "modbus_tcp"
address = "1"
response_timeout_ms = 70
[[slaves]]
name = "b"
port = "general"
protocol = "modbus_tcp"
address = "1"
"""


def test_what_a_port_and_a_slave_state_wins_over_the_gateways() -> None:
    made = parse(TOML.format(sections="[collection]\ncapture_cycle_ms = 5000\nresponse_timeout_ms = 300\n"))
    assert [port.capture_cycle_ms for port in made.ports] == [250, 5000]
    assert [slave.response_timeout_ms for slave in made.slaves] == [70, 300]


def test_without_a_section_everything_is_as_before() -> None:
    made = parse(TOML.format(sections=""))
    assert [port.capture_cycle_ms for port in made.ports] == [250, 1000]
    assert [slave.response_timeout_ms for slave in made.slaves] == [70, 1000]
    assert (made.reporting.interval_s, made.reporting.power) == (0, "normal")


@pytest.mark.parametrize(
    ("sections", "field"),
    [
        ("[collection]\ncapture_cycle_ms = 5\n", "collection.capture_cycle_ms"),
        ("[collection]\nresponse_timeout_ms = 60001\n", "collection.response_timeout_ms"),
        ("[reporting]\ninterval_s = 86401\n", "reporting.interval_s"),
        ('[reporting]\npower = "saving"\n', "reporting.interval_s"),
        ('[reporting]\npower = "saving"\ninterval_s = 59\n', "reporting.interval_s"),
        ('[reporting]\npower = "off"\n', "reporting.power"),
    ],
)
def test_a_fault_names_its_field(sections: str, field: str) -> None:
    with pytest.raises(ConfigErrors) as caught:
        parse(TOML.format(sections=sections))
    assert [fault.field for fault in caught.value.errors] == [field]
