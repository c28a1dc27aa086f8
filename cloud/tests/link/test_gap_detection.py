"""What is missing of a real stream over a real broker, and why: the gap map."""

from __future__ import annotations

import pytest

from cloud.link import GapRow
from edge_contract.limits import WINDOW
from edge_contract.payloads import ControlMessage, Hello, Pulse, Resend, decode, encode
from edge_contract.topics import Message, topic

from .equipment import CATALOG, STREAM, T0, Device, batch, eventually
from .system import GW, Plant

LIVE = topic(GW, Message.LIVE)
BOOT, OTHER = "00000000000000bb", "00000000000000dd"


@pytest.fixture(autouse=True)
def looks_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """The link's own look must not come between a test's message and its look."""
    monkeypatch.setattr("cloud.link.link.CHECK_S", 3600.0)


def hello(**changes: object) -> Hello:
    words: dict[str, object] = {
        "version_min": 1, "version_max": 1, "agent": "1.0", "boot": BOOT, "stream": STREAM, "first_seq": 1,
        "next_seq": 1, "catalog": CATALOG, "clock_set": True, "t_ms": T0,
    }  # fmt: skip
    return Hello(**{**words, **changes})  # type: ignore[arg-type]


def pulse(**changes: object) -> Pulse:
    words: dict[str, object] = {
        "t_ms": T0, "boot": BOOT, "stream": STREAM, "next_seq": 1, "outbox_batches": 0, "outbox_bytes": 0,
        "hours_left": None, "evicted_batches": 0, "slaves": [],
    }  # fmt: skip
    return Pulse(**{**words, **changes})  # type: ignore[arg-type]


async def say(plant: Plant, device: Device, message: ControlMessage) -> None:
    """Publish, wait until the domain has heard it, and let the cloud look."""
    tail = Message.HELLO if isinstance(message, Hello) else Message.PULSE
    heard = len(plant.domain.heard)
    await device.publish(topic(GW, tail), encode(message))
    await eventually(lambda: len(plant.domain.heard) > heard)
    await eventually(lambda: plant.link._gaps._noted)
    await plant.link.update_statistics()


async def gaps(plant: Plant) -> list[tuple[int, int, int, str]]:
    """First, last, still missing and reason of every gap, by first."""
    return sorted(
        (row.first_seq, row.last_seq, row.missing, row.reason.value) for row in await all_gaps(plant)
    )


async def all_gaps(plant: Plant) -> list[GapRow]:
    rows, total = await plant.link.gap_store.page(GW, 0, 2**53, "", 0, 100)
    assert len(rows) == total
    return rows


async def deliver(device: Device, *seqs: int, stream: str = STREAM) -> None:
    for seq in seqs:
        device.client.publish(LIVE, batch(seq, stream=stream), 1)
    await eventually(lambda: set(seqs) <= device.acknowledged(stream))


@pytest.mark.clause("C-039")
async def test_each_gap_has_its_reason(plant: Plant) -> None:
    """Of a stream of 300 batches 11 to 20 were evicted, 40 is damaged, 50 to 59 are held, 70 is a riddle."""
    device = await plant.device()
    await say(plant, device, hello(first_seq=11, next_seq=200))
    lost = {*range(11, 21), 40, *range(50, 60), 70}
    await deliver(device, *(seq for seq in range(1, 301) if seq not in lost))
    damaged = bytearray(batch(40))
    damaged[-6] ^= 1
    for _ in range(3):
        await device.publish(LIVE, bytes(damaged))
    await eventually(lambda: 40 in device.acknowledged())
    words = {"next_seq": 301, "evicted_batches": 10, "evicted": [(11, 20)]}
    await say(plant, device, pulse(outbox_batches=11, **words))
    assert await gaps(plant) == [
        (11, 20, 10, "evicted"), (40, 40, 1, "damaged"), (50, 59, 10, "held"), (70, 70, 1, "held")
    ]  # fmt: skip
    asked = await eventually(lambda: [m for m in device.received if m.topic.endswith("/resend")])
    assert [decode(Resend, message.payload).ranges for message in asked] == [[(50, 59), (70, 70)]]
    await deliver(device, *range(50, 60))
    await say(plant, device, pulse(outbox_batches=0, **words))
    rows = {row.first_seq: row for row in await all_gaps(plant)}
    assert (rows[50].missing, rows[50].filled_ms, rows[70].reason) == (0, plant.now_ms, "unknown")
    assert (rows[50].from_ms, rows[50].to_ms) == (T0 + 49, T0 + 60)
    assert (rows[11].from_ms, rows[11].to_ms, rows[11].found_ms) == (T0 + 10, T0 + 21, plant.now_ms)
    assert rows[11].filled_ms is rows[40].filled_ms is rows[70].filled_ms is None
    assert sum(row.missing for row in await plant.link.gap_store.missing(T0, T0 + 30)) == 10
    counts = (await plant.link.reception.totals(0, 2**53))[GW]
    assert (counts.batches, counts.samples, counts.duplicates) == (288, 288, 0)
    await device.close()


@pytest.mark.clause("C-039")
async def test_a_lost_store_is_told_from_other_gaps(plant: Plant) -> None:
    device = await plant.device()
    await deliver(device, 1, 2, 5)
    await say(plant, device, pulse(next_seq=9, outbox_batches=5, dropped_samples=30))
    assert await gaps(plant) == []  # all of it may be under way
    await say(plant, device, hello(stream=OTHER, boot=OTHER))
    assert await gaps(plant) == [(3, 4, 2, "replaced"), (6, 8, 3, "replaced")]
    await deliver(device, 1, stream=OTHER)
    await say(plant, device, pulse(stream=OTHER, boot=OTHER, next_seq=2, dropped_samples=4))
    await say(plant, device, pulse(stream=OTHER, boot=OTHER, next_seq=2, dropped_samples=5))
    assert len(await gaps(plant)) == 2
    assert (await plant.link.reception.totals(0, 2**53))[GW].dropped_samples == 35
    await device.close()


@pytest.mark.clause("C-029", "C-039")
async def test_what_may_be_under_way_is_no_gap_and_an_outage_is_one(plant: Plant) -> None:
    device = await plant.device()
    newest = 100 + 2 * WINDOW
    await deliver(device, 1, 2, 100, newest)
    await say(plant, device, pulse(next_seq=newest + 1, outbox_batches=200))
    assert await gaps(plant) == [(3, 99, 97, "held")]
    await deliver(device, *range(3, 51))
    await say(plant, device, pulse(next_seq=newest + 1, outbox_batches=100))
    assert await gaps(plant) == [(3, 99, 49, "held")]
    await deliver(device, *range(51, 100), *range(101, newest))
    await say(plant, device, pulse(next_seq=newest + 1))
    assert await gaps(plant) == [(3, 99, 0, "held")]
    (row,) = await all_gaps(plant)
    assert row.filled_ms == plant.now_ms
    assert len([m for m in device.received if m.topic.endswith("/resend")]) == 1  # not again at once
    await device.close()
