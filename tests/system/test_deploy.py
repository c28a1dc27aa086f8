"""Deployments on real gateways: what makes things worse is left again, and so is what was killed."""

from __future__ import annotations

import copy
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from _environment import PYTHON
from cloud_double import CloudDouble
from stack import free_run

from edge_agent.config.documents import document_of
from edge_contract.deployment import Document, Step, document_hash

pytestmark = [pytest.mark.system, pytest.mark.timeout(180)]

UP_S = 60.0
CONFIRM_S = 30
RESIDENT_MB = 60
SAID_S = 30.0
"""A receipt comes so soon, on a busy machine."""
REVERT_S = 25.0
"""What going back may take beyond the time that a deployment has."""


SLOW_TO_SWITCH = """
import sys
from edge_agent import __main__ as agent
from edge_agent.remote import deployer
deployer.SAY_S = 60.0
sys.exit(agent.main())
"""
"""An agent that does not go on from staged to switched before it is killed, however late the kill comes."""


class Site:
    """Broker, cloud double and plant; agents are started beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port, self.modbus = free_run(), free_run()
        self._children: list[subprocess.Popen[bytes]] = []
        conf = folder / "mosquitto.conf"
        conf.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\nuser root\n")
        self.start("broker", "mosquitto", "-c", str(conf))
        self._listening(self.port)
        self.cloud = CloudDouble(self.port)
        (folder / "plant").mkdir()
        plant = ["run", "counter", "--state", str(folder / "plant"), "--modbus-port", str(self.modbus)]
        self.start("plant", str(PYTHON), "-m", "firmware_sim", *plant)
        self._listening(self.modbus)

    def start(self, name: str, *words: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{name}.log").open("ab") as log:
            child = subprocess.Popen(words, stdout=log, stderr=log)
        self._children.append(child)
        return child

    def _listening(self, port: int) -> None:
        deadline = time.monotonic() + UP_S
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.05)
        raise AssertionError(f"nothing listens on {port}: {self.folder}")

    def stop(self) -> None:
        self.cloud.close()
        for child in reversed(self._children):
            child.kill()
            child.wait()


class GatewayProcess:
    """One agent as its own process."""

    def __init__(self, site: Site, name: str) -> None:
        self.site = site
        self.name = name
        self.data = site.folder / name
        self.file = site.folder / f"{name}.toml"
        self.data.mkdir(mode=0o700)
        (self.data / "cloud-secret").write_text("any\n")
        url = f"mqtt://127.0.0.1:{site.port}"
        words = ["config", "counter", "--gateway", name, "--cloud-url", url]
        words += ["--plant", str(site.folder / "plant"), "--modbus-port", str(site.modbus)]
        words += ["--local-port", str(free_run())]
        made = subprocess.run(
            [str(PYTHON), "-m", "firmware_sim", *words], capture_output=True, text=True, check=True
        )
        # Only the TCP half: two agents cannot share a serial line.
        keep = [part for part in made.stdout.split("\n\n") if "rtu" not in part and "rs485" not in part]
        self.file.write_text("\n\n".join(keep) + "\n\n[storage]\ncommit_interval_s = 0.2\n")
        self.document = document_of(self.file.read_text())

    def start(self, *program: str) -> None:
        """Return when the cloud has heard of it. program: Python's words for it when it is not as usual."""
        heard = len(self.hellos())
        words = ["run", "--config", str(self.file), "--data", str(self.data)]
        self.process = self.site.start(self.name, str(PYTHON), *(program or ("-m", "edge_agent")), *words)
        self.site.cloud.wait(lambda: len(self.hellos()) > heard, UP_S)

    def hellos(self) -> list[str]:
        """Hash of what it ran at each hello."""
        reported = [hello.configuration for name, hello in list(self.site.cloud.hellos) if name == self.name]
        return [running.hash for running in reported if running is not None]

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def log(self) -> str:
        return (self.site.folder / f"{self.name}.log").read_text()

    def collects(self) -> None:
        """Return when more samples have come."""
        before = self.site.cloud.samples
        self.site.cloud.wait(lambda: self.site.cloud.samples > before + 4, UP_S)

    def changed(self, change: Callable[[Document], Any]) -> Document:
        document = copy.deepcopy(self.document)
        change(document)
        return document

    def titled(self, title: str) -> Document:
        return self.changed(lambda document: document["gateway"].update(title=title))

    def resident_mb(self) -> float:
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGESIZE") / 1e6


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    if shutil.which("mosquitto") is None:
        pytest.skip("mosquitto is not installed")
    made = Site(tmp_path)
    yield made
    made.stop()


@pytest.mark.clause("C-090", "C-091", "C-095", "C-096")
def test_good_is_confirmed_and_worse_is_left_again_by_itself(site: Site) -> None:
    """Beside each other: one gateway gets a wrong slave address, the other a wrong address of the cloud."""
    cloud, one, other = site.cloud, GatewayProcess(site, "gw-slave"), GatewayProcess(site, "gw-link")
    for gateway in (one, other):
        gateway.start()
        gateway.collects()
    begun = time.monotonic()
    good = cloud.deploy(one.name, one.titled("good"), base=document_hash(one.document))
    final = cloud.wait(lambda: cloud.last(good), CONFIRM_S + REVERT_S)
    confirmed_s = time.monotonic() - begun
    assert final.step is Step.CONFIRMED
    assert cloud.steps(good) == ["received", "staged", "switched", "confirmed"]
    memory = one.resident_mb()
    again = cloud.deploy(one.name, one.titled("good"), base="0" * 64)
    assert cloud.wait(lambda: cloud.last(again), SAID_S).step is Step.UNCHANGED

    begun = time.monotonic()
    wrong = one.changed(lambda document: document["slaves"][0].update(address="9"))
    astray = other.changed(lambda document: document["cloud"].update(url="mqtt://127.0.0.1:1"))
    slave = cloud.deploy(one.name, wrong, base=document_hash(one.titled("good")))
    link = cloud.deploy(other.name, astray, base=document_hash(other.document))
    seconds: dict[str, float] = {}
    for name, deployment, code in ((one.name, slave, "points"), (other.name, link, "link")):
        final = cloud.wait(lambda deployment=deployment: cloud.last(deployment), CONFIRM_S + REVERT_S)
        assert (final.step, final.code) == (Step.REVERTED, code), final
        seconds[name] = (
            next(at for at, receipt in cloud.receipts[deployment] if receipt.step is Step.REVERTED) - begun
        )
    print(
        f"confirmed after {confirmed_s:.1f} s; left again after {seconds} s of {CONFIRM_S} s; "
        f"{memory:.1f} MB resident after a switch"
    )
    assert max(seconds.values()) < CONFIRM_S + REVERT_S
    assert one.hellos()[-1] == document_hash(one.titled("good"))
    assert other.hellos()[-1] == document_hash(other.document)
    one.collects()
    assert memory < RESIDENT_MB


@pytest.mark.clause("C-094", "C-096")
def test_killed_at_any_step_it_runs_the_old_or_the_new_whole(site: Site) -> None:
    cloud, gateway = site.cloud, GatewayProcess(site, "gw-killed")
    gateway.start("-c", SLOW_TO_SWITCH)
    gateway.collects()
    old = document_hash(gateway.document)

    # Staged and not yet switched: the old one runs, and the cloud is told.
    staged = cloud.deploy(gateway.name, gateway.titled("staged"))
    cloud.wait(lambda: "staged" in cloud.steps(staged), SAID_S)
    gateway.kill()
    gateway.start()
    final = cloud.wait(lambda: cloud.last(staged), SAID_S)
    assert (final.step, final.code, final.running) == (Step.REVERTED, "crash", old)
    assert gateway.hellos()[-1] == old

    # Switched: the new one runs on trial after the start, and is confirmed.
    switched = cloud.deploy(gateway.name, gateway.titled("switched"))
    cloud.wait(
        lambda: f"version {document_hash(gateway.titled('switched'))[:12]} is switched to" in gateway.log(),
        SAID_S,
    )
    gateway.kill()
    gateway.start()
    new = document_hash(gateway.titled("switched"))
    assert gateway.hellos()[-1] == new
    final = cloud.wait(lambda: cloud.last(switched), SAID_S)
    assert (final.step, final.running) == (Step.CONFIRMED, new)

    # On trial and killed twice: it is left, and what was confirmed runs.
    begun = time.monotonic()
    unlucky = cloud.deploy(gateway.name, gateway.titled("unlucky"))
    cloud.wait(lambda: gateway.hellos()[-1] == document_hash(gateway.titled("unlucky")), SAID_S)
    gateway.kill()
    gateway.start()
    gateway.kill()
    gateway.start()
    final = cloud.wait(lambda: cloud.last(unlucky), SAID_S)
    assert (final.step, final.code, final.running) == (Step.REVERTED, "crash", new)
    assert gateway.hellos()[-1] == new
    print(f"left after two kills in {time.monotonic() - begun:.1f} s")
    gateway.collects()


@pytest.mark.clause("C-092", "C-093", "C-098")
def test_a_check_and_refusals_touch_nothing_and_an_edited_file_wins(site: Site) -> None:
    cloud, gateway = site.cloud, GatewayProcess(site, "gw-refusing")
    gateway.start()
    gateway.collects()
    old, heard = document_hash(gateway.document), len(gateway.hellos())
    bad = gateway.changed(lambda document: document["slaves"][0].update(address="900", port="none"))
    faulty = cloud.deploy(gateway.name, bad, base=old)
    assert cloud.wait(lambda: cloud.last(faulty), SAID_S).code == "invalid"
    away = cloud.deploy(gateway.name, gateway.changed(lambda document: document.pop("cloud")))
    final = cloud.wait(lambda: cloud.last(away), SAID_S)
    assert [fault.field for fault in final.faults] == ["cloud.url"], "nobody could reach it any more"
    stale = cloud.deploy(gateway.name, gateway.titled("x"), base="0" * 64)
    assert cloud.wait(lambda: cloud.last(stale), SAID_S).code == "conflict"
    faster = gateway.changed(lambda document: document["ports"][0].update(capture_cycle_ms=100))
    checked = cloud.deploy(gateway.name, faster, base=old, check_only=True)
    change = cloud.wait(lambda: cloud.last(checked), SAID_S).change
    assert change.points_changed == 2
    assert change.ports[0].after == pytest.approx(2 * change.ports[0].before, rel=0.01)
    assert len(gateway.hellos()) == heard, "nothing was started anew"

    confirmed = cloud.deploy(gateway.name, gateway.titled("deployed"), base=old)
    assert cloud.wait(lambda: cloud.last(confirmed), SAID_S).step is Step.CONFIRMED
    gateway.kill()
    gateway.file.write_text(gateway.file.read_text().replace("Counter", "Edited"))
    gateway.start()
    assert gateway.hellos()[-1] == document_hash(document_of(gateway.file.read_text()))
    gateway.kill()
    gateway.file.write_text("broken")
    gateway.start()
    assert "must be TOML" in gateway.log()
    assert gateway.hellos()[-1] == gateway.hellos()[-2]
