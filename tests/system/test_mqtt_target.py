"""A third-party platform beside the demo's boiler house: proof of delivery, while the cloud is away."""

from __future__ import annotations

import json
import random
import subprocess
import time
from collections.abc import Callable, Iterator, Sized
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from _environment import PYTHON
from authority import Authority
from evidence import device_of
from faults.proxy import FaultProxy
from local_page import LocalPage
from stack import GATEWAY, Ports, Stack
from third_party import PASSWORD, USER, ThirdParty

pytestmark = [pytest.mark.system, pytest.mark.timeout(300)]

NOBODY = 1
"""A port on which nobody listens."""
TARGETS = """
[[forwarders]]
name = "platform"
kind = "mqtt"
start = "oldest"
[forwarders.options]
server = "localhost"
port = {port}
ca_file = "{ca_file}"
username = "{user}"
up_topic = "plant/{{gateway}}/up"
down_topic = "plant/{{gateway}}/set"
{variables}
[[forwarders]]
name = "reference"
kind = "file"
start = "oldest"
options = {{ folder = "{folder}", format = "jsonl" }}
"""
VARIABLE = '[[forwarders.options.variables]]\nname = "{0}"\npoint = "boiler.{0}"\nwrite = {1}\n'
POINTS = {
    "steam_pressure": "false",
    "steam_temperature": "false",
    "load": "false",
    "pressure_setpoint": "true",
}
UP, SET = f"plant/{GATEWAY}/up", f"plant/{GATEWAY}/set"

Value = tuple[str, int]


class Site:
    """The stack without its cloud, the platform, and the way between that can be closed."""

    def __init__(self, folder: Path, proxy: FaultProxy) -> None:
        authority = Authority(folder / "authority", "platform")
        self.platform = ThirdParty(folder / "platform", authority.server("localhost"))
        self.way = proxy
        self.stack = Stack(folder / "stack", Ports.free(), commit_interval_s=0.2)
        self.stack.prepare()
        self.folder = self.stack.data / "agent"
        self.files = folder / "files"
        self.files.mkdir()
        config = self.folder / "gateway.toml"
        config.write_text(
            config.read_text()
            + TARGETS.format(
                port=proxy.port,
                ca_file=authority.ca_file,
                user=USER,
                folder=self.files,
                variables="".join(VARIABLE.format(name, write) for name, write in POINTS.items()),
            )
        )
        self.page = LocalPage(self.stack.ports.local_page)

    def sign_in(self) -> None:
        """To the local page, once it is there."""
        file = self.folder / "local-admin.txt"
        self.stack.wait(file.exists, "the page's password is there", self.stack.agent)
        self.stack.wait(self._is_signed_in, "the page answers", self.stack.agent)

    def _is_signed_in(self) -> bool:
        try:
            return self.page.sign_in((self.folder / "local-admin.txt").read_text().strip())[0] == 200
        except OSError:
            return False

    def target(self) -> dict[str, Any]:
        """The target as the local page shows it."""
        rows = self.page.status()["forwarders"]
        return next(row for row in rows if row["name"] == "platform")

    def wait(self, done: Callable[[], object], what: str) -> None:
        self.stack.wait(done, what, self.stack.agent)

    def wait_for_reason(self, words: str) -> None:
        """Until the page says so of the target."""
        self.wait(lambda: words in self.target()["reason"], words)

    def wait_for_more(self, values: Callable[[], Sized], count: int) -> None:
        """Until there are so many more than now."""
        before = len(values())
        self.wait(lambda: len(values()) >= before + count, "more values")

    def set_password(self, password: str) -> None:
        words = ["-m", "edge_agent", "target-password", "platform", "--data", str(self.folder)]
        subprocess.run([str(PYTHON), *words], input=f"{password}\n", text=True, check=True)

    def received(self) -> dict[Value, Any]:
        """Values at the platform by name and time; one that came again must say so."""
        values: dict[Value, Any] = {}
        for item in (item for message in self.platform.at(UP) for item in message):
            key = item["n"], item["t"]
            assert key not in values or item.get("r") is True, f"{key} came again without a mark"
            assert values.setdefault(key, item["v"]) == item["v"]
        return values

    def stored(self) -> dict[Value, Any]:
        """The same values as the other target of this gateway has them in its files."""
        values: dict[Value, Any] = {}
        for file in self.files.iterdir():
            for line in file.read_text().splitlines(keepends=True):
                row = json.loads(line) if line.endswith("\n") else {"point": ""}
                if row.get("slave") == "boiler" and row["point"] in POINTS:
                    t_ms = round(datetime.fromisoformat(row["time"]).timestamp() * 1000)
                    values[row["point"], t_ms] = row["value"] if row["quality"] == "good" else None
        return values


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with FaultProxy(NOBODY) as proxy:
        made = Site(tmp_path_factory.mktemp("site"), proxy)
        try:
            made.platform.start()
            proxy.target_port = made.platform.tls_port
            made.stack.start_plant()
            made.stack.start_agent()
            made.sign_in()
            yield made
        finally:
            made.stack.stop()
            made.platform.stop()


def test_a_wrong_password_is_said_on_the_page(site: Site) -> None:
    site.wait_for_reason("no password is set")
    assert site.target()["passwords"]["password"] == "missing"
    site.set_password("wrong-7731")
    site.wait_for_reason("check client_id, username and password")
    assert (site.target()["condition"], site.target()["passwords"]["password"]) == ("down", "set")
    site.set_password(PASSWORD)
    site.wait(lambda: site.target()["condition"] == "up", "it is up")
    site.wait(site.received, "values arrive")


def test_every_value_arrives_through_kills_of_broker_and_agent(site: Site) -> None:
    for harm in ("broker", "agent", "broker"):
        site.wait_for_more(site.received, random.randint(2, 12))
        if harm == "agent":
            site.stack.agent.kill()
            site.stack.start_agent()
            site.sign_in()
            continue
        site.way.target_port = NOBODY
        site.platform.kill()
        site.wait_for_more(site.stored, 8)
        site.platform.start()
        site.way.target_port = site.platform.tls_port
    expected = site.stored()
    site.wait(lambda: expected.keys() <= site.received().keys(), "all have arrived")
    received = site.received()
    assert {key: received[key] for key in expected} == expected
    assert len(expected) > 30
    assert site.target()["deliveries"]["given_up"] == 0
    assert site.target()["deliveries"]["late"] > 0, "what came while the broker was away"


def test_an_order_reaches_the_device_and_is_answered(site: Site) -> None:
    site.wait(lambda: site.target()["condition"] == "up", "it is up")
    t_ms = round(time.time() * 1000)
    for number, (name, value) in enumerate(
        (("pressure_setpoint", 0.87), ("pressure_setpoint", 9.9), ("load", 1))
    ):
        site.platform.order(SET, [{"id": number, "n": name, "v": value, "t": t_ms}])
    site.wait(lambda: len(site.platform.at(f"{SET}/result")) >= 3, "they are answered")
    answers = {one["id"]: one for one in site.platform.at(f"{SET}/result")}
    assert (answers[0]["state"], answers[0]["value"]) == ("done", 0.87)
    assert (answers[1]["state"], answers[1]["code"]) == ("failed", "bad_value")
    assert (answers[2]["state"], answers[2]["code"]) == ("refused", "no_such_name")
    site.wait(lambda: held_by_device(site.received()) == 0.87, "the device holds it")
    words = "audit: target platform writes 0.87 to boiler.pressure_setpoint: done"
    assert words in site.stack.agent.log.read_text()


def held_by_device(values: dict[Value, Any]) -> Any:
    """The newest reading of the point that was written."""
    return values[max(key for key in values if key[0] == "pressure_setpoint")]


def test_no_password_is_in_log_or_configuration(site: Site) -> None:
    words = [str(PYTHON), "-m", "edge_agent", "configuration", "--data", str(site.folder)]
    document = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    for text in (document, site.stack.agent.log.read_text(), json.dumps(site.page.status())):
        assert PASSWORD not in text
        assert "wrong-7731" not in text


def test_the_cloud_shows_the_ledger_of_each_target(site: Site) -> None:
    """Once it is there; and at once when the platform goes away."""
    site.stack.start_cloud()
    site.stack.api.login(*site.stack.sign_in())
    device = device_of(site.stack, GATEWAY)["id"]

    def ledgers() -> dict[str, Any]:
        return {one["name"]: one for one in site.stack.api.get(f"/device/{device}/targets")}

    site.wait(lambda: ledgers().get("platform", {}).get("delivered"), "the gateway reports its targets")
    reported = ledgers()
    assert {name: (one["kind"], one["condition"]) for name, one in reported.items()} == {
        "platform": ("mqtt", "up"),
        "reference": ("file", "up"),
    }
    assert reported["platform"]["last_ack_ms"] > 0
    assert reported["platform"]["given_up"] == 0
    assert PASSWORD not in json.dumps(reported)
    site.way.target_port = NOBODY
    site.platform.kill()
    site.wait(lambda: ledgers()["platform"]["condition"] == "down", "the cloud says that it is down")
    rows = site.stack.api.get("/forwarding/targets?condition=down")["rows"]
    assert [(row["gateway_id"], row["name"]) for row in rows] == [(GATEWAY, "platform")]
    assert rows[0]["reason"]


def test_a_platform_that_stays_away_is_an_alarm_until_it_takes_data(site: Site) -> None:
    """It is away since the test before; the gateway's next report after two minutes begins the alarm."""
    api = site.stack.api

    def alarm() -> dict[str, Any]:
        rows = api.get("/event/alarmlog?page=1&limit=100")["rows"]
        return next((row for row in rows if row["cause"] == "target_down"), {})

    def down() -> int:
        return int(api.get("/overview")["targets_down"])

    assert (alarm(), down()) == ({}, 0)
    site.stack.wait(alarm, "the alarm has begun", site.stack.agent, site.stack.cloud, timeout_s=200)
    assert (alarm()["title"], alarm()["gateway_id"], alarm()["recovered_ms"]) == ("platform", GATEWAY, None)
    assert down() == 1
    [row] = api.get("/forwarding/targets?condition=trouble")["rows"]
    assert (row["name"], row["condition"]) == ("platform", "down")
    assert row["trouble_since_ms"] > 0 < row["next_try_ms"]
    site.platform.start()
    site.way.target_port = site.platform.tls_port
    site.wait(lambda: alarm()["recovered_ms"], "the alarm is over")
    assert down() == 0
    assert api.get("/forwarding/targets?condition=up")["total"] == 2
