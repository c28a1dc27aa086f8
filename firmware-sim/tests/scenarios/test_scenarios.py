"""Every scenario fits the agent: its configuration is accepted, each point finds its value in the plant."""

from __future__ import annotations

import tomllib
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from edge_agent.config.load import parse
from edge_agent.config.model import Configuration, Point, Slave
from edge_agent.errors import DeviceRefused
from edge_agent.model import PointKind
from edge_agent.protocols import PROTOCOLS
from edge_agent.protocols.dlt645.codec import Frame
from edge_agent.protocols.dlt645.planner import MeterBlock
from edge_agent.protocols.modbus.planner import ModbusBlock
from firmware_sim import scenario
from firmware_sim.devices.dlt645.description import MeterDevice
from firmware_sim.devices.dlt645.meter import Dlt645Meter
from firmware_sim.devices.modbus.slave import ModbusSlave
from firmware_sim.errors import ScenarioError
from firmware_sim.process.process import Process

START = datetime.fromisoformat("2026-03-02T10:00:00")

OPTIONS = {
    "gateway": "gw-demo-0001",
    "cloud_url": "mqtt://127.0.0.1:1883",
    "plant": "/var/lib/plant",
    "first_port": 5020,
    "local_port": 8090,
}


def configuration(name: str) -> Configuration:
    return parse(scenario.gateway_toml(name, **OPTIONS))  # type: ignore[arg-type]


def ask(device: ModbusSlave | Dlt645Meter, slave: Slave, block: Any) -> list[Any]:
    """Raw values of a block, straight from the device."""
    if isinstance(block, ModbusBlock):
        assert isinstance(device, ModbusSlave)
        request = bytes((block.function,)) + block.start.to_bytes(2, "big") + block.count.to_bytes(2, "big")
        answer = device.answer(request)
        if answer[0] & 0x80:
            raise DeviceRefused(answer[1], "")
        return list(block.decode(answer[2:]))
    assert isinstance(block, MeterBlock)
    assert isinstance(device, Dlt645Meter)
    answered = device.answer(Frame(slave.address, 0x11, block.di))
    assert answered is not None
    if answered.refused:
        raise DeviceRefused(answered.data[0], "")
    assert not answered.more_follows
    return list(block.decode(answered.data[4:]))


def read_from_devices(agent: Configuration) -> list[Point]:
    return [point for point in agent.points if point.type is not PointKind.CALCULATED]


def collect(name: str) -> tuple[Configuration, dict[str, Any]]:
    """Engineering values of all points after a minute."""
    plant = scenario.describe(name)
    process = Process(plant.signals, step_s=plant.step_s, seed=1, day_s=36_000)
    for _ in range(int(60 / plant.step_s)):
        process.step()
    devices: dict[str, ModbusSlave | Dlt645Meter] = {
        device.name: Dlt645Meter(device, process, lambda: START)
        if isinstance(device, MeterDevice)
        else ModbusSlave(device, process)
        for device in plant.devices
    }
    agent = configuration(name)
    values: dict[str, Any] = {}
    for slave in agent.slaves:
        points = [point for point in read_from_devices(agent) if point.slave == slave.name]
        waiting = list(PROTOCOLS[slave.protocol].plan(slave, points))
        while waiting:
            block = waiting.pop(0)
            try:
                raw = ask(devices[slave.name], slave, block)
            except DeviceRefused as refused:
                pieces = block.split(refused)
                assert pieces, f"{slave.name}: {refused}"
                waiting += pieces
                continue
            for index, value in zip(block.points, raw, strict=True):
                point = points[index]
                number = value if isinstance(value, str | None) else value * point.ratio + point.bias
                values[f"{slave.name}.{point.name}"] = number
    return agent, values


@pytest.mark.parametrize("name", sorted(set(scenario.names()) - {"protocol_zoo"}))  # has its own tests
def test_every_point_has_a_value_within_its_limits(name: str) -> None:
    agent, values = collect(name)
    assert len(values) == len(read_from_devices(agent))
    for point in read_from_devices(agent):
        value = values[f"{point.slave}.{point.name}"]
        assert value is not None, point.name
        if not isinstance(value, str):
            assert point.min is None or value >= point.min, point
            assert point.max is None or value <= point.max, point


def test_the_boiler_house_shows_its_process() -> None:
    agent, values = collect("boiler_house")
    assert 45 <= len(agent.points) <= 60
    assert values["boiler.model"] == "WNS10-1.25-Q"
    assert values["boiler.steam_pressure"] == pytest.approx(1.2, abs=0.1)
    assert values["totalizer.steam_total"] == pytest.approx(179804.3, abs=0.2)
    assert values["totalizer.gas_total"] == pytest.approx(12048819, abs=5)
    assert values["main_meter.EPF"] == pytest.approx(48214.0, abs=0.2)
    assert values["main_meter.Ua"] == pytest.approx(230, abs=3)
    assert values["main_meter.ONOFF"] == 1
    shares = [values[f"main_meter.I{phase}"] * values[f"main_meter.U{phase}"] for phase in "abc"]
    assert sum(shares) * values["main_meter.PF"] / 1000 == pytest.approx(values["main_meter.PS"], rel=0.05)
    assert all(point.title and not point.title.isascii() for point in agent.points)


def test_every_writable_point_is_writable_in_the_plant() -> None:
    plant = scenario.describe("boiler_house")
    agent = configuration("boiler_house")
    writable = {
        (device.name, register.area, register.address)
        for device in plant.devices
        if not isinstance(device, MeterDevice)
        for register in device.registers
        if register.writable
    }
    relays = {device.name for device in plant.devices if isinstance(device, MeterDevice) and device.relay}
    for point in agent.points:
        if point.rw != "readonly":
            address = point.address
            where = (point.slave, address.get("reg_type", ""), address.get("offset", 0))
            assert where in writable or (address.get("item") == "ONOFF" and point.slave in relays)


def test_counter_names_are_those_of_the_served_values_log() -> None:
    plant = scenario.describe("counter")
    served = {
        f"{device.name}.{register.name}"
        for device in plant.devices
        if not isinstance(device, MeterDevice)
        for register in device.registers
        if register.ledger
    }
    points = configuration("counter").points
    assert {f"{point.slave}.{point.name}" for point in points} == served


def test_blanks_are_escaped_and_checked() -> None:
    text = scenario.gateway_toml("counter", **{**OPTIONS, "plant": 'a"b\\c'})  # type: ignore[arg-type]
    assert tomllib.loads(text)["ports"][1]["device"] == 'a"b\\c/rs485_1'
    with pytest.raises(ScenarioError, match="control characters"):
        scenario.gateway_toml("counter", **{**OPTIONS, "gateway": "a\nb"})  # type: ignore[arg-type]


def test_a_scenario_may_be_a_file(tmp_path: Path) -> None:
    for name in ("plant.yaml", "gateway.toml"):
        (tmp_path / name).write_bytes(scenario.plant_file("counter").with_name(name).read_bytes())
    assert scenario.describe(str(tmp_path / "plant.yaml")).title
    (tmp_path / "gateway.toml").write_text("x = ${nothing}")
    with pytest.raises(ScenarioError, match="nothing"):
        scenario.gateway_toml(str(tmp_path / "plant.yaml"), **OPTIONS)  # type: ignore[arg-type]
    known = "bench, boiler_house, counter, protocol_zoo, sparse_rtu, switches, truck"
    with pytest.raises(ScenarioError, match=f"must be one of {known}"):
        scenario.describe("nowhere")
