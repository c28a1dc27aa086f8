"""Uploads on both databases: who sees them, quotas, cleaning, what a crash leaves."""

from __future__ import annotations

import hashlib
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cloud.db import Database
from cloud.domains.files import service as module
from cloud.domains.files.kinds import KIB, MIB, FileKind
from cloud.domains.files.service import UNUSED_MS, FileService
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import Conflict, NoPermission, NotFound, ParameterError, Unavailable

from ...conftest import Clock
from ..tenants import tree
from .pictures import gif, jpg, png, svg


class Place:
    """The domain on one database, with users of two factories."""

    def __init__(self, database: Database, folder: Path, users: dict[str, CurrentUser]) -> None:
        self.clock = Clock()
        self.database = database
        self.folder = folder
        self.users = users
        self.files = FileService(database, folder, clock=self.clock)

    def kept(self) -> set[str]:
        return {path.name for path in self.folder.glob("*/*")}


@pytest.fixture
async def place(database_url: str, tmp_path: Path) -> AsyncIterator[Place]:
    database = Database(database_url)
    yield Place(database, tmp_path / "files", await tree(database))
    await database.close()


WRONG = [
    (FileKind.BACKGROUND, gif(10, 10), "background: jpg, png, svg; these bytes are gif"),
    (FileKind.BACKGROUND, png(9, 9, MIB + 1), "background: 1 to 1048576 bytes"),
    (FileKind.LOGO, svg(), "logo: png; these bytes are svg"),
    (FileKind.LOGO, png(49, 49), "logo: square, 50 to 200 px; this is 49 x 49"),
    (FileKind.LOGO, png(201, 201), "logo: square, 50 to 200 px"),
    (FileKind.LOGO, png(100, 101), "logo: square, 50 to 200 px"),
    (FileKind.CAROUSEL, jpg(9, 9), "carousel: png; these bytes are jpg"),
    (FileKind.CAROUSEL, png(9, 9, 100 * KIB + 1), "carousel: 1 to 102400 bytes"),
    (FileKind.ICON, png(9, 9, 20 * KIB + 1), "icon: 1 to 20480 bytes"),
    (FileKind.ICON, svg("<script/>"), "icon: an svg without <script>"),
    (FileKind.ICON, b"MZ\x90", "icon: a png, jpg, gif or svg picture"),
    (FileKind.ICON, png(8192, 8192), "icon: 1 to 512 px wide and high; this is 8192 x 8192"),
    (FileKind.ICON, png(513, 1), "icon: 1 to 512 px wide and high"),
    (FileKind.BACKGROUND, png(20_000, 20_000), "background: 1 to 8192 px wide and high"),
    (FileKind.BACKGROUND, png(8192, 4883), "background: at most 40000000 pixels; this is 8192 x 4883"),
    (FileKind.CAROUSEL, png(8192, 8192), "carousel: at most 40000000 pixels"),
    (FileKind.PICTURE, gif(9, 9), "picture: jpg, png; these bytes are gif"),
    (FileKind.PICTURE, b"", "picture: 1 to 1048576 bytes"),
]


async def test_errors_name_kind_and_rule(place: Place) -> None:
    for kind, data, rule in WRONG:
        with pytest.raises(ParameterError) as error:
            await place.files.upload(place.users["platform-x"], kind, data)
        assert error.value.field == "file" and error.value.rule.startswith(rule), rule
        assert error.value.reason.startswith("file.")
    assert place.kept() == set()


RIGHT = [
    (FileKind.BACKGROUND, png(9, 9, MIB)),
    (FileKind.BACKGROUND, jpg(1920, 1080)),
    (FileKind.BACKGROUND, svg()),
    (FileKind.LOGO, png(50, 50)),
    (FileKind.LOGO, png(200, 200)),
    (FileKind.CAROUSEL, png(800, 300, 100 * KIB)),
    (FileKind.ICON, svg()),
    (FileKind.ICON, png(9, 9, 20 * KIB)),
    (FileKind.ICON, gif(9, 9)),
    (FileKind.ICON, png(512, 512)),
    (FileKind.BACKGROUND, png(8192, 4882)),
    (FileKind.PICTURE, jpg(9, 9)),
]


async def test_what_the_rules_allow_is_kept_as_it_is(place: Place) -> None:
    user = place.users["platform-x"]
    for kind, data in RIGHT:
        info = await place.files.upload(user, kind, data)
        assert (info.id, info.size, info.kind) == (hashlib.sha256(data).hexdigest(), len(data), kind)
        assert (await place.files.content(info.id, user)).data == data


async def test_kinds_of_the_sign_in_page_are_the_platforms_and_public(place: Place) -> None:
    with pytest.raises(NoPermission):
        await place.files.upload(place.users["factory-x"], FileKind.LOGO, png(60, 60))
    info = await place.files.upload(place.users["platform-x"], FileKind.LOGO, png(60, 60))
    assert (await place.files.content(info.id, None)).public
    for name in ("0" * 64, "../../cloud.db", "A" * 64, ""):
        with pytest.raises(NotFound):
            await place.files.content(name, place.users["platform-x"])


async def test_private_files_are_seen_in_the_same_line_only(place: Place) -> None:
    info = await place.files.upload(place.users["enterprise-x"], FileKind.PICTURE, jpg(5, 5))
    for name in ("enterprise-x", "factory-x", "person-x", "platform-x"):
        assert (await place.files.content(info.id, place.users[name])).data == jpg(5, 5)
    for user in (place.users["factory-y"], None):
        with pytest.raises(NotFound):
            await place.files.content(info.id, user)
    await place.files.upload(place.users["factory-y"], FileKind.PICTURE, jpg(5, 5))
    assert (await place.files.content(info.id, place.users["factory-y"])).data == jpg(5, 5)
    assert place.kept() == {info.id}  # equal bytes once


async def test_quotas(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_BYTES_OF_USER", 3000)
    monkeypatch.setattr(module, "MAX_BYTES_IN_ALL", 5000)
    x, y = place.users["factory-x"], place.users["factory-y"]
    for _ in range(3):  # the same again costs nothing
        await place.files.upload(x, FileKind.ICON, png(1, 1, 2000))
    with pytest.raises(Conflict) as error:
        await place.files.upload(x, FileKind.ICON, png(2, 2, 2000))
    assert (error.value.field, error.value.reason) == ("file", "file.quota")
    await place.files.upload(y, FileKind.ICON, png(2, 2, 2000))
    with pytest.raises(Conflict) as error:
        await place.files.upload(place.users["person-x"], FileKind.ICON, png(3, 3, 2000))
    assert error.value.reason == "file.quota_of_all"
    monkeypatch.setattr(module, "MAX_BYTES_IN_ALL", 50_000)
    monkeypatch.setattr(module, "MAX_FILES_OF_USER", 1)
    with pytest.raises(Conflict):
        await place.files.upload(y, FileKind.ICON, gif(1, 1))


async def test_what_nothing_refers_to_is_forgotten_after_a_day(place: Place) -> None:
    user = place.users["factory-x"]
    used = await place.files.upload(user, FileKind.ICON, png(1, 1))
    unused = await place.files.upload(user, FileKind.ICON, png(2, 2))
    kept = await place.files.upload(user, FileKind.PICTURE, png(3, 3))
    place.clock.pass_s(UNUSED_MS / 1000 - 1)
    await place.files.clean(set())
    assert len(place.kept()) == 3
    await place.files.keep(kept.url, FileKind.PICTURE, "logo")
    place.clock.pass_s(2)
    await place.files.clean({used.url})
    assert place.kept() == {used.id, kept.id}
    with pytest.raises(NotFound):
        await place.files.content(unused.id, user)
    with pytest.raises(ParameterError, match="logo: the address of an uploaded icon"):
        await place.files.keep(unused.url, FileKind.ICON, "logo")
    with pytest.raises(ParameterError):  # of another kind
        await place.files.keep(kept.url, FileKind.LOGO, "logo")


async def test_what_a_crash_leaves_is_swept(place: Place) -> None:
    info = await place.files.upload(place.users["factory-x"], FileKind.ICON, png(1, 1))
    orphan = place.folder / "ab" / ("ab" + "0" * 62)
    half = place.folder / "ab" / f".{orphan.name}.1234"
    fresh = place.folder / "ab" / ("ab" + "1" * 62)
    orphan.parent.mkdir()
    for path in (orphan, half, fresh):
        path.write_bytes(b"x")
    for path in (orphan, half, place.folder / info.id[:2] / info.id):
        os.utime(path, (1, 1))
    await place.files.clean(set())
    assert place.kept() == {info.id, fresh.name}


async def test_missing_bytes_and_a_full_disk(place: Place) -> None:
    user = place.users["factory-x"]
    info = await place.files.upload(user, FileKind.ICON, png(1, 1))
    (place.folder / info.id[:2] / info.id).unlink()
    with pytest.raises(NotFound):
        await place.files.content(info.id, user)
    await place.files.upload(user, FileKind.ICON, png(1, 1))
    assert (await place.files.content(info.id, user)).data == png(1, 1)
    other = hashlib.sha256(png(2, 2)).hexdigest()
    (place.folder / other[:2]).mkdir(exist_ok=True)
    blocked = FileService(place.database, place.folder / info.id[:2] / info.id, clock=place.clock)
    with pytest.raises(Unavailable):  # the folder is a file: nothing can be written
        await blocked.upload(user, FileKind.ICON, png(2, 2))
    with pytest.raises(NotFound):
        await place.files.content(other, user)
