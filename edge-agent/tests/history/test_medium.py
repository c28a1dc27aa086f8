"""The medium goes, fills, is read only, breaks, hangs: collecting goes on, it is said once, it comes back."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from history_gateway import NOW, POWER, HandClock, Values, chunks_in, slaves, storing_at

from edge_agent.config.model import History
from edge_agent.errors import StoreError
from edge_agent.history.archive import Archive
from edge_agent.history.place import Disk, Memory, foreign, place_of

MEGABYTE = 1024 * 1024
USED_AGAIN = "is used again"
NOT_USED = "cannot be used"


class Card:
    """A memory card: a small file system of its own."""

    def __init__(self, mount_point: Path) -> None:
        self.mount_point = mount_point

    def insert(self, megabytes: int = 4) -> None:
        mount("-t", "tmpfs", "-o", f"size={megabytes}m", "card", str(self.mount_point))

    def remount(self, how: str) -> None:
        mount("-o", f"remount,{how}", str(self.mount_point))

    def pull(self) -> None:
        """As if it were pulled out: open files do not hold it."""
        subprocess.run(["umount", "-l", str(self.mount_point)], check=True, capture_output=True)


def mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True, capture_output=True)


@pytest.fixture
def card(tmp_path: Path) -> Iterator[Card]:
    made = Card(tmp_path / "card")
    made.mount_point.mkdir()
    try:
        made.insert()
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("file systems cannot be mounted here: needs root")
    yield made
    while made.mount_point.is_mount():
        made.pull()


def said(caplog: pytest.LogCaptureFixture, words: str) -> int:
    return sum(words in record.getMessage() for record in caplog.records)


async def test_a_card_that_is_pulled_and_put_back(
    card: Card, tmp_path: Path, clock: HandClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    values = Values(clock)
    settings = History(medium="external", path=str(card.mount_point))
    storing, archive = storing_at(place_of(settings, tmp_path, "gw-1", clock.now_ms), values, clock)

    async def cycles(count: int, first: int) -> None:
        for number in range(first, first + count):
            clock.seconds += 10
            values.show(POWER, number)
            await storing.tick(slaves())

    await storing.tick([])
    await cycles(3, 0)
    assert (card.mount_point / "history-gw-1.sqlite").exists()
    card.pull()
    await cycles(3, 3)
    assert list(card.mount_point.iterdir()) == [], "nothing is written where no card is"
    assert (said(caplog, NOT_USED), storing.waiting_samples) == (1, 6)
    card.insert()
    await cycles(2, 6)
    assert (said(caplog, NOT_USED), said(caplog, USED_AGAIN)) == (1, 1)
    await storing.close()
    assert [one.value for one in await chunks_in(archive)] == list(range(8)), (
        "memory still held the first ones"
    )
    await archive.close()


async def test_a_full_card(
    card: Card, tmp_path: Path, clock: HandClock, caplog: pytest.LogCaptureFixture
) -> None:
    values = Values(clock)
    place = Disk(card.mount_point / "h.sqlite", 64 * MEGABYTE, foreign(tmp_path), clock.now_ms)
    storing, archive = storing_at(place, values, clock)
    for number in range(40):
        values.show(POWER, number)
        clock.seconds += 10
        if number == 10:
            filler = card.mount_point / "photos"
            file = os.open(filler, os.O_WRONLY | os.O_CREAT)
            with pytest.raises(OSError, match="No space"):
                while True:
                    os.write(file, bytes(4096))
            os.close(file)
        if number == 30:
            filler.unlink()
        await storing.tick(slaves())
    assert said(caplog, NOT_USED) == 1
    assert storing.lost_samples == 0
    await storing.close()
    assert [one.value for one in await chunks_in(archive)] == list(range(40))
    await archive.close()


async def test_a_card_that_turned_read_only(
    card: Card, tmp_path: Path, clock: HandClock, caplog: pytest.LogCaptureFixture
) -> None:
    values = Values(clock)
    place = Disk(card.mount_point / "h.sqlite", MEGABYTE, foreign(tmp_path), clock.now_ms)
    card.remount("ro")
    storing, archive = storing_at(place, values, clock)
    for number in range(4):
        if number == 2:
            card.remount("rw")
        values.show(POWER, number)
        clock.seconds += 10
        await storing.tick(slaves())
    assert said(caplog, NOT_USED) == 1
    assert [one.value for one in await chunks_in(archive)] == [0, 1, 2]
    await archive.close()


@pytest.mark.parametrize("damage", ["no database", "header", "pages"])
async def test_a_damaged_file_is_set_aside(tmp_path: Path, clock: HandClock, damage: str) -> None:
    file = tmp_path / "h.sqlite"
    values = Values(clock)
    place = Disk(file, MEGABYTE, lambda _: True, clock.now_ms)
    storing, archive = storing_at(place, values, clock)
    for number in range(300):
        clock.seconds += 10
        values.show(POWER, number)
        await storing.tick(slaves())
    await storing.close()
    await archive.close()
    content = bytearray(file.read_bytes())
    if damage == "no database":
        content = bytearray(b"x" * 5000)
    else:
        at = 0 if damage == "header" else 4096
        content[at : at + 4096] = b"\xff" * 4096 if damage == "pages" else bytes(4096)
    file.write_bytes(content)
    storing, archive = storing_at(place, values, clock)
    for number in range(3):
        clock.seconds += 10
        values.show(POWER, 1000 + number)
        await storing.tick(slaves())
    await storing.close()
    assert [one.value for one in await chunks_in(archive)] == [1000, 1001, 1002]
    names = await asyncio.to_thread(lambda: [one.name for one in tmp_path.glob("h.sqlite.bad-*")])
    assert sum(not name.endswith(("-wal", "-shm")) for name in names) == 1
    await archive.close()


async def test_a_medium_that_hangs_delays_nobody_for_longer_than_the_timeout(tmp_path: Path) -> None:
    archive = Archive(Memory(MEGABYTE), timeout_s=0.05)
    answers = threading.Event()
    with pytest.raises(StoreError, match="did not answer"):
        await archive.call(lambda _: answers.wait(5))
    with pytest.raises(StoreError, match="does not answer"):
        await archive.call(lambda store: store.usage())
    answers.set()
    for _ in range(200):
        await asyncio.sleep(0.01)
        with contextlib.suppress(StoreError):
            assert (await archive.call(lambda store: store.usage(), writes=True)).samples == 0
        if not archive.problem:
            break
    assert archive.problem == ""
    await archive.close()


def test_places_of_the_configuration(tmp_path: Path) -> None:
    assert isinstance(place_of(History(type="memory"), tmp_path, "g", lambda: NOW), Memory)
    store = place_of(History(), tmp_path, "g", lambda: NOW).open()
    store.close()
    assert (tmp_path / "history.sqlite").exists()
    empty_slot = tmp_path / "slot"
    empty_slot.mkdir()
    place = place_of(History(medium="external", path=str(empty_slot)), tmp_path, "g", lambda: NOW)
    with pytest.raises(StoreError, match="no medium is mounted"):
        place.open()
