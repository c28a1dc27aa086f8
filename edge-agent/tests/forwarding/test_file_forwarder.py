"""Files on a medium: every row once, whatever happens to the medium or the process."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from edge_agent.forwarding.base import Condition
from edge_agent.forwarding.file.folder import Folder, Layout, MediumDown

from .file_gateway import gateway, make, rows_in, running, until

pytestmark = pytest.mark.timeout(180)

COLUMNS = ("seq", "time", "slave", "point", "value", "quality")


@pytest.fixture
def medium(tmp_path: Path) -> Path:
    folder = tmp_path / "usb"
    folder.mkdir()
    return folder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def remount(folder: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", str(folder)], check=True)


async def test_samples_are_written_once_and_acknowledged(tmp_path: Path, medium: Path) -> None:
    async with gateway(tmp_path / "data", "usb") as made:
        usb = made.forwarder("usb", medium)
        async with running(usb):
            await made.put(3)
            await until(lambda: len(rows_in(medium)) == 6)
            await made.put()
            await until(lambda: len(rows_in(medium)) == 8)
            await usb.drain(20)
        assert usb.condition()[0] is Condition.UP
        assert usb.deliveries().delivered == 4
        assert usb.deliveries().last_ack_ms > 0
        row = rows_in(medium)[0]
        assert row == {
            "seq": "1", "time": "2025-10-09T08:53:21.000Z", "slave": "boiler", "point": "t", "value": "1",
            "quality": "good",
        }  # fmt: skip
        [part] = names(medium)
        assert part.endswith(".csv.part")
        assert made.store.outbox.state().batches == 4, "the cloud's batches are its own"
    async with gateway(tmp_path / "data", "usb", begin=4) as made, running(made.forwarder("usb", medium)):
        await made.put(2)
        await until(lambda: len(rows_in(medium)) == 12)
    assert [int(row["value"]) for row in rows_in(medium) if row["point"] == "t"] == [1, 2, 3, 4, 5, 6]


async def test_filter_format_and_aggregates(tmp_path: Path, medium: Path) -> None:
    async with gateway(tmp_path / "data", "usb", "sum") as made:
        usb = made.forwarder("usb", medium, format="jsonl", points=["boiler.p"])
        total = made.forwarder("sum", medium, what="aggregates", period_s=10, grace_s=0)
        async with running(usb), running(total):
            await made.put(25)
            await until(lambda: len(rows_in(medium)) >= 25 + 4)
    samples = [row for row in rows_in(medium) if "value" in row]
    assert [row["value"] for row in samples] == [-number for number in range(1, 26)]
    assert {row["point"] for row in samples} == {"p"}
    sums = [row for row in rows_in(medium) if "sum" in row and row["point"] == "t"]
    assert [(row["from"][11:19], row["first"], row["last"], row["count"]) for row in sums] == [
        ("08:53:20", "1.0", "9.0", "9"),
        ("08:53:30", "10.0", "19.0", "10"),
    ]


async def test_a_missing_medium_is_reported_and_nothing_is_lost(tmp_path: Path, medium: Path) -> None:
    async with gateway(tmp_path / "data", "usb") as made:
        usb = made.forwarder("usb", medium)
        async with running(usb):
            await made.put(2)
            await until(lambda: len(rows_in(medium)) == 4)
            shutil.rmtree(medium)
            await made.put(5)
            await until(lambda: usb.condition()[0] is Condition.DOWN)
            assert "No such file" in usb.condition()[2]
            make(medium)
            await until(lambda: usb.condition()[0] is Condition.UP)
            await until(lambda: len(rows_in(medium)) == 10)
    assert [int(row["value"]) for row in rows_in(medium) if row["point"] == "t"] == [3, 4, 5, 6, 7]


@pytest.fixture
def small_medium(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MB."""
    folder = tmp_path / "small"
    folder.mkdir()
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("mounting a small file system needs root")
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", str(folder)], check=False)
    if done.returncode:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


async def test_a_full_and_a_read_only_medium(tmp_path: Path, small_medium: Path) -> None:
    async with gateway(tmp_path / "data", "usb") as made:
        usb = made.forwarder("usb", small_medium, external=True)
        async with running(usb):
            await made.put(2)
            await until(lambda: len(rows_in(small_medium)) == 4)
            stranger = small_medium / "stranger.part.bin"
            with pytest.raises(OSError, match="No space"):
                stranger.write_bytes(bytes(8 << 20))
            await made.put(200)
            await until(lambda: usb.condition()[0] is Condition.DOWN)
            assert "room" in usb.condition()[2] or "space" in usb.condition()[2]
            stranger.unlink()
            await until(lambda: len(rows_in(small_medium)) == 404)
        remount(small_medium, "ro")
        usb = made.forwarder("usb", small_medium, external=True)
        async with running(usb):
            await made.put(2)
            await until(lambda: "cannot be written" in usb.condition()[2])
            remount(small_medium, "rw")
            await until(lambda: len(rows_in(small_medium)) == 408)
    values = [int(row["value"]) for row in rows_in(small_medium) if row["point"] == "t"]
    assert values == list(range(1, 205))


async def test_an_empty_mount_point_is_no_medium(tmp_path: Path, medium: Path) -> None:
    async with gateway(tmp_path / "data", "usb") as made:
        usb = made.forwarder("usb", medium, external=True)
        async with running(usb):
            await made.put()
            await until(lambda: "no medium" in usb.condition()[2])
    assert names(medium) == []


def layout(folder: Path, **more: object) -> Layout:
    return Layout(folder, "usb", "0123456789abcdef", "csv", COLUMNS, **{"max_total_bytes": 1 << 20, **more})  # type: ignore[arg-type]


def test_rotation_and_the_bound_of_all_files(medium: Path) -> None:
    strange = medium / "photo.csv"
    strange.write_bytes(bytes(1 << 20))
    folder = Folder(layout(medium, max_total_bytes=5000), 0)
    for seq in range(1, 31):
        folder.write(seq, seq, f"{seq},{'x' * 994}\n")
        if seq % 2 == 0:
            folder.rotate()
    held = names(medium)
    assert strange.exists(), "what others have put there stays"
    assert len(held) <= 5
    assert any(name.endswith("_29-30.csv") for name in held)
    assert not any(name.endswith(".part") for name in held)
    again = Folder(layout(medium), 10)
    assert again.written_seq == 30, "finished files say how far they reach"


def test_an_unfinished_row_and_what_the_cursor_has_not_passed_are_cut_off(medium: Path) -> None:
    folder = Folder(layout(medium), 0)
    for seq in range(1, 6):
        folder.write(seq, seq, f"{seq},a\n{seq},b\n")
    folder.close()
    with layout(medium).part.open("ab") as file:
        file.write(b"6,half")
    Folder(layout(medium), 3).close()
    assert layout(medium).part.read_text().splitlines()[1:] == [
        f"{seq},{row}" for seq in (1, 2, 3) for row in "ab"
    ]
    layout(medium).part.unlink()
    with pytest.raises(MediumDown, match="No such file"):
        Folder(layout(medium / "gone"), 0)


def test_kill_at_random_loses_nothing_for_anybody(tmp_path: Path, medium: Path) -> None:
    """Three consumers and the cloud; the medium of one is missing. Six kills at random moments."""
    draw, data, committed = random.Random(), tmp_path / "data", 0
    for _ in range(6):
        command = [sys.executable, str(Path(__file__).with_name("file_gateway.py")), str(data), str(medium)]
        child = subprocess.Popen([*command, str(committed)], stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        lines = [child.stdout.readline() for _ in range(draw.randint(20, 120))]
        os.kill(child.pid, signal.SIGKILL)
        lines += child.stdout.readlines()
        child.wait()
        committed = max(int(line) for line in lines if line.endswith("\n"))

    async def finish() -> None:
        nonlocal committed
        async with gateway(data, "usb", "sum", "down", begin=committed) as made:
            usb, total = (
                made.forwarder("usb", medium),
                made.forwarder("sum", medium, what="aggregates", period_s=10, format="jsonl"),
            )
            async with running(usb), running(total):
                await made.put(30)
                await usb.drain(20)
                await total.drain(20)
            newest = made.store.outbox.state().next_seq - 1
            assert await made.store.outbox.consumer("down").numbers(0, 9999) == list(range(1, newest + 1))

    asyncio.run(finish())
    rows = rows_in(medium)
    values = [int(row["value"]) for row in rows if row.get("point") == "t" and "value" in row]
    seqs = [int(row["seq"]) for row in rows if row.get("point") == "t" and "value" in row]
    assert seqs == list(range(1, len(seqs) + 1)), "every batch once, in order"
    assert set(values) == set(range(1, max(values) + 1))
    sums = [row for row in rows if row.get("point") == "t" and "sum" in row]
    begins = [row["from"] for row in sums]
    assert begins == sorted(set(begins)), "every period once"
    ended = [value for value in values if value // 10 < max(values) // 10 - 1]
    assert sum(int(row["count"]) for row in sums) >= len(ended)
