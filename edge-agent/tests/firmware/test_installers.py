"""Wheels in a slot: unpacked, durable and tried; hostile or foreign ones are refused and never start."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from firmware_files import files

from edge_agent.firmware import installers
from edge_agent.firmware.inspection import header_of
from edge_agent.firmware.installers import PackageInstaller, UnusableFirmware
from edge_agent.firmware.medium import Medium

if TYPE_CHECKING:
    from conftest import Signer

PROGRAM = {
    "edge_agent/__init__.py": "",
    "edge_agent/__main__.py": "import extra; print('2.0')",
    "extra.py": "",
}
Install = Callable[..., Path]


class CountedMedium(Medium):
    """Files that were synced."""

    def __init__(self) -> None:
        self.synced: set[Path] = set()

    def sync(self, path: Path) -> None:
        super().sync(path)
        self.synced.add(path)


@pytest.fixture
def install(signer: Signer, tmp_path: Path) -> Install:
    def run(*wheels: Path, version_text: str = "2.0", medium: Medium | None = None) -> Path:
        payload, slot = tmp_path / "payload", tmp_path / "slot"
        files.pack(wheels, payload)
        file = signer.sign(payload.read_bytes(), version_text=version_text)
        slot.mkdir()
        header = header_of(file)
        installer = PackageInstaller()
        assert installer.unpacked_bytes(file, header) >= 0
        installer.install(file, header, slot, medium or Medium())
        return slot / "lib"

    return run


@pytest.mark.clause("C-207")
def test_wheels_are_unpacked_compiled_and_durable(install: Install, make_wheel: Callable[..., Path]) -> None:
    medium = CountedMedium()
    agent = make_wheel({**PROGRAM, "edge_agent-2.0.data/scripts/edge-agent": "x"})
    other = make_wheel({"other-1.0.data/purelib/other.py": "value = 1"}, "other-1.0-py2.py3-none-any.whl")
    library = install(agent, other, medium=medium)
    present = {path for path in library.rglob("*") if path.is_file()}
    assert present == medium.synced
    assert {path.name for path in present} >= {"__main__.py", "extra.py", "other.py"}
    assert any(path.suffix == ".pyc" for path in present)
    assert not (library / "edge_agent-2.0.data").exists()
    environment = {**os.environ, "PYTHONPATH": str(library), "PYTHONDONTWRITEBYTECODE": "1"}
    words = [sys.executable, "-P", "-c", "import other; print(other.value)"]
    ended = subprocess.run(words, env=environment, capture_output=True, text=True, check=True, timeout=60)
    assert ended.stdout == "1\n"
    assert {path for path in library.rglob("*") if path.is_file()} == present, "a start writes nothing"


@pytest.mark.parametrize(
    ("content", "version_text", "words"),
    [
        (PROGRAM, "2.1", "says version '2.0'"),
        ({**PROGRAM, "extra.py": "raise OSError('no such library')"}, "2.0", "no such library"),
        ({**PROGRAM, "extra.py": "("}, "2.0", "does not compile"),
        ({"edge_agent/__init__.py": ""}, "2.0", "no wheel has"),
    ],
)
def test_what_does_not_start_is_refused(
    install: Install, make_wheel: Callable[..., Path], content: dict[str, str], version_text: str, words: str
) -> None:
    with pytest.raises(UnusableFirmware, match=words):
        install(make_wheel(content), version_text=version_text)


def test_what_does_not_end_is_refused(
    install: Install, make_wheel: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installers, "TRY_S", 0.5)
    with pytest.raises(UnusableFirmware, match="did not end"):
        install(make_wheel({**PROGRAM, "extra.py": "import time; time.sleep(600)"}))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("edge_agent-2.0-cp27-none-any.whl", "not for Python"),
        ("edge_agent-2.0-py2-none-any.whl", "not for Python"),
        ("edge_agent-2.0-cp39-cp39-any.whl", "not for Python"),
        ("edge_agent-2.0-py399-none-any.whl", "not for Python"),
        ("edge_agent-2.0-py3-none-win_amd64.whl", "not for"),
        ("edge_agent-2.0-py3-none-manylinux_2_17_s390x.whl", "not for"),
        ("edge_agent.whl", "not the name of a wheel"),
        ("setup.py", "not the name of a wheel"),
    ],
)
def test_a_wheel_for_another_machine_is_refused(
    install: Install, make_wheel: Callable[..., Path], name: str, words: str
) -> None:
    with pytest.raises(UnusableFirmware, match=words):
        install(make_wheel(PROGRAM, name))


def test_a_compiled_wheel_for_this_machine_is_taken(
    install: Install, make_wheel: Callable[..., Path]
) -> None:
    machine = os.uname().machine
    native = make_wheel(
        {"native.py": ""}, f"native-1-cp37-abi3-manylinux_2_17_{machine}.manylinux2014_{machine}.whl"
    )
    assert (install(make_wheel(PROGRAM), native) / "native.py").exists()


@pytest.mark.parametrize("name", ["../evil.py", "/tmp/evil.py", "a/../../evil.py", "..\\evil.py", "a\\b.py"])
def test_no_file_leaves_its_folder(
    install: Install, make_wheel: Callable[..., Path], tmp_path: Path, name: str
) -> None:
    with pytest.raises(UnusableFirmware, match="not below"):
        install(make_wheel({**PROGRAM, name: "x"}))
    assert not list(tmp_path.rglob("evil.py"))


def test_no_link_is_made(install: Install, tmp_path: Path) -> None:
    wheel = tmp_path / "edge_agent-2.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        link = zipfile.ZipInfo("link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(UnusableFirmware, match="not below"):
        install(wheel)


def test_two_wheels_do_not_share_a_file(install: Install, make_wheel: Callable[..., Path]) -> None:
    other = make_wheel({"extra.py": "other"}, "other-1.0-py3-none-any.whl")
    with pytest.raises(UnusableFirmware, match=r"extra\.py is in"):
        install(make_wheel(PROGRAM), other)


def test_a_package_is_bounded(
    install: Install, make_wheel: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installers, "MAX_UNPACKED_BYTES", 1000)
    with pytest.raises(UnusableFirmware, match="at most"):
        install(make_wheel({**PROGRAM, "zeros": "0" * 100_000}))
