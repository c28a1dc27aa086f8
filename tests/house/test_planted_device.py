"""A simulated device is one folder and one line: one that is planted into a copy is served."""

from __future__ import annotations

import filecmp
import json
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import rules

from firmware_sim.devices.all import DEVICES

TIMEOUT_S = 60.0
PACKAGE = rules.ROOT / "firmware-sim" / "firmware_sim"
OWN = PACKAGE / "devices"
LINE = "PPI, FX, MC, MODEM)"

EXCEPTIONS = {"gateways/signals.py": "a gateway tells the cloud which field protocol its slave speaks"}

KIND = '''
"""A planted kind: scales that tell their weight when they are asked."""

from firmware_sim.behaviours.framing import Framing
from firmware_sim.devices.base import DeviceKind, LineKind
from firmware_sim.devices.device import Device
from firmware_sim.errors import ScenarioError
from firmware_sim.lines.serial_line import SerialLine


class ScalesDevice(Device, frozen=True, kw_only=True, tag="scales"):
    number: int
    weight: str

    def identity(self):
        return "number", (str(self.number),)

    def errors(self, known):
        yield from known.signal_errors("weight", self.weight)
        if self.number > 9:
            yield ScenarioError("number", "must be one digit")


class Scales:
    def __init__(self, device, process):
        self._weight = process.reader(device.weight)
        self.refresh()

    def refresh(self):
        self.answer = b"%.1f kg\\r\\n" % self._weight()


class ScalesLine(SerialLine):
    def __init__(self, setup):
        super().__init__(setup.place(), self._received, setup.served_log)
        self._scales = {}
        for device in setup.devices:
            scales = Scales(device, setup.process)
            station = setup.add(device, scales.refresh, lambda: None)
            self._scales[b"W%d\\r" % device.number] = station, scales

    def _received(self, data):
        if data in self._scales:
            station, scales = self._scales[data]
            self._delivery.send(station, data, scales.answer)


SCALES = DeviceKind(ScalesDevice, (LineKind("rs232", Framing("scales", serial=True), ScalesLine),))
'''

PLANT = """
title: A planted device
step_s: 0.05
signals:
  - {name: bulk, kind: setpoint, value: 12.5}
  - {name: sand, kind: integral, of: {bulk: 1}, initial: 100}
lines:
  - {name: yard, kind: rs232, over: tcp}
  - {name: lan, kind: modbus_tcp}
devices:
  - {name: one, kind: scales, line: yard, number: 1, weight: bulk}
  - {name: two, kind: scales, line: yard, number: 2, weight: sand}
  - name: slave
    kind: modbus
    line: lan
    unit: 1
    registers: [{name: bulk, area: 4X, address: 0, signal: bulk}]
"""


def plant(folder: Path) -> Path:
    """A copy of the simulator's package with one folder and one entry more."""
    copy = folder / "firmware_sim"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    planted = copy / "devices" / "scales"
    planted.mkdir()
    (planted / "__init__.py").write_text("")
    (planted / "kind.py").write_text(KIND)
    listed = copy / "devices" / "all.py"
    text = listed.read_text()
    assert text.count(LINE) == 1
    line = "from firmware_sim.devices.scales.kind import SCALES\n\nDEVICES"
    listed.write_text(text.replace(LINE, f"{LINE[:-1]}, SCALES)").replace("\nDEVICES", line, 1))
    return copy


def changed(compared: filecmp.dircmp[str]) -> list[str]:
    """Files and folders that differ, or are on one side only."""
    names = compared.diff_files + compared.left_only + compared.right_only
    return names + [name for below in compared.subdirs.values() for name in changed(below)]


def ask(port: int, request: bytes, timeout_s: float = 10.0) -> bytes:
    """The answer's line; what came of it when the device does not answer in time."""
    answer = b""
    with socket.create_connection(("127.0.0.1", port), timeout=timeout_s) as connection:
        connection.sendall(request)
        try:
            while not answer.endswith(b"\n"):
                answer += connection.recv(100)
        except TimeoutError:
            pass
    return answer


def test_a_planted_device_is_served(tmp_path: Path) -> None:
    copy = plant(tmp_path)
    different = changed(filecmp.dircmp(PACKAGE, copy, ignore=["__pycache__"]))
    assert sorted(different) == ["all.py", "scales"]
    file, state = tmp_path / "plant.yaml", str(tmp_path / "state")
    program = [sys.executable, "-m", "firmware_sim"]
    file.write_text(PLANT.replace("number: 2, weight: sand", "number: 10, weight: gold"))
    refused = subprocess.run(
        [*program, "run", str(file), "--state", state], cwd=tmp_path, capture_output=True, text=True,
        check=False, timeout=TIMEOUT_S,
    )  # fmt: skip
    assert refused.returncode == 1
    errors = refused.stderr.removeprefix("firmware-sim: ").splitlines()
    assert [line.partition(": ")[0] for line in errors] == ["devices[1].weight", "devices[1].number"]
    file.write_text(PLANT)
    with (tmp_path / "log").open("w") as log:
        words = [*program, "run", str(file), "--state", state, "--speed", "10"]
        running = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        assert running.stdout is not None
        first = running.stdout.readline()
        assert first, (tmp_path / "log").read_text()
        ready = json.loads(first)
        assert set(ready["ports"]) == {"yard", "lan"}
        assert ready["modbus_port"] == ready["ports"]["lan"]
        port = ready["ports"]["yard"]
        assert ask(port, b"W1\r") == b"12.5 kg\r\n"
        assert ask(port, b"W3\r", 0.3) == b""
        deadline = time.monotonic() + TIMEOUT_S
        while float(ask(port, b"W2\r").split()[0]) < 130:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        subprocess.run([*program, "fault", state, "one", "half_frame"], cwd=tmp_path, check=True)
        assert ask(port, b"W1\r", 0.3) == b"12.5"
        running.terminate()
        assert running.wait(30) == 0, (tmp_path / "log").read_text()
    finally:
        running.kill()
        running.wait()


def kind_names() -> set[str]:
    """Of devices and of lines in plant files, and of commands, as DEVICES has them."""
    names = {line.name for kind in DEVICES for line in kind.lines}
    names |= {command.name for kind in DEVICES for command in kind.commands}
    tags = (kind.description.__struct_config__.tag for kind in DEVICES if kind.description is not None)
    return names | {str(tag) for tag in tags}


def naming(text: str) -> list[str]:
    """Lines of a module that name a kind of device or line, or import from a kind's folder."""
    folders = "|".join(sorted(path.name for path in OWN.iterdir() if (path / "kind.py").exists()))
    quoted = "|".join(sorted(kind_names()))
    named = re.compile(rf"['\"`](?:{quoted}|modbus|mc_)['\"`]|\bfirmware_sim\.devices\.(?:{folders})\b")
    return [line for line in text.splitlines() if named.search(line)]


def test_nothing_outside_its_folder_names_a_kind() -> None:
    """Scenarios are data."""
    folders = {path.parent for path in OWN.glob("*/kind.py")}
    assert len(folders) == len(DEVICES) >= 7
    found = {
        path.relative_to(PACKAGE).as_posix(): lines
        for path in PACKAGE.rglob("*.py")
        if not folders & set(path.parents) and (lines := naming(path.read_text()))
    }
    assert found.keys() == {"devices/all.py", *EXCEPTIONS}
    assert len(found["devices/all.py"]) == len(DEVICES)


def test_a_branch_by_kind_is_found() -> None:
    assert naming('if line.kind == "mc_1e":')
    assert naming("if line.kind.startswith('mc_'):")
    assert naming("from firmware_sim.devices.modbus.codec import crc")
    assert not naming('parser.add_argument("--modbus-port")')
