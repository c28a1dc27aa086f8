"""What every store does: sequence, ranges, eviction, commands at most once, numbers never twice."""

from __future__ import annotations

import asyncio

import pytest

from edge_agent.model import PointKey
from edge_agent.store import journal as journal_module
from edge_agent.store import memory as memory_module
from edge_agent.store.base import Store, StoredBatch
from edge_contract.payloads import Command, CommandAction, CommandResult

CATALOG = "ab" * 8


def command(command_id: str) -> Command:
    return Command(
        id=command_id, slave="boiler", point="sp", action=CommandAction.WRITE, expires_ms=2, value=1.5
    )


def result(command_id: str) -> CommandResult:
    return CommandResult(id=command_id, state="resp", t_ms=5, latency_ms=7, value=1.5)


async def append(store: Store, count: int, size: int = 10) -> None:
    for _ in range(count):
        seq = store.outbox.state().next_seq
        payload = seq.to_bytes(4, "big") + bytes(size)
        await store.outbox.append(StoredBatch(seq, 1000 + seq, 3, payload), CATALOG)


@pytest.mark.clause("C-020")
async def test_sequence_has_no_gaps_and_state_counts(store: Store) -> None:
    before = store.outbox.state()
    assert (before.first_seq, before.next_seq, before.batches) == (1, 1, 0)
    assert len(bytes.fromhex(before.stream)) == 8
    await append(store, 5)
    after = store.outbox.state()
    assert (after.first_seq, after.next_seq, after.batches, after.payload_bytes) == (1, 6, 5, 5 * 14)
    assert [batch.seq for batch in await store.outbox.following(0, 100)] == [1, 2, 3, 4, 5]
    assert [batch.seq for batch in await store.outbox.following(2, 2)] == [3, 4]
    assert await store.outbox.numbers(3, 10) == [4, 5]


async def test_forget_takes_ranges_and_ignores_unknown_numbers(store: Store) -> None:
    await append(store, 6)
    assert await store.outbox.forget([(2, 3), (5, 2**53), (99, 100)]) == 4
    assert [batch.seq for batch in await store.outbox.read([(1, 10)], 10)] == [1, 4]
    assert await store.outbox.forget([(2, 3)]) == 0
    state = store.outbox.state()
    assert (state.first_seq, state.next_seq, state.batches, state.payload_bytes) == (1, 7, 2, 28)
    assert await store.outbox.forget([(1, 4)]) == 2
    assert store.outbox.state().first_seq == 7
    await append(store, 1)
    assert [batch.seq for batch in await store.outbox.following(0, 10)] == [7]


async def test_read_limits_over_all_ranges(store: Store) -> None:
    await append(store, 6)
    assert [batch.seq for batch in await store.outbox.read([(5, 6), (1, 3)], 4)] == [1, 2, 3, 5]


async def test_wait_new_returns_at_a_commit(store: Store) -> None:
    await append(store, 1)
    await asyncio.wait_for(store.outbox.wait_new(0), 10)
    waiting = asyncio.ensure_future(store.outbox.wait_new(1))
    await asyncio.sleep(0)
    assert not waiting.done()
    await append(store, 1)
    await asyncio.wait_for(waiting, 10)


@pytest.mark.clause("C-034")
async def test_full_store_evicts_the_oldest_and_no_command_result(store: Store) -> None:
    assert await store.journal.begin(command("command-1"), 1)
    await store.journal.finish(result("command-1"))
    await append(store, 100, size=20_000)
    state = store.outbox.state()
    assert state.next_seq == 101
    assert 0 < state.evicted_batches == 100 - state.batches
    assert not state.full, "it took them all"
    held = await store.outbox.numbers(0, 1000)
    assert held == list(range(101 - state.batches, 101)), "the newest stay, without a hole"
    assert state.first_seq == held[0]
    assert state.payload_bytes == 20_004 * state.batches
    assert await store.journal.unacknowledged(10) == [result("command-1")]


@pytest.mark.clause("C-070")
async def test_a_command_begins_once(store: Store) -> None:
    assert await store.journal.begin(command("command-1"), 1)
    assert not await store.journal.begin(command("command-1"), 2)
    assert await store.journal.unfinished() == [command("command-1")]
    assert await store.journal.result("command-1") is None
    await store.journal.finish(result("command-1"))
    assert await store.journal.unfinished() == []
    assert not await store.journal.begin(command("command-1"), 3)
    assert await store.journal.result("command-1") == result("command-1")


async def test_results_wait_until_acknowledged_and_can_be_requested_again(store: Store) -> None:
    for name in ("command-1", "command-2", "command-3"):
        await store.journal.begin(command(name), 1)
        await store.journal.finish(result(name))
    assert len(await store.journal.unacknowledged(2)) == 2
    await store.journal.acknowledged(["command-1", "unknown-9"])
    assert [row.id for row in await store.journal.unacknowledged(9)] == ["command-2", "command-3"]
    await store.journal.reopen("command-1")
    assert len(await store.journal.unacknowledged(9)) == 3
    assert await store.journal.result("unknown-9") is None


async def test_the_commands_of_a_target_are_its_own_and_bounded(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (journal_module, memory_module):
        monkeypatch.setattr(module, "MAX_OF_TARGET", 3)
    mine, other = store.journal.of_source("third"), store.journal.of_source("other")
    await store.journal.begin(command("command-0"), 1)
    for number in range(1, 6):
        assert await mine.begin(command(f"command-{number}"), number)
        if number != 1:
            await mine.finish(result(f"command-{number}"))
    assert not await store.journal.of_source("third").begin(command("command-5"), 9)
    assert [one.id for one in await mine.unfinished()] == ["command-1"], "what may run is remembered"
    assert [one.id for one in await store.journal.unfinished()] == ["command-0"]
    assert [one.id for one in await mine.unacknowledged(9)] == ["command-3", "command-4", "command-5"]
    assert await other.unacknowledged(9) == await store.journal.unacknowledged(9) == []
    assert await mine.command("command-5") == command("command-5")
    assert await mine.command("command-2") is None
    await mine.acknowledged(["command-3"])
    assert [one.id for one in await mine.unacknowledged(9)] == ["command-4", "command-5"]


@pytest.mark.clause("C-019")
async def test_point_numbers_stay(store: Store) -> None:
    a, b, c = PointKey("s1", "a"), PointKey("s1", "b"), PointKey("s2", "a")
    first = await store.numbers.assign([a, b])
    second = await store.numbers.assign([c, b])
    assert second[b] == first[b]
    assert len({first[a], first[b], second[c]}) == 3
    assert (await store.numbers.assign([a, b, c])) == {**first, **second}


async def test_catalogs_are_stored(store: Store) -> None:
    await store.catalogs.keep(CATALOG, b"one")
    await append(store, 1)
    await store.catalogs.keep("cd" * 8, b"two")
    assert await store.catalogs.payload(CATALOG) == b"one"
    assert await store.catalogs.payload("cd" * 8) == b"two"
    assert await store.catalogs.payload("ef" * 8) is None
