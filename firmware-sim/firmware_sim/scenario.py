"""Scenarios: a folder with plant.yaml and gateway.toml, the agent's configuration for that plant."""

from __future__ import annotations

import tomllib
from pathlib import Path
from string import Template

from firmware_sim.errors import ScenarioError
from firmware_sim.plant import load
from firmware_sim.plant.description import Description, line_ports

SCENARIOS = Path(__file__).parent / "scenarios"
PLANT, GATEWAY = "plant.yaml", "gateway.toml"


def names() -> list[str]:
    return sorted(path.parent.name for path in SCENARIOS.glob(f"*/{PLANT}"))


def plant_file(scenario: str) -> Path:
    """A scenario by name, or a plant file by path. Raises ScenarioError when it is neither."""
    if scenario in names():
        return SCENARIOS / scenario / PLANT
    path = Path(scenario)
    if path.suffix in (".yaml", ".yml") and path.is_file():
        return path
    raise ScenarioError("scenario", f"must be one of {', '.join(names())} or a plant file, not {scenario!r}")


def describe(scenario: str) -> Description:
    return load.load(plant_file(scenario))


def gateway_toml(
    scenario: str, *, gateway: str, cloud_url: str, plant: str, first_port: int, local_port: int
) -> str:
    """gateway.toml of a scenario with its blanks filled. plant: folder with the links to the lines.

    first_port: as given to run, of the first line behind a TCP port; the next lines have the next ones, and
    each has a blank port_NAME. Raises ScenarioError when it cannot be read or filled, or is no TOML then.
    """
    path = plant_file(scenario).with_name(GATEWAY)
    words = {
        "gateway": quoted(gateway),
        "cloud_url": quoted(cloud_url),
        "plant": quoted(plant),
        "modbus_port": str(first_port),
        "local_port": str(local_port),
    }
    try:
        template = Template(path.read_text(encoding="utf-8"))
        described = describe(scenario)
        words |= {f"port_{name}": str(port) for name, port in line_ports(described, first_port).items()}
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
    """Text for the inside of a basic TOML string. Raises ScenarioError for control characters."""
    if not text.isprintable():
        raise ScenarioError(repr(text), "must not hold control characters")
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _copied_devices(plant: Description) -> str:
    """[[slaves]] and [[points]] of every device whose kind gives them; each line is the port of its name."""
    lines = {line.name: line for line in plant.lines}
    tables: list[str] = []
    for device in plant.devices:
        line = lines[device.line]
        tables.extend(device.agent_tables(line.kind, over_tcp=line.over == "tcp"))
    return "\n".join(tables)
