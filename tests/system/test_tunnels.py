"""Tunnels through the whole product: programming tools, a browser's way to the local page, many bytes."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import tty
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import serial
from evidence import device_of
from mosquitto import Mosquitto
from stack import GATEWAY, Ports, Stack, StackError

PEERS = Path(__file__).resolve().parents[2] / "edge-agent" / "tests" / "protocols" / "s7"
sys.path.insert(0, str(PEERS))

from s7_peers import Peer, python_of  # noqa: E402

pytestmark = [pytest.mark.system, pytest.mark.timeout(120)]

MEGABYTE = 1024 * 1024
CHUNK_BYTES = 16 * 1024
LEAST_BYTES_S = 100_000
BACK_S = 30.0
"""Polling goes on so soon after a tunnel's end."""
TOOL_S = 30


class Echo:
    """A device on a line that sends back what it gets; received: what it got, in all."""

    def __init__(self) -> None:
        self._end, self._line = os.openpty()
        tty.setraw(self._line)
        self.device = os.ttyname(self._line)
        self.received = hashlib.sha256()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        with contextlib.suppress(OSError):
            while data := os.read(self._end, 4096):
                self.received.update(data)
                while data:
                    data = data[os.write(self._end, data) :]

    def close(self) -> None:
        os.close(self._line)
        os.close(self._end)


@pytest.fixture(scope="module")
def echo() -> Iterator[Echo]:
    made = Echo()
    yield made
    made.close()


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory, echo: Echo) -> Iterator[Stack]:
    """One device of each protocol, and a port that nobody polls, on mosquitto."""
    broker = Mosquitto(tmp_path_factory.mktemp("broker"))
    broker.start()
    made = Stack(
        tmp_path_factory.mktemp("zoo"),
        Ports.free(),
        scenario="protocol_zoo",
        broker=broker.cloud_env(),
        mqtt_port=broker.port,
    )
    try:
        made.prepare()
        config = made.data / "agent" / "gateway.toml"
        spare = f'\n[[ports]]\nname = "spare"\ntype = "COM"\ndevice = "{echo.device}"\n'
        page = f'\n[[ports]]\nname = "net"\ntype = "NET"\nhost = "127.0.0.1"\nport = {made.ports.http}\n'
        config.write_text(config.read_text() + spare + page)
        made.start_cloud()
        made.start_plant()
        made.start_agent()
        made.api.login(*made.sign_in())
        made.wait(made.first_value, "a first value", made.cloud, made.plant, made.agent)
        made.wait(lambda: online(made, "fx3u", "s7_200"), "every line answers", made.agent)
        yield made
    finally:
        made.stop()
        broker.kill()


def online(stack: Stack, *slaves: str) -> bool:
    """Whether these slaves are online."""
    rows = stack.api.get(f"/device/{device(stack)}")["slaves"]
    return {row["name"] for row in rows if row["online"]} >= set(slaves)


def device(stack: Stack) -> int:
    return int(device_of(stack, GATEWAY)["id"])


@contextlib.contextmanager
def lease(stack: Stack, port: str, **words: Any) -> Iterator[dict[str, Any]]:
    """A virtual serial port for as long as the block."""
    number = device(stack)
    made = stack.api.call("POST", f"/device/vcom/{number}", {"port": port, **words})
    yield made
    stack.api.call("DELETE", f"/device/vcom/{number}/{made['lease']}")


def newest_lease(stack: Stack) -> dict[str, Any]:
    rows: list[dict[str, Any]] = stack.api.get(f"/device/vcom/{device(stack)}")["rows"]
    return rows[0]


@pytest.mark.clause("C-100", "C-103")
def test_a_megabyte_both_ways_is_byte_exact(
    zoo: Stack, echo: Echo, capsys: pytest.CaptureFixture[str]
) -> None:
    sent = random.Random(7).randbytes(MEGABYTE)
    got = bytearray()
    with lease(zoo, "spare", mode="raw") as there:
        with socket.create_connection((there["host"], there["port"]), timeout=30) as client:
            started = time.monotonic()
            for at in range(0, len(sent), CHUNK_BYTES):
                client.sendall(sent[at : at + CHUNK_BYTES])
                while len(got) < at and (data := client.recv(65536)):  # one piece ahead: a line has no window
                    got += data
            while len(got) < len(sent) and (data := client.recv(65536)):
                got += data
            seconds = time.monotonic() - started
        assert hashlib.sha256(got).digest() == hashlib.sha256(sent).digest() == echo.received.digest()
    with capsys.disabled():
        print(
            f"\n1 MiB there and back by mosquitto: {seconds:.2f} s, {2 * MEGABYTE / seconds / 1e6:.2f} MB/s"
        )
    assert 2 * MEGABYTE / seconds > LEAST_BYTES_S
    row = newest_lease(zoo)
    assert (row["bytes_to_gateway"], row["bytes_from_gateway"]) == (MEGABYTE, MEGABYTE)
    assert (row["why"], row["user"]) == ("done", "admin")


RESTS_S = 30.0
"""What was collected before the lease may still be on its way to the cloud."""


def rests(stack: Stack, slave: str) -> bool:
    """Does nothing new come from a slave that is read every second?"""
    before = newest(stack, slave)
    time.sleep(2.5)
    return newest(stack, slave) == before


@pytest.mark.clause("C-101", "C-105")
def test_a_port_has_one_tunnel_and_is_polled_again_afterwards(zoo: Stack) -> None:
    with lease(zoo, "fx") as there:
        with pytest.raises(StackError, match="busy: held by admin"):
            zoo.api.call("POST", f"/device/vcom/{device(zoo)}", {"port": "fx"})
        with pytest.raises(StackError, match="spare-not: no such port"):
            zoo.api.call("POST", f"/device/vcom/{device(zoo)}", {"port": "spare-not"})
        zoo.wait(lambda: rests(zoo, "fx3u"), "polling rests", timeout_s=RESTS_S)
        before = newest(zoo, "fx3u")
        assert newest(zoo, "tcp_slave") > before - 2000, "other ports go on"
        client = socket.create_connection((there["host"], there["port"]), timeout=30)
        client.close()
    zoo.wait(lambda: newest(zoo, "fx3u") > before, "the port is polled again", zoo.agent, timeout_s=BACK_S)
    log_text = (zoo.data / "logs" / "agent.log").read_text()
    assert re.search(rf"audit: tunnel {there['lease']} to port fx opened by admin", log_text)
    assert re.search(rf"audit: tunnel {there['lease']} to port fx of admin ended after \d+ s: done", log_text)
    log_text = (zoo.data / "logs" / "cloud.log").read_text()
    assert f"audit: tunnel {there['lease']} to gateway" in log_text
    assert f"audit: tunnel {there['lease']} of admin" in log_text


def newest(stack: Stack, slave: str) -> int:
    """Time of a slave's newest value."""
    sources = {
        row["dsid"]: row["slave"] for row in stack.api.get(f"/device/dss?device_id={device(stack)}")["rows"]
    }
    rows = stack.api.get(f"/device/lastdps?device_id={device(stack)}")["rows"]
    return max(row["t_ms"] for row in rows if sources[row["dsid"]] == slave)


@pytest.mark.clause("C-100")
def test_a_programming_tool_of_an_fx_talks_through_rfc_2217(zoo: Stack) -> None:
    """pyserial's own client sets the line as the tool does, and reads a text from D200."""
    with lease(zoo, "fx", baud=19200) as there:
        url = f"rfc2217://{there['host']}:{there['port']}?timeout={TOOL_S}"
        with serial.serial_for_url(
            url, baudrate=9600, bytesize=7, parity="E", stopbits=1, timeout=TOOL_S
        ) as tool:
            tool.write(b"\x05")
            assert tool.read(1) == b"\x06"
            tool.write(framed(b"E00419008"))
            assert tool.read(20) == framed(b"ZOO-FX3U".hex().upper().encode())
    zoo.wait(lambda: online(zoo, "fx3u"), "the agent speaks with it again", zoo.agent, timeout_s=BACK_S)


def framed(text: bytes) -> bytes:
    """STX, text, ETX and the sum as a programming tool makes it."""
    body = text + b"\x03"
    return b"\x02" + body + f"{sum(body) & 0xFF:02X}".encode()


@pytest.mark.clause("C-100")
def test_an_independent_ppi_master_reads_and_writes_through_a_raw_tunnel(
    zoo: Stack, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if shutil.which("socat") is None:
        pytest.skip("socat is not installed")
    assert request.config.cache is not None
    python = python_of("peer-requirements.txt", request.config.cache)
    link = tmp_path / "tool"
    with lease(zoo, "ppi", mode="raw") as there:
        words = ["socat", f"pty,raw,echo=0,link={link}", f"tcp:{there['host']}:{there['port']}"]
        with subprocess.Popen(words) as socat:
            try:
                zoo.wait(link.exists, "socat made its line")
                with Peer(python, "snap7_master.py", "ppi", str(link), "2") as tool:
                    assert tool.ask("write", "V", 104, "0258") is None
                    assert tool.ask("read", "V", 104, 2) == "0258"
            finally:
                socat.terminate()


class Browser:
    """Follows a lease's link and keeps cookies by hand."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.host = parts.netloc
        self.cookies: dict[str, str] = {}
        self.entry = parts.path

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        connection = http.client.HTTPConnection(self.host, timeout=30)
        given = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()), **headers}
        connection.request(method, path, None if body is None else json.dumps(body), given)
        reply = connection.getresponse()
        for value in reply.headers.get_all("Set-Cookie") or []:
            assert "HttpOnly" in value and "SameSite=Strict" in value
            name, _, rest = value.partition("=")
            self.cookies[name] = rest.split(";")[0]
        text = reply.read()
        connection.close()
        kind = reply.headers.get("Content-Type", "")
        return reply.status, json.loads(text) if "json" in kind else text


def test_the_local_page_is_reached_and_keeps_its_own_sign_in(zoo: Stack) -> None:
    number = device(zoo)
    assert zoo.api.get(f"/device/rproxy/{number}") == {
        "open": False, "lease": "", "url": "", "user": "", "expires_ms": None,
    }  # fmt: skip
    opened = zoo.api.get(f"/device/rproxy/{number}?mode=open")
    browser, stranger = Browser(opened["url"]), Browser(opened["url"])
    assert stranger("GET", "/")[0] == 403
    assert browser("GET", browser.entry)[0] == 200
    assert stranger("GET", stranger.entry)[0] == 403, "a link works once"
    status, page = browser("GET", "/")
    assert status == 200 and b"<html" in page
    assert browser("GET", "/api/status")[0] == 401, "the page's own sign-in stays"
    password = (zoo.data / "agent" / "local-admin.txt").read_text().strip()
    edge = {"X-Edge": "1", "X-Token": "portal-secret", "Sec-Fetch-Site": "same-origin"}
    assert browser("POST", "/api/login", {"password": password}, **edge) == (200, {"signed_in": True})
    status, answer = browser("GET", "/api/status")
    assert (status, answer["gateway"]["id"]) == (200, GATEWAY)
    assert all(name.endswith(("_edge_session", opened["lease"][:8])) for name in browser.cookies)
    assert browser("GET", "/api/status", **{"Sec-Fetch-Site": "same-site"})[0] == 403
    assert browser("GET", "/sw.js", **{"Service-Worker": "script"})[0] == 403
    with ThreadBatch() as many:
        replies = [many.ask(lambda: browser("GET", "/api/points")) for _ in range(8)]
    assert {reply.result[0] for reply in replies} == {200}
    assert zoo.api.get(f"/device/rproxy/{number}?mode=status")["open"]
    assert not zoo.api.get(f"/device/rproxy/{number}?mode=close")["open"]
    with pytest.raises(OSError):
        browser("GET", "/api/status")


class Reply:
    """What a thread brought."""

    result: Any = None


class ThreadBatch:
    """Requests at once; the block ends when all are answered."""

    def __init__(self) -> None:
        self._threads: list[threading.Thread] = []

    def ask(self, work: Any) -> Reply:
        reply = Reply()
        self._threads.append(threading.Thread(target=lambda: setattr(reply, "result", work())))
        self._threads[-1].start()
        return reply

    def __enter__(self) -> ThreadBatch:
        return self

    def __exit__(self, *words: object) -> None:
        for thread in self._threads:
            thread.join(30)


@pytest.mark.clause("C-106")
def test_a_port_on_loopback_is_not_lent(zoo: Stack) -> None:
    """The agent's file names it, so a driver may have it, and its list names all: a tunnel may not."""
    (zoo.data / "agent" / "allowed-networks").write_text("127.0.0.0/8\n0.0.0.0/0\n")
    with pytest.raises(StackError, match="not_allowed"):
        zoo.api.call("POST", f"/device/vcom/{device(zoo)}", {"port": "net", "mode": "raw"})
    (zoo.data / "agent" / "allowed-networks").unlink()


@pytest.mark.clause("C-102")
def test_the_end_of_the_link_ends_the_tunnel_on_both_sides(zoo: Stack) -> None:
    """The agent is killed; its broker session ends, and with it the lease and the client's connection."""
    number = device(zoo)
    there = zoo.api.call("POST", f"/device/vcom/{number}", {"port": "spare", "mode": "raw"})
    with socket.create_connection((there["host"], there["port"]), timeout=30) as client:
        client.sendall(b"ping")
        assert client.recv(4) == b"ping"
        zoo.agent.kill()
        assert client.recv(1) == b""
    zoo.wait(lambda: newest_lease(zoo)["why"] == "link", "the end is on record", zoo.cloud)
    assert newest_lease(zoo)["lease"] == there["lease"]
    with pytest.raises(StackError, match="is offline"):
        zoo.api.call("POST", f"/device/vcom/{number}", {"port": "spare"})
