"""Sign-in, walls and shapes of the gateway's own page."""

from __future__ import annotations

import asyncio
import re
import stat
from pathlib import Path
from typing import Any

import pytest

from edge_agent.config.model import LocalPage
from edge_agent.errors import ConfigError
from edge_agent.localweb import passwords
from edge_agent.localweb.admission import (
    FREE_FAILURES,
    IDLE_S,
    LONGEST_LOCK_S,
    LoginGate,
    Sessions,
)
from edge_agent.localweb.guard import known_host, own_names
from edge_agent.localweb.server import tls_of
from edge_agent.localweb.unreadable import SAID_EVERY_S

from .conftest import LONG_REASON
from .gateway import NOW

ASK = {"X-Edge": "1"}


async def test_signing_in(page: Any) -> None:
    assert (await page.client.get("/api/live")).status == 401
    assert await page.sign_in("wrong") == 401
    assert await page.sign_in() == 200
    [cookie] = [c for c in page.client.session.cookie_jar if c.key == "edge_session"]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Strict")
    assert len(cookie.value) >= 32
    assert (await page.client.get("/api/live")).status == 200
    assert (await (await page.client.get("/api/session")).json())["signed_in"] is True
    assert (await page.client.post("/api/logout", headers=ASK)).status == 200
    page.client.session.cookie_jar.update_cookies({"edge_session": cookie.value})
    assert (await page.client.get("/api/live")).status == 401, "a token that was signed out is worth nothing"


async def test_a_field_that_is_not_there_is_named(page: Any) -> None:
    async def error(path: str, body: Any) -> dict[str, str]:
        reply = await page.client.post(f"/api/{path}", json=body, headers=ASK)
        assert reply.status == 400
        found: dict[str, str] = (await reply.json())["error"]
        return found

    unknown = "there is no such field"
    assert await error("login", {"password": "x", "user": "admin"}) == {"field": "user", "rule": unknown}
    assert await error("login", {}) == {"field": "password", "rule": "must be given"}
    assert await error("login", 5) == {"field": "password", "rule": "must be a table, not a whole number"}
    assert await page.sign_in() == 200
    write = {"slave": "boiler", "point": "sp", "value": 1}
    assert await error("write", write | {"who": "me"}) == {"field": "who", "rule": unknown}
    assert await error("write", {"slave": "boiler", "value": 1}) == {
        "field": "point",
        "rule": "must be given",
    }
    assert await error("system/password", {"old": "x"}) == {"field": "old", "rule": unknown}


async def test_sessions_end_when_idle(page: Any) -> None:
    assert await page.sign_in() == 200
    page.clock.seconds += IDLE_S - 1
    assert (await page.client.get("/api/live")).status == 200
    page.clock.seconds += IDLE_S + 1
    assert (await page.client.get("/api/live")).status == 401


async def test_lock_after_five_failures(page: Any, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(FREE_FAILURES):
        assert await page.sign_in("wrong") == 401
    assert await page.sign_in() == 429, "even the right password waits"
    reply = await page.client.post("/api/login", json={"password": "wrong"}, headers=ASK)
    assert reply.headers["Retry-After"] == "2"
    page.clock.seconds += 1.1
    assert await page.sign_in() == 200
    assert caplog.text.count("failed sign-in") == FREE_FAILURES
    assert page.password not in caplog.text


def test_lock_doubles_up_to_its_bound_and_for_each_address() -> None:
    gate, now, locks = LoginGate(), 0.0, []
    for _ in range(20):
        now += gate.wait_s("10.0.0.1", now)
        gate.failed("10.0.0.1", now)
        locks.append(gate.wait_s("10.0.0.1", now))
    assert locks[:8] == [0, 0, 0, 0, 1, 2, 4, 8]
    assert locks[-1] == LONGEST_LOCK_S == 900
    assert gate.wait_s("10.0.0.2", now) == 0
    gate.succeeded("10.0.0.1")
    assert gate.wait_s("10.0.0.1", now) == 0
    for number in range(3000):
        gate.failed(f"address {number}", now)
    assert len(gate._failures) <= 1000


def test_a_failure_is_forgotten_after_an_hour_and_by_a_thousand_other_addresses() -> None:
    for waited_s, locked in ((3600.0, True), (3600.1, False)):
        gate = LoginGate()
        for _ in range(4):
            gate.failed("10.0.0.1", 0.0)
        gate.failed("10.0.0.1", waited_s)
        assert (gate.wait_s("10.0.0.1", waited_s) > 0) is locked
    for others, locked in ((999, True), (1000, False)):
        gate = LoginGate()
        for _ in range(5):
            gate.failed("10.0.0.1", 0.0)
        for number in range(others):
            gate.failed(f"address {number}", 0.0)
        assert (gate.wait_s("10.0.0.1", 0.5) == 0.5) is locked


def test_a_session_lasts_half_an_hour_without_use_and_half_a_day_with_it() -> None:
    sessions = Sessions()
    token = sessions.begin(0.0)
    assert all(sessions.valid(token, 1800.0 * turn) for turn in range(1, 25)), (
        "twelve hours, each used in time"
    )
    assert not sessions.valid(token, 43_200.1)
    idle = sessions.begin(0.0)
    assert not sessions.valid(idle, 1800.1) and not sessions.valid(idle, 0.0), "ended for good"
    left = sessions.begin(0.0)
    sessions.end(left)
    other = sessions.begin(0.0)
    assert not sessions.valid(left, 0.0) and sessions.valid(other, 0.0)
    sessions.end_all()
    assert not sessions.valid(other, 0.0)


def test_sessions_are_bounded() -> None:
    sessions = Sessions()
    tokens = [sessions.begin(0.0) for _ in range(16 + 1)]
    assert [sessions.valid(token, 1.0) for token in tokens] == [False] + [True] * 16
    assert not sessions.valid("", 1.0)


async def test_every_api_route_but_two_denies_an_anonymous_caller(page: Any) -> None:
    open_routes = set()
    for route in page.client.app.router.routes():
        path = route.resource.canonical
        if path.startswith("/api/") and route.method != "HEAD":
            reply = await page.client.request(route.method, path, headers=ASK)
            if reply.status != 401:
                open_routes.add(path)
    assert open_routes == {"/api/session", "/api/login", "/api/logout"} - {"/api/logout"}


async def test_security_headers_are_on_every_answer(page: Any) -> None:
    for path in ("/", "/app.js", "/api/session", "/api/live", "/nothing"):
        headers = (await page.client.get(path)).headers
        assert "default-src 'none'; script-src 'self'" in headers["Content-Security-Policy"], path
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Cache-Control"] == ("no-cache" if path in ("/", "/app.js") else "no-store")


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8090", "127.0.0.1.evil.example", ""])
async def test_a_foreign_host_name_is_an_attack(page: Any, host: str) -> None:
    assert (await page.client.get("/api/session", headers={"Host": host})).status == 421


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8090", "[::1]:8090", "localhost", "192.168.1.7", "GW-TEST-1.local:8090"]
)
def test_own_names(host: str) -> None:
    assert known_host(host, own_names("gw-test-1"))


async def test_changes_need_the_pages_own_header_and_origin(page: Any) -> None:
    assert await page.sign_in() == 200
    body = {"slave": "boiler", "point": "sp", "value": 7}
    assert (await page.client.post("/api/write", json=body)).status == 403
    crossing = {**ASK, "Sec-Fetch-Site": "cross-site"}
    assert (await page.client.post("/api/write", json=body, headers=crossing)).status == 403
    assert page.bus.written == []


async def test_write(page: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    assert await page.sign_in() == 200

    async def write(point: str, value: Any) -> tuple[int, dict[str, Any]]:
        body = {"slave": "boiler", "point": point, "value": value}
        reply = await page.client.post("/api/write", json=body, headers=ASK)
        return reply.status, await reply.json()

    status, result = await write("sp", 7.5)
    assert (status, result["state"], result["value"]) == (200, "resp", 7.5)
    assert page.bus.written == [7.5]
    assert "audit: admin at 127.0.0.1 writes 7.5 to boiler.sp: done (" in caplog.text
    assert (await write("t", 1))[1]["code"] == "read_only"
    assert (await write("nowhere", 1))[1]["code"] == "no_such_point"
    assert (await write("sp", 99))[1]["code"] == "bad_value"
    status, fault = await write("sp", [1])
    assert (status, fault["error"]["field"]) == (400, "value")


async def test_shapes(page: Any) -> None:
    assert await page.sign_in() == 200
    points = await (await page.client.get("/api/points")).json()
    assert [point["title"] for point in points["points"]] == ["设定 Setpoint", "温度 T"]
    assert points["slaves"][0]["title"] == "锅炉 Boiler"
    live = await (await page.client.get("/api/live")).json()
    assert live["values"] == [[1, live["t_ms"], 5.5, 0], [2, live["t_ms"], None, 5]]
    status = await (await page.client.get("/api/status")).json()
    assert status.keys() == {
        "gateway", "link", "outbox", "forwarders", "ports", "slaves", "capacity_bytes", "secret_set",
        "collection", "internal_slave", "loop_writes",
    }  # fmt: skip
    assert (status["capacity_bytes"], status["secret_set"], status["ports"][0]["lent"]) == (
        1 << 20,
        False,
        True,
    )
    assert status["ports"][0]["busy_percent"] == 12.3
    assert status["forwarders"][:1] == [
        {
            "name": "usb",
            "kind": "file",
            "condition": "down",
            "since_ms": status["forwarders"][0]["since_ms"],
            "reason": "no such folder",
            "next_try_ms": NOW + 24_000,
            "waiting_batches": 3,
            "waiting_bytes": 4096,
            "waiting_records": 5,
            "lost_batches": 2,
            "deliveries": {
                "delivered": 7,
                "late": 2,
                "repeated": 0,
                "given_up": 1,
                "failed": 4,
                "last_ack_ms": 1000,
                "rejects": [
                    {
                        "t_ms": 2000,
                        "record": "batch 9",
                        "reason": "cannot be read",
                        "count": 1,
                        "given_up": True,
                    },
                    {"t_ms": 3000, "record": "2051", "reason": LONG_REASON, "count": 4, "given_up": False},
                ],
            },
            "passwords": {},
        }
    ]
    assert status["slaves"][0]["last_good_ms"] > 0
    assert status["outbox"].keys() >= {
        "stream",
        "batches",
        "hours_left",
        "evicted_batches",
        "pending_samples",
        "full",
    }
    assert status["link"]["connected"] is True
    assert status["gateway"]["uptime_s"] == 5
    assert status["gateway"]["t_ms"] - status["gateway"]["since_ms"] == 2000


async def test_large_and_odd_bodies_are_refused(page: Any) -> None:
    assert (await page.client.post("/api/login", data=b"x" * 100_000, headers=ASK)).status == 413
    for body in (b"", b"[]", b"{}", b'{"password": 7}', b'{"password": "x", "more": 1}', b"\xff"):
        assert (await page.client.post("/api/login", data=body, headers=ASK)).status == 400


def test_passwords(tmp_path: Path) -> None:
    password = passwords.ensure(tmp_path)
    assert password is not None
    assert passwords.ensure(tmp_path) is None
    assert passwords.verify(tmp_path, password)
    assert not passwords.verify(tmp_path, password + " ")
    assert (tmp_path / passwords.TEXT_FILE).read_text().strip() == password
    for name in (passwords.TEXT_FILE, passwords.HASH_FILE):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    assert "$argon2id$v=19$m=19456,t=2,p=1$" in (tmp_path / passwords.HASH_FILE).read_text()
    other = passwords.reset(tmp_path)
    assert not passwords.verify(tmp_path, password)
    assert passwords.verify(tmp_path, other)
    (tmp_path / passwords.HASH_FILE).write_text("nonsense")
    assert not passwords.verify(tmp_path, other)


def test_beyond_loopback_a_certificate_is_needed(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"local_page\.cert_file: must be given"):
        tls_of(LocalPage(host="0.0.0.0"))
    with pytest.raises(ConfigError, match=r"local_page\.cert_file: must be a file that can be read"):
        tls_of(LocalPage(host="0.0.0.0", cert_file=str(tmp_path / "none.pem")))
    (tmp_path / "no.pem").write_text("nonsense")
    with pytest.raises(ConfigError, match=r"PEM certificate .* local_page\.key_file"):
        tls_of(LocalPage(host="0.0.0.0", cert_file=str(tmp_path / "no.pem")))
    assert tls_of(LocalPage()) is None


async def test_requests_that_cannot_be_read_do_not_fill_the_log(
    page: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async def send(data: bytes) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", page.client.port)
        writer.write(data)
        assert b" 400 " in await reader.readline()
        writer.close()

    long = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: " + b"s3cret" * 4000 + b"\r\n\r\n"
    head = b"POST /api/login HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Edge: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
    broken_body = head + b"zz\r\n"
    for _ in range(20):
        await send(long)
        await send(b"\x16\x03\x01 no http\r\n\r\n")
        await send(broken_body)
    [record] = caplog.records
    assert (record.levelname, record.exc_info) == ("WARNING", None)
    assert "127.0.0.1 cannot be read: LineTooLong" in caplog.text
    assert "s3cret" not in caplog.text
    page.clock.seconds += SAID_EVERY_S
    await send(long)
    assert re.search(r"LineTooLong; [1-9][0-9]+ others", caplog.messages[-1])


async def test_status_says_what_was_read_of_each_slave(page: Any) -> None:
    assert await page.sign_in() == 200
    reply = (await (await page.client.get("/api/status")).json())["collection"]
    assert reply["slaves"] == [{"slave": "boiler", "expected": 40, "good": 30, "missed": {"no_answer": 10}}]
    assert [gap["reason"] for gap in reply["gaps"]] == ["no_answer"]
