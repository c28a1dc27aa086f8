"""The commissioning tools over HTTP, with an independent Modbus slave behind them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from libmodbus_slave import LibmodbusSlave

from edge_agent.bus.trace import TracedFrame

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
    async with asyncio.timeout(20):
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
    reply = await (await page.client.get("/api/tools")).json()
    assert [(port["name"], port["type"], port["protocol"]) for port in reply["ports"]] == [
        ("lan", "NET", "modbus_tcp"),
        ("line", "COM", ""),
        ("plc", "NET", "s7"),
        ("meters", "COM", "dlt645_2007"),
    ]
    assert reply["slaves"][0] == {
        "name": "boiler", "title": "锅炉 Boiler", "port": "lan", "protocol": "modbus_tcp", "address": "1"
    }  # fmt: skip
    assert "123456" not in json.dumps(reply), "the password of a meter stays here"
    by_name = {each["name"]: each for each in reply["protocols"]}
    assert by_name["modbus_tcp"]["raw"] and not by_name["dlt645_2007"]["raw"]
    assert by_name["dlt645_2007"]["items"][0]["zh"]


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
        ({"port": "lan", "nonsense": 1}, "nonsense"),
    ):
        code, reply = await post(page, "scan", body)
        assert (code, reply["error"]["field"]) == (400, field), reply


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
    code, reply = await post(page, "read", {"device": BOILER, "point": far})
    assert (code, reply["code"]) == (502, "device_error")
    code, reply = await post(page, "read", {"device": BOILER, "point": {"address": {"reg_type": "4X"}}})
    assert (code, reply["error"]["field"].startswith("point.address")) == (400, True), reply
    code, reply = await post(page, "write", {"device": BOILER, "point": "sp", "value": "hot"})
    assert (code, reply["error"]["field"]) == (400, "value")
    code, reply = await post(page, "raw", {"device": BOILER, "at": HOLDING, "count": 5000})
    assert (code, reply["error"]) == (400, {"field": "count", "rule": "must be from 1 to 120"})
    assert (await page.client.get("/api/tools/trace?port=none")).status == 404


@pytest.mark.parametrize(
    ("wrong", "field", "rule"),
    [
        ({"bauds": [0]}, "port.baud", "at least 300"),
        ({"bauds": [10**30]}, "port.baud", "at most 921600"),
        ({"bauds": [-1]}, "port.baud", "at least 300"),
        ({"parities": ["X"]}, "port.parity", "'X'"),
        ({"addresses": "1-" + "9" * 5000}, "addresses", "at most 12 digits"),
        ({"addresses": "1-1000," * 1500}, "addresses", "must be at most 1000"),
        ({"timeout_ms": -5}, "timeout_ms", "must be from 10 to 60000"),
        ({"options": {"nonsense": "1"}}, "slave.options", "there is no such field"),
        ({"bauds": [9600] * 2000}, "bauds", "must be at most 100"),
    ],
)
async def test_a_scan_is_refused_before_it_begins_and_the_last_one_stays_itself(
    bench: Any, wrong: dict[str, Any], field: str, rule: str
) -> None:
    page, _ = bench
    assert (await post(page, "scan", {"port": "lan", "addresses": "1"}))[0] == 202
    before = await scanned(page)
    request = {"port": "line", "protocol": "modbus_rtu", "addresses": "1", **wrong}
    code, reply = await post(page, "scan", request)
    assert (code, reply["error"]["field"]) == (400, field), reply
    assert rule in reply["error"]["rule"]
    after = await scanned(page)
    assert after == before
    assert (after["port"], after["protocol"], after["type"]) == ("lan", "modbus_tcp", "NET")
    assert "baud" not in after["progress"]["found"][0]


async def test_a_scan_takes_the_options_of_a_neighbour_or_those_given(bench: Any) -> None:
    page, _ = bench
    assert (await post(page, "scan", {"port": "plc"}))[0] == 202
    await scanned(page)
    free = {"port": "lan", "protocol": "s7"}
    code, reply = await post(page, "scan", free)
    assert (code, reply["error"]["rule"]) == (400, "must have 'model'")
    assert (await post(page, "scan", {**free, "options": {"model": "1200"}}))[0] == 202
    await scanned(page)
    code, reply = await post(
        page, "read", {"device": free, "point": {"address": {"area": "M", "offset": "0"}}}
    )
    assert (code, reply["error"]["field"]) == (400, "slave.options")


async def test_words_of_a_form_become_what_the_protocol_wants(bench: Any) -> None:
    page, memory = bench
    memory.holding[2] = 7
    words = {"reg_type": "4X", "offset": "2", "bit": "1"}
    code, once = await post(page, "read", {"device": BOILER, "point": {"address": words}})
    assert (code, once["value"]) == (200, 1)
    point = {"type": "swh", "address": {"reg_type": "4X", "offset": "9"}}
    code, once = await post(page, "write", {"device": BOILER, "point": point, "value": True})
    assert (code, once["value"], memory.holding[9]) == (200, True, 1)
    code, reply = await post(
        page, "read", {"device": BOILER, "point": {"address": {"reg_type": "4X", "offset": "x"}}}
    )
    assert (code, reply["error"]["field"]) == (400, "point.address.offset"), reply


@pytest.mark.parametrize("ratio", [0, 1e308])
async def test_tool_points_are_checked_like_configured_ones(bench: Any, ratio: float) -> None:
    page, _ = bench
    code, reply = await post(page, "read", {"device": BOILER, "point": {"address": HOLDING, "ratio": ratio}})
    assert (code, reply["error"]["field"]) == (400, "point.ratio")


async def test_a_calculated_point_comes_from_the_bus(bench: Any) -> None:
    page, _ = bench
    code, once = await post(page, "read", {"device": BOILER, "point": "twice"})
    assert (code, once["value"], once["quality"]) == (200, 47.0, 0)
    code, reply = await post(page, "write", {"device": BOILER, "point": "twice", "value": 1})
    assert (code, reply["error"]["rule"]) == (400, "twice: is read only")
    code, reply = await post(page, "read", {"device": BOILER, "point": {"type": "cal", "formula": "1"}})
    assert (code, reply["error"]["field"]) == (400, "point.type")


async def test_raw_shows_texts_and_long_integers_in_full(bench: Any) -> None:
    page, memory = bench
    for at, cell in enumerate((0x4142, 0x4344, 0x4546, 0x4748)):
        memory.holding[2 + at] = cell
    code, block = await post(page, "raw", {"device": BOILER, "at": HOLDING, "count": 4, "expected": 1})
    assert (code, block["texts"], block["meets"]) == (200, {"AB": "ABCDEFGH", "BA": "BADCFEHG"}, False)
    assert str(0x4142434445464748) in [one["value"] for one in block["readings"]]


async def test_a_password_is_not_in_an_echo_that_cannot_be_read(page: Any) -> None:
    assert await page.sign_in() == 200
    body = bytes.fromhex("68010000000000681411")[:9] + bytes((0x0F,))
    data = bytes(byte + 0x33 & 0xFF for byte in bytes.fromhex("0105000402563412" + "78563412" + "000015"))
    frame = body[:8] + b"\x14" + bytes((len(data),)) + data
    request = frame + bytes((sum(frame) & 0xFF, 0x16))
    secret = data[5:8].hex(" ").upper()
    answer = bytes.fromhex("680100000000006894000016")
    page.bus.frames += [
        TracedFrame(1, "request", request),
        TracedFrame(2, "answer", request + answer),
        TracedFrame(3, "answer", b"\x00\xff" + request),
        TracedFrame(4, "answer", b"\xff\x01"),
    ]
    shown = (await (await page.client.get("/api/tools/trace?port=meters")).json())["frames"]
    assert shown[0]["fields"]["password"] == "***"
    assert [one["hex"] for one in shown] == ["***", f"(hidden: {len(request) + 12} bytes)",
                                             f"(hidden: {len(request) + 2} bytes)", "FF 01"]  # fmt: skip
    text = await (await page.client.get("/api/tools/trace.txt?port=meters")).text()
    assert secret not in text and secret not in json.dumps(shown)
    del page.bus.frames[:2]
    shown = (await (await page.client.get("/api/tools/trace?port=meters")).json())["frames"]
    assert secret not in json.dumps(shown), "the request has left the trace, its echo has not"
