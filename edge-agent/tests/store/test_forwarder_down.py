"""A forwarder that is down costs the others nothing, through kills; the month is `scripts/soak`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))

from faults.forwarder_down import missing_or_twice, soak


def test_hours_of_one_being_down_with_kills(tmp_path: Path) -> None:
    found = soak(tmp_path, 900, 4, seed=16)
    assert found.faults == []
    assert (found.committed, found.kills) == (900, 4)
    assert found.waiting["down"] == 900
    assert "down" not in found.lost
    assert found.waiting["small"] + found.lost["small"] == 900
    assert found.lost["small"] > 0


def test_what_is_missing_or_came_twice_is_detected() -> None:
    assert missing_or_twice("file", [1, 2, 3], 3) == []
    assert missing_or_twice("file", [1, 3], 3) == ["file got 2 of 3 batches in 2 rows"]
    assert missing_or_twice("file", [1, 2, 2, 3], 3) == ["file got 3 of 3 batches in 4 rows"]
