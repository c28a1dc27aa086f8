"""Only the packages of the protocols know their names; everybody else reads the document."""

from __future__ import annotations

import re

import rules

from edge_agent.protocols import PROTOCOLS

NAMES = re.compile(rf"['\"`/](?:{'|'.join(sorted(PROTOCOLS))}|modbus|dlt645_?|mc_)['\"`/$]|\bdlt645_\$")
"""A protocol, or the beginning of several, as a text in the code."""

SEARCHED = ("cloud/cloud", "web/src", "broker-config/contract/edge_contract", "edge-agent/edge_agent")

OWN = ("edge-agent/edge_agent/protocols/", "web/src/api/generated/")

EXCEPTIONS = {
    "cloud/cloud/domains/importing/guide.py": "sample data: the example row of the import template",
    "cloud/cloud/domains/templates/ready.py": "sample data: point templates that the platform has ready",
    "edge-agent/edge_agent/config/translate.py": "documents of an earlier agent",
    "web/src/features/remote/screens/PlcDownload.tsx": "programming software, no field protocol",
}


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


def test_every_exception_is_one() -> None:
    assert EXCEPTIONS.keys() <= named().keys()


def test_a_branch_by_name_is_found() -> None:
    assert NAMES.search("if (form.name === 'fx') printed(row);")
    assert NAMES.search('if form.name.startswith("modbus"):')
    assert NAMES.search("`dlt645_${statute}`")
    assert not NAMES.search('Cell("area", "single_bits")')
