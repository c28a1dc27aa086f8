"""A site with unit 0 or 255 from before goes on; a new document with it is refused and names the option."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from edge_agent.config.load import configuration_of
from edge_agent.config.start import choose
from edge_agent.config.state import ActiveVersion, ConfigurationState
from edge_agent.config.state_store import StateStore
from edge_agent.config.translate import translated
from edge_agent.errors import ConfigErrors
from edge_agent.protocols import PROTOCOLS
from edge_agent.protocols.modbus.config import options_of, unit_of
from edge_contract.deployment import Origin

NOW_MS = 1_790_000_000_000


def document(*addresses: str, protocol: str = "modbus_tcp", **options: Any) -> dict[str, Any]:
    return {
        "gateway": {"id": "gw-1"},
        "ports": [{"name": "lan", "type": "NET", "host": "192.0.2.1"}],
        "slaves": [
            {"name": f"s{at}", "port": "lan", "protocol": protocol, "address": address, "options": options}
            for at, address in enumerate(addresses)
        ],
    }


def units(addresses: list[Any]) -> list[int]:
    return [unit_of(slave, options_of(slave)) for slave in addresses]


@pytest.mark.parametrize("address", ["0", "248", "255", "256", "-1"])
@pytest.mark.parametrize("protocol", ["modbus_tcp", "modbus_rtu_tcp"])
def test_a_new_document_is_refused_and_names_the_option(address: str, protocol: str) -> None:
    with pytest.raises(ConfigErrors) as caught:
        configuration_of(document(address, protocol=protocol))
    (fault,) = caught.value.errors
    assert fault.field == "slaves[0].address"
    assert "1 to 247" in fault.rule
    if protocol == "modbus_tcp" and len(address) == 3:
        assert "options.unit_id" in fault.rule


def test_the_unit_of_a_tcp_server_is_an_option() -> None:
    made = configuration_of(document("1", unit_id=255))
    assert units(list(made.slaves)) == [255]
    with pytest.raises(ConfigErrors, match="unit_id"):
        configuration_of(document("1", protocol="modbus_rtu_tcp", unit_id=255))
    with pytest.raises(ConfigErrors, match="unit_id"):
        configuration_of(document("1", unit_id=256))


def test_what_is_translated_speaks_to_the_same_units_at_free_addresses() -> None:
    before = document("0", "1", "255")
    text = json.dumps(before)
    made = configuration_of(translated(before))
    assert units(list(made.slaves)) == [0, 1, 255]
    assert [slave.address for slave in made.slaves] == ["2", "1", "3"]
    assert json.dumps(before) == text, "the stored document is untouched"
    block = PROTOCOLS["modbus_tcp"]
    assert block.validate_slave(made.slaves[0], made.ports[0]) is None


def test_what_needs_no_translation_is_the_same_object() -> None:
    known = document("7")
    assert translated(known) is known
    serial = document("0", protocol="modbus_rtu_tcp")
    assert translated(serial) is serial


def test_a_running_version_from_before_goes_on_after_the_update(tmp_path: Path) -> None:
    file, data = tmp_path / "gateway.toml", tmp_path / "data"
    file.write_text('[gateway]\nid = "gw-1"\n')
    choose(file, StateStore(data), NOW_MS, lambda _: None)
    state_store = StateStore(data)
    running = ActiveVersion(state_store.versions.keep(document("255")), Origin.CLOUD, NOW_MS)
    state_store.save(
        ConfigurationState(
            running, file_text=state_store.state.file_text, file_hash=state_store.state.file_hash
        )
    )
    found = choose(file, StateStore(data), NOW_MS, lambda _: None)
    assert units(list(found.configuration.slaves)) == [255]
    assert StateStore(data).state.running.hash == running.hash


def test_a_key_without_its_certificate_goes_on_unused() -> None:
    tables = document("1") | {"local_page": {"key_file": "page.key", "port": 8091}}
    with pytest.raises(ConfigErrors):
        configuration_of(tables)
    page = configuration_of(translated(tables)).local_page
    assert (page.key_file, page.port) == (None, 8091)
    beyond = document("1") | {"local_page": {"cert_file": "page.pem", "key_file": "page.key"}}
    assert translated(beyond) is beyond


@pytest.mark.parametrize("part", ["gateway", "slaves[0]", "points[0]"])
def test_a_long_title_is_refused_and_one_that_ran_is_cut(part: str) -> None:
    def titled(length: int) -> dict[str, Any]:
        tables = document("1")
        address = {"reg_type": "4X", "offset": 0}
        tables["points"] = [{"slave": "s0", "name": "p", "address": address}]
        section = tables[part.partition("[")[0]]
        (section[0] if isinstance(section, list) else section)["title"] = "\u6cf5" * length
        return tables

    assert translated(titled(200)) == titled(200)
    configuration_of(titled(200))
    with pytest.raises(ConfigErrors) as caught:
        configuration_of(titled(201))
    assert str(caught.value) == f"{part}.title: must have at most 200 characters"
    assert translated(titled(201)) == titled(200)
