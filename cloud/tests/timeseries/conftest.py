"""A real influxd (1.x, authentication on) and, before it, a proxy that speaks the 2.x write API."""

from __future__ import annotations

import itertools
import shutil
import signal
import subprocess
import threading
import time
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest

from cloud.timeseries.base import SeriesColumn, TimeSeries
from cloud.timeseries.embedded import EmbeddedTimeSeries
from cloud.timeseries.influx import InfluxTimeSeries, connect_v1, connect_v2

from ..link.equipment import free_port

USER, PASSWORD, TOKEN = "writer", "a pass", "token-of-the-proxy"
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


@pytest.fixture(scope="session")
def influxd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Influxd]:
    if shutil.which("influxd") is None:
        pytest.skip("influxd is not installed")
    server = Influxd(tmp_path_factory.mktemp("influxd"))
    server.start()
    yield server
    server.kill()


class _Rewriter(BaseHTTPRequestHandler):
    """/api/v2/write?bucket=db&org=..&precision=ms -> /write?db=..; /query goes through; the token is checked.

    What it cannot show: how a real 2.x answers.
    """

    protocol_version = "HTTP/1.1"
    upstream = ""
    client = httpx.Client(timeout=20)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        asked = urlsplit(self.path)
        if asked.path == "/query":
            return self._forward("POST", self.path, body)
        words = {key: values[0] for key, values in parse_qs(asked.query).items()}
        if asked.path != "/api/v2/write" or not words.get("org"):
            return self._answer(404, b'{"code":"not found","message":"path not found"}')
        database, _, policy = words["bucket"].partition("/")
        onward = {"db": database, "precision": words["precision"]} | ({"rp": policy} if policy else {})
        return self._forward("POST", f"/write?{urlencode(onward)}", body)

    def do_GET(self) -> None:
        self._forward("GET", self.path, b"")

    def _forward(self, method: str, path: str, body: bytes) -> None:
        if self.headers.get("Authorization") != f"Token {TOKEN}":
            return self._answer(401, b'{"code":"unauthorized","message":"unauthorized access"}')
        basic = b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        headers = {"Authorization": f"Basic {basic}"}
        reply = self.client.request(method, self.upstream + path, content=body, headers=headers)
        return self._answer(reply.status_code, reply.content)

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@pytest.fixture(scope="session")
def proxy(influxd: Influxd) -> Iterator[str]:
    handler = type("Rewriter", (_Rewriter,), {"upstream": influxd.url})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


class Packed(EmbeddedTimeSeries):
    """Packs what it can after each write."""

    async def write(self, columns: Sequence[SeriesColumn]) -> None:
        await super().write(columns)
        await self.settle()


class Folded(InfluxTimeSeries):
    """Makes the levels of what it can after each write."""

    async def write(self, columns: Sequence[SeriesColumn]) -> None:
        await super().write(columns)
        await self.settle()


_numbers = itertools.count(1)


@pytest.fixture(params=["embedded", "embedded, packed", "influx-1", "influx-1, folded", "influx-2"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[TimeSeries]:
    """An empty time series of each version."""
    made: TimeSeries
    if request.param == "embedded":
        made = EmbeddedTimeSeries(tmp_path / "ts.db")
    elif request.param == "embedded, packed":
        made = Packed(tmp_path / "ts.db", pack_at=2, chunk=64)
    else:
        server: Influxd = request.getfixturevalue("influxd")
        name = f"db{next(_numbers)}"
        if request.param.startswith("influx-1"):
            influx = connect_v1(server.url, name, USER, PASSWORD, now_ms=lambda: LATER_MS, fold_at=2)
        else:
            server.administer(f"CREATE DATABASE {name}")
            proxy = request.getfixturevalue("proxy")
            influx = connect_v2(proxy, TOKEN, "org", name, now_ms=lambda: LATER_MS, fold_at=2)
        if request.param.endswith("folded"):
            influx.__class__ = Folded
        made = influx
    await made.start()
    yield made
    await made.close()
