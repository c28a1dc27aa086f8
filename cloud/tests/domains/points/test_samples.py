"""What the gateway takes has no faults here: configurations that its protocol packages show to operators."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from cloud.domains.points import validation
from cloud.domains.points.forms import forms

ROOMS = Path(__file__).parents[4] / "edge-agent" / "edge_agent" / "protocols"
SAMPLES = sorted(ROOMS.glob("*/sample.toml"))


@pytest.mark.parametrize("file", SAMPLES, ids=lambda file: file.parent.name)
def test_a_sample_of_a_protocol_has_no_faults(file: Path) -> None:
    document = tomllib.loads(file.read_text(encoding="utf-8"))
    found = [*validation.of_ports(document), *validation.of_slaves(document), *validation.of_points(document)]
    assert [fault for fault in found if fault.level == "error"] == []
    assert {slave["protocol"] for slave in document["slaves"]} <= forms().keys()


def test_every_protocol_room_has_a_sample() -> None:
    assert len(SAMPLES) >= 5
