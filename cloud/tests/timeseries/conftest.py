"""A real InfluxDB 1.x with authentication and, where it is found, a real 2.x."""

from __future__ import annotations

import functools
import itertools
import os
import shutil
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from httpx._transports import default

from cloud.timeseries.base import SeriesColumn, TimeSeries
from cloud.timeseries.embedded import EmbeddedTimeSeries
from cloud.timeseries.influx import InfluxTimeSeries, connect_v1, connect_v2

from ..link.equipment import free_port

USER, PASSWORD = "writer", "a pass"
ORG = "plant"
STARTS_S = 60.0

LATER_MS = 2_000_000_000_000
"""The clock of the stores: every sample of the tests is older."""


@dataclass
class Influxd:
    """One influxd on free ports; can be killed and started again on the same data."""

    home: Path
    port: int = field(default_factory=free_port)
    rpc: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        config = self.home / "influxdb.conf"
        config.write_text(
            f'reporting-disabled = true\nbind-address = "127.0.0.1:{self.rpc}"\n'
            f'[meta]\ndir = "{self.home}/meta"\n'
            f'[data]\ndir = "{self.home}/data"\nwal-dir = "{self.home}/wal"\nindex-version = "tsi1"\n'
            f'[http]\nbind-address = "127.0.0.1:{self.port}"\nauth-enabled = true\nlog-enabled = false\n'
            "[monitor]\nstore-enabled = false\n"
        )
        with (self.home / "influxd.log").open("ab") as log:
            self.process = subprocess.Popen(["influxd", "-config", str(config)], stdout=log, stderr=log)
        deadline = time.monotonic() + STARTS_S
        while time.monotonic() < deadline:
            try:
                if httpx.get(f"{self.url}/ping").status_code == 204:
                    break
            except httpx.TransportError:
                time.sleep(0.05)
        else:
            pytest.fail(f"influxd did not start: {(self.home / 'influxd.log').read_text()[-500:]}")
        self.administer(f"CREATE USER {USER} WITH PASSWORD '{PASSWORD}' WITH ALL PRIVILEGES")

    def administer(self, statement: str) -> None:
        httpx.post(f"{self.url}/query", params={"q": statement}, auth=(USER, PASSWORD), timeout=60)

    def kill(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()


@pytest.fixture(scope="session", autouse=True)
def authorities_once() -> Iterator[None]:
    """Every client reads all authorities, 33 ms of a processor, for servers that are asked without TLS."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(default, "create_ssl_context", functools.cache(default.create_ssl_context))
        yield


@pytest.fixture(scope="session")
def influxd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Influxd]:
    if shutil.which("influxd") is None:
        pytest.skip("influxd is not installed")
    server = Influxd(tmp_path_factory.mktemp("influxd"))
    server.start()
    yield server
    server.kill()


@dataclass
class Influxd2:
    """One InfluxDB 2 on a free port, made by the launcher that `real_server` finds; can be killed and started
    again on the same data.
    """

    launcher: Path
    home: Path
    port: int = field(default_factory=free_port)
    token: str = ""
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        run = [self.launcher, "run", self.home / "program", str(self.port)]
        environment = {**os.environ, "INFLUXD_RUN": str(self.home / "run")}
        with (self.home / "influxd.log").open("ab") as log:
            self.process = subprocess.Popen(run, stdout=log, stderr=log, env=environment)
        deadline = time.monotonic() + STARTS_S
        while time.monotonic() < deadline:
            try:
                if httpx.get(f"{self.url}/health").status_code == 200:
                    break
            except httpx.TransportError:
                time.sleep(0.05)
        else:
            pytest.fail(f"influxd did not start: {(self.home / 'influxd.log').read_text()[-500:]}")
        if not self.token:
            words = [self.launcher, "setup", self.url, ORG, "first"]
            done = subprocess.run(words, capture_output=True, text=True, timeout=STARTS_S, check=True)
            self.token = done.stdout.strip()

    def call(self, method: str, path: str, **given: Any) -> Any:
        """What the operator asks for."""
        headers = {"Authorization": f"Token {self.token}"}
        answer = httpx.request(method, self.url + path, headers=headers, timeout=60, **given)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def bucket(self, name: str, kept_s: int = 0) -> dict[str, str]:
        """A new bucket: its id, that of its organisation, a token that may read and write it alone and the
        id of that.
        """
        org = self.call("GET", "/api/v2/orgs", params={"org": ORG})["orgs"][0]["id"]
        rules = [{"type": "expire", "everySeconds": kept_s}] if kept_s else []
        asked = {"orgID": org, "name": name, "retentionRules": rules}
        made = self.call("POST", "/api/v2/buckets", json=asked)["id"]
        permissions = [
            {"action": action, "resource": {"type": "buckets", "id": made, "orgID": org}}
            for action in ("read", "write")
        ]
        asked = {"orgID": org, "permissions": permissions}
        allowed = self.call("POST", "/api/v2/authorizations", json=asked)
        return {"id": made, "org": org, "token": allowed["token"], "authorization": allowed["id"]}

    def kill(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()


@pytest.fixture(scope="session")
def influxd2(
    real_server: Callable[[str, str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Influxd2]:
    server = Influxd2(real_server("influxd2", "EDGE_TEST_INFLUXD2"), tmp_path_factory.mktemp("influxd2"))
    server.start()
    yield server
    server.kill()


class Packed(EmbeddedTimeSeries):
    """Packs what it can after each write."""

    async def write(self, columns: Sequence[SeriesColumn]) -> None:
        await super().write(columns)
        await self.drain()


class Folded(InfluxTimeSeries):
    """Makes the levels of what it can after each write."""

    async def write(self, columns: Sequence[SeriesColumn]) -> None:
        await super().write(columns)
        await self.drain()


_numbers = itertools.count(1)


@pytest.fixture(
    params=["embedded", "embedded, packed", "influx-1", "influx-1, folded", "influx-2", "influx-2, folded"]
)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[TimeSeries]:
    """An empty time series of each version."""
    made: TimeSeries
    if request.param == "embedded":
        made = EmbeddedTimeSeries(tmp_path / "ts.db")
    elif request.param == "embedded, packed":
        made = Packed(tmp_path / "ts.db", pack_at=2, chunk=64)
    else:
        name = f"db{next(_numbers)}"
        if request.param.startswith("influx-1"):
            first: Influxd = request.getfixturevalue("influxd")
            influx = connect_v1(first.url, name, USER, PASSWORD, now_ms=lambda: LATER_MS, fold_at=2)
        else:
            second: Influxd2 = request.getfixturevalue("influxd2")
            token = second.bucket(name)["token"]
            influx = connect_v2(second.url, token, ORG, name, now_ms=lambda: LATER_MS, fold_at=2)
        if request.param.endswith("folded"):
            influx.__class__ = Folded
        made = influx
    await made.start()
    yield made
    await made.close()
