"""What every field protocol offers."""

import json
import re
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from edge_agent.config.load import parse
from edge_agent.config.model import Port
from edge_agent.protocols import PROTOCOLS
from edge_agent.protocols.base import FieldProtocol
from edge_agent.protocols.document import document, portal_part

PACKAGES = sorted({type(protocol).__module__.split(".")[2] for protocol in PROTOCOLS.values()})


@pytest.mark.parametrize("package", PACKAGES)
def test_sample_is_valid_and_plannable(package: str) -> None:
    text = (
        resources.files(f"edge_agent.protocols.{package}").joinpath("sample.toml").read_text(encoding="utf-8")
    )
    configuration = parse(text)
    assert configuration.points
    for slave in configuration.slaves:
        points = [point for point in configuration.points if point.slave == slave.name]
        blocks = PROTOCOLS[slave.protocol].plan(slave, points)
        assert sorted(index for block in blocks for index in block.points) == list(range(len(points)))


@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=lambda protocol: protocol.name)
def test_schema_has_words_in_both_languages(protocol: FieldProtocol) -> None:
    def labels(node: Any) -> list[dict[str, str]]:
        if isinstance(node, dict):
            own = [node["x-label"]] if "x-label" in node else []
            return own + [label for child in node.values() for label in labels(child)]
        return [label for child in node for label in labels(child)] if isinstance(node, list) else []

    schema = protocol.schema()
    for part in ("options", "address"):
        key = schema[part]["$ref"].rpartition("/")[2]
        properties = schema[part]["$defs"][key]["properties"]
        found = labels(properties)
        assert len(found) == len(properties)
        for label in found:
            assert re.search(r"[\u4e00-\u9fff]", label["zh"])
            assert re.fullmatch(r"[ -~]+", label["en"])


def test_drivers_are_made_without_opening_anything() -> None:
    for protocol in PROTOCOLS.values():
        kind = min(protocol.description.port_types)
        port = Port(name="p", type=kind, device="/dev/does-not-exist", host="192.0.2.1")  # type: ignore[arg-type]
        assert protocol.driver(port).gap_s >= 0.005


STORED = Path(__file__).parents[3] / "cloud/cloud/domains/points/protocols.json"


def test_the_document_of_the_cloud_is_that_of_the_protocols() -> None:
    described = document(protocol.description for protocol in PROTOCOLS.values())
    made = json.loads(json.dumps(described))
    assert made == json.loads(STORED.read_text(encoding="utf-8"))
    assert portal_part({"x": {"options": 1, "areas": 2, "slave_checks": 3}}) == {"x": {"slave_checks": 3}}
