"""Scenarios: a folder with plant.yaml and gateway.toml, the agent's configuration for that plant."""

from __future__ import annotations

import tomllib
from pathlib import Path
from string import Template

from firmware_sim.errors import ScenarioError
from firmware_sim.plant import load
from firmware_sim.plant.description import Description, Line, ModbusDevice, Register, line_ports

SCENARIOS = Path(__file__).parent / "scenarios"
PLANT, GATEWAY = "plant.yaml", "gateway.toml"
AGENT_TYPE = {"bit": "uint8"}  # the agent's name for it


def names() -> list[str]:
    return sorted(path.parent.name for path in SCENARIOS.glob(f"*/{PLANT}"))


def plant_file(scenario: str) -> Path:
    """A scenario by name, or a plant file by path."""
    if scenario in names():
        return SCENARIOS / scenario / PLANT
    path = Path(scenario)
    if path.suffix in (".yaml", ".yml") and path.is_file():
        return path
    raise ScenarioError("scenario", f"must be one of {', '.join(names())} or a plant file, not {scenario!r}")


def describe(scenario: str) -> Description:
    return load.load(plant_file(scenario))


def gateway_toml(
    scenario: str, *, gateway: str, cloud_url: str, plant: str, modbus_port: int, local_port: int
) -> str:
    """gateway.toml of a scenario with its blanks filled. plant: folder with the links to the lines.

    modbus_port: as given to run, of the first line behind a TCP port; the next lines have the next ones, and
    each has a blank port_NAME.
    """
    path = plant_file(scenario).with_name(GATEWAY)
    words = {
        "gateway": quoted(gateway),
        "cloud_url": quoted(cloud_url),
        "plant": quoted(plant),
        "modbus_port": str(modbus_port),
        "local_port": str(local_port),
    }
    try:
        template = Template(path.read_text(encoding="utf-8"))
        described = describe(scenario)
        words |= {f"port_{name}": str(port) for name, port in line_ports(described, modbus_port).items()}
        words["copied_devices"] = _copied_devices(described)
        text = template.substitute(words)
        tomllib.loads(text)
    except OSError as error:
        raise ScenarioError(str(path), f"must be a readable file: {error.strerror}") from None
    except KeyError as error:
        raise ScenarioError(str(path), f"has a blank that nothing fills: {error}") from None
    except ValueError as error:
        raise ScenarioError(str(path), f"must become TOML: {error}") from None
    return text


def quoted(text: str) -> str:
    """Text for the inside of a basic TOML string; ScenarioError for control characters."""
    if not text.isprintable():
        raise ScenarioError(repr(text), "must not hold control characters")
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _copied_devices(plant: Description) -> str:
    """[[slaves]] and [[points]] of every Modbus device; each line is the port of its name."""
    lines = {line.name: line for line in plant.lines}
    parts: list[str] = []
    for device in plant.devices:
        if not isinstance(device, ModbusDevice):
            continue
        parts.append(_slave(device, lines[device.line]))
        parts.extend(_point(device, register) for register in device.registers)
    return "\n".join(parts)


def _slave(device: ModbusDevice, line: Line) -> str:
    protocol = f"{line.kind}_tcp" if line.over == "tcp" else line.kind
    return (
        f'[[slaves]]\nname = "{device.name}"\ntitle = "{device.name}"\nport = "{device.line}"\n'
        f'protocol = "{protocol}"\naddress = "{device.unit}"\n'
    )


def _point(device: ModbusDevice, register: Register) -> str:
    kind = AGENT_TYPE.get(register.type, register.type)
    return (
        f'[[points]]\nslave = "{device.name}"\nname = "{register.name}"\ntitle = "{register.name}"\n'
        f'data_type = "{kind}"\ntofixed = 2\n'
        f'address = {{ reg_type = "{register.area}", offset = {register.address}, '
        f'endian = "{register.order}" }}\n'
    )
