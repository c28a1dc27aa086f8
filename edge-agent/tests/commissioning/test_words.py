"""Words of a command line or a form as the values that a field protocol wants."""

from __future__ import annotations

import fcntl
import json
import os
import pty
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from libmodbus_slave import LibmodbusSlave

from edge_agent.__main__ import main
from edge_agent.commissioning import target
from edge_agent.commissioning.words import as_text, entered, typed
from edge_agent.config.model import Point, Port
from edge_agent.errors import BadValue, ConfigError
from edge_agent.model import PointKind
from edge_agent.protocols import PROTOCOLS

PLC = Port(name="p", type="NET", host="127.0.0.1")


@pytest.mark.parametrize(
    ("protocol", "part", "words", "values"),
    [
        ("s7", "options", {"model": "1200", "rack": "0"}, {"model": "1200", "rack": 0}),
        ("s7", "options", {"bcd": "off"}, {"bcd": False}),
        ("mc_3e", "options", {"module_io": "0x3FF", "series": "Q"}, {"module_io": 0x3FF, "series": "Q"}),
        ("mc_3e", "address", {"area": "W", "offset": "10"}, {"area": "W", "offset": "10"}),
        ("modbus_tcp", "address", {"offset": "10", "bit": "3"}, {"offset": 10, "bit": 3}),
        ("modbus_tcp", "address", {"offset": "ten", "none": "1"}, {"offset": "ten", "none": "1"}),
        ("modbus_tcp", "address", {"offset": "9" * 5000}, {"offset": "9" * 5000}),
        ("dlt645_2007", "options", {"password": "000123", "level": "2"}, {"password": "000123", "level": 2}),
        ("modbus_tcp", "options", {"max_gap": 5, "one_based": True}, {"max_gap": 5, "one_based": True}),
    ],
)  # fmt: skip
def test_words_by_the_schema(protocol: str, part: Any, words: dict[str, Any], values: dict[str, Any]) -> None:
    assert typed(PROTOCOLS[protocol], part, words) == values


@pytest.mark.parametrize(
    ("protocol", "options", "address", "offsets"),
    [
        ("mc_3e", {"series": "Q"}, {"area": "W", "offset": "1E"}, ["1E", "1F", "20"]),
        ("mc_3e", {"series": "FX5"}, {"area": "X", "offset": "6"}, ["6", "7", "10"]),
        ("mc_3e", {"series": "Q"}, {"area": "D", "offset": "9"}, ["9", "10", "11"]),
        ("mc_1e", {}, {"area": "D", "offset": 98}, [98, 99, 100]),
        ("fx", {"model": "FX3U"}, {"area": "X", "offset": "16"}, [16, 17, 20]),
        ("fx", {"model": "FX3U"}, {"area": "D", "offset": "19"}, [19, 20, 21]),
    ],
)
def test_neighbouring_cells_are_counted_as_printed(
    protocol: str, options: dict[str, Any], address: dict[str, Any], offsets: list[Any]
) -> None:
    device = target.target_of({"protocol": protocol, "address": "0", "options": options}, PLC)
    assert [point.address["offset"] for point in target.raw_points(device, address, 3)] == offsets


def test_a_first_address_that_is_none() -> None:
    device = target.target_of({"protocol": "mc_3e", "address": "0", "options": {"series": "Q"}}, PLC)
    with pytest.raises(ConfigError, match=r"address\.offset: must be the number .* in hexadecimal digits"):
        target.raw_points(device, {"area": "B", "offset": "XY"}, 2)
    with pytest.raises(ConfigError, match=r"address\.offset: must be the number .* in decimal digits"):
        target.raw_points(device, {"area": "D"}, 2)


def test_values_to_write() -> None:
    number, text = Point(slave="s", name="n"), Point(slave="s", name="t", type=PointKind.STRING)
    switch = Point(slave="s", name="w", type=PointKind.SWITCH)
    assert (entered(number, "-7"), entered(number, "2.5e1"), entered(text, " 007")) == (-7, 25.0, " 007")
    assert [entered(switch, word) for word in ("on", "OFF", "true", "false")] == [True, False, True, False]
    wrong = (
        (number, "nan"),
        (number, "hot"),
        (number, ""),
        (switch, "2"),
        (switch, "1"),
        (switch, "0"),
        (switch, ""),
    )
    for point, word in (*wrong, (number, "9" * 5000)):
        with pytest.raises(BadValue, match="must be"):
            entered(point, word)


def test_values_by_the_names_of_the_configuration() -> None:
    alarm = Point(slave="s", name="a", type=PointKind.SWITCH, on_value=0, on_text="Alarm", off_text="Normal")
    mode = Point(slave="s", name="m", selector={"0": "Stop", "2": "Run"})
    assert [entered(alarm, word) for word in ("Alarm", "Normal", "on")] == [True, False, True]
    assert [entered(mode, word) for word in ("Run", "0")] == [2, 0]
    assert [as_text(alarm, False), as_text(alarm, True), as_text(mode, 2), as_text(mode, 7)] == [
        "Normal",
        "Alarm",
        "Run",
        "7",
    ]
    with pytest.raises(BadValue, match="must be one of on, off, true, false, Alarm, Normal"):
        entered(alarm, "1")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--host", "h" * 300], "port.host: must have 1 to 253 characters"),
        (["--host", "h", "--tcp-port", "0"], "port.port: must be at least 1"),
        (["--device", "/dev/none", "--baud", "1"], "port.baud: must be at least 300"),
        (["--device", "/dev/none", "--bauds", "0"], "port.baud: must be at least 300"),
        (["--device", "/dev/none", "--bauds", "1" + "0" * 30], "port.baud: must be at most 921600"),
        (["--device", "/dev/none", "--bauds", "9" * 5000], "--bauds: must be numbers"),
        (["--device", "/dev/none", "--parities", "X"], "port.parity: must be one of "),
        (["--device", "/dev/none", "--addresses", "0-" + "9" * 5000], "numbers must have at most 12 digits"),
        (["--device", "/dev/none", "--addresses", "1-1000," * 1500], "addresses: must be at most 1000"),
    ],
)
def test_a_wrong_scan_on_the_command_line(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    protocol = "modbus_tcp" if "--host" in words else "modbus_rtu"
    assert main(["scan", "--protocol", protocol, *words]) == 2
    printed = capsys.readouterr().err
    assert says in printed
    assert len(printed) < 300


def test_options_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["scan", "--host", "127.0.0.1", "--tcp-port", "1", "--protocol", "s7"]
    assert main(words) == 2
    assert "slave.options: must have 'model'" in capsys.readouterr().err
    assert main([*words, "--option", "model=1200"]) == 1, "nobody listens there, but it was asked"
    assert "127.0.0.1:1" in capsys.readouterr().err


def test_a_switch_and_a_calculated_point(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    memory = LibmodbusSlave()
    with memory.tcp() as port:
        path = tmp_path / "gateway.toml"
        path.write_text(
            f"""
            [gateway]
            id = "gw-test"
            [[ports]]
            name = "lan"
            type = "NET"
            host = "127.0.0.1"
            port = {port}
            [[slaves]]
            name = "a"
            port = "lan"
            protocol = "modbus_tcp"
            address = "1"
            [[points]]
            slave = "a"
            name = "pump"
            type = "swh"
            rw = "readwrite"
            address = {{ reg_type = "0X", offset = 3 }}
            [[points]]
            slave = "a"
            name = "sum"
            type = "cal"
            formula = "pump + 1"
            """,
            encoding="utf-8",
        )
        key = ["--config", str(path), "--key"]
        assert main(["write", *key, "a.pump", "--value", "on"]) == 0
        assert capsys.readouterr().out.startswith("on  (good")
        assert memory.coils[3] == 1
        assert main(["write", *key, "a.pump", "--value", "7"]) == 1
        assert "must be one of on, off, true, false" in capsys.readouterr().err
        assert main(["read", *key, "a.sum"]) == 2
        assert "sum is calculated, no device holds it" in capsys.readouterr().err
        raw = ["raw", "--config", str(path), "--slave", "a", "--at", "reg_type=4X,offset=0"]
        assert main([*raw, "--expect", "9"]) == 0
        assert "nothing meets the expected value 9\n" in capsys.readouterr().out
        assert main([*raw, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["texts"] == {"AB": "." * 8, "BA": "." * 8}


@pytest.fixture
def held_line() -> Iterator[str]:
    """A serial line that another program has locked."""
    near, far = pty.openpty()
    line = os.ttyname(far)
    other = os.open(line, os.O_RDWR | os.O_NOCTTY)
    fcntl.flock(other, fcntl.LOCK_EX)
    yield line
    for end in (near, far, other):
        os.close(end)


@pytest.mark.parametrize(
    ("protocol", "more"),
    [("modbus_rtu", ["--addresses", "1"]), ("dlt645_2007", []), ("ppi", ["--parity", "E"])],
)
def test_a_line_that_another_program_holds(
    protocol: str, more: list[str], held_line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["scan", "--device", held_line, "--protocol", protocol, *more]) == 1
    printed = capsys.readouterr().err
    assert printed.startswith(f"{held_line}: ")
    assert "another program holds it (a running agent? its local page has these tools)" in printed
    assert "Errno" not in printed


@pytest.mark.parametrize("verb", ["scan", "raw", "read", "write"])
def test_help_has_examples(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([verb, "--help"])
    printed = capsys.readouterr().out
    assert "examples:\n  edge-agent " + verb in printed
    assert "--option" in printed and "=" in printed
