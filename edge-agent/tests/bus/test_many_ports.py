"""What spares a gateway of hundreds of ports: they wake together, and plan nothing that changes nothing."""

from __future__ import annotations

from typing import Any

import pytest

from edge_agent.bus.device_runtime import DeviceRuntime
from edge_agent.bus.schedule import BEAT_S, next_beat


def test_a_beat_is_never_early_and_never_a_full_one_late() -> None:
    for turn in range(5000):
        due = 1000 + turn * 0.0037
        assert due <= next_beat(due) < due + BEAT_S
    for turn in range(5000):
        assert next_beat(turn * 0.01) == pytest.approx(turn * 0.01, abs=1e-6), "what is due at a beat"


async def test_ports_with_long_cycles_wake_on_one_beat(site: Any, make_toml: Any) -> None:
    text = make_toml("a.one", "b.two", point="collect_delay_ms = 3")
    here = site(text)
    await here.clock.advance(3.5)
    assert here.plant.requests("one") == here.plant.requests("two") == [0.01, 1.01, 2.01, 3.01]
    assert sum(port.missed for port in here.bus.ports()) == 0, "late by less than a beat, never by a period"
    quick = site(text.replace("min_interval_ms = 0", "min_interval_ms = 0\ncapture_cycle_ms = 500"))
    await quick.clock.advance(1.2)
    assert quick.plant.requests("one") == [0.003, 0.503, 1.003]


async def test_wider_gaps_are_not_planned_where_one_request_does_it_all(
    site: Any, make_toml: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned: list[str] = []
    plan = DeviceRuntime._plan
    monkeypatch.setattr(DeviceRuntime, "_plan", lambda line: (planned.append(line.slave.name), plan(line))[1])
    here = site(make_toml("a.one", "b.two", offsets=(0, 90)), two={n: n for n in range(100)})
    await here.clock.advance(30)
    assert planned == ["one", "two", "one", "two"], "two requests become one by a wider hole"
    assert len(here.plant.requests("one")) == 31 + 8, "eight cycles of two requests, then one each"
    del planned[:]
    site(make_toml("c.three", offsets=(0, 9)))
    await here.clock.advance(30)
    assert planned == ["three"], "as it began"
