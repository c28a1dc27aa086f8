"""Log, support bundle, restart, secret and password: and that no secret ever leaves by the page."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import stat
import zipfile
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from edge_agent.bus.trace import TracedFrame
from edge_agent.config.allowed import NETWORKS_FILE, read_networks
from edge_agent.config.reach import networks_of
from edge_agent.forwarding.passwords import FOLDER, PasswordState, password_of
from edge_agent.localweb import passwords
from edge_agent.localweb.logbook import MAX_CHARACTERS, LogBook
from edge_agent.localweb.sign_in import SigningPages
from edge_agent.localweb.support import redacted
from edge_agent.system.hiding import HIDDEN, hiding
from edge_agent.system.private_files import SECRET_FILE, cloud_secret, write_private

ASK = {"X-Edge": "1"}
CANARY = "target-pass-8841"
CLOUD_SECRET = "s3cret/of+the\\cloud"
METER_PASSWORD = "314159"
EARLIER_PASSWORD = "271828"
log = logging.getLogger("edge_agent.tests")


def record(level: int, text: str) -> logging.LogRecord:
    return logging.LogRecord("edge_agent.bus", level, "", 0, text, (), None)


def test_the_log_keeps_the_newest_lines() -> None:
    book = LogBook(max_lines=3)
    for number in range(5):
        book.handle(record(logging.INFO, f"line {number}"))
    assert [line.text for line in book.lines()] == ["line 2", "line 3", "line 4"]
    assert [line.number for line in book.lines(after=4)] == [5]
    assert book.dropped == 2
    book.handle(record(logging.WARNING, "x" * 10_000))
    last = book.lines()[-1]
    assert (last.level, last.logger, len(last.text)) == ("warning", "bus", MAX_CHARACTERS + 2)
    unfit = logging.LogRecord("a", logging.ERROR, "", 0, "%d", ("x",), None)
    book.handle(unfit)
    assert book.lines()[-1].text == "%d", "a line that cannot be written ends nothing"


async def test_the_log_is_reported_in_portions(page: Any) -> None:
    assert await page.sign_in() == 200
    log.warning("the first line")
    reply = await page.get("logs")
    assert reply["lines"][-1]["text"] == "the first line"
    newest = reply["lines"][-1]["number"]
    log.warning("the second line")
    assert [line["text"] for line in (await page.get(f"logs?after={newest}"))["lines"]] == ["the second line"]


async def members(page: Any) -> dict[str, str]:
    reply = await page.client.get("/api/support.zip")
    assert (reply.status, reply.content_type) == (200, "application/zip")
    with zipfile.ZipFile(io.BytesIO(await reply.read())) as file:
        return {name: file.read(name).decode() for name in file.namelist()}


async def test_no_secret_is_in_the_support_bundle(page: Any, caplog: pytest.LogCaptureFixture) -> None:
    """Every secret is put where it could come from: files, configurations, log, frames."""
    caplog.set_level("INFO")
    assert await page.sign_in() == 200
    [cookie] = [c for c in page.client.session.cookie_jar if c.key == "edge_session"]
    write_private(page.folder / SECRET_FILE, CLOUD_SECRET)
    page.deployments.documents["1" * 64] = {
        "slaves": [{"name": "old", "options": {"password": EARLIER_PASSWORD}}],
        "cloud": {"api_token": "tok-999"},
    }
    page.bus.frames.append(TracedFrame(1, "request", METER_PASSWORD.encode()))
    log.error("somebody logged %s and %s and %s", page.password, CLOUD_SECRET, METER_PASSWORD)
    try:
        raise ValueError(f"password {EARLIER_PASSWORD} of {CLOUD_SECRET}")
    except ValueError:
        log.exception("it failed with tok-999")
    found = await members(page)
    assert found.keys() == {
        "about.json", "status.json", "deployments.json", "traces.json", "history.json",
        "configuration.json", "store.json", "log.txt",
    }  # fmt: skip
    whole = "\n".join(found.values())
    secret_json = json.dumps(CLOUD_SECRET)[1:-1]
    hashed = (page.folder / passwords.HASH_FILE).read_text().strip()
    for canary in (
        page.password, CLOUD_SECRET, secret_json, METER_PASSWORD, METER_PASSWORD.encode().hex(),
        EARLIER_PASSWORD, "tok-999", cookie.value, hashed,
    ):  # fmt: skip
        assert canary not in whole, canary
    assert json.loads(found["configuration.json"])["slaves"][2]["options"]["password"] == HIDDEN
    assert "audit: sign-in to the local page" in found["log.txt"]
    assert json.loads(found["traces.json"])["lan"]["sizes"][-1][2] == len(METER_PASSWORD)
    assert json.loads(found["about.json"])["libraries"]["msgspec"]
    assert SECRET_FILE in json.loads(found["store.json"])["files"]


def test_what_is_hidden_and_what_is_not() -> None:
    document = {"options": {"password": "a", "Cloud_Secret": 7, "operator": "b"}, "list": [{"token": "c"}]}
    assert redacted(document) == {
        "options": {"password": HIDDEN, "Cloud_Secret": HIDDEN, "operator": "b"}, "list": [{"token": HIDDEN}]
    }  # fmt: skip
    veil = hiding(["1234", "abc", ""])
    assert veil("1234 at 51234, abc; key=1234.") == f"{HIDDEN} at 51234, abc; key={HIDDEN}."


async def test_the_answers_hold_no_secret_either(page: Any) -> None:
    assert await page.sign_in() == 200
    write_private(page.folder / SECRET_FILE, CLOUD_SECRET)
    for path in ("status", "points", "live", "configuration", "logs", "tools"):
        text = await (await page.client.get(f"/api/{path}")).text()
        for canary in (page.password, "s3cret", METER_PASSWORD):
            assert canary not in text, path


async def test_the_cloud_secret_is_written_and_never_reported(
    page: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    assert await page.sign_in() == 200
    status, reply = await page.post("link/secret", {"secret": "a new secret"})
    assert (status, reply) == (200, {"secret_set": True})
    assert cloud_secret(page.folder) == "a new secret"
    assert stat.S_IMODE((page.folder / SECRET_FILE).stat().st_mode) == 0o600
    assert "audit: admin at 127.0.0.1 set the cloud secret" in caplog.text
    assert "a new secret" not in caplog.text
    for wrong in ("", " x", "x ", "x\n", "é", "x" * 201, 7):
        assert (await page.post("link/secret", {"secret": wrong}))[0] == 400
    assert cloud_secret(page.folder) == "a new secret"


async def test_the_password_of_a_target_is_written_and_never_reported(
    page: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    assert await page.sign_in() == 200
    place = "mqtts://plant@broker.example:8883"
    for kept in (CANARY, "密码 7"):
        reply = await page.post("targets/password", {"target": "third", "password": kept})
        assert reply == (200, {"password": "set"})
        assert password_of(page.folder, "third", "password", place) == (kept, PasswordState.SET)
    assert "audit: admin at 127.0.0.1 set the password of target third (password)" in caplog.text
    await page.post("targets/password", {"target": "third", "password": CANARY})
    folder = page.folder / FOLDER
    assert [stat.S_IMODE(path.stat().st_mode) for path in (folder, folder / "third.password")] == [
        0o700,
        0o600,
    ]
    for target, password, field in (
        ("usb", "x", "target"),
        ("third", "", "password"),
        ("third", "a\nb", "password"),
        ("third", 7, "password"),
    ):
        status, reply = await page.post("targets/password", {"target": target, "password": password})
        assert (status, reply["error"]["field"]) == (400, field)
    assert CANARY not in caplog.text
    for path in ("status", "configuration", "configuration/text", "logs"):
        assert CANARY not in await (await page.client.get(f"/api/{path}")).text(), path
    log.error("somebody logged %s", CANARY)
    assert CANARY not in "".join((await members(page)).values())


async def test_the_agent_is_started_again_after_the_answer(page: Any) -> None:
    assert await page.sign_in() == 200
    assert (await page.post("system/restart", {}))[0] == 202
    assert (await page.post("system/restart", {}))[0] == 202
    async with asyncio.timeout(10):
        while not page.restarts:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert page.restarts == 1


async def test_a_new_password(page: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    assert await page.sign_in() == 200
    other = page.lasting.sessions.begin(page.clock.monotonic())
    wrong = await page.post("system/password", {"password": "no", "new": "long enough 1"})
    assert (wrong[0], wrong[1]["error"]["field"]) == (403, "password")
    short = await page.post("system/password", {"password": page.password, "new": "short"})
    assert (short[0], short[1]["error"]["field"]) == (400, "new")
    body = {"password": page.password, "new": "long enough 1"}
    assert (await page.post("system/password", body))[0] == 200
    assert (await page.client.get("/api/live")).status == 200, "who changed it stays signed in"
    assert not page.lasting.sessions.valid(other, page.clock.monotonic()), "everybody else does not"
    assert not (page.folder / passwords.TEXT_FILE).exists(), "the old one's text is worth nothing now"
    assert await page.sign_in() == 401
    assert await page.sign_in("long enough 1") == 200
    assert "long enough" not in caplog.text


async def test_load_of_the_ports(page: Any) -> None:
    assert await page.sign_in() == 200
    ports = {one["port"]: one for one in (await page.get("budget"))["ports"]}
    assert ports["lan"]["fits"] is True
    assert 0 < ports["lan"]["used_percent"] < 100


async def test_who_is_signed_in_stays_so_through_a_switch(page: Any) -> None:
    """A switch of the configuration makes another server on the same lasting part."""
    assert await page.sign_in() == 200
    [cookie] = [c for c in page.client.session.cookie_jar if c.key == "edge_session"]
    signing = SigningPages(page.folder, "after the switch", page.lasting, page.clock, secure=False)
    app = web.Application(middlewares=[signing.signed_in])

    async def live(request: web.Request) -> web.Response:
        return web.json_response({})

    app.add_routes([*signing.routes(), web.get("/api/live", live)])
    async with TestClient(TestServer(app), cookies={"edge_session": cookie.value}) as after:
        assert (await after.get("/api/live")).status == 200
        assert (await (await after.get("/api/session")).json())["title"] == "after the switch"


@pytest.mark.clause("C-106")
async def test_the_list_of_networks_is_set_here(page: Any) -> None:
    path = page.folder / NETWORKS_FILE
    assert (await page.client.get("/api/system/networks")).status == 401
    assert await page.sign_in() == 200
    assert await page.get("system/networks") == {"networks": None}

    async def put(networks: object) -> tuple[int, Any]:
        reply = await page.client.post("/api/system/networks", json={"networks": networks}, headers=ASK)
        return reply.status, await reply.json()

    assert await put(["10.1.0.0/16", "127.0.0.1"]) == (200, {"networks": ["10.1.0.0/16", "127.0.0.1/32"]})
    assert read_networks(path) == networks_of(["10.1.0.0/16", "127.0.0.1"])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for wrong in (["plc"], ["10.0.0.1/8"], "10.0.0.0/8", [1], ["1.2.3.4"] * 101):
        status, body = await put(wrong)
        assert status == 400 and body["error"]["field"].startswith("networks"), wrong
    assert (await page.get("system/networks"))["networks"] == ["10.1.0.0/16", "127.0.0.1/32"]
    assert await put([]) == (200, {"networks": []})
    assert await put(None) == (200, {"networks": None})
    assert not path.exists()
