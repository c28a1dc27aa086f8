"""A missing system package is a skip on a developer's machine and a failure in CI."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 60.0
SUITE = """
import pytest

@pytest.fixture
def broker():
    pytest.skip("mosquitto is not installed")

def test_fixture(broker): pass

@pytest.mark.skipif(True, reason="systemd is not installed")
def test_mark(): pass

def test_inside(): pytest.skip("influxd is not installed")

def test_other_reason(): pytest.skip("once is enough")

@pytest.mark.xfail(reason="x is not installed")
def test_expected(): assert False

def test_good(): pass
"""


@pytest.mark.parametrize(
    ("ci", "code", "text"),
    [
        ("", 0, "1 passed, 4 skipped, 1 xfailed"),
        ("false", 0, "1 passed, 4 skipped, 1 xfailed"),
        ("true", 1, "1 failed, 1 passed, 1 skipped, 1 xfailed, 2 errors"),
    ],
)
def test_missing_package(tmp_path: Path, ci: str, code: int, text: str) -> None:
    shutil.copy(ROOT / "conftest.py", tmp_path)
    (tmp_path / "test_it.py").write_text(SUITE)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"]
    env = {**os.environ, "CI": ci}
    ran = subprocess.run(
        words, cwd=tmp_path, env=env, capture_output=True, text=True, check=False, timeout=TIMEOUT_S
    )
    assert text in ran.stdout, ran.stdout
    assert ran.returncode == code
    assert ("mosquitto is not installed; with CI=true that is a failure" in ran.stdout) == (ci == "true")
