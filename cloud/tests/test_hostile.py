"""Other tenants beside one hostile gateway that sends every message of the contract at its limits.

Ratios of one run, a round without and one with it. Waits are processor time of this process: how much
work was put before the others, whatever else the machine does. Every attack is here in a small measure;
`scripts/bench hostile` sends more, for longer and several times.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from benchmarks.hostile import (
    HOSTILE,
    WAITS,
    Arena,
    Beginning,
    Times,
    arena,
    attacking,
    beginning,
    compared,
)
from benchmarks.hostile_attacks import ATTACKS, large_catalog

from cloud.domains.devices.catalog import CatalogService
from cloud.link import write_behind
from cloud.link.rows import Head
from edge_contract.collection import Collection
from edge_contract.limits import MAX_BATCH_BYTES, MAX_COLLECTION_BYTES
from edge_contract.payloads import Catalog, decode
from edge_contract.topics import Message

SECONDS, MESSAGES = 0.5, 300

TRIES = 6
"""A wait grew if it grew in each of them: what else the machine does lengthens some, work put first all."""

MOST = 2.0
"""Times that others may wait longer."""

WITHOUT_TURNS = 6000
"""Measure of the attack that stored first come, first served must keep the others waiting."""

LEAST = 8
"""Growth by the work of so few of the largest reports is none, only reading them counted: what is hunted is
a wait for everything that the hostile gateway sent. A measure of the machine's speed, not a time.
"""


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Beginning:
    return asyncio.run(beginning(tmp_path_factory.mktemp("beginning"), sqlite_template))


@cache
def large_report() -> bytes:
    return next(iter(ATTACKS[Message.COLLECTION]["large_reports"](1)))


def reading_s() -> float:
    """Processor time that the machine takes to read one of the largest reports, busy as it is now."""
    begun = time.process_time()
    for _ in range(3):
        decode(Collection, large_report())
    return (time.process_time() - begun) / 3


def judge(without: Times, beside: Times) -> dict[str, tuple[float, float]]:
    """The waits that grew too much: their 99th percentile without and with."""
    found = {name: (without.quantile(name, 0.99), beside.quantile(name, 0.99)) for name in WAITS}
    if all(after <= MOST * before for before, after in found.values()):
        return {}
    least = LEAST * reading_s()
    return {
        name: (before, after)
        for name, (before, after) in found.items()
        if not after <= max(MOST * before, before + least)
    }


def test_every_message_of_a_gateway_has_an_attack() -> None:
    assert set(ATTACKS) == {message for message in Message if message.from_gateway}


def test_large_attacks_are_of_the_largest_size_that_is_read() -> None:
    reports = ATTACKS[Message.COLLECTION]["large_reports"](1)
    assert all(0.9 * MAX_COLLECTION_BYTES < len(report) <= MAX_COLLECTION_BYTES for report in reports)
    assert all(len(batch) <= MAX_BATCH_BYTES for batch in ATTACKS[Message.VALUES]["large_values"](1))


def first_come(waiting: dict[str, list[Head]], credit: object, group: int, samples: int) -> list[Head]:
    """Storing without turns."""
    chosen: list[Head] = []
    for head in sorted((head for heads in waiting.values() for head in heads), key=lambda head: head.id):
        if chosen and (len(chosen) >= group or samples < head.samples):
            break
        chosen.append(head)
        samples -= head.samples
    return chosen


async def grown(made: Arena, prepare: Callable[[], Callable[[], Coroutine[Any, Any, None]]]) -> set[str]:
    """Names of the waits that grew too much in each try, with what was prepared for it."""
    names = set(WAITS)
    for _ in range(TRIES):
        without, beside = await compared(made, prepare(), SECONDS, 1)
        assert len(beside.acknowledged) == len(beside.stored) > 0
        names &= judge(without, beside).keys()
        if not names:
            break
    return names


async def test_a_cloud_without_turns_is_found(begun: Beginning, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_behind, "choose", first_come)
    async with arena(time.process_time, begun) as made:
        for _ in range(TRIES):
            payloads = [ATTACKS[Message.LIVE]["large_batches"](WITHOUT_TURNS)]
            without, beside = await compared(made, attacking(made, Message.LIVE, payloads), SECONDS, 1)
            if "stored" in judge(without, beside):
                return
    pytest.fail("storing without turns looks as if it had them")


@pytest.mark.clause("C-135", "C-136", "C-137", "C-139")
@pytest.mark.parametrize(
    ("message", "name"), [(message, name) for message, attacks in ATTACKS.items() for name in attacks]
)
async def test_others_wait_no_longer(begun: Beginning, message: Message, name: str) -> None:
    async with arena(time.process_time, begun) as made:
        assert (
            await grown(made, lambda: attacking(made, message, [ATTACKS[message][name](MESSAGES)])) == set()
        )


@pytest.mark.clause("C-138")
async def test_others_wait_no_longer_beside_long_lists(begun: Beginning) -> None:
    async with arena(time.process_time, begun) as made:
        await made.services[CatalogService].apply(HOSTILE, decode(Catalog, large_catalog("long_")))
        assert await grown(made, lambda: partial(made.read_long_lists, SECONDS)) == set()
