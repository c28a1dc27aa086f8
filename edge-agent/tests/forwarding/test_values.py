"""Values that are not stored: sent as they change, all of them now and then, and never kept."""

from __future__ import annotations

from typing import Any

import pytest

from edge_agent.forwarding.cloud import values
from edge_agent.model import Quality, Sample
from edge_contract import batch
from edge_contract.limits import PULSE_S, WATCH_S
from edge_contract.payloads import Pulse, decode
from edge_contract.topics import Message
from edge_contract.watch import Watch

pytestmark = pytest.mark.timeout(90)

NOW_MS = 1_790_000_000_000


def sent_values(cloud: Any) -> list[list[tuple[int, int, object, int]]]:
    """Batches of live-only values: point, time, value and quality of their samples."""
    found = []
    for item in cloud.arrived:
        if item.kind is Message.VALUES:
            _, columns = batch.decode(item.payload)
            found.append([(c.point, c.t_ms[0], c.values[0], int(c.qualities[0])) for c in columns])
    return found


def each_sent(cloud: Any) -> list[tuple[int, int, object, int]]:
    """Every sample that came, whichever came together."""
    return [sample for one in sent_values(cloud) for sample in one]


@pytest.mark.clause("C-141", "C-142")
async def test_everything_at_first_then_what_changes(
    cloud: Any, edge: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert values.PULSE_S == PULSE_S == 30
    monkeypatch.setattr(values, "PULSE_S", 3600.0)
    edge.live |= {7: Sample(7, NOW_MS, True), 8: Sample(8, NOW_MS + 1, 5.0)}
    await edge.start()
    await cloud.until(lambda: sent_values(cloud))
    assert sent_values(cloud) == [[(7, NOW_MS, True, 0), (8, NOW_MS + 1, 5.0, 0)]]
    edge.live[8] = Sample(8, NOW_MS + 2, 5.5)  # within its deadband
    edge.live[7] = Sample(7, NOW_MS + 3, True)  # as before
    edge.live[8] = Sample(8, NOW_MS + 4, 5.6)
    await cloud.until(lambda: len(sent_values(cloud)) == 2)
    edge.live[7] = Sample(7, NOW_MS + 5, None, Quality.DEVICE_OFFLINE)
    await cloud.until(lambda: len(sent_values(cloud)) == 3)
    assert sent_values(cloud)[1:] == [[(8, NOW_MS + 4, 5.6, 0)], [(7, NOW_MS + 5, None, 5)]]
    assert cloud.lanes() == []
    assert edge.store.outbox.state().batches == 0
    header = batch.read_header(next(one.payload for one in cloud.arrived if one.kind is Message.VALUES))
    assert (header.stream, header.catalog) == (edge.store.outbox.state().stream, edge.catalog.hash)


@pytest.mark.clause("C-142")
async def test_everything_again_now_and_then(cloud: Any, edge: Any) -> None:
    """What was lost with a message, or with the cloud's memory, is there again within a pulse."""
    edge.live[7] = Sample(7, NOW_MS, 1)
    await edge.start()
    await cloud.until(lambda: len(sent_values(cloud)) >= 3)
    assert sent_values(cloud)[:3] == [[(7, NOW_MS, 1, 0)]] * 3


async def test_what_no_batch_carries_is_cut(cloud: Any, edge: Any) -> None:
    """More text than a batch holds comes in several; a time that cannot be does not come."""
    edge.live |= {7: Sample(7, NOW_MS, "a" * 700_000), 8: Sample(8, NOW_MS, "b" * 700_000)}
    await edge.start()
    await cloud.until(lambda: len(sent_values(cloud)) >= 2)
    assert [[point for point, *_ in one] for one in sent_values(cloud)[:2]] == [[7], [8]]
    edge.live |= {7: Sample(7, 5_000, 1), 8: Sample(8, NOW_MS, 2)}
    await cloud.until(lambda: [(8, NOW_MS, 2, 0)] in sent_values(cloud))
    assert all(t_ms == NOW_MS for one in sent_values(cloud) for _, t_ms, _, _ in one)


def watch(cloud: Any, edge: Any, *points: int, seconds: int = WATCH_S, catalog: str | None = None) -> None:
    cloud.say(
        Message.WATCH, Watch(catalog=catalog or edge.catalog.hash, points=list(points), seconds=seconds)
    )


def takes_watch(cloud: Any) -> list[bool]:
    return [decode(Pulse, item.payload).takes_watch for item in cloud.arrived if item.kind is Message.PULSE]


@pytest.mark.clause("C-152", "C-153", "C-154")
async def test_watched_points_come_at_once_and_are_not_stored_for_it(
    cloud: Any, edge: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(values, "LOOK_S", 3600.0)  # so that nothing else has them sent
    monkeypatch.setattr(values, "PULSE_S", 3600.0)
    edge.live |= {5: Sample(5, NOW_MS, 1.0), 6: Sample(6, NOW_MS, 2.0)}
    await edge.start()
    await cloud.until(lambda: takes_watch(cloud) == [True])
    watch(cloud, edge, 5, 99)  # 99 is none of its points
    await cloud.until(lambda: sent_values(cloud))
    edge.live[6] = Sample(6, NOW_MS + 1, 9.0)  # nobody looks at it
    edge.live[5] = Sample(5, NOW_MS + 2, 1.5)
    await cloud.until(lambda: len(sent_values(cloud)) == 2)
    watch(cloud, edge, 5, 6)  # 5 has been sent
    await cloud.until(lambda: len(sent_values(cloud)) == 3)
    edge.live[6] = Sample(6, NOW_MS + 3, 9.4)  # within its deadband
    edge.live[5] = Sample(5, NOW_MS + 4, None, Quality.DEVICE_OFFLINE)
    await cloud.until(lambda: len(sent_values(cloud)) == 4)
    assert sent_values(cloud) == [
        [(5, NOW_MS, 1.0, 0)],
        [(5, NOW_MS + 2, 1.5, 0)],
        [(6, NOW_MS + 1, 9.0, 0)],
        [(5, NOW_MS + 4, None, 5)],
    ]
    assert cloud.lanes() == []
    assert edge.store.outbox.state().batches == 0


@pytest.mark.clause("C-152")
async def test_watching_ends_by_word_and_by_time(
    cloud: Any, edge: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(values, "PULSE_S", 3600.0)
    edge.live |= {5: Sample(5, NOW_MS, 1), 7: Sample(7, NOW_MS, 1)}
    await edge.start()
    await cloud.until(lambda: takes_watch(cloud))
    watch(cloud, edge, 5)
    await cloud.until(lambda: (5, NOW_MS, 1, 0) in each_sent(cloud))
    watch(cloud, edge)
    edge.live |= {5: Sample(5, NOW_MS + 1, 2), 7: Sample(7, NOW_MS + 1, 2)}
    await cloud.until(lambda: (7, NOW_MS + 1, 2, 0) in each_sent(cloud))
    watch(cloud, edge, 5, catalog="ab" * 8)  # of another catalog
    watch(cloud, edge, 5)
    await cloud.until(lambda: (5, NOW_MS + 1, 2, 0) in each_sent(cloud))
    await edge.clock.sleep(WATCH_S + 10)
    edge.live |= {5: Sample(5, NOW_MS + 2, 3), 7: Sample(7, NOW_MS + 2, 3)}
    await cloud.until(lambda: (7, NOW_MS + 2, 3, 0) in each_sent(cloud))
    assert not any(sample[:2] == (5, NOW_MS + 2) for sample in each_sent(cloud))


@pytest.mark.clause("C-152")
async def test_who_reports_at_intervals_takes_no_watch(broker: Any, cloud: Any, make_edge: Any) -> None:
    edge = make_edge(broker.url, report_interval_s=3600)
    edge.live[5] = Sample(5, NOW_MS, 1)
    await edge.start()
    try:
        await cloud.until(lambda: takes_watch(cloud))
        watch(cloud, edge, 5)
        await edge.clock.sleep(30)
        assert set(takes_watch(cloud)) == {False}
        assert sent_values(cloud) == []
    finally:
        await edge.stop()


@pytest.mark.clause("C-153")
@pytest.mark.parametrize(("count", "pause_s"), [(1, 0.1), (499, 0.1), (500, 0.2), (5000, 1.1)])
def test_many_watched_points_are_looked_at_more_rarely(count: int, pause_s: float) -> None:
    assert values.watched_pause_s(count) == pytest.approx(pause_s)
