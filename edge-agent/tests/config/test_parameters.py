"""Sections of parameter groups: what they make of a configuration, and what is refused between them."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from edge_agent.config.load import configuration_of
from edge_agent.errors import ConfigErrors

TABLES: dict[str, Any] = {
    "gateway": {"id": "gw-1"},
    "ports": [
        {"name": "lan", "type": "NET", "host": "10.0.0.9"},
        {"name": "com1", "type": "COM", "device": "/dev/ttyS1"},
    ],
    "slaves": [{"name": "a", "port": "lan", "protocol": "modbus_tcp", "address": "1"}],
    "points": [
        {
            "slave": "a", "name": "p", "data_type": "float", "ratio": 0.5, "bias": 10.0,
            "address": {"reg_type": "4X", "offset": 0},
        },
        {
            "slave": "a", "name": "t", "type": "str", "data_type": "string",
            "address": {"reg_type": "4X", "offset": 9, "length": 4},
        },
    ],
}  # fmt: skip
CHANNEL = {"name": "c", "server": "example.org", "server_port": 9, "port": "com1", "heartbeat_interval_s": 0}


def with_sections(**sections: Any) -> dict[str, Any]:
    return copy.deepcopy(TABLES) | sections


def faults(**sections: Any) -> list[str]:
    try:
        configuration_of(with_sections(**sections))
    except ConfigErrors as error:
        return [each.field for each in error.errors]
    return []


def test_a_calibrated_point_has_another_ratio_and_bias() -> None:
    row = {"slave": "a", "name": "p", "scale": 2.0, "offset": -1.0}
    configuration = configuration_of(with_sections(calibrations=[row]))
    assert (configuration.points[0].ratio, configuration.points[0].bias) == (1.0, 19.0)
    assert configuration.points[1] == configuration_of(TABLES).points[1]


def test_without_collection_no_slave_is_enabled() -> None:
    assert configuration_of(TABLES).slaves[0].enable
    configuration = configuration_of(with_sections(collection={"enable": False}))
    assert not configuration.slaves[0].enable
    assert configuration.ports[0].enable
    assert configuration.tunnels.enable


@pytest.mark.parametrize(
    ("sections", "field"),
    [
        ({"collection": {"enable": False}, "tunnels": {"enable": False}}, "collection.enable"),
        ({"calibrations": [{"slave": "a", "name": "none"}]}, "calibrations[0].name"),
        ({"calibrations": [{"slave": "a", "name": "t"}]}, "calibrations[0].name"),
        ({"calibrations": [{"slave": "a", "name": "p"}] * 2}, "calibrations[1].name"),
        ({"channels": [CHANNEL | {"port": "com9"}]}, "channels[0].port"),
        ({"channels": [CHANNEL | {"port": "lan"}]}, "channels[0].port"),
        ({"channels": [CHANNEL, CHANNEL | {"name": "d"}]}, "channels[1].port"),
        ({"channels": [CHANNEL, CHANNEL | {"enable": False}]}, "channels[1].name"),
        ({"channels": [CHANNEL | {"server": "169.254.1.1"}]}, "channels[0].server"),
        ({"channels": [CHANNEL | {"heartbeat_interval_s": 60}]}, "channels[0].heartbeat"),
        ({"registration": {"format": "hex", "content": "0"}}, "registration.content"),
        ({"network": {"mode": "static"}}, "network.address"),
        ({"mobile": {"enable": False, "routing": True}}, "mobile.routing"),
        ({"hotspot": {"ssid": "x"}}, "hotspot.password"),
    ],
)
def test_fault_names_the_field(sections: dict[str, Any], field: str) -> None:
    assert field in faults(**sections)


def test_sections_that_go_together_are_accepted() -> None:
    assert faults(channels=[CHANNEL], registration={}, network={"mode": "dhcp"}, mobile={}) == []


def test_an_empty_list_of_factors_is_a_fault_of_the_list() -> None:
    options = {"server": "h", "port": 1, "mn": "M", "mapping": []}
    target = {"name": "h", "kind": "hj212", "options": options}
    assert faults(forwarders=[target]) == ["forwarders[0].options.mapping"]
