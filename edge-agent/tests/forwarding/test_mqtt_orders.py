"""Orders of a platform: verified, once each, answered; whoever sends them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from edge_agent.errors import NoAnswer
from edge_agent.forwarding.base import Condition
from edge_agent.forwarding.mqtt.config import Variable
from edge_agent.forwarding.mqtt.orders import ORDERS_AT_ONCE
from edge_agent.store.base import CommandJournal

from .mqtt_gateway import COMES_S, Platform, running, site, subscribed, until

pytestmark = pytest.mark.timeout(180)

VARIABLES = (
    Variable(name="setpoint", point="boiler.t", write=True),
    Variable(name="pressure", point="boiler.p"),
)
DOWN = {"down_topic": "plant/{slave}/set", "variables": VARIABLES}
SET, RESULT = "plant/boiler/set", "plant/boiler/set/result"


@pytest.fixture
async def platform(broker: Any) -> AsyncIterator[Platform]:
    async with subscribed(broker.port) as made:
        yield made


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def known(answers: list[Any]) -> list[tuple[Any, Any, str, str]]:
    return [(one.get("id"), one.get("name"), one["state"], one.get("code", "")) for one in answers]


async def test_an_order_is_written_read_back_and_answered(
    tmp_path: Path, broker: Any, platform: Platform
) -> None:
    async with site(tmp_path, "third") as made:
        target = made.target("third", broker.port, format="KV", **DOWN)
        async with running(target):
            await until(lambda: target.condition()[0] is Condition.CONNECTED)
            platform.order(SET, {"id": 42, "values": {"setpoint": 21.5}, "ts": now_ms()})
            await until(lambda: platform.at(RESULT))
        [answer] = platform.at(RESULT)
        assert answer.pop("ts") <= now_ms()
        assert answer == {"id": 42, "name": "setpoint", "state": "done", "value": 21.5}
        assert made.field.written == [("t", 21.5)]
        traced = [(direction, *text.split("\n")) for _, direction, text in made.packets]
        assert [(direction, topic) for direction, topic, _ in traced] == [("received", SET), ("sent", RESULT)]
        assert '"setpoint":21.5' in traced[0][2].replace(" ", "")


async def test_an_order_runs_once_also_after_a_restart(
    tmp_path: Path, broker: Any, platform: Platform
) -> None:
    order = [{"id": "a", "n": "setpoint", "v": 7, "t": now_ms()}]
    written = []
    for expected in (2, 3):
        async with site(tmp_path, "third") as made:
            target = made.target("third", broker.port, **DOWN)
            async with running(target):
                await until(lambda: target.condition()[0] is Condition.CONNECTED)  # noqa: B023 - awaited here
                platform.order(SET, order)
                await until(lambda: len(platform.at(RESULT)) >= expected - 1)  # noqa: B023
                platform.order(SET, order)
                await until(lambda: len(platform.at(RESULT)) >= expected)  # noqa: B023
            written += made.field.written
    assert written == [("t", 7)]
    assert {tuple(sorted(one.items())) for one in platform.at(RESULT)} == {
        tuple(sorted(platform.at(RESULT)[0].items()))
    }


async def test_what_became_unknown_says_so(tmp_path: Path, broker: Any, platform: Platform) -> None:
    async with site(tmp_path, "third") as made:
        made.field.error = NoAnswer("no answer within 1 s")
        made.field.error.may_have_acted = True
        target = made.target("third", broker.port, **DOWN)
        async with running(target):
            await until(lambda: target.condition()[0] is Condition.CONNECTED)
            platform.order(SET, [{"id": "a", "n": "setpoint", "v": 7}])
            await until(lambda: platform.at(RESULT))
    assert known(platform.at(RESULT)) == [("a", "setpoint", "unknown", "no_answer")]


@pytest.mark.parametrize(
    ("payload", "code", "words"),
    [
        (b"[{", "bad_message", "message: must be JSON"),
        ([], "bad_message", "at least 1"),
        ({"id": "a"}, "bad_message", "must be a list, not a table"),
        ([{"n": "setpoint", "v": 1}], "bad_message", "id: must be given"),
        ([{"id": "a", "n": "setpoint", "v": None}], "bad_message", "v: must be"),
        ([{"id": "a", "n": "setpoint", "v": [1]}], "bad_message", "v: must be"),
        ([{"id": "a", "n": "setpoint", "v": "x" * 201}], "bad_message", "200"),
        ([{"id": "", "n": "setpoint", "v": 1}], "bad_message", "id: must"),
        ([{"id": str(number), "n": "setpoint", "v": 1} for number in range(51)], "bad_message", "at most 50"),
        ([{"id": "a", "n": "setpoint", "v": 101}], "bad_value", "at most 100"),
        ([{"id": "a", "n": "setpoint", "v": "hot"}], "bad_value", "must be a finite number"),
        ([{"id": "a", "n": "pressure", "v": 1}], "no_such_name", "write = true"),
        ([{"id": "a", "n": "nothing", "v": 1}], "no_such_name", "'nothing'"),
        ([{"id": "a", "n": "setpoint", "v": 1, "t": 1}], "expired", "ms ago"),
        (b"[" * 100_000, "bad_message", "at most 65536 bytes"),
        (b'[{"x":' + b"[" * 60_000, "bad_message", "message: must be JSON"),
    ],
)
async def test_what_is_wrong_is_answered_with_field_and_rule(
    tmp_path: Path, broker: Any, platform: Platform, payload: Any, code: str, words: str
) -> None:
    async with site(tmp_path, "third") as made:
        target = made.target("third", broker.port, **DOWN)
        platform.ignore = SET
        async with running(target):
            await until(lambda: target.condition()[0] is Condition.CONNECTED)
            platform.order(SET, payload)
            await until(lambda: platform.at(RESULT))
        assert made.field.written == []
    [answer] = platform.at(RESULT)
    assert answer["state"] == ("failed" if code in ("bad_value", "expired") else "refused")
    assert answer["code"] == code
    assert words in answer["detail"]


async def test_retained_orders_are_ignored(tmp_path: Path, broker: Any, platform: Platform) -> None:
    platform.order(SET, [{"id": "kept", "n": "setpoint", "v": 1}], retain=True)
    async with site(tmp_path, "third") as made:
        target = made.target("third", broker.port, **DOWN)
        async with running(target):
            await until(lambda: target.condition()[0] is Condition.CONNECTED)
            platform.order(SET, [{"id": "new", "n": "setpoint", "v": 2}])
            await until(lambda: platform.at(RESULT))
        assert made.field.written == [("t", 2)]


async def test_a_session_that_stays_brings_orders_with_a_time_only(
    tmp_path: Path, broker: Any, platform: Platform
) -> None:
    async with site(tmp_path, "third") as made:
        target = made.target("third", broker.port, clean_session=False, **DOWN)
        async with running(target):
            await until(lambda: target.condition()[0] is Condition.CONNECTED)
        platform.order(SET, [{"id": "a", "n": "setpoint", "v": 1}])
        platform.order(SET, [{"id": "b", "n": "setpoint", "v": 2, "t": now_ms()}])
        platform.order(SET, [{"id": "c", "n": "setpoint", "v": 3, "t": now_ms() - 61_000}])
        async with running(target):
            await until(lambda: len(platform.at(RESULT)) == 3)
        assert made.field.written == [("t", 2)]
    assert set(known(platform.at(RESULT))) == {
        ("a", "setpoint", "refused", "bad_message"),
        ("b", "setpoint", "done", ""),
        ("c", "setpoint", "failed", "expired"),
    }


async def test_a_flood_is_bounded(tmp_path: Path, broker: Any, platform: Platform) -> None:
    async with site(tmp_path, "third") as made:
        target = made.target("third", broker.port, **DOWN)
        async with running(target):
            await until(lambda: target.condition()[0] is Condition.CONNECTED)
            for first in range(0, 200, 50):
                numbers = range(first, first + 50)
                platform.order(SET, [{"id": f"{number}", "n": "setpoint", "v": 1} for number in numbers])
            await until(lambda: any(one.get("code") == "busy" for one in platform.at(RESULT)))
            await until(lambda: len(made.field.written) >= ORDERS_AT_ONCE)
        assert len(made.field.written) < 200


async def until_waiting(journal: CommandJournal, count: int) -> None:
    """So many results have not been sent."""
    async with asyncio.timeout(COMES_S):
        while len(await journal.unacknowledged(9)) != count:  # noqa: ASYNC110 - the journal tells nobody
            await asyncio.sleep(0.01)


async def test_answers_wait_for_the_broker(tmp_path: Path, broker: Any, platform: Platform) -> None:
    """A result that could not be sent goes out with the next connection."""
    async with site(tmp_path, "third") as made:
        target = made.target("third", broker.port, **DOWN)
        journal = made.store.journal.of_source("third")
        async with running(target):
            await until(lambda: target.condition()[0] is Condition.CONNECTED)
            made.field.hold.clear()
            platform.order(SET, [{"id": "a", "n": "setpoint", "v": 1}])
            await until(lambda: made.field.written)
            await platform.stop()
            broker.kill()
            made.field.hold.set()
            await until_waiting(journal, 1)
            broker.start()
            await platform.start()
            await until_waiting(journal, 0)
        assert made.field.written == [("t", 1)]
