"""Platforms of HJ 212 and what they request of a gateway: 2005, 2017 and 2025 at once, with faults.

The gateway has no cloud, and records of an earlier time, which the platforms fetch.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from _environment import PYTHON
from stack import Ports, Program, Stack, free_run

from edge_agent.forwarding.hj212.packet import Area
from edge_agent.forwarding.hj212.sending import encoded
from edge_agent.forwarding.hj212.times import DAY_MS, HOUR_MS, MINUTE_MS, begin_of, time_text
from edge_agent.store.base import Bound, RecordState, TargetRecord
from edge_agent.store.sqlite import open_sqlite
from firmware_sim.hj212_platform.report import report
from firmware_sim.hj212_platform.store import ReceivedReader

pytestmark = [pytest.mark.system, pytest.mark.timeout(300)]

OFFSET_MS = 8 * HOUR_MS
STORE_BYTES = 64 << 20
PACE_S = 0.3
"""Between two steps: the gateway takes five requests a second, and 20 at once."""
BOILER_UNIT, LEVEL = 1, 2
"""Modbus address of the boiler, and the holding register of its level setpoint."""
MN, MN_2005, MN_2025 = "010000A8900016F000169DC0", "88888880000001", "A10000A8900016F000169DC0"
PASSWORDS = ["pw2005", "pw2017", "pw2025", "new005", "new017", "new025"]
KEYS = ["first-key-of-sm4", "other-key-of-sm4", "third-key-of-sm4"]
HISTORY: list[dict[str, Any]] = [
    {"cn": "2051", "items": "BeginTime={now-7200};EndTime={now-1800}", "records": 3},
    {"cn": "2061", "items": "BeginTime={now-86400};EndTime={now-3600}", "records": 1},
    {"cn": "2031", "items": "BeginTime={now-172800};EndTime={now-86400}", "records": 1},
    {"cn": "2041", "items": "BeginTime={now-172800};EndTime={now-86400}", "records": 1},
]
NOTHING = {"cn": "2061", "items": "BeginTime=20160801080000;EndTime=20160801080000", "expect": "failed 100"}
ENDS = [{"cn": "2012"}, {"cn": "2022"}, {"cn": "2021"}, {"cn": "2011"}]
SCRIPTS: dict[str, list[dict[str, Any]]] = {
    "ditch": [
        {"cn": "1011", "reply": "SystemTime="},
        {"cn": "1012", "items": "SystemTime={now}"},
        {"cn": "1000", "items": "OverTime=5,ReCount=2"},
        {"cn": "1062", "items": "RtdInterval=5"},
        {"cn": "1061", "reply": "RtdInterval=5"},
        {"cn": "1041", "reply": "ReportTime=0000"},
        {"cn": "1001", "items": "WarnTime=5", "expect": "refused 2"},
        {"cn": "1021", "expect": "refused 2"},
        *ENDS,
        {"upload": "2021"},
        *[{**step, "items": step["items"].replace(";", ",")} for step in HISTORY],
        NOTHING,
        {"cn": "3011", "items": "PolId=011"},
        {"cn": "3012", "items": "PolId=011", "expect": "refused 2"},
        {"cn": "1072", "items": "PW=new005"},
        {"cn": "1061", "reply": "RtdInterval=5", "fault": "slow:500"},
        {"cn": "1061", "fault": "bad_checksum", "expect": "refused 2"},
        {"cn": "1061", "fault": "wrong_qn", "expect": "no_answer"},
        {"upload": "2011"},
        {"cn": "1061"},
    ],
    "outlet": [
        {"cn": "1011", "reply": "SystemTime="},
        {"cn": "1012", "items": "SystemTime={now}"},
        {"cn": "1000", "items": "OverTime=5;ReCount=2"},
        {"cn": "1000", "items": "OverTime=5;ReCount=0", "expect": "failed 3"},
        {"cn": "1061", "reply": "RtdInterval=60"},
        {"cn": "1062", "items": "RtdInterval=5", "expect": "failed 3"},
        {"cn": "1062", "items": "RtdInterval=30"},
        {"cn": "1061", "reply": "RtdInterval=30"},
        {"cn": "1064", "items": "MinInterval=5"},
        {"cn": "1063", "reply": "MinInterval=5"},
        *ENDS,
        NOTHING,
        {"cn": "3021", "items": "PolId=w01018;InfoId=i13004;i13004-Info=0.87"},
        {"cn": "3020", "items": "PolId=w01018;InfoId=i13004", "reply": "i13004-Info=0.87"},
        {"cn": "3021", "items": "PolId=w01018;InfoId=i13004;i13004-Info=9.9", "expect": "failed 3"},
        {"cn": "3016", "items": "PolId=w01018;CstartTime=000000;Ctime=2", "expect": "refused 2"},
        {"cn": "1072", "items": "NewPW=new017"},
        *HISTORY,
        {"cn": "1061", "fault": "bad_checksum", "expect": "refused 9"},
        {"cn": "1061", "fault": "close:20", "fault_s": 1},
    ],
    "stack": [
        {"cn": "1011", "reply": "SystemTime="},
        {"cn": "1000", "items": "OverTime=5;ReCount=0"},
        {"cn": "1062", "items": "RtdInterval=30"},
        {"cn": "1063", "reply": "MinInterval=1"},
        {"cn": "1002", "items": "i23005-Info=6970000000001ABCDEFG1234", "expect": "refused 2"},
        *ENDS,
        NOTHING,
        {"cn": "3024", "items": "PolId=a21026"},
        {"cn": "3022", "items": "PolId=a21026", "expect": "refused 2"},
        {"cn": "1014", "items": "SKCreateTime={stamp},NewSK=short", "expect": "failed 3"},
        {"cn": "1014", "items": f"SKCreateTime={{stamp}},NewSK={KEYS[1]}"},
        {"cn": "1014", "items": f"SKCreateTime={{stamp}},NewSK={KEYS[2]}"},
        {"cn": "1072", "items": "NewPW=new025"},
        *HISTORY,
        {"cn": "1061", "fault": "silent", "expect": "no_answer"},
    ],
}
STATIONS: list[dict[str, Any]] = [
    {"name": "ditch", "version": "2005", "mn": MN_2005, "st": "32", "pw": PASSWORDS[0]},
    {"name": "outlet", "version": "2017", "mn": MN, "st": "32", "pw": PASSWORDS[1]},
    {"name": "stack", "version": "2025", "mn": MN_2025, "st": "31", "pw": PASSWORDS[2], "key": KEYS[0]},
]
TARGET = """
[[forwarders]]
name = "{name}"
kind = "hj212"
[forwarders.options]
server = "127.0.0.1"
port = {port}
mn = "{mn}"
st = "{st}"
pw = "{pw}"
version = "{version}"
report_interval_min = 1
{more}
[[forwarders.options.mapping]]
factor = "{factor}"
point = "boiler.load"
types = ["rtd", "avg", "min", "max"]
[[forwarders.options.equipment]]
code = "SB1"
point = "feed_pump.running"
[[forwarders.options.functions]]
"""
FUNCTIONS = {
    "ditch": 'request = "3011"\nfactor = "011"\npoint = "boiler.level_setpoint"\nvalue = 11\n',
    "outlet": 'request = "3021"\nfactor = "w01018"\nitem = "i13004"\npoint = "boiler.pressure_setpoint"\n'
    '[[forwarders.options.functions]]\nrequest = "3020"\nfactor = "w01018"\nitem = "i13004"\n'
    'point = "boiler.pressure_setpoint"\n',
    "stack": 'request = "3024"\nfactor = "a21026"\npoint = "feed_pump.frequency_setpoint"\nvalue = 30\n',
}
FACTORS = {"ditch": "011", "outlet": "w01018", "stack": "a21026"}


EARLIER = (
    *(("2051", MINUTE_MS, minutes * MINUTE_MS) for minutes in (60, 75, 90)),
    ("2061", HOUR_MS, 8 * HOUR_MS),
    ("2031", DAY_MS, DAY_MS),
    ("2041", DAY_MS, DAY_MS),
)
"""Kind, length and age of the records of an earlier run."""


class Site:
    """Plant and agent, and a platform with three stations."""

    def __init__(self, folder: Path) -> None:
        self.stack = Stack(folder / "stack", Ports.free(), commit_interval_s=0.2)
        self.stack.prepare()
        self.state = folder / "platform"
        self.state.mkdir()
        port = free_run()
        words = ["hj212-platform", str(folder / "stations.json"), "--state", str(self.state)]
        self.platform = Program(
            "authority",
            [str(PYTHON), "-m", "firmware_sim", *words, "--port", str(port)],
            self.stack._env,
            folder,
        )
        (folder / "stations.json").write_text(json.dumps(described()))
        config = self.stack.data / "agent" / "gateway.toml"
        config.write_text(config.read_text() + "".join(target(one, port) for one in STATIONS))
        asyncio.run(fill(self.stack.data / "agent"))

    def start(self) -> None:
        self.platform.start()
        self.stack.wait(lambda: '"ready"' in self.platform.log.read_text(), "it listens", self.platform)
        self.stack.start_plant()
        self.stack.start_agent()

    def stop(self) -> None:
        self.stack.stop()
        self.platform.stop()

    def report(self) -> Any:
        reader = ReceivedReader(self.state)
        return report(reader.packets(), reader.requests(), reader.counters(), reader.minute_intervals())

    def wait(self, done: Any, what: str) -> None:
        self.stack.wait(done, what, self.stack.agent, self.platform, timeout_s=180)

    def level(self) -> int:
        """What the plant has, read beside the gateway."""
        body = struct.pack(">BBHH", BOILER_UNIT, 3, LEVEL, 1)
        with socket.create_connection(("127.0.0.1", self.stack.ports.modbus), timeout=10) as link:
            link.sendall(struct.pack(">HHH", 1, 0, len(body)) + body)
            answer = link.recv(260)[6:]
        return int(struct.unpack(">h", answer[3:5])[0])


def described() -> dict[str, Any]:
    """The platform's file; JSON is YAML."""
    stations = [
        {
            **station,
            "minute_interval": 1,
            "script": [
                {"at_s": round(number * PACE_S, 1), **step}
                for number, step in enumerate(SCRIPTS[station["name"]])
            ],
        }
        for station in STATIONS
    ]
    return {"stations": stations, "over_time_s": 3, "re_count": 3}


def target(station: dict[str, Any], port: int) -> str:
    more = f'cipher = "raw"\ncipher_secret = "{KEYS[0]}"' if "key" in station else ""
    name = station["name"]
    fields = {**station, "port": port, "factor": FACTORS[name], "more": more}
    return TARGET.format(**fields) + FUNCTIONS[name]


async def fill(folder: Path) -> None:
    """Records as an earlier run of the agent left them; one of each station still waits to be sent."""
    now_ms = time.time_ns() // 1_000_000
    async with open_sqlite(folder, STORE_BYTES, lambda: now_ms, time.monotonic) as store:
        await store.outbox.attach([Bound(station["name"]) for station in STATIONS])
        for station in STATIONS:
            records = [
                record(kind, begin_of(now_ms - back_ms, length, OFFSET_MS), length, station["name"])
                for kind, length, back_ms in EARLIER
            ]
            waits = record("2051", begin_of(now_ms - 3 * HOUR_MS, MINUTE_MS, 0), MINUTE_MS, station["name"])
            kept = TargetRecord(waits.kind, waits.t_ms, waits.due_ms, waits.payload, RecordState.WAITING)
            await store.target_records.put(station["name"], [*records, kept], {})
            await store.target_records.note(station["name"], {})


def record(kind: str, begin_ms: int, length: int, station: str) -> TargetRecord:
    time_item = (("DataTime", time_text(begin_ms, OFFSET_MS)),)
    factor = FACTORS[station]
    values = ((f"{factor}-Avg", "41.5"), (f"{factor}-Flag", "N"))
    area: Area = (time_item, (("SB1-RT", "21.5"),) if kind == "2041" else values)
    return TargetRecord(kind, begin_ms, begin_ms + length, encoded(area), RecordState.DELIVERED)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    made = Site(tmp_path_factory.mktemp("site"))
    try:
        made.start()
        yield made
    finally:
        made.stop()


def test_every_step_brings_what_it_should(site: Site) -> None:
    steps = sum(len(steps) for steps in SCRIPTS.values())
    site.wait(lambda: site.report()["script"]["ended"] == steps, "the scripts have ended")
    made = site.report()
    assert made["script"]["unexpected"] == [], json.dumps(made["requests"], indent=1)
    for name, station in made["stations"].items():
        assert (name, station["refused"], station["disagreements"]) == (name, {}, 0)
        for cn in ("2051", "2061", "2031", "2041"):
            assert station["commands"][cn]["conflicts"] == 0
    assert site.level() == 11


def test_passwords_and_keys_hold_over_a_kill_and_are_nowhere_to_be_read(site: Site) -> None:
    def starts() -> dict[str, int]:
        stations = site.report()["stations"]
        commands = {name: stations.get(name, {}).get("commands", {}) for name in ("outlet", "stack")}
        return {name: made.get("2081", {}).get("packets", 0) for name, made in commands.items()}

    before = starts()
    site.stack.agent.kill()
    site.stack.start_agent()
    site.wait(lambda: all(starts()[name] > before[name] for name in before), "they are connected again")
    made = site.report()
    assert [station["refused"] for station in made["stations"].values()] == [{}, {}, {}]
    texts = json.dumps(made) + site.stack.agent.log.read_text() + site.platform.log.read_text()
    for secret in (*PASSWORDS, *KEYS):
        assert secret not in texts
