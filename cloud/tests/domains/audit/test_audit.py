"""Reading the audit: scope, filters, export, retention; on both databases."""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator

import pytest

from cloud.db import Database
from cloud.domains.all import DOMAINS
from cloud.domains.audit import service as module
from cloud.domains.audit.recorder import Recorder
from cloud.domains.audit.schemas import AuditFilter
from cloud.domains.audit.service import KEEP_MS, AuditService
from cloud.domains.identity.models import User
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.identity.service import IdentityService
from cloud.errors import ParameterError

from ...application import PASSWORD
from ...conftest import Clock
from ..tenants import tree
from .test_recorder import row

NAMED = tuple(table for domain in DOMAINS for table in domain.named)

ALL = AuditFilter()


class Place:
    """The domain on one database, with users of two factories."""

    def __init__(self, database: Database, users: dict[str, CurrentUser]) -> None:
        self.clock = Clock()
        self.database = database
        self.users = users
        self.recorder = Recorder(database, NAMED)
        self.audit = AuditService(database, self.recorder)

    def did(self, name: str, **changes: object) -> None:
        user = self.users[name]
        who = {"user_id": user.id, "user_name": name, "user_path": user.scope.path, "at_ms": self.clock()}
        self.recorder.put(row(1, **(who | changes)))

    async def seen(self, name: str, wanted: AuditFilter = ALL) -> list[str]:
        page = await self.audit.page(self.users[name], wanted, 1, 100)
        assert page.total == len(page.rows)
        return [each.user_name for each in page.rows]


@pytest.fixture
async def place(database_url: str) -> AsyncIterator[Place]:
    database = Database(database_url)
    yield Place(database, await tree(database))
    await database.close()


async def test_one_sees_what_oneself_and_those_below_did(place: Place) -> None:
    for name in ("factory-x", "enterprise-x", "person-x", "factory-y", "platform-x"):
        place.did(name)
    place.recorder.put(row(1, user_id=None, user_name="", user_path=""))
    everything = ["", "platform-x", "factory-y", "person-x", "enterprise-x", "factory-x"]
    assert await place.seen("platform-x") == everything
    assert await place.seen("factory-x") == ["person-x", "enterprise-x", "factory-x"]
    assert await place.seen("enterprise-x") == ["person-x", "enterprise-x"]
    assert await place.seen("factory-y") == ["factory-y"]
    async with place.database.session() as session:  # a row outlives its user
        await session.delete(await session.get(User, place.users["person-x"].id))
        await session.commit()
    assert await place.seen("enterprise-x") == ["person-x", "enterprise-x"]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_who_comes_after_a_deleted_user_is_not_taken_for_him(place: Place) -> None:
    service = IdentityService(place.database)
    place.users["gone"] = await named(service, "gone")
    place.did("gone")
    assert await place.seen("gone") == ["gone"]
    async with place.database.session() as session:
        await session.delete(await session.get(User, place.users["gone"].id))
        await session.commit()
    place.users["new"] = await named(service, "new")
    assert await place.seen("new") == []


async def named(service: IdentityService, name: str) -> CurrentUser:
    """A new user, as he would be signed in."""
    user = await service.user_now(await service.add_user(name, PASSWORD, 1, "platform-x"))
    assert user is not None
    return user


async def test_filters(place: Place) -> None:
    start = place.clock()
    place.did("factory-x", operation="putOption")
    place.clock.pass_s(10)
    place.did("person-x", operation="deleteUser", status=404, code=20000)
    for wanted, seen in (
        (AuditFilter(user="FACTORY"), ["factory-x"]),
        (AuditFilter(user="%"), []),
        (AuditFilter(operation="option"), ["factory-x"]),
        (AuditFilter(start_ms=start + 1), ["person-x"]),
        (AuditFilter(end_ms=start + 10_000), ["factory-x"]),
        (AuditFilter(failed=True), ["person-x"]),
        (AuditFilter(failed=False), ["factory-x"]),
    ):
        assert await place.seen("platform-x", wanted) == seen, wanted
    with pytest.raises(ParameterError, match="end_ms: after start_ms"):
        await place.seen("platform-x", AuditFilter(start_ms=5, end_ms=5))
    page = await place.audit.page(place.users["platform-x"], ALL, 2, 1)
    assert ([each.user_name for each in page.rows], page.total) == (["factory-x"], 2)


@pytest.mark.parametrize(
    ("after", "result"),
    [
        ({"outcome": "done", "status": "resp"}, "succeeded"),
        ({"outcome": "settled_written", "status": "fail"}, "succeeded"),
        ({"outcome": "failed", "status": "notAuthorized"}, "failed"),
        ({"outcome": "settled_other", "status": "fail"}, "failed"),
        ({"outcome": "unknown", "status": "fail"}, "unknown"),
        ({"status": "create"}, "unknown"),
        ({"outcomes": "done 3"}, "succeeded"),
        ({"outcomes": "done 1, failed 1, unknown 2"}, "failed"),
        ({"outcomes": "done 1, unknown 1"}, "unknown"),
        ({}, "unknown"),
    ],
)
async def test_a_command_is_judged_by_what_it_came_to(
    place: Place, after: dict[str, str], result: str
) -> None:
    """The reply said 0 to each of them."""
    place.did("factory-x", operation="sendCommand", changes={"after": after}, reference="c1")
    page = await place.audit.page(place.users["factory-x"], ALL, 1, 9)
    assert [row.result for row in page.rows] == [result]
    well = result == "succeeded"
    for failed in (True, False):
        assert len(await place.seen("factory-x", AuditFilter(failed=failed))) == (failed is not well)


async def test_export_is_whole_scoped_and_harmless(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EXPORTED_AT_ONCE", 2)
    for number in range(5):
        place.did("person-x", at_ms=number, changes={"名": "=1+1"}, path="=cmd|x")
    place.did("factory-y")
    text = "".join([part async for part in await place.audit.export(place.users["factory-x"], ALL)])
    assert text.startswith("\ufeff")
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
    assert [each["time"][-10:] for each in rows] == [f"0.00{n}+00:00"[-10:] for n in range(4, -1, -1)]
    assert (
        rows[0]["path"] == "'=cmd|x" and rows[0]["changes"] == '{"名": "=1+1"}' and rows[0]["status"] == "200"
    )
    assert {each["user"] for each in rows} == {"person-x"}
    monkeypatch.setattr(module, "MAX_EXPORTED", 4)
    with pytest.raises(ParameterError) as error:
        await place.audit.export(place.users["factory-x"], ALL)
    assert error.value.field == "start_ms"


async def test_rows_with_halves_of_surrogate_pairs_are_read(place: Place) -> None:
    place.did("person-x", changes={"title": "a\ud800", "\udfff": 1}, ids={"x": "\ud800"})
    page = await place.audit.page(place.users["factory-x"], ALL, 1, 10)
    assert [(row.changes, row.ids) for row in page.rows] == [({"title": "a?", "?": 1}, {"x": "?"})]
    text = "".join([part async for part in await place.audit.export(place.users["factory-x"], ALL)])
    assert next(csv.DictReader(io.StringIO(text)))["changes"] == '{"title": "a?", "?": 1}'
    assert page.model_dump_json() and text.encode()


async def test_forgets_by_age_and_by_number(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (KEEP_MS, module.MAX_ROWS) == (400 * 86_400_000, 500_000)
    monkeypatch.setattr(module, "DELETED_AT_ONCE", 3)
    for number in range(10):
        place.did("factory-x", at_ms=place.clock() - KEEP_MS + number - 5)
    await place.recorder.flush()
    await place.audit.forget_old(place.clock())
    assert len(await place.seen("factory-x")) == 5
    monkeypatch.setattr(module, "MAX_ROWS", 2)
    await place.audit.forget_old(place.clock())
    page = await place.audit.page(place.users["factory-x"], ALL, 1, 10)
    assert [each.at_ms - place.clock() + KEEP_MS for each in page.rows] == [4, 3]
