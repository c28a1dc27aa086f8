"""[cellular] and [system]."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge_agent.config.load import load
from edge_agent.errors import ConfigError

GATEWAY = '[gateway]\nid = "gw-1"\n'
PORT = '[[ports]]\nname = "com1"\ntype = "COM"\ndevice = "/dev/ttyUSB2"\n'


def test_defaults(tmp_path: Path) -> None:
    (tmp_path / "gateway.toml").write_text(GATEWAY)
    configuration = load(tmp_path / "gateway.toml")
    assert configuration.cellular is None
    assert configuration.system.reboot == "agent"


def test_a_modem(tmp_path: Path) -> None:
    text = f'{GATEWAY}[cellular]\ndevice = "/dev/ttyUSB2"\n[system]\nreboot = "machine"\n'
    (tmp_path / "gateway.toml").write_text(text)
    configuration = load(tmp_path / "gateway.toml")
    assert configuration.cellular is not None
    assert (configuration.cellular.device, configuration.cellular.baud) == ("/dev/ttyUSB2", 115200)
    assert configuration.system.reboot == "machine"


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ('[cellular]\ndevice = ""\n', "cellular.device"),
        ("[cellular]\n", "cellular"),
        ('[cellular]\ndevice = "/dev/ttyUSB2"\nbaud = 1\n', "cellular.baud"),
        (f'[cellular]\ndevice = "/dev/ttyUSB2"\n{PORT}', "cellular.device"),
        ('[cellular]\ndevice = "a\\u0000b"\n', "cellular.device"),
        ('[system]\nreboot = "rm -rf /"\n', "system.reboot"),
        ('[system]\nreboot = ["reboot"]\n', "system.reboot"),
    ],
)
def test_faults_name_the_field(tmp_path: Path, text: str, field: str) -> None:
    (tmp_path / "gateway.toml").write_text(GATEWAY + text)
    with pytest.raises(ConfigError) as error:
        load(tmp_path / "gateway.toml")
    assert error.value.field == field
