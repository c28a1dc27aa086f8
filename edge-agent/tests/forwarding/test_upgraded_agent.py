"""The agent itself, upgraded: order, download, installation, switch, trial, confirmation, next start."""

from __future__ import annotations

import asyncio
import hashlib
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import edge_agent
from edge_agent.system.clock import SystemClock
from edge_contract.payloads import Ack, Hello
from edge_contract.topics import Message
from edge_contract.upgrade import FINAL_UPGRADE, FirmwareReport, Upgrade, UpgradeStep

from ..firmware.file_server import FileServer, serving

if TYPE_CHECKING:
    from conftest import Broker, FakeCloud

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))
from firmware_files import files

END_S = 500.0
VERSION = "2.0.0"
pytestmark = pytest.mark.timeout(900)


def wheel_of_agent(folder: Path) -> Path:
    """This agent under another version."""
    package = Path(edge_agent.__file__).parent
    wheel = folder / f"edge_agent-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(package.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                archive.write(file, file.relative_to(package.parent))
        metadata = f"Metadata-Version: 2.1\nName: edge-agent\nVersion: {VERSION}\n"
        archive.writestr(f"edge_agent-{VERSION}.dist-info/METADATA", metadata)
    return wheel


def firmware(folder: Path, data: Path) -> bytes:
    """A signed file, and a gateway that trusts its key."""
    line = files.make_key("release-1", folder)
    files.pack([wheel_of_agent(folder)], folder / "payload")
    release = files.Release(models=["gw-200"], version=7, version_text=VERSION, security_version=3)
    files.sign(folder / "payload", folder / "release-1.key", folder / "firmware.bin", release)
    (data / "firmware.toml").write_text(f'model = "gw-200"\n[keys]\n{line}\n')
    return (folder / "firmware.bin").read_bytes()


class Agent:
    """As a service manager starts it."""

    def __init__(self, folder: Path, data: Path) -> None:
        self.log = folder / "agent.log"
        words = ["run", "--config", str(folder / "gateway.toml"), "--data", str(data)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "edge_agent.firmware.launcher", *words], stdout=log, stderr=log
            )

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(120)


async def until(agent: Agent, done: Callable[[], bool]) -> None:
    async with asyncio.timeout(END_S):
        while not done():
            assert agent.process.poll() is None, agent.log.read_text()
            await asyncio.sleep(0.1)


@pytest.mark.clause("C-203", "C-205", "C-206", "C-208")
async def test_an_agent_is_upgraded_over_the_air(tmp_path: Path, broker: Broker, cloud: FakeCloud) -> None:
    from .conftest import GATEWAY

    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    (data / "cloud-secret").write_text("secret\n")
    (tmp_path / "gateway.toml").write_text(
        f'[gateway]\nid = "{GATEWAY}"\n[cloud]\nurl = "{broker.url}"\n[local_page]\nenable = false\n'
    )
    content = await asyncio.to_thread(firmware, tmp_path, data)
    cloud.takes_firmware = True

    def hellos() -> list[Hello]:
        return [one for one in cloud.all(Message.HELLO) if isinstance(one, Hello)]

    def reports() -> list[FirmwareReport]:
        return [one for one in cloud.all(Message.FIRMWARE) if isinstance(one, FirmwareReport)]

    async with serving(FileServer(content, cut_after=len(content) // 2, cuts=1)) as server:
        order = Upgrade(
            id="upgrade-7",
            url=server.url,
            size=len(content),
            sha256=hashlib.sha256(content).hexdigest(),
            version=7,
            expires_ms=SystemClock().now_ms() + 3_600_000,
            confirm_s=900,
        )
        agent = Agent(tmp_path, data)
        try:
            await until(agent, lambda: bool(hellos()))
            delivered = hellos()[0]
            assert delivered.firmware is not None
            assert (delivered.firmware.version, delivered.firmware.model) == (0, "gw-200")
            pid = agent.process.pid
            cloud.say(Message.UPGRADE, order)
            await until(agent, lambda: any(one.step in FINAL_UPGRADE for one in reports()))
            end = next(one for one in reports() if one.step in FINAL_UPGRADE)
            assert (end.step, end.code, end.detail) == (UpgradeStep.CONFIRMED, "", ""), agent.log.read_text()
            assert (end.firmware.version, end.firmware.security_version) == (7, 3)
            assert (hellos()[-1].agent, hellos()[-1].boot != delivered.boot) == (VERSION, True)
            assert server.requests[-1] != "bytes=0-"
            cloud.say(Message.ACK, Ack(upgrades=[order.id]))
            assert agent.process.pid == pid
        finally:
            code = agent.stop()
    assert code == 0
    said, agent = len(hellos()), Agent(tmp_path, data)
    try:
        await until(agent, lambda: len(hellos()) > said)
        assert hellos()[-1].agent == VERSION
    finally:
        agent.stop()
