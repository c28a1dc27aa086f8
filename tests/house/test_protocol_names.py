"""Only the packages of the protocols know their names; everybody else reads the document."""

from __future__ import annotations

import re

import rules

from edge_agent.protocols import PROTOCOLS

NAMES = re.compile(rf"['\"`/](?:{'|'.join(sorted(PROTOCOLS))}|modbus|dlt645_?|mc_)['\"`/$]|\bdlt645_\$")
"""A protocol, or the beginning of several, as a text in the code."""

SEARCHED = (
    "cloud/cloud", "web/src", "broker-config/contract/edge_contract", "edge-agent/edge_agent",
    "firmware-sim/firmware_sim",
)  # fmt: skip

OWN = ("edge-agent/edge_agent/protocols/", "web/src/api/generated/", "firmware-sim/firmware_sim/devices/")

EXCEPTIONS = {
    "cloud/cloud/domains/importing/guide.py": "sample data: the example row of the import template",
    "cloud/cloud/domains/templates/ready.py": "sample data: point templates that the platform has ready",
    "broker-config/contract/edge_contract/parameters/loop_write.py": "the same, as a parameter group",
    "cloud/cloud/domains/fieldbus/schemas.py": "the specification's message type of a loop write",
    "edge-agent/edge_agent/config/loop_write.py": "the specification's message type of a loop write",
    "edge-agent/edge_agent/config/translate.py": "documents of an earlier agent",
    "edge-agent/edge_agent/loop_write/faults.py": "the specification's message type of a loop write",
    "edge-agent/edge_agent/loop_write/writer.py": "the specification's message type of a loop write",
    "firmware-sim/firmware_sim/gateways/signals.py": "which protocol the slave of a simulated gateway speaks",
    "web/src/features/parameters/model/dependencies.ts": "the specification's message type of a loop write",
    "web/src/features/remote/screens/PlcDownload.tsx": "programming software, no field protocol",
}

WORDS = re.compile(rf"(?<![\w/-])(?:{'|'.join(sorted(PROTOCOLS))})(?![\w/])")
"""A protocol anywhere in a text: for files in which names stand without quotes."""

DATA = ("cloud/cloud/", "web/src/", "broker-config/", "edge-agent/edge_agent/")

DATA_EXCEPTIONS = {
    "broker-config/contract/examples/": "sample messages of the contract",
    "broker-config/contract/schema/protocols/": "generated from the descriptions",
    "cloud/cloud/domains/points/protocols.json": "generated from the descriptions",
    "web/src/api/protocols.json": "generated from the descriptions",
    "web/src/features/remote/locales/": "programming software, no field protocol",
    "scripts/bench": "measures the wire of certain protocols",
    "scripts/faults/": "a site of Modbus devices to cause faults in",
    "scripts/fuzz": "one target for each codec",
}
"""By the beginning of the path."""


def named_in_data() -> set[str]:
    """Scripts, and tables and JSON files of the programs, that name a protocol."""
    found = set()
    for path in rules.tracked("*.csv", "*.json", "scripts/*"):
        name = str(path.relative_to(rules.ROOT))
        searched = name.startswith("scripts/") or (name.startswith(DATA) and not name.startswith(OWN))
        is_text = searched and path.suffix in ("", ".py", ".csv", ".json") and "/tests/" not in name
        if is_text and WORDS.search(path.read_text()):
            found.add(name)
    return found


def named() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in rules.tracked("*.py", "*.ts", "*.tsx"):
        name = str(path.relative_to(rules.ROOT))
        if not name.startswith(SEARCHED) or name.startswith(OWN) or "/tests/" in name:
            continue
        lines = [line.strip() for line in path.read_text().splitlines() if NAMES.search(line)]
        if lines:
            found[name] = lines
    return found


def test_no_code_outside_the_packages_names_a_protocol() -> None:
    assert {name: lines for name, lines in named().items() if name not in EXCEPTIONS} == {}


def test_no_script_table_or_json_names_a_protocol() -> None:
    assert {name for name in named_in_data() if not name.startswith(tuple(DATA_EXCEPTIONS))} == set()


def test_every_exception_is_one() -> None:
    assert EXCEPTIONS.keys() <= named().keys()
    found = named_in_data()
    for beginning in DATA_EXCEPTIONS:
        assert any(name.startswith(beginning) for name in found), beginning


def test_a_branch_by_name_is_found() -> None:
    assert NAMES.search("if (form.name === 'fx') printed(row);")
    assert NAMES.search('if form.name.startswith("modbus"):')
    assert NAMES.search("`dlt645_${statute}`")
    assert not NAMES.search('Cell("area", "single_bits")')
