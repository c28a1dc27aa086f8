"""Values that are not stored: sent as they change, all of them now and then, and never kept."""

from __future__ import annotations

from typing import Any

import pytest

from edge_agent.forwarding.cloud import values
from edge_agent.model import Quality, Sample
from edge_contract import batch
from edge_contract.limits import PULSE_S
from edge_contract.topics import Message

pytestmark = pytest.mark.timeout(90)

NOW_MS = 1_790_000_000_000


def told(cloud: Any) -> list[list[tuple[int, int, object, int]]]:
    """Batches of live-only values: point, time, value and quality of their samples."""
    found = []
    for item in cloud.arrived:
        if item.kind is Message.VALUES:
            _, columns = batch.decode(item.payload)
            found.append([(c.point, c.t_ms[0], c.values[0], int(c.qualities[0])) for c in columns])
    return found


@pytest.mark.clause("C-141", "C-142")
async def test_everything_at_first_then_what_changes(
    cloud: Any, edge: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert values.PULSE_S == PULSE_S == 30
    monkeypatch.setattr(values, "PULSE_S", 3600.0)
    edge.live |= {7: Sample(7, NOW_MS, True), 8: Sample(8, NOW_MS + 1, 5.0)}
    await edge.start()
    await cloud.until(lambda: told(cloud))
    assert told(cloud) == [[(7, NOW_MS, True, 0), (8, NOW_MS + 1, 5.0, 0)]]
    edge.live[8] = Sample(8, NOW_MS + 2, 5.5)  # within its deadband
    edge.live[7] = Sample(7, NOW_MS + 3, True)  # as before
    edge.live[8] = Sample(8, NOW_MS + 4, 5.6)
    await cloud.until(lambda: len(told(cloud)) == 2)
    edge.live[7] = Sample(7, NOW_MS + 5, None, Quality.DEVICE_OFFLINE)
    await cloud.until(lambda: len(told(cloud)) == 3)
    assert told(cloud)[1:] == [[(8, NOW_MS + 4, 5.6, 0)], [(7, NOW_MS + 5, None, 5)]]
    assert cloud.lanes() == []
    assert edge.store.outbox.state().batches == 0
    header = batch.read_header(next(one.payload for one in cloud.arrived if one.kind is Message.VALUES))
    assert (header.stream, header.catalog) == (edge.store.outbox.state().stream, edge.catalog.hash)


@pytest.mark.clause("C-142")
async def test_everything_again_now_and_then(cloud: Any, edge: Any) -> None:
    """What was lost with a message, or with the cloud's memory, is there again within a pulse."""
    edge.live[7] = Sample(7, NOW_MS, 1)
    await edge.start()
    await cloud.until(lambda: len(told(cloud)) >= 3)
    assert told(cloud)[:3] == [[(7, NOW_MS, 1, 0)]] * 3


async def test_what_no_batch_carries_is_cut(cloud: Any, edge: Any) -> None:
    """More text than a batch holds comes in several; a time that cannot be does not come."""
    edge.live |= {7: Sample(7, NOW_MS, "a" * 700_000), 8: Sample(8, NOW_MS, "b" * 700_000)}
    await edge.start()
    await cloud.until(lambda: len(told(cloud)) >= 2)
    assert [[point for point, *_ in one] for one in told(cloud)[:2]] == [[7], [8]]
    edge.live |= {7: Sample(7, 5_000, 1), 8: Sample(8, NOW_MS, 2)}
    await cloud.until(lambda: [(8, NOW_MS, 2, 0)] in told(cloud))
    assert all(t_ms == NOW_MS for one in told(cloud) for _, t_ms, _, _ in one)
