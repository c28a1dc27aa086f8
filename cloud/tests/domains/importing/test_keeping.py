"""Work files: damaged, gone, too many, too large, on a full disk, and asked for by several at once."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from cloud.domains.importing.keeping import (
    MOST_BYTES,
    MOST_BYTES_OF_USER,
    MOST_IN_ALL,
    MOST_OF_USER,
    Known,
    going,
)
from cloud.domains.importing.previewing import MOST_SHOWN
from cloud.domains.importing.schemas import PreviewBody, SheetMapping
from cloud.domains.importing.views import KEEP_MS
from cloud.domains.jobs.run import JobFailed
from cloud.errors import Busy, Conflict, NotFound, Unavailable

from .test_import import DEVICES, POINTS, Desk, book, confirmed, desk, whole

__all__ = ["desk"]

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
SMALL = book(points=(POINTS, [["a"]]))


async def test_a_damaged_work_file_is_nobodys_trouble(desk: Desk) -> None:
    user, folder = desk.users["factory-x"], desk.folder / "imports"
    folder.mkdir()
    (folder / f"{'0' * 32}.sqlite").write_bytes(b"\x07" * 5000)
    (folder / f"{'1' * 32}.sqlite").write_bytes(b"")
    state = await desk.imports.upload(user, SMALL, "a.xlsx")
    assert [path.stem for path in folder.iterdir()] == [state.id]
    (folder / f"{'0' * 32}.sqlite").write_bytes(b"\x07" * 5000)
    with pytest.raises(NotFound):
        await desk.imports.state(user, "0" * 32)
    await desk.imports.clean()
    assert [path.stem for path in folder.iterdir()] == [state.id]


async def test_imports_are_few_and_go_after_a_day(desk: Desk) -> None:
    user = desk.users["factory-x"]
    states = []
    for _ in range(MOST_OF_USER + 1):
        states.append(await desk.imports.upload(user, SMALL, "a.xlsx"))
        desk.rooms.clock.pass_s(1)
    with pytest.raises(NotFound):
        await desk.imports.state(user, states[0].id)
    await desk.imports.discard(user, states[1].id)
    assert len(list((desk.folder / "imports").iterdir())) == MOST_OF_USER - 1
    desk.rooms.clock.pass_s(KEEP_MS / 1000)
    await desk.imports.clean()
    assert not list((desk.folder / "imports").iterdir())


async def test_what_is_gone_is_not_made_again_by_a_look(desk: Desk) -> None:
    state = await desk.imports.upload(desk.users["factory-x"], SMALL, "a.xlsx")
    work = desk.imports.work_of(state.id)
    work.path.unlink()
    for look in (work.meta, work.plans, lambda: work.note({})):
        with pytest.raises(NotFound):
            look()
    assert not work.path.exists()
    with pytest.raises(JobFailed, match=r"import\.gone"):
        desk.imports.work_of(state.id)


async def test_a_full_disk_is_said_and_leaves_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    real = sqlite3.connect

    def small(path: str, *, uri: bool) -> sqlite3.Connection:
        file = real(path, uri=uri)
        file.execute("PRAGMA max_page_count = 9")
        return file

    monkeypatch.setattr("cloud.domains.importing.workfile.sqlite3.connect", small)
    many = book(points=(POINTS, [["a", "b", "c" * 99, n] for n in range(900)]))
    with pytest.raises(Unavailable) as refused:
        await desk.imports.upload(desk.users["factory-x"], many, "a.xlsx")
    assert refused.value.reason == "import.disk_full"
    assert not list((desk.folder / "imports").iterdir())


async def test_what_is_done_is_what_was_looked_at(desk: Desk) -> None:
    user = desk.users["factory-x"]
    seen = await desk.preview("factory-x", whole())
    sheets = [{"kind": sheet.kind, "fields": sheet.fields} for sheet in seen.sheets]
    run = desk.run(user, {"import_id": seen.id, "sheets": sheets, "mode": "replace"})
    await desk.previewer.run(run)
    newer = await desk.imports.state(user, seen.id)
    with pytest.raises(Conflict) as refused:
        await desk.imports.apply(user, seen.id, confirmed(seen))
    assert refused.value.reason == "import.other_preview"
    asked = [desk.imports.apply(user, seen.id, confirmed(newer)) for _ in range(6)]
    found = await asyncio.gather(*asked, return_exceptions=True)
    refusals = [each.reason for each in found if isinstance(each, Conflict)]
    assert refusals == ["import.runs"] * 5


async def test_a_preview_shows_the_beginning_of_a_long_text(desk: Desk) -> None:
    state = await desk.preview(
        "factory-x", book(devices=([*DEVICES, "备注"], [["gw-long", "x", "y" * 5000]]))
    )
    page = await desk.imports.rows(desk.users["factory-x"], state.id, "wrong", "", 1, 20)
    (remark,) = [cell for cell in page.rows[0].cells if cell.field == "remark"]
    assert remark.after == "y" * MOST_SHOWN + "…" and remark.code == "text_long"


def known(number: int, user_id: int, tenant: str, size: int = 1) -> Known:
    return Known(Path(f"{number}"), number, user_id, tenant, None, size)


async def test_no_tenant_takes_the_places_of_all(desk: Desk) -> None:
    x, y = desk.users["factory-x"], desk.users["factory-y"]
    full = [known(n, 100 + n, str(x.id)) for n in range(MOST_IN_ALL)]
    assert going(y, full, ()) == [Path("0")]
    assert going(y, full, {Path("0")}) == [Path("1")]
    with pytest.raises(Busy):
        going(x, full, ())
    assert going(x, [*full[1:], known(99, x.id, str(x.id))], ()) == [Path("99")]
    large = [
        known(n, n, str(x.id), MOST_BYTES_OF_USER) for n in range(1, MOST_BYTES // MOST_BYTES_OF_USER + 1)
    ]
    assert going(y, large, ()) == [Path("1")]
    mine = known(7, y.id, str(y.id), MOST_BYTES_OF_USER)
    assert going(y, [mine], ()) == [mine.path]
    with pytest.raises(Busy):
        going(y, [mine], {mine.path})


async def test_work_files_that_a_job_needs_stay(desk: Desk) -> None:
    user, content = desk.users["factory-x"], book(points=(POINTS, [["a"]]))
    states = [await desk.imports.upload(user, content, "a.xlsx") for _ in range(MOST_OF_USER)]
    for state in states:
        sheets = [SheetMapping(kind=s.kind, fields=s.fields) for s in state.sheets]
        job = await desk.imports.preview(user, state.id, PreviewBody(sheets=sheets))
    with pytest.raises(Busy, match="at work"):
        await desk.imports.upload(user, content, "a.xlsx")
    await desk.jobs.delete(user, job.id)
    desk.rooms.clock.pass_s(KEEP_MS / 1000 + 1)
    await desk.imports.clean()
    assert len(list((desk.folder / "imports").iterdir())) == MOST_OF_USER - 1
