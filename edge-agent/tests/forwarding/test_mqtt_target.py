"""Values at a third-party platform: names, qualities, each once or marked, whatever breaks."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from edge_agent.config.load import parse
from edge_agent.forwarding.base import Condition
from edge_agent.forwarding.mqtt.config import Variable
from edge_agent.forwarding.passwords import keep
from edge_agent.model import Quality, Row

from .mqtt_gateway import BEGIN_MS, COMES_S, Platform, distinct, running, site, subscribed, until

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))

from faults.proxy import FaultProxy

pytestmark = pytest.mark.timeout(240)

MAPPED = (
    Variable(name="temperature", point="boiler.t"),
    Variable(name="pressure", point="boiler.p"),
)


@pytest.fixture
async def platform(broker: Any) -> AsyncIterator[Platform]:
    async with subscribed(broker.port) as made:
        yield made


@pytest.fixture
def proxy() -> Iterator[FaultProxy]:
    """Between gateway and broker: it lets nobody through while its target_port is 1."""
    with FaultProxy(1) as made:
        yield made


async def test_nv_has_each_sample_with_its_time_and_quality(
    tmp_path: Path, broker: Any, platform: Platform
) -> None:
    async with site(tmp_path, "third") as made:
        target = made.target("third", broker.port, up_topic="{gateway}/up", variables=MAPPED)
        async with running(target):
            await made.put(2)
            await made.put(quality=Quality.DEVICE_OFFLINE)
            await target.drain(COMES_S)
            await until(lambda: len(distinct(platform.at("gw-mqtt-1/up"))) == 6)
        assert target.condition()[0] is Condition.UP
        assert target.deliveries().delivered == len(platform.at("gw-mqtt-1/up"))
        assert made.passed("third") == 3
        assert made.store.outbox.state().batches == 3, "the cloud's batches are its own"
    items = distinct(platform.at("gw-mqtt-1/up"))
    assert items[0] == {"n": "temperature", "v": 1, "t": BEGIN_MS + 1000, "q": "good"}
    assert items[-1] == {"n": "pressure", "v": None, "t": BEGIN_MS + 3000, "q": "device_offline"}
    assert platform.retained == 0


@pytest.mark.clause("C-156")
async def test_connected_is_not_up_and_what_came_before_is_late(
    tmp_path: Path, broker: Any, platform: Platform, proxy: FaultProxy
) -> None:
    async with site(tmp_path, "third") as made:
        await made.put(2)
        target = made.target("third", proxy.port)
        async with running(target):
            await until(lambda: target.condition().next_try_ms > made.clock.now_ms())
            assert target.condition().condition is Condition.DOWN
            assert target.deliveries().failed == 0, "nothing was on its way"
            proxy.target_port = broker.port
            await until(lambda: target.deliveries().late == 2)
            assert target.condition().condition is Condition.UP
            proxy.target_port = 1
            broker.kill()
            await platform.outlive()
            await until(lambda: target.condition().condition is Condition.DOWN)
            broker.start()
            await platform.start()
            proxy.target_port = broker.port
            await until(lambda: target.condition().condition is Condition.CONNECTED)
            await made.put()
            await until(lambda: target.condition().condition is Condition.UP)
        assert (target.deliveries().delivered, target.deliveries().late) == (3, 2)


async def test_kv_has_one_time_for_its_values(tmp_path: Path, broker: Any, platform: Platform) -> None:
    async with site(tmp_path, "third", "short") as made:
        given = {"format": "KV", "up_topic": "devices/{slave}"}
        target = made.target("third", broker.port, **given)
        short = made.target("short", broker.port, **{**given, "up_topic": "s/{slave}", "client_id": "s"},
                            bad_values="omit")  # fmt: skip
        async with running(target, short):
            await made.put()
            await made.put(quality=Quality.DEVICE_OFFLINE)
            await made.put()
            await until(lambda: len(platform.at("devices/boiler")) == 3)
            await until(lambda: len(platform.at("s/boiler")) == 2)
    assert platform.at("devices/boiler") == [
        {"ts": BEGIN_MS + 1000, "values": {"t": 1, "p": -1}},
        {
            "ts": BEGIN_MS + 2000,
            "values": {"t": None, "p": None},
            "quality": {"t": "device_offline", "p": "device_offline"},
        },
        {"ts": BEGIN_MS + 3000, "values": {"t": 3, "p": -3}},
    ]
    assert [one["values"] for one in platform.at("s/boiler")] == [{"t": 1, "p": -1}, {"t": 3, "p": -3}]


async def test_changes_and_intervals(tmp_path: Path, broker: Any, platform: Platform) -> None:
    async with site(tmp_path, "changes", "minutes") as made:
        changes = made.target("changes", broker.port, send="changes", up_topic="changes", client_id="c")
        minutes = made.target(
            "minutes", broker.port, send="interval", interval_s=10, up_topic="minutes", client_id="m",
            format="KV",
        )  # fmt: skip
        async with running(changes, minutes):
            for number, value in enumerate((5, 5, 6, 6, 5)):
                made.committer.put(Row((1,), BEGIN_MS + number * 1000, (value,)))
            await made.committer.flush()
            made.committer.put(Row((1,), BEGIN_MS + 30_000, (7,)))
            await made.committer.flush()
            await until(lambda: [one["v"] for one in distinct(platform.at("changes"))] == [5, 6, 5, 7])
            await until(lambda: made.passed("minutes"))
        assert platform.at("minutes") == [{"ts": BEGIN_MS + 10_000, "values": {"boiler.t": 5}}]
        assert made.passed("minutes") == 1, "the open interval is needed"


async def test_what_no_message_can_carry_is_refused_with_its_reason(
    tmp_path: Path, broker: Any, platform: Platform
) -> None:
    async with site(tmp_path, "third") as made:
        target = made.target("third", broker.port, max_message_bytes=1000)
        async with running(target):
            made.committer.put(Row((1, 2), BEGIN_MS, ("x" * 2000, 5)))
            await made.committer.flush()
            await target.drain(COMES_S)
            await until(lambda: platform.at("up"))
        [reject] = target.deliveries().rejects
        assert (reject.record, reject.reason, reject.given_up) == (
            "batch 1 up boiler.t",
            "is larger than max_message_bytes, 1000",
            True,
        )
        assert made.passed("third") == 1
    assert [item["n"] for item in distinct(platform.at("up"))] == ["boiler.p"]


async def test_many_values_are_divided_among_messages(
    tmp_path: Path, broker: Any, platform: Platform
) -> None:
    async with site(tmp_path, "third") as made:
        for number in range(1, 301):
            made.committer.put(Row((1,), BEGIN_MS + number * 1000, (number,)))
        await made.committer.flush()
        async with running(made.target("third", broker.port, max_message_bytes=1000)):
            await until(lambda: len(platform.values()) == 300)
    assert platform.values() == list(range(1, 301))
    assert len(platform.at("up")) > 10


async def test_broker_killed_at_random_loses_nothing(
    tmp_path: Path, broker: Any, platform: Platform, proxy: FaultProxy
) -> None:
    """The platform subscribes before the gateway may publish; nothing else would be the broker's promise."""
    draw = random.Random()
    proxy.target_port = broker.port
    async with site(tmp_path, "third") as made:
        target = made.target("third", proxy.port)
        async with running(target):
            for _ in range(4):
                for _ in range(draw.randint(5, 40)):
                    await made.put()
                    await asyncio.sleep(draw.random() / 100)
                proxy.target_port = 1
                broker.kill()
                await platform.outlive()
                await made.put(draw.randint(1, 20))
                broker.start()
                await platform.start()
                proxy.target_port = broker.port
                await until(lambda: target.condition()[0] is Condition.UP)
            await made.put(5)
            await until(lambda: target.deliveries().delivered and set(platform.values()) >= {made.number})
            await target.drain(COMES_S)
        assert sorted(platform.values()) == list(range(1, made.number + 1))
        assert made.passed("third") == made.number


async def test_kill_of_the_agent_at_random_loses_nothing(
    tmp_path: Path, broker: Any, platform: Platform
) -> None:
    """Two targets and the cloud; nobody listens for one of them. Three kills at random moments."""
    data = tmp_path / "data"
    for _ in range(3):
        committed = await asyncio.to_thread(run_and_kill, data, broker.port)
    async with site(data, "cloudy", "down") as made:
        assert made.number >= committed
        target = made.target("cloudy", broker.port)
        async with running(target):
            await made.put(10)
            await until(lambda: made.number in platform.values())
            await target.drain(COMES_S)
        newest = made.store.outbox.state().next_seq - 1
        assert await made.store.outbox.consumer("down").numbers(0, 9999) == list(range(1, newest + 1))
    assert set(platform.values()) == set(range(1, made.number + 1))


def run_and_kill(data: Path, port: int) -> int:
    """A gateway as a process for a moment; the last number that it committed."""
    words = [str(Path(__file__).with_name("mqtt_gateway.py")), str(data), str(port)]
    child = subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    lines = [child.stdout.readline() for _ in range(random.randint(20, 120))]
    os.kill(child.pid, signal.SIGKILL)
    lines += child.stdout.readlines()
    child.wait()
    return max(int(line) for line in lines if line.endswith("\n"))


async def test_a_day_down_costs_the_others_nothing(
    tmp_path: Path, broker: Any, platform: Platform, proxy: FaultProxy
) -> None:
    """A day of batches of 60 s, the longest commit interval."""
    batches = 24 * 3600 // 60
    async with site(tmp_path, "down", "other") as made:
        down = made.target("down", proxy.port, up_topic="down", client_id="d")
        other = made.target("other", broker.port)
        async with running(down, other):
            await made.put(batches)
            await until(lambda: made.passed("other") == batches, 120)
            assert (down.condition()[0], made.passed("down")) == (Condition.DOWN, 0)
            assert made.store.outbox.state().evicted_batches == 0
            proxy.target_port = broker.port
            await until(lambda: made.passed("down") == batches, 120)
            await until(lambda: made.number in platform.values(topic="down"))
        assert down.deliveries().repeated == other.deliveries().repeated == 0
    for topic in ("up", "down"):
        assert platform.values(topic=topic) == list(range(1, batches + 1))


TARGET = """
[gateway]
id = "gw-mqtt-1"
[[forwarders]]
name = "third"
kind = "mqtt"
options = {{ server = "127.0.0.1", port = {port}, tls = "none", username = "plant", up_topic = "up" }}
"""


async def test_a_wrong_password_is_said_and_a_right_one_taken(
    tmp_path: Path, make_broker: Any, caplog: pytest.LogCaptureFixture
) -> None:
    accounts = tmp_path / "accounts"
    write_accounts(accounts, plant="right", platform="platform")
    broker = make_broker("allow_anonymous false", f"password_file {accounts}")
    platform = Platform(broker.port)
    await platform.start("platform", "platform")
    data = tmp_path / "data"
    config = parse(TARGET.format(port=broker.port))
    async with site(data, "third") as made:
        target = made.target("third", broker.port, username="plant")
        async with running(target):
            await made.put()
            await until(lambda: "no password is set for this target" in target.condition()[2])
            assert target.condition()[0] is Condition.DOWN
            keep(data, config, "third", "wrong-one")
            await until(lambda: "check client_id, username and password" in target.condition()[2])
            assert "Not authorized" in target.condition()[2]
            keep(data, parse(TARGET.format(port=broker.port + 1)), "third", "right")
            await until(lambda: "was set for another server" in target.condition()[2])
            assert platform.messages == []
            keep(data, config, "third", "right")
            await until(lambda: platform.values() == [1])
            assert target.condition()[0] is Condition.UP
    assert "wrong-one" not in caplog.text
    assert caplog.text.count("no password is set") == 1, "said once"
    await platform.stop()


def write_accounts(path: Path, **passwords: str) -> None:
    path.touch(mode=0o600)
    for user, password in passwords.items():
        subprocess.run(["mosquitto_passwd", "-b", str(path), user, password], check=True)


async def test_a_message_that_the_broker_does_not_take_is_named(tmp_path: Path, make_broker: Any) -> None:
    """Nothing is lost by it: the broker is told to permit it, or messages are made smaller here."""
    broker = make_broker("allow_anonymous true", "max_packet_size 2000")
    async with site(tmp_path, "third") as made:
        for number in range(100):
            made.committer.put(Row((1,), BEGIN_MS + number * 1000, (number,)))
        await made.committer.flush()
        target = made.target("third", broker.port)
        async with running(target):
            await until(lambda: "does the broker permit it?" in target.condition()[2])
        assert "over a message to up, " in target.condition()[2]
        assert target.deliveries().failed >= 3
        assert (target.deliveries().given_up, target.deliveries().rejects[-1].record) == (0, "up")
        assert made.passed("third") == 0
        platform = Platform(broker.port)
        await platform.start()
        async with running(made.target("third", broker.port, max_message_bytes=1500)):
            await until(lambda: platform.values() == list(range(100)))
        await platform.stop()
