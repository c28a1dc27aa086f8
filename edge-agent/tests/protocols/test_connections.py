"""How devices of each protocol are connected as delivered: package, sample, export and tools agree."""

import json
from argparse import ArgumentParser
from dataclasses import astuple
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
import pytest

from edge_agent.commissioning.command_line import _place, add_verbs
from edge_agent.config.load import parse
from edge_agent.config.model import Port, Slave
from edge_agent.errors import ConfigError
from edge_agent.protocols import PROTOCOLS
from edge_agent.protocols.document import CHECKS, document

EXPORTED = Path(__file__).parents[3] / "broker-config/contract/schema/protocols"

TRUE: dict[str, tuple[str, int | None, tuple[int, str, int, int] | None]] = {
    "modbus_tcp": ("1", 502, None),
    "modbus_rtu": ("1", None, (9600, "N", 8, 1)),
    "modbus_rtu_tcp": ("1", None, None),
    "dlt645_2007": ("AAAAAAAAAAAA", None, (2400, "E", 8, 1)),
    "dlt645_1997": ("AAAAAAAAAAAA", None, (1200, "E", 8, 1)),
    "fx": ("0", None, (9600, "E", 7, 1)),
    "mc_1e": ("0", 5007, None),
    "mc_3e": ("0", 5007, None),
    "s7": ("1", 102, None),
    "ppi": ("2", None, (9600, "E", 8, 1)),
}
"""Address of a slave, TCP port, framing of a serial line: what the makers and standards say."""

NEEDED: dict[str, dict[str, Any]] = {
    "s7": {"model": "1200", "rack": 0, "slot": 1},
    "fx": {"model": "FX3U"},
    "mc_3e": {"series": "Q"},
}
"""Options without which a slave is none."""

SERIAL_SERVERS = {"fx-converter"}
"""Ports of the samples that belong to a serial server, which has a number of its own."""


def exported(protocol: str) -> dict[str, Any]:
    text = (EXPORTED / f"{protocol}.json").read_text(encoding="utf-8")
    connection: dict[str, Any] = json.loads(text)["connection"]
    return connection


def framing_of(port: Port) -> tuple[int, str, int, int]:
    return port.baud, port.parity, port.data_bits, port.stop_bits


def test_every_protocol_is_in_the_table() -> None:
    assert TRUE.keys() == PROTOCOLS.keys()


@pytest.mark.parametrize("protocol", TRUE)
def test_the_package_and_the_export_say_what_is_true(protocol: str) -> None:
    address, tcp_port, framing = TRUE[protocol]
    own = PROTOCOLS[protocol].description.connection
    assert (own.address, own.tcp_port) == (address, tcp_port)
    assert (astuple(own.serial) if own.serial else None) == framing
    assert own.min_interval_ms >= 5
    assert own.capture_cycle_ms == {"dlt645_2007": 30_000, "dlt645_1997": 60_000}.get(protocol, 1000)
    assert exported(protocol) == msgspec.to_builtins(own)


@pytest.mark.parametrize("protocol", TRUE)
def test_the_agent_takes_what_is_proposed(protocol: str) -> None:
    """A slave and a port made of nothing but the proposal pass the protocol's own rules."""
    entry, (address, tcp_port, framing) = PROTOCOLS[protocol], TRUE[protocol]
    options = NEEDED.get(protocol, {})
    slave = Slave(name="d", port="p", protocol=protocol, address=address, options=options)
    for kind in entry.description.port_types:
        if kind == "NET":
            port = Port(name="p", type="NET", host="192.0.2.1", port=tcp_port or 4001)
        else:
            assert framing is not None
            baud, parity, data_bits, stop_bits = framing
            port = msgspec.convert(
                {
                    "name": "p", "type": "COM", "device": "/dev/ttyS1", "baud": baud, "parity": parity,
                    "data_bits": data_bits, "stop_bits": stop_bits,
                },
                Port,
            )  # fmt: skip
        entry.validate_slave(slave, port)


@pytest.mark.parametrize("model", ["300", "400", "1200", "1500"])
def test_rack_and_slot_of_a_model(model: str) -> None:
    chosen = PROTOCOLS["s7"].description.connection.choices["model"][model]
    assert chosen == {"rack": 0, "slot": {"300": 2, "400": 3}.get(model, 1)}
    assert exported("s7")["choices"]["model"][model] == chosen


def test_the_samples_are_set_so() -> None:
    seen: set[str] = set()
    for package in ("modbus", "dlt645", "fx", "mc", "s7"):
        text = resources.files(f"edge_agent.protocols.{package}").joinpath("sample.toml").read_text("utf-8")
        configuration = parse(text)
        for port in configuration.ports:
            assert port.min_interval_ms >= 5, port.name
            protocol = next(slave.protocol for slave in configuration.slaves if slave.port == port.name)
            _, tcp_port, framing = TRUE[protocol]
            if port.type == "COM":
                assert framing_of(port) == framing, port.name
                seen.add(protocol)
            elif port.name not in SERIAL_SERVERS:
                assert port.port == tcp_port, port.name
                seen.add(protocol)
    assert seen == set(TRUE) - {"dlt645_1997", "modbus_rtu_tcp"}


def chosen_port(*words: str) -> Port:
    parser = ArgumentParser()
    add_verbs(parser.add_subparsers(dest="verb"))
    return _place(parser.parse_args(["scan", *words]))[1]


@pytest.mark.parametrize("protocol", TRUE)
def test_the_command_line_begins_with_it(protocol: str) -> None:
    _, tcp_port, framing = TRUE[protocol]
    if framing is not None:
        words = ("--device", "/dev/ttyS1", "--protocol", protocol)
        assert framing_of(chosen_port(*words)) == framing
        assert framing_of(chosen_port(*words, "--baud", "19200"))[0] == 19_200
    if tcp_port is not None:
        assert chosen_port("--host", "h", "--protocol", protocol).port == tcp_port
    elif "NET" in PROTOCOLS[protocol].description.port_types:
        with pytest.raises(ConfigError, match="--tcp-port: must be given: a serial server has its own"):
            chosen_port("--host", "h", "--protocol", protocol)


STORED = Path(__file__).parents[3] / "cloud/cloud/domains/points/protocols.json"


def test_the_cloud_checks_by_the_rules_of_the_protocols() -> None:
    """Every condition is in the document of the cloud as the protocols state it."""
    described = document(protocol.description for protocol in PROTOCOLS.values())
    made = json.loads(json.dumps(described))
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    for name, each in made.items():
        assert {part: each[part] for part in CHECKS} == {part: stored[name][part] for part in CHECKS}
