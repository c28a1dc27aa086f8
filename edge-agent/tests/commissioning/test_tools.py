"""Scan, raw block, one read, one write and the trace against an independent slave on real wires."""

from __future__ import annotations

import asyncio
import json
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from libmodbus_slave import LibmodbusSlave, line_without

from edge_agent.__main__ import main
from edge_agent.commissioning import scan
from edge_agent.commissioning.frames import frame_of
from edge_agent.commissioning.target import configured, target_of
from edge_agent.config.load import parse
from edge_agent.config.model import Port
from edge_agent.errors import ConfigError, NoAnswer
from edge_agent.model import PointKey
from edge_agent.system.clock import SystemClock

CONFIG = """
[gateway]
id = "gw-test"
[[ports]]
name = "lan"
type = "NET"
host = "127.0.0.1"
port = {port}
capture_cycle_ms = 100
[[slaves]]
name = "boiler"
port = "lan"
protocol = "modbus_tcp"
address = "1"
[[points]]
slave = "boiler"
name = "level"
rw = "readwrite"
data_type = "int16"
ratio = 0.1
tofixed = 1
unit = "cm"
address = {{ reg_type = "4X", offset = 10 }}
[[points]]
slave = "boiler"
name = "gone"
address = {{ reg_type = "4X", offset = 5000 }}
"""


@pytest.fixture
def slave() -> Iterator[tuple[LibmodbusSlave, int]]:
    memory = LibmodbusSlave()
    with memory.tcp() as port:
        yield memory, port


@pytest.fixture
def config(slave: tuple[LibmodbusSlave, int], tmp_path: Path) -> Path:
    path = tmp_path / "gateway.toml"
    path.write_text(CONFIG.format(port=slave[1]), encoding="utf-8")
    return path


async def test_a_serial_line_is_scanned_over_settings_and_addresses() -> None:
    memory = LibmodbusSlave()
    with line_without(9) as (near, far), memory.rtu(far, 3):
        port = Port(name="p", type="COM", device=str(near), baud=9600)
        plan = scan.ScanPlan("modbus_rtu", scan.ranges("9,3"), (9600, 115200), ("N",), timeout_ms=200)
        progress = scan.progress_of(plan, port)
        assert progress.total == 4
        reported: list[int] = []
        await scan.scan(plan, port, progress, SystemClock(), None, lambda now: reported.append(now.tried))
    # A pseudo terminal passes every baud rate: the slave is found with both.
    assert [(one.address, one.verdict, one.baud) for one in progress.results] == [
        ("3", "answers", 9600),
        ("3", "answers", 115200),
    ]
    assert reported == [0, 1, 2, 3, 4]


def test_addresses_in_words() -> None:
    assert scan.ranges("1-3,7, 000000000012 ") == ("1", "2", "3", "7", "000000000012")
    assert scan.ranges("") == ()
    with pytest.raises(ConfigError, match="addresses: 3-1: must count upwards"):
        scan.ranges("3-1")
    with pytest.raises(ConfigError, match="must count upwards over at most"):
        scan.ranges("1-99999")


def test_a_scan_is_checked_before_it_begins() -> None:
    port = Port(name="p", type="NET", host="h")
    with pytest.raises(ConfigError, match=r"slave\.address: must be from 1 to 247"):
        scan.progress_of(scan.ScanPlan("modbus_tcp", ("300",)), port)
    with pytest.raises(ConfigError, match="port: modbus_rtu needs a port of type COM"):
        scan.progress_of(scan.ScanPlan("modbus_rtu", ("3",)), port)
    with pytest.raises(ConfigError, match="protocol: must be one of"):
        scan.progress_of(scan.ScanPlan("profibus", ("3",)), port)
    with pytest.raises(ConfigError, match="more than 20000 requests"):
        line = Port(name="p", type="COM", device="/dev/ttyS9")
        scan.progress_of(scan.ScanPlan("modbus_rtu", scan.ranges("1-247"), tuple(range(300, 400))), line)


def test_scan_as_a_subcommand(slave: tuple[LibmodbusSlave, int], capsys: pytest.CaptureFixture[str]) -> None:
    words = ["scan", "--host", "127.0.0.1", "--tcp-port", str(slave[1]), "--protocol", "modbus_tcp"]
    assert main([*words, "--addresses", "1", "--json"]) == 0
    reported = json.loads(capsys.readouterr().out)
    (found,) = reported["found"]
    assert (reported["tried"], found["address"], found["verdict"]) == (1, "1", "answers")
    assert not {"baud", "parity"} & found.keys(), "a network has no line settings"
    assert found["turnaround_ms"] > 0
    assert main(["scan", "--host", "127.0.0.1", "--tcp-port", "1", "--protocol", "modbus_tcp"]) == 1
    assert "127.0.0.1:1" in capsys.readouterr().err
    assert main(["scan", "--protocol", "modbus_tcp"]) == 2
    assert "--device and --host" in capsys.readouterr().err


def test_raw_block_beside_an_expected_value(
    slave: tuple[LibmodbusSlave, int], config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    low, high = struct.unpack(">HH", struct.pack(">f", 23.5))
    slave[0].holding[20], slave[0].holding[21] = high, low
    words = [
        "raw",
        "--config",
        str(config),
        "--slave",
        "boiler",
        "--at",
        "reg_type=4X,offset=19",
        "--count",
        "4",
    ]
    assert main([*words, "--expect", "23.5", "--json"]) == 0
    block = json.loads(capsys.readouterr().out)
    assert len(bytes.fromhex(block["data"])) == 8
    best = block["readings"][0]
    assert (best["at"], best["data_type"], best["order"], best["value"], best["ratio"]) == (
        2,
        "float",
        "CDAB",
        23.5,
        1.0,
    )
    assert main(words) == 0
    assert "float" in capsys.readouterr().out
    assert main([*words[:-1], "500"]) == 2
    assert "--count: must be from 1 to 120" in capsys.readouterr().err
    assert main(["raw", "--config", str(config), "--slave", "boiler", "--at", "reg_type=9X,offset=1"]) == 2
    assert "reg_type" in capsys.readouterr().err


def test_read_once_and_write_once(
    slave: tuple[LibmodbusSlave, int], config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    slave[0].holding[10] = 123
    assert main(["read", "--config", str(config), "--key", "boiler.level"]) == 0
    assert capsys.readouterr().out.startswith("12.3 cm  (good, raw 123, ")
    assert main(["write", "--config", str(config), "--key", "boiler.level", "--value", "-4.5", "--json"]) == 0
    done = json.loads(capsys.readouterr().out)
    assert (done["value"], done["raw"], done["quality"], done["same"]) == (-4.5, -45, "good", True)
    assert slave[0].holding[10] == 65536 - 45
    assert main(["write", "--config", str(config), "--key", "boiler.level", "--value", "9999"]) == 1
    assert "outside int16" in capsys.readouterr().err
    assert main(["write", "--config", str(config), "--key", "boiler.gone", "--value", "1"]) == 1
    assert "is read only" in capsys.readouterr().err
    assert main(["read", "--config", str(config), "--key", "boiler.gone"]) == 1
    assert "illegal data address" in capsys.readouterr().err
    assert main(["read", "--config", str(config), "--key", "boiler.none"]) == 2
    assert "boiler.none is not configured" in capsys.readouterr().err


def test_a_device_that_nobody_configured(
    slave: tuple[LibmodbusSlave, int], capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--host", "127.0.0.1", "--tcp-port", str(slave[1]), "--protocol", "modbus_tcp", "--address", "1"]
    point = ["--data-type", "uint16", "--at", "reg_type=4X", "--at", "offset=3"]
    assert main(["write", *where, *point, "--value", "77", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["same"] is True
    assert main(["read", *where, *point, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == 77
    assert slave[0].holding[3] == 77


def test_the_frames_of_a_port(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", "--config", str(config), "--port", "lan", "--seconds", "0.6"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) >= 4
    assert [line.split()[2] for line in lines[:2]] == [">", "<"]
    assert all("lan" in line and '"direction"' in line for line in lines), lines[:4]
    assert main(["trace", "--config", str(config), "--port", "nowhere"]) == 2
    assert "port: must be one of lan" in capsys.readouterr().err


def test_decode(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decode", "modbus_rtu", "01", "03", "00", "00", "00", "02", "C4", "0B"]) == 0
    assert json.loads(capsys.readouterr().out)["direction"] == "request"
    assert main(["decode", "modbus_rtu", "010300000002C40C"]) == 1
    assert capsys.readouterr().err.strip()
    assert main(["decode", "modbus_rtu", "01 0G"]) == 2
    assert capsys.readouterr().err == "hex: must be hexadecimal digits, 'G' stands at digit 4\n"


def test_hexadecimal_words() -> None:
    assert frame_of("0x01 02,03") == b"\x01\x02\x03"
    with pytest.raises(ConfigError, match="these are 3 digits"):
        frame_of("012")


def test_what_is_configured() -> None:
    configuration = parse(CONFIG.format(port=502))
    port, target, point = configured(configuration, PointKey("boiler", "level"))
    assert (port.name, target.slave.name, point.unit) == ("lan", "boiler", "cm")
    with pytest.raises(ConfigError, match=r"slave\.options: .*nonsense"):
        target_of({"protocol": "modbus_tcp", "address": "1", "options": {"nonsense": 1}}, port)


async def test_a_scan_can_be_stopped(slave: tuple[LibmodbusSlave, int]) -> None:
    slave[0].delay_s = 0.05
    port = Port(name="p", type="NET", host="127.0.0.1", port=slave[1])
    plan = scan.ScanPlan("modbus_tcp", scan.ranges("1-200"))
    progress = scan.progress_of(plan, port)
    task = asyncio.create_task(scan.scan(plan, port, progress, SystemClock(), None))
    await asyncio.sleep(0.2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert progress.tried < progress.total


@pytest.mark.parametrize("acted", [True, False])
def test_a_write_without_an_answer_is_reported_as_unknown(
    acted: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = NoAnswer("no answer within 500 ms")
    error.may_have_acted = acted

    async def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr("edge_agent.commissioning.once.write_once", fails)
    point = ["--type", "num", "--at", "reg_type=4X,offset=0", "--value", "7"]
    line = ["--device", "/dev/null", "--protocol", "modbus_rtu", "--address", "1"]
    assert main(["write", *line, *point]) == 1
    assert ("result unknown, 7 may have been written" in capsys.readouterr().err) is acted
