"""A flood of refused calls of one user, and whose entries give way when there are too many."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloud.db import Database
from cloud.domains.all import DOMAINS
from cloud.domains.audit import service as module
from cloud.domains.audit.quota import REFUSED_PER_MINUTE, UNAUTHENTICATED_PER_MINUTE, Quota
from cloud.domains.audit.recorder import Recorder
from cloud.domains.audit.schemas import AuditFilter
from cloud.domains.audit.service import AuditService
from cloud.domains.audit.tenants import Tenant, excess, tenant_of

from ...conftest import Clock
from ..tenants import tree
from .test_recorder import row

NAMED = tuple(table for domain in DOMAINS for table in domain.named)


def test_refused_calls_of_one_user_are_bounded_and_cost_others_nothing() -> None:
    quota = Quota()
    assert (REFUSED_PER_MINUTE, UNAUTHENTICATED_PER_MINUTE) == (120, 60)
    assert sum(quota.takes(7, 403, 60_000 + n) for n in range(5000)) == REFUSED_PER_MINUTE
    assert sum(quota.takes(None, 401, 60_000 + n) for n in range(5000)) == UNAUTHENTICATED_PER_MINUTE
    assert quota.takes(8, 404, 70_000)
    assert all(quota.takes(7, 200, 70_000) for _ in range(1000))  # what was done is always written
    assert quota.takes(7, 403, 120_000)


def test_tenants() -> None:
    assert tenant_of("/1/5/9/", {1}) == Tenant("/1/5/")
    assert tenant_of("/5/9/", {1}) == Tenant("/5/")
    assert tenant_of("/1/", {1}) == Tenant("/1/", exact_path=True)
    assert tenant_of("/1/2/", {1, 2}) == Tenant("/1/2/", exact_path=True)
    assert tenant_of("", {1}) == Tenant("", exact_path=True)
    assert excess({"/1/5/": 90, "/1/5/9/": 10, "/1/6/": 20, "": 5}, {1}, 60) == {Tenant("/1/5/"): 65}
    assert excess({"/1/5/": 30, "/1/6/": 30}, {1}, 60) == {}


@given(
    st.dictionaries(st.integers(2, 40).map(lambda n: f"/{n}/"), st.integers(1, 1000)), st.integers(1, 3000)
)
def test_what_is_left_fits_and_the_small_keep_all(sizes: dict[str, int], most: int) -> None:
    gone = excess(sizes, frozenset(), most)
    left = {path: size - gone.get(Tenant(path), 0) for path, size in sizes.items()}
    assert sum(left.values()) <= max(most, 0)
    assert sum(left.values()) > min(most, sum(sizes.values())) - max(len(sizes), 1)
    for path, size in left.items():
        assert size == sizes[path] or size >= max(left.values())


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    made = Database(database_url)
    yield made
    await made.close()


async def test_the_limit_takes_from_who_has_most(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_ROWS", 20)
    monkeypatch.setattr(module, "DELETED_AT_ONCE", 7)
    users = await tree(database)
    clock = Clock()
    recorder = Recorder(database, NAMED)
    audit = AuditService(database, recorder)
    for name, number in (("factory-y", 3), ("platform-x", 2), ("person-x", 60), ("factory-x", 40)):
        for _ in range(number):
            path = users[name].scope.path
            recorder.put(row(1, user_name=name, user_path=path, at_ms=clock(), changes={}))
    await recorder.flush()
    await audit.forget_old(clock())
    page = await audit.page(users["platform-x"], AuditFilter(), 1, 100)
    names = [each.user_name for each in page.rows]
    assert (names.count("factory-y"), names.count("platform-x"), page.total) == (3, 2, 20)
    assert names.count("factory-x") == 15  # the newest of its tenant, which person-x belongs to
