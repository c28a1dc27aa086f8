"""Constants of the specification that a configuration has by default."""

from __future__ import annotations

from edge_agent.config.model import Port


def test_pause_between_requests_is_5_ms_unless_set() -> None:
    assert Port(name="a", type="NET", host="h").min_interval_ms == 5
