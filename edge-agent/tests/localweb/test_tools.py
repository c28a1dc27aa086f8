"""The commissioning tools over HTTP, with an independent Modbus slave behind them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from libmodbus_slave import LibmodbusSlave

ASK = {"X-Edge": "1"}
BOILER = {"slave": "boiler"}
HOLDING = {"reg_type": "4X", "offset": 2}


@pytest.fixture
async def bench(page: Any) -> Any:
    """The signed-in page, and the memory of the slave behind port lan."""
    assert await page.sign_in() == 200
    memory = LibmodbusSlave()
    with memory.tcp() as port:
        page.bus.tcp_port = port
        yield page, memory


async def post(page: Any, path: str, body: Any) -> tuple[int, Any]:
    reply = await page.client.post(f"/api/tools/{path}", json=body, headers=ASK)
    return reply.status, await reply.json()


async def scanned(page: Any) -> Any:
    """State of the scan once it is over."""
    async with asyncio.timeout(5):
        while (state := await (await page.client.get("/api/tools/scan")).json())["running"]:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    return state


async def test_nothing_without_a_session(page: Any) -> None:
    assert (await page.client.get("/api/tools")).status == 401
    assert (await page.client.get("/api/tools/trace.txt?port=lan")).status == 401
    for path in ("scan", "scan/stop", "raw", "read", "write"):
        assert (await post(page, path, {}))[0] == 401


async def test_what_the_forms_offer(bench: Any) -> None:
    page, _ = bench
    told = await (await page.client.get("/api/tools")).json()
    assert [(port["name"], port["type"], port["protocol"]) for port in told["ports"]] == [
        ("lan", "NET", "modbus_tcp"),
        ("line", "COM", ""),
    ]
    assert told["slaves"] == [
        {"name": "boiler", "title": "锅炉 Boiler", "port": "lan", "protocol": "modbus_tcp", "address": "1"}
    ]
    rooms = {room["name"]: room for room in told["protocols"]}
    assert rooms["modbus_tcp"]["raw"] and not rooms["dlt645_2007"]["raw"]
    assert rooms["dlt645_2007"]["items"][0]["zh"]


async def test_scan(bench: Any) -> None:
    page, _ = bench
    assert (await post(page, "scan", {"port": "lan", "addresses": "1"}))[0] == 202
    state = await scanned(page)
    assert (state["error"], state["progress"]["tried"], state["progress"]["total"]) == ("", 1, 1)
    assert [(one["address"], one["verdict"]) for one in state["progress"]["found"]] == [("1", "answers")]


async def test_one_scan_at_a_time_and_it_can_be_stopped(bench: Any) -> None:
    page, memory = bench
    memory.delay_s = 0.1
    assert (await post(page, "scan", {"port": "lan", "addresses": "1-100"}))[0] == 202
    code, body = await post(page, "scan", {"port": "lan", "addresses": "1"})
    assert (code, body["error"]["field"]) == (409, "scan")
    assert (await post(page, "scan/stop", {}))[0] == 200
    state = await scanned(page)
    assert state["progress"]["tried"] < 100


async def test_a_wrong_scan_names_field_and_rule(bench: Any) -> None:
    page, _ = bench
    for body, field in (
        ({"port": "none"}, "port"),
        ({"port": "line"}, "protocol"),
        ({"port": "lan", "addresses": "9-1"}, "addresses"),
        ({"port": "lan", "addresses": "999"}, "slave.address"),
        ({"port": "lan", "nonsense": 1}, "request"),
    ):
        code, told = await post(page, "scan", body)
        assert (code, told["error"]["field"]) == (400, field), told


async def test_read_write_raw_and_their_frames(bench: Any, caplog: pytest.LogCaptureFixture) -> None:
    page, memory = bench
    caplog.set_level("INFO")
    memory.holding[2], memory.holding[3] = 0x41BC, 0  # 23.5
    code, once = await post(page, "read", {"device": BOILER, "point": "sp"})
    assert (code, once["value"], once["quality"]) == (200, 23.5, 0)
    point = {"data_type": "int16", "address": {"reg_type": "4X", "offset": 9}}
    code, once = await post(page, "write", {"device": BOILER, "point": point, "value": -7})
    assert (code, once["value"], once["same"], memory.holding[9]) == (200, -7, True, 65529)
    assert "audit: admin at 127.0.0.1 writes -7" in caplog.text
    free = {"port": "lan", "protocol": "modbus_tcp", "address": "1"}
    code, block = await post(page, "raw", {"device": free, "at": HOLDING, "count": 2, "expected": 23.5})
    assert (code, block["data"]) == (200, "41 BC 00 00")
    assert (block["readings"][0]["data_type"], block["readings"][0]["order"]) == ("float", "ABCD")
    shown = (await (await page.client.get("/api/tools/trace?port=lan")).json())["frames"]
    assert [frame["direction"] for frame in shown[:2]] == ["request", "answer"]
    assert shown[0]["fields"]["direction"] == "request"
    file = await page.client.get("/api/tools/trace.txt?port=lan")
    assert "attachment" in file.headers["Content-Disposition"]
    assert len((await file.text()).splitlines()) == len(page.bus.frames)


async def test_what_a_device_refuses_and_what_is_wrong(bench: Any) -> None:
    page, _ = bench
    far = {"data_type": "uint16", "address": {"reg_type": "4X", "offset": 5000}}
    code, told = await post(page, "read", {"device": BOILER, "point": far})
    assert (code, told["code"]) == (502, "device_error")
    code, told = await post(page, "read", {"device": BOILER, "point": {"address": {"reg_type": "4X"}}})
    assert (code, told["error"]["field"].startswith("point.address")) == (400, True), told
    code, told = await post(page, "write", {"device": BOILER, "point": "sp", "value": "hot"})
    assert (code, told["error"]["field"]) == (400, "value")
    code, told = await post(page, "raw", {"device": BOILER, "at": HOLDING, "count": 5000})
    assert (code, told["error"]) == (400, {"field": "count", "rule": "must be from 1 to 120"})
    assert (await page.client.get("/api/tools/trace?port=none")).status == 404
