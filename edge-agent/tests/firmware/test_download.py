"""Downloads from a real HTTP server: what is cut goes on, what is wrong is refused, nothing is endless."""

from __future__ import annotations

import random
import ssl
from pathlib import Path

import pytest

from edge_agent.firmware.download import MAX_ATTEMPTS, PART_BYTES, Downloader, DownloadError, HttpSource
from edge_agent.firmware.medium import Medium

from .file_server import FileServer, serving

CONTENT = random.Random(7).randbytes(3 * PART_BYTES + 12_345)
SIZE = len(CONTENT)
FAR_MS = 2**50
TLS = ssl.create_default_context()


class HurriedClock:
    """Pauses between attempts are counted and not waited for."""

    def __init__(self) -> None:
        self.waited_s: list[float] = []

    def now_ms(self) -> int:
        return round(1000 * sum(self.waited_s))

    def monotonic(self) -> float:
        return sum(self.waited_s)

    async def sleep(self, seconds: float) -> None:
        self.waited_s.append(seconds)


class Load:
    """One download into a folder. noted: bytes that were reported durable."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "download.bin"
        self.clock = HurriedClock()
        self.noted: list[int] = []
        self.checked: list[int] = []

    async def run(
        self, server: FileServer, done: int = 0, size: int = SIZE, expires_ms: int = FAR_MS
    ) -> None:
        source = HttpSource(lambda: TLS)
        downloader = Downloader(source, Medium(), self.clock, self.note, self.checked.append)
        await downloader.run(server.url, self.path, size, done, expires_ms)

    async def note(self, done: int) -> None:
        assert self.path.stat().st_size >= done, "more was reported than there is"
        self.noted.append(done)


@pytest.fixture
def load(tmp_path: Path) -> Load:
    return Load(tmp_path)


@pytest.mark.clause("C-206")
async def test_a_file_is_loaded_in_parts_that_are_durable(load: Load) -> None:
    async with serving(FileServer(CONTENT)) as server:
        await load.run(server)
    assert load.path.read_bytes() == CONTENT
    assert load.noted == sorted(load.noted)
    assert len(load.noted) >= SIZE // (PART_BYTES + 65_536)
    assert load.noted[-1] == SIZE == load.checked[-1]
    assert server.requests == ["bytes=0-"]


@pytest.mark.clause("C-206")
@pytest.mark.parametrize("cut_after", [1, 65_536, PART_BYTES - 1, PART_BYTES, PART_BYTES + 70_000])
async def test_cut_connections_go_on_where_they_were(load: Load, cut_after: int) -> None:
    async with serving(FileServer(CONTENT, cut_after=cut_after, cuts=2)) as server:
        await load.run(server)
    assert load.path.read_bytes() == CONTENT
    starts = [int(text.removeprefix("bytes=").rstrip("-")) for text in server.requests]
    assert starts == sorted(starts)
    assert len(starts) == 3
    assert starts[1] > 0, "what came before the cut counts"
    assert server.sent - SIZE <= 2 * 262_144, "only what was on its way at a cut is paid for twice"


@pytest.mark.clause("C-206")
async def test_a_restart_goes_on_with_what_was_durable(load: Load) -> None:
    """More than was reported may lie there: it does not count."""
    load.path.write_bytes(CONTENT[:PART_BYTES] + bytes(5000))
    async with serving(FileServer(CONTENT)) as server:
        await load.run(server, done=PART_BYTES)
    assert load.path.read_bytes() == CONTENT
    assert server.requests == [f"bytes={PART_BYTES}-"]


async def test_a_file_that_is_gone_or_shorter_than_reported_is_loaded_again(load: Load) -> None:
    async with serving(FileServer(CONTENT)) as server:
        await load.run(server, done=PART_BYTES)
        load.path.write_bytes(CONTENT[:1000])
        await load.run(server, done=PART_BYTES)
        await load.run(server, done=SIZE)
    assert server.requests == ["bytes=0-", "bytes=1000-"]
    assert load.path.read_bytes() == CONTENT


async def test_a_server_without_ranges_begins_anew(load: Load) -> None:
    load.path.write_bytes(CONTENT[: 2 * PART_BYTES])
    async with serving(FileServer(CONTENT, ranges=False)) as server:
        await load.run(server, done=2 * PART_BYTES)
    assert load.path.read_bytes() == CONTENT
    assert load.noted[0] == 0, "what is overwritten counts no more before it is"


@pytest.mark.clause("C-206")
@pytest.mark.parametrize("extra", [1, 10_000_000])
async def test_no_more_is_taken_than_was_ordered(load: Load, extra: int) -> None:
    async with serving(FileServer(CONTENT + bytes(extra), ranges=False)) as server:
        with pytest.raises(DownloadError, match="more than"):
            await load.run(server)
    assert load.path.stat().st_size <= SIZE


async def test_a_file_of_another_size_is_refused_at_its_first_answer(load: Load) -> None:
    async with serving(FileServer(CONTENT + b"x")) as server:
        with pytest.raises(DownloadError, match="were ordered"):
            await load.run(server, done=0)
    assert not load.path.exists()


@pytest.mark.parametrize("content_range", ["bytes 5-9/10", "", "bytes */10", "pages 0-1/2"])
async def test_other_bytes_than_were_wanted_are_refused(load: Load, content_range: str) -> None:
    async with serving(FileServer(CONTENT, headers={"Content-Range": content_range})) as server:
        with pytest.raises(DownloadError, match="wanted"):
            await load.run(server)


@pytest.mark.clause("C-206")
@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_no_redirect_is_followed(load: Load, status: int) -> None:
    async with serving(FileServer(CONTENT)) as other:
        server = FileServer(b"", status=status, headers={"Location": other.url})
        async with serving(server):
            with pytest.raises(DownloadError, match=str(status)):
                await load.run(server)
    assert other.requests == []


@pytest.mark.clause("C-206")
@pytest.mark.parametrize(
    ("status", "attempts"), [(403, 1), (404, 1), (410, 1), (500, MAX_ATTEMPTS), (503, MAX_ATTEMPTS)]
)
async def test_attempts_are_bounded_and_apart(load: Load, status: int, attempts: int) -> None:
    async with serving(FileServer(b"", status=status)) as server:
        with pytest.raises(DownloadError, match=str(status)):
            await load.run(server)
    assert len(server.requests) == attempts
    pauses = load.clock.waited_s
    assert len(pauses) == attempts - 1
    assert all(later >= 0 for later in pauses)
    if pauses:
        assert max(pauses) > 20 * min(pauses)


async def test_a_server_that_is_not_there_is_tried_again(load: Load) -> None:
    async with serving(FileServer(CONTENT)) as server:
        pass
    with pytest.raises(DownloadError, match="attempts brought nothing"):
        await load.run(server)
    assert len(load.clock.waited_s) == MAX_ATTEMPTS - 1


@pytest.mark.clause("C-206")
async def test_a_download_ends_with_its_order(load: Load) -> None:
    """Also when the server goes on to send a little again and again."""
    async with serving(FileServer(CONTENT, cut_after=1, cuts=10**6)) as server:
        with pytest.raises(DownloadError) as caught:
            await load.run(server, expires_ms=20_000)
    assert caught.value.code == "expired"
    assert len(server.requests) < 40


async def test_another_encoding_is_refused(load: Load) -> None:
    async with serving(FileServer(CONTENT, headers={"Content-Encoding": "gzip"})) as server:
        with pytest.raises(DownloadError, match="encoding"):
            await load.run(server)


async def test_what_a_check_refuses_ends_it_at_once(load: Load) -> None:
    def refuse(done: int) -> None:
        raise DownloadError("this header is of another model")

    async with serving(FileServer(CONTENT)) as server:
        source = HttpSource(lambda: TLS)
        downloader = Downloader(source, Medium(), load.clock, load.note, refuse)
        with pytest.raises(DownloadError, match="another model"):
            await downloader.run(server.url, load.path, SIZE, 0, FAR_MS)
    assert len(server.requests) == 1
    assert load.noted == []
