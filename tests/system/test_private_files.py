"""What the demo writes, from the sign-in to logs and databases, is its owner's alone, whatever the umask."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from _environment import PYTHON
from stack import Ports, Stack

pytestmark = [pytest.mark.system, pytest.mark.timeout(120)]


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def readable_by_others(folder: Path) -> dict[str, str]:
    """Files and folders with a permission for anybody but their owner."""
    places = [folder, *folder.rglob("*")]
    return {
        str(place.relative_to(folder)): stat.filemode(place.stat().st_mode)
        for place in places
        if place.exists() and place.stat().st_mode & 0o077
    }


@pytest.mark.usefixtures("open_umask")
def test_nothing_in_the_data_folder_is_for_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stack, "beginning", None)  # as on a new machine
    data = tmp_path / "demo"
    (data / "logs").mkdir(parents=True)
    for name in ("sign-in-old.json", "logs/cloud.log"):  # of a release that left them open
        (data / name).write_text("secret")
    assert len(readable_by_others(data)) == 4
    stack = Stack(data, Ports.free())
    with stack.running():
        written = {place.name for place in data.rglob("*") if place.is_file()}
        assert {"sign-in.json", "cloud-secret", "gateway.toml", "cloud.db", "agent.log"} <= written
        assert readable_by_others(data) == {}
        assert stack.sign_in()[0] == "admin"
    assert readable_by_others(data) == {}


@pytest.mark.usefixtures("open_umask")
def test_every_verb_of_the_agent_writes_for_its_user_alone(tmp_path: Path) -> None:
    toml = tmp_path / "gateway.toml"
    toml.write_text('[gateway]\nid = "gw-private"\n')
    folder = tmp_path / "a" / "data"
    words = ["apply", "--config", str(toml), "--data", str(folder)]
    subprocess.run([str(PYTHON), "-m", "edge_agent", *words], check=True, timeout=60)
    assert readable_by_others(tmp_path / "a") == {}
