"""What comes of every number that a platform can send, by version: profiles/requests.csv."""

from __future__ import annotations

import csv
from importlib import resources
from typing import get_args

import pytest

from edge_agent.forwarding.hj212.commands import CommandKind, Treatment, commands, treatment_of
from edge_agent.forwarding.hj212.functions import FunctionNumber
from edge_agent.forwarding.hj212.records import RUN_TIMES, STATES

KINDS = {
    CommandKind.REQUEST: {Treatment.EXECUTED, Treatment.CONFIGURED, Treatment.REFUSED},
    CommandKind.NOTICE: {Treatment.NOTICED},
}


@pytest.mark.parametrize(("version", "count"), [("2005", 26), ("2017", 27), ("2025", 30)])
def test_every_request_and_notice_of_a_version_has_a_treatment_and_nothing_else_has(
    version: str, count: int
) -> None:
    treated = 0
    for number in range(1000, 10_000):
        uses = [
            use
            for use in commands(version).get(str(number), ())
            if use.kind in KINDS and use.sender == "platform"
        ]
        treatment = treatment_of(str(number), version)
        if not uses:
            assert treatment is Treatment.UNKNOWN, number
            continue
        treated += 1
        assert all(treatment in KINDS[use.kind] for use in uses), number
    assert treated == count


def rows() -> list[dict[str, str]]:
    table = resources.files("edge_agent.forwarding.hj212").joinpath("profiles/requests.csv")
    return list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))


def test_what_is_or_may_be_refused_has_a_reason_and_nothing_else_has() -> None:
    for row in rows():
        may_refuse = row["treatment"] in (Treatment.REFUSED, Treatment.CONFIGURED)
        assert bool(row["because"]) is may_refuse, row


def test_the_options_can_name_points_for_each_request_that_depends_on_them() -> None:
    configured = {row["cn"] for row in rows() if row["treatment"] == Treatment.CONFIGURED}
    assert configured == {STATES, RUN_TIMES, *get_args(FunctionNumber)}
