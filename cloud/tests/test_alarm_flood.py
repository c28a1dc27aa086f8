"""A flood of alarms through the whole cloud, a bounded sample; `scripts/bench alarm_flood` does 10,000."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from benchmarks.alarm_flood import BEYOND, CALM, Flood, Seen, Shape, flood_beginning, flooded
from benchmarks.hostile import Beginning

from cloud.core.scope import Scope

SHAPE = Shape(tenants=2, gateways=3, points=120, seconds=1.0)
MAX_MESSAGES = SHAPE.alarms // 2
"""To a browser, of twice as many alarms and as many ends: the rest is in their counts. How many come together
depends on how busy the machine is.
"""

PUSHED_TIMEOUT_S = 30.0


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Beginning:
    return asyncio.run(flood_beginning(tmp_path_factory.mktemp("flood"), SHAPE, sqlite_template))


async def test_nothing_of_a_flood_is_lost_and_others_hear_nothing_of_it(begun: Beginning) -> None:
    async def work(flood: Flood) -> None:
        all_of_it, of_others = Seen(), Seen()
        pages = [
            asyncio.create_task(flood.watch(scope, seen))
            for scope, seen in ((Scope.system(), all_of_it), (Scope(999, "/999/"), of_others))
        ]
        raised = await flood.measure(BEYOND, (SHAPE.alarms, 0))
        headers = flood.made.headers[SHAPE.tenant(0)]
        counts = (await flood.made.client.get("/event/alarmlog/counts", headers=headers)).json()["data"]
        groups = await flood.made.client.get("/event/alarmlog/groups", headers=headers)
        ended = await flood.measure(CALM, (SHAPE.alarms, SHAPE.alarms))
        async with asyncio.timeout(PUSHED_TIMEOUT_S):
            while all_of_it.alarms < 2 * SHAPE.alarms:  # noqa: ASYNC110 - bounded, and the hub tells nothing
                await asyncio.sleep(0.05)
        for page in pages:
            page.cancel()
        of_first = sum(SHAPE.points for n in range(SHAPE.gateways) if SHAPE.tenant(n) == SHAPE.tenant(0))
        assert counts["active"] == of_first
        assert groups.json()["data"]["total"] == of_first  # a rule a point: each group is one alarm
        assert (all_of_it.alarms, all_of_it.is_closed) == (2 * SHAPE.alarms, False)
        assert all_of_it.messages <= MAX_MESSAGES
        assert of_others.messages == 0
        assert raised.lists_s and ended.lists_s
        assert raised.others.acknowledged

    await flooded(begun, SHAPE, work)
