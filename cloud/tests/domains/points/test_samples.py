"""What the gateway takes has no faults here: the configurations that its protocol rooms show to operators."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from cloud.domains.points import judge
from cloud.domains.points.forms import forms

ROOMS = Path(__file__).parents[4] / "edge-agent" / "edge_agent" / "protocols"
SAMPLES = sorted(ROOMS.glob("*/sample.toml"))


@pytest.mark.parametrize("file", SAMPLES, ids=lambda file: file.parent.name)
def test_a_sample_of_a_protocol_has_no_faults(file: Path) -> None:
    document = tomllib.loads(file.read_text(encoding="utf-8"))
    found = [*judge.of_ports(document), *judge.of_slaves(document), *judge.of_points(document)]
    assert [fault for fault in found if fault.level == "error"] == []
    assert {slave["protocol"] for slave in document["slaves"]} <= forms().keys()


def test_every_protocol_room_has_a_sample() -> None:
    assert len(SAMPLES) >= 5
