"""What ends in the demo is started again, and only then; nothing needs the product for this."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from stack import Ports, Program, Stack, Supervisor
from stack.supervisor import AGAIN_S

END_S = 30.0


def ended(program: Program) -> None:
    deadline = time.monotonic() + END_S
    while program.alive() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not program.alive()


def test_what_ends_is_started_again_after_its_pause_and_said(tmp_path: Path) -> None:
    now, reported = [100.0], list[str]()
    brief = Program("brief", [sys.executable, "-c", "raise SystemExit(3)"], dict(os.environ), tmp_path)
    lasting = Program(
        "lasting", [sys.executable, "-c", "import time; time.sleep(60)"], dict(os.environ), tmp_path
    )
    supervisor = Supervisor(
        {brief: brief.start, lasting: lasting.start}, reported.append, clock=lambda: now[0]
    )
    try:
        brief.start()
        lasting.start()
        ended(brief)
        first = brief.pid
        supervisor.look()
        now[0] += AGAIN_S / 2
        supervisor.look()
        assert (brief.pid, reported) == (first, ["brief ended (exit code 3); it is started again in 2 s"])
        now[0] += AGAIN_S / 2
        supervisor.look()
        assert brief.pid != first
        assert reported[1:] == ["brief runs again"]
        lasting.kill()
        supervisor.look()
        assert "lasting ended (signal 9); it is started again in 2 s" in reported
    finally:
        brief.stop()
        lasting.stop()


def test_only_an_empty_folder_is_new(tmp_path: Path) -> None:
    stack = Stack(tmp_path, Ports.from_base(1000))
    assert stack.is_new
    (tmp_path / "agent").mkdir()
    for name in ("sign-in.json", "agent/cloud-secret"):
        assert stack.is_new
        (tmp_path / name).write_text("x")
    assert not stack.is_new
