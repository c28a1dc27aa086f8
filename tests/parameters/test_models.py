"""Groups that the document had already: fields and defaults of the contract's model are the agent's."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from edge_agent.config import model as edge
from edge_agent.forwarding.hj212.options import Hj212Options, Mapping
from edge_agent.forwarding.mqtt.config import MqttOptions, Variable
from edge_contract.parameters import history, hj212, internal_slave, loop_write, mqtt, uart

OF_THE_TARGET = {"name", "enable"}
OTHER_FIELDS_OF_PORTS = {"type", "host", "port", "capture_cycle_ms"}

PAIRS: list[tuple[type[msgspec.Struct], type[msgspec.Struct], set[str]]] = [
    (internal_slave.InternalSlave, edge.InternalSlave, set()),
    (history.History, edge.History, set()),
    (loop_write.LoopWrite, edge.LoopWrite, set()),
    (uart.Uart, edge.Port, OTHER_FIELDS_OF_PORTS),
    (hj212.Hj212, Hj212Options, OF_THE_TARGET),
    (hj212.Factor, Mapping, set()),
    (mqtt.MqttPlatform, MqttOptions, OF_THE_TARGET),
    (mqtt.Variable, Variable, set()),
]


def defaults(model: type[msgspec.Struct]) -> dict[str, Any]:
    """By field; REQUIRED where there is none."""
    made: dict[str, Any] = {}
    for field in msgspec.structs.fields(model):
        if field.required:
            made[field.name] = "REQUIRED"
        elif field.default_factory is not msgspec.NODEFAULT:
            made[field.name] = field.default_factory()
        else:
            made[field.name] = field.default
    return made


@pytest.mark.parametrize(
    ("contract", "agent", "others"), PAIRS, ids=lambda each: getattr(each, "__name__", "")
)
def test_contract_and_agent_have_the_same_fields(
    contract: type[msgspec.Struct], agent: type[msgspec.Struct], others: set[str]
) -> None:
    ours, theirs = defaults(contract), defaults(agent)
    for name in others:
        ours.pop(name, None)
        theirs.pop(name, None)
    if contract is uart.Uart:
        assert ours.pop("device") == "REQUIRED"  # of a COM port, which every port may not be
        theirs.pop("device")
    assert ours == theirs
