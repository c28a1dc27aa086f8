"""Acknowledged is durable: a few power cuts of the store under load; scripts/powercut makes more of them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))

from faults.powercut import NotPossible, cuts, medium

CUTS = 3


@pytest.mark.clause("C-021")
@pytest.mark.timeout(120)
def test_no_acknowledged_value_is_lost_in_a_power_cut() -> None:
    try:
        with medium() as disk:
            seen = list(cuts(disk, CUTS, longest_s=0.7, seed=11))
    except NotPossible as error:
        pytest.skip(f"no power can be cut here: {error}")
    assert [(cut.lost, cut.corrupt) for cut in seen] == [(0, 0)] * CUTS
    assert seen[-1].rows > 100, "the load was no load"
    assert max(cut.open_s for cut in seen) <= 10
