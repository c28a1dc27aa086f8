"""The page's questions about the local history, through its walls."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from edge_agent.errors import BadValue, StoreError
from edge_agent.history import Envelope, ResendBusy, StoredPoint
from edge_agent.history.base import StoredSample
from edge_agent.localweb.history import HistoryPages
from edge_agent.model import PointKey

NOW = 1_800_000_000_000
POWER = PointKey("meter", "power")


class Stored:
    """A history of a thousand samples of one point."""

    def __init__(self) -> None:
        self.problem = ""
        self.busy = False
        self.calls: list[tuple[int, int, str | None]] = []

    async def points(self) -> list[StoredPoint]:
        if self.problem:
            raise StoreError(self.problem)
        return [StoredPoint("meter", "power", NOW, NOW + 999, True)]

    async def series(self, key: PointKey, from_ms: int, to_ms: int, max_values: int) -> Envelope:
        if key != POWER:
            raise BadValue(f"{key}: nothing of it is stored")
        envelope = Envelope(NOW, NOW + 999, max_values)
        envelope.take(
            StoredSample(POWER, NOW + at, at, 0) for at in range(1000) if from_ms <= NOW + at <= to_ms
        )
        return envelope

    async def resend(self, from_ms: int, to_ms: int, slave: str | None = None) -> int:
        if self.busy:
            raise ResendBusy("a resend of the local history is under way")
        if slave == "nobody":
            raise BadValue("slave: must be the name of a slave, 'nobody' is none")
        self.calls.append((from_ms, to_ms, slave))
        return 42

    async def state(self) -> dict[str, Any]:
        return {"problem": self.problem}


@pytest.fixture
def stored() -> Stored:
    return Stored()


@pytest.fixture
async def client(stored: Stored) -> AsyncIterator[TestClient]:
    app = web.Application()
    app.add_routes(HistoryPages(stored).routes())
    async with TestClient(TestServer(app)) as made:
        yield made


async def test_points_and_what_is_wrong_with_the_medium(client: TestClient, stored: Stored) -> None:
    reply = await (await client.get("/api/history/points")).json()
    assert reply == {
        "points": [
            {"slave": "meter", "point": "power", "first_ms": NOW, "last_ms": NOW + 999, "configured": True}
        ],
        "state": {"problem": ""},
    }
    stored.problem = "no medium is mounted at /media/card"
    reply = await (await client.get("/api/history/points")).json()
    assert reply == {"points": [], "state": {"problem": stored.problem}}


async def test_a_chart_gets_as_many_values_as_it_can_show(client: TestClient) -> None:
    reply = await (await client.get("/api/history?point=meter.power&pixels=20")).json()
    assert (reply["samples"], reply["reduced"], len(reply["values"])) == (1000, True, 40)
    assert reply["values"][0] == [NOW, 0, 0]
    assert reply["values"][-1][1] == 999
    reply = await (
        await client.get(f"/api/history?point=meter.power&from_ms={NOW + 5}&to_ms={NOW + 6}")
    ).json()
    assert (reply["reduced"], reply["values"]) == (False, [[NOW + 5, 5, 0], [NOW + 6, 6, 0]])


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("point=meter.other", "meter.other"), ("", "."), ("point=meter.power&pixels=0", "pixels"),
        ("point=meter.power&from_ms=-1", "from_ms"), ("point=meter.power&from_ms=9&to_ms=8", "to_ms"),
        ("point=meter.power&from_ms=x", "from_ms"), ("point=meter.power&from_ms=٣", "from_ms"),
    ],
)  # fmt: skip
async def test_questions_that_make_no_sense(client: TestClient, query: str, field: str) -> None:
    reply = await client.get(f"/api/history?{query}")
    assert (reply.status, (await reply.json())["error"]["field"]) == (400, field)


async def test_a_range_is_sent_again(client: TestClient, stored: Stored) -> None:
    body = {"from_ms": 1, "to_ms": 2, "slave": "meter"}
    reply = await client.post("/api/history/resend", json=body)
    assert (reply.status, await reply.json(), stored.calls) == (202, {"samples": 42}, [(1, 2, "meter")])
    wrong_asks = [
        ({**body, "slave": "nobody"}, "slave"), ({"from_ms": 1}, "to_ms"), ({**body, "more": 1}, "more"),
        ({**body, "from_ms": 1.5}, "from_ms"),
    ]  # fmt: skip
    for wrong, field in wrong_asks:
        reply = await client.post("/api/history/resend", json=wrong)
        assert (reply.status, (await reply.json())["error"]["field"]) == (400, field)
    stored.busy = True
    reply = await client.post("/api/history/resend", json=body)
    assert (reply.status, (await reply.json())["error"]["field"]) == (409, "resend")


async def test_only_for_who_is_signed_in(page: Any) -> None:
    for path in ("/api/history/points", "/api/history?point=a.b"):
        assert (await page.client.get(path)).status == 401
    body = {"from_ms": 1, "to_ms": 2}
    edge = {"X-Edge": "1"}
    assert (await page.client.post("/api/history/resend", json=body, headers=edge)).status == 401
    assert await page.sign_in() == 200
    assert (await page.client.post("/api/history/resend", json=body)).status == 403, (
        "a foreign page sends no X-Edge"
    )
    reply = await page.client.get("/api/history/points")
    assert (reply.status, await reply.json()) == (200, {"points": [], "state": None}), "nothing is stored"
    reply = await page.client.get("/api/history?point=a.b")
    assert (reply.status, (await reply.json())["error"]["field"]) == (404, "history")
