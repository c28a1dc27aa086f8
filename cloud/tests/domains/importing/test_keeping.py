"""Work files: damaged, gone, too many, too large, on a full disk, and asked for by several at once."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from cloud.domains.importing.previewing import MAX_VALUE_TEXT
from cloud.domains.importing.schemas import PreviewImportBody, SheetMapping
from cloud.domains.importing.views import KEEP_MS
from cloud.domains.importing.work_files import (
    MAX_BYTES,
    MAX_BYTES_OF_USER,
    MAX_IN_ALL,
    MAX_OF_USER,
    Known,
    going,
)
from cloud.domains.jobs.run import JobFailed
from cloud.errors import Busy, Conflict, NotFound, Unavailable

from .conftest import DEVICES, POINTS, ImportServices, book, confirmed, whole

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
SMALL = book(points=(POINTS, [["a"]]))


async def test_a_damaged_work_file_is_nobodys_trouble(importing: ImportServices) -> None:
    user, folder = importing.users["factory-x"], importing.folder / "imports"
    folder.mkdir()
    (folder / f"{'0' * 32}.sqlite").write_bytes(b"\x07" * 5000)
    (folder / f"{'1' * 32}.sqlite").write_bytes(b"")
    state = await importing.imports.upload(user, SMALL, "a.xlsx")
    assert [path.stem for path in folder.iterdir()] == [state.id]
    (folder / f"{'0' * 32}.sqlite").write_bytes(b"\x07" * 5000)
    with pytest.raises(NotFound):
        await importing.imports.state(user, "0" * 32)
    await importing.imports.clean()
    assert [path.stem for path in folder.iterdir()] == [state.id]


async def test_imports_are_few_and_go_after_a_day(importing: ImportServices) -> None:
    user = importing.users["factory-x"]
    states = []
    for _ in range(MAX_OF_USER + 1):
        states.append(await importing.imports.upload(user, SMALL, "a.xlsx"))
        importing.services.clock.pass_s(1)
    with pytest.raises(NotFound):
        await importing.imports.state(user, states[0].id)
    await importing.imports.discard(user, states[1].id)
    assert len(list((importing.folder / "imports").iterdir())) == MAX_OF_USER - 1
    importing.services.clock.pass_s(KEEP_MS / 1000)
    await importing.imports.clean()
    assert not list((importing.folder / "imports").iterdir())


async def test_what_is_gone_is_not_made_again_by_a_look(importing: ImportServices) -> None:
    state = await importing.imports.upload(importing.users["factory-x"], SMALL, "a.xlsx")
    work = importing.imports.work_of(state.id)
    work.path.unlink()
    for look in (work.meta, work.plans, lambda: work.note({})):
        with pytest.raises(NotFound):
            look()
    assert not work.path.exists()
    with pytest.raises(JobFailed, match=r"import\.gone"):
        importing.imports.work_of(state.id)


async def test_a_full_disk_is_said_and_leaves_nothing(
    importing: ImportServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = sqlite3.connect

    def small(path: str, **options: Any) -> sqlite3.Connection:
        file = real(path, **options)
        file.execute("PRAGMA max_page_count = 9")
        return file

    monkeypatch.setattr("cloud.domains.importing.workfile.sqlite3.connect", small)
    many = book(points=(POINTS, [["a", "b", "c" * 99, n] for n in range(900)]))
    with pytest.raises(Unavailable) as refused:
        await importing.imports.upload(importing.users["factory-x"], many, "a.xlsx")
    assert refused.value.reason == "import.disk_full"
    assert not list((importing.folder / "imports").iterdir())


async def test_what_is_done_is_what_was_looked_at(importing: ImportServices) -> None:
    user = importing.users["factory-x"]
    seen = await importing.preview("factory-x", whole())
    sheets = [{"kind": sheet.kind, "fields": sheet.fields} for sheet in seen.sheets]
    run = importing.run(user, {"import_id": seen.id, "sheets": sheets, "mode": "replace"})
    await importing.previewer.run(run)
    newer = await importing.imports.state(user, seen.id)
    with pytest.raises(Conflict) as refused:
        await importing.imports.apply(user, seen.id, confirmed(seen))
    assert refused.value.reason == "import.other_preview"
    asked = [importing.imports.apply(user, seen.id, confirmed(newer)) for _ in range(6)]
    found = await asyncio.gather(*asked, return_exceptions=True)
    refusals = [each.reason for each in found if isinstance(each, Conflict)]
    assert refusals == ["import.runs"] * 5


async def test_a_preview_shows_the_beginning_of_a_long_text(importing: ImportServices) -> None:
    state = await importing.preview(
        "factory-x", book(devices=([*DEVICES, "备注"], [["gw-long", "x", "y" * 5000]]))
    )
    page = await importing.imports.rows(importing.users["factory-x"], state.id, "wrong", "", 1, 20)
    (remark,) = [cell for cell in page.rows[0].cells if cell.field == "remark"]
    assert remark.after == "y" * MAX_VALUE_TEXT + "…" and remark.code == "text_long"


def known(number: int, user_id: int, tenant: str, size: int = 1) -> Known:
    return Known(Path(f"{number}"), number, user_id, tenant, None, size)


async def test_no_tenant_takes_the_places_of_all(importing: ImportServices) -> None:
    x, y = importing.users["factory-x"], importing.users["factory-y"]
    full = [known(n, 100 + n, str(x.id)) for n in range(MAX_IN_ALL)]
    assert going(y, full, ()) == [Path("0")]
    assert going(y, full, {Path("0")}) == [Path("1")]
    with pytest.raises(Busy):
        going(x, full, ())
    assert going(x, [*full[1:], known(99, x.id, str(x.id))], ()) == [Path("99")]
    large = [known(n, n, str(x.id), MAX_BYTES_OF_USER) for n in range(1, MAX_BYTES // MAX_BYTES_OF_USER + 1)]
    assert going(y, large, ()) == [Path("1")]
    mine = known(7, y.id, str(y.id), MAX_BYTES_OF_USER)
    assert going(y, [mine], ()) == [mine.path]
    with pytest.raises(Busy):
        going(y, [mine], {mine.path})


async def test_work_files_that_a_job_needs_stay(importing: ImportServices) -> None:
    user, content = importing.users["factory-x"], book(points=(POINTS, [["a"]]))
    states = [await importing.imports.upload(user, content, "a.xlsx") for _ in range(MAX_OF_USER)]
    for state in states:
        sheets = [SheetMapping(kind=s.kind, fields=s.fields) for s in state.sheets]
        job = await importing.imports.preview(user, state.id, PreviewImportBody(sheets=sheets))
    with pytest.raises(Busy, match="at work"):
        await importing.imports.upload(user, content, "a.xlsx")
    await importing.jobs.delete(user, job.id)
    importing.services.clock.pass_s(KEEP_MS / 1000 + 1)
    await importing.imports.clean()
    assert len(list((importing.folder / "imports").iterdir())) == MAX_OF_USER - 1
