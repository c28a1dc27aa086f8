"""What the cloud says in codes the portal says in words."""

from __future__ import annotations

import json

import pytest
import rules

from cloud.domains.firmware.gate import Evidence, worse

BEFORE = Evidence(
    t_ms=0, online=True, slaves=9, good=9, outages=0, backlog=0, latency_ms=1.0, memory_bytes=2**20
)
AFTER = Evidence(
    t_ms=0, online=False, slaves=0, good=0, outages=9999, backlog=10**9, latency_ms=1e9, memory_bytes=2**40
)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_way_in_which_a_gateway_may_be_worse(language: str) -> None:
    path = rules.ROOT / "web" / "src" / "features" / "firmware" / "locales" / f"{language}.json"
    words = json.loads(path.read_text())["worse"]
    assert set(words) == {*worse(BEFORE, AFTER), "figures"}
    assert len(worse(BEFORE, AFTER)) == len(vars(BEFORE)) - 1, "all but the time is compared"
