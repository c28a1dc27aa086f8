"""Power cuts and kills at every step and at random bytes of an upgrade; scripts/firmware cuts makes more."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest
from faults.firmware_cuts import (
    MAX_CUTS,
    bench,
    faults,
    killed_and_upgraded,
    operations_of,
    upgrade_with_cuts,
)

from firmware_sim.gateways.board import ImageDamaged

OF = bench(11)
RANDOM_CUTS = 40
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def marks(tmp_path_factory: pytest.TempPathFactory) -> list[int]:
    found = operations_of(tmp_path_factory.mktemp("whole") / "firmware", OF)
    assert len(found) > 40, "an upgrade has that many operations"
    assert found[-1] > 2 * len(OF.image), "each byte is written twice"
    return found


def check_cuts(folder: Path, cuts: list[int], seed: int) -> list[str]:
    report, started = upgrade_with_cuts(folder / "firmware", OF, cuts, seed)
    shutil.rmtree(folder)
    return list(faults(report, started, OF))


@pytest.mark.clause("C-207")
def test_a_power_cut_at_every_operation(tmp_path: Path, marks: list[int]) -> None:
    wrong = {
        unit: bad
        for number, unit in enumerate(marks[:-1])
        if (bad := check_cuts(tmp_path / str(number), [unit + number % 2], number))
    }
    assert wrong == {}


@pytest.mark.clause("C-207")
def test_power_cuts_at_random_bytes(tmp_path: Path, marks: list[int]) -> None:
    chance = random.Random(2026)
    plans = [
        [chance.randint(1, marks[-1]) for _ in range(chance.randint(1, MAX_CUTS))] for _ in range(RANDOM_CUTS)
    ]
    wrong = {
        str(cuts): bad
        for number, cuts in enumerate(plans)
        if (bad := check_cuts(tmp_path / str(number), cuts, number))
    }
    assert wrong == {}


@pytest.mark.clause("C-207")
@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning"
)  # fork(2) beside threads, which the child has none of
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are made by fork")
def test_a_kill_at_every_operation(tmp_path: Path, marks: list[int]) -> None:
    wrong, killed = {}, 0
    for number, unit in enumerate(marks[:-1]):
        folder = tmp_path / str(number)
        was_killed, report, started = killed_and_upgraded(folder / "firmware", OF, unit + 1)
        killed += was_killed
        if bad := list(faults(report, started, OF)):
            wrong[unit] = bad
        shutil.rmtree(folder)
    assert wrong == {}
    assert killed >= len(marks) - 4, "the last operations may come after the report"


@pytest.mark.clause("C-207")
def test_these_cuts_would_notice_a_slot_that_is_complete_too_early(
    tmp_path: Path, marks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The image without a sync: the cuts are worth something only if that is seen."""
    from edge_agent.firmware import installers

    def careless(path: Path, parts: object, medium: object) -> None:
        offset = 0
        for part in parts:  # type: ignore[attr-defined]
            medium.write_at(path, offset, part)  # type: ignore[attr-defined]
            offset += len(part)

    monkeypatch.setattr(installers, "_write", careless)
    seen = 0
    for number, unit in enumerate(marks[16:-10]):
        try:
            report, started = upgrade_with_cuts(tmp_path / str(number) / "firmware", OF, [unit], number)
            seen += bool(list(faults(report, started, OF)))
        except ImageDamaged:
            seen += 1
    assert seen
