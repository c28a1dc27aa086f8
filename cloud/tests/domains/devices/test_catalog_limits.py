"""Catalogs of one gateway: how many an hour, how much of the old ones is kept, and in what transactions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import event, func, select

from cloud.db import Database
from cloud.domains.devices import catalog as module
from cloud.domains.devices.catalog import CatalogService
from cloud.domains.devices.catalog_repository import CatalogRepository
from cloud.domains.inventory.models import CatalogEntry, DataPoint, DeadSeries, SlaveDevice

from ...conftest import GATEWAY, SYSTEM, DomainServices, catalog


@pytest.fixture
async def catalogs(services: DomainServices) -> AsyncIterator[CatalogService]:
    yield CatalogService(services.database, clock=services.clock, monotonic=lambda: services.clock.now / 1000)


async def counted(database: Database) -> tuple[int, int, int, int]:
    """Points that there are, removed ones, dead series, catalogs."""
    async with database.reading() as session:
        queries = (
            select(func.count()).select_from(DataPoint).where(DataPoint.removed.is_(False)),
            select(func.count()).select_from(DataPoint).where(DataPoint.removed.is_(True)),
            select(func.count()).select_from(DeadSeries),
            select(func.count()).select_from(CatalogEntry),
        )
        found = [int((await session.execute(query)).scalar_one()) for query in queries]
    return found[0], found[1], found[2], found[3]


@pytest.mark.clause("C-137")
async def test_more_catalogs_than_an_hour_allows_are_left_for_later(
    services: DomainServices, catalogs: CatalogService, caplog: pytest.LogCaptureFixture
) -> None:
    many = [catalog(f"p{number}") for number in range(25)]
    for each in many:
        await catalogs.apply(GATEWAY, each)
    taken = [await catalogs.series_of(GATEWAY, each.hash) is not None for each in many]
    assert taken == [True] * 20 + [False] * 5
    assert caplog.text.count("at most 60 an hour") == 1
    for _ in range(100):
        await catalogs.apply(GATEWAY, many[19])  # told again costs nothing
    services.clock.pass_s(61)
    await catalogs.apply(GATEWAY, many[24])
    assert await catalogs.series_of(GATEWAY, many[24].hash) is not None


@pytest.mark.clause("C-137")
async def test_points_removed_longest_ago_go_with_their_history(
    services: DomainServices, catalogs: CatalogService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "REMOVED_POINTS", 5)
    monkeypatch.setattr(module, "AT_ONCE", 5)
    for generation in range(3):
        await catalogs.apply(GATEWAY, catalog(*(f"g{generation}_{number}" for number in range(4))))
        services.clock.pass_s(60)
    assert await counted(services.database) == (4, 5, 3, 2)
    async with services.database.reading() as session:
        names = set(await session.scalars(select(DataPoint.name).where(DataPoint.removed.is_(True))))
    assert {f"g1_{number}" for number in range(4)} < names
    first = catalog(*(f"g0_{number}" for number in range(4)))
    assert await catalogs.series_of(GATEWAY, first.hash) is None  # it names points that are gone
    await catalogs.apply(GATEWAY, first)
    assert {each.ds_name for each in await services.devices.sources(SYSTEM, 1)} == {
        f"g0_{number}" for number in range(4)
    }


@pytest.mark.clause("C-137")
async def test_removed_slaves_and_old_catalogs_are_few(
    services: DomainServices, catalogs: CatalogService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "REMOVED_POINTS", 0)
    monkeypatch.setattr(module, "AT_ONCE", 0)
    monkeypatch.setattr(module, "MAX_REMOVED_SLAVES", 2)
    for number in range(6):
        await catalogs.apply(GATEWAY, catalog("p", slave=f"slave-{number}"))
        services.clock.pass_s(60)
    async with services.database.reading() as session:
        slaves = set(await session.scalars(select(SlaveDevice.name)))
    assert slaves == {"slave-3", "slave-4", "slave-5"}
    assert (await counted(services.database))[3] == 1


async def test_a_removed_point_comes_back_with_its_number_and_new_words(
    services: DomainServices, catalogs: CatalogService
) -> None:
    await catalogs.apply(GATEWAY, catalog("a", "b"))
    before = {each.ds_name: each.dsid for each in await services.devices.sources(SYSTEM, 1)}
    await catalogs.apply(GATEWAY, catalog("b"))
    async with services.database.reading() as session:
        query = select(DataPoint.removed, DataPoint.removed_ms).where(DataPoint.name == "a")
        assert tuple((await session.execute(query)).one()) == (True, services.clock.now)
    await catalogs.apply(GATEWAY, catalog("ro_c", "a", "b"))
    after = {each.ds_name: each for each in await services.devices.sources(SYSTEM, 1)}
    assert {name: after[name].dsid for name in before} == before
    async with services.database.reading() as session:
        query = select(DataPoint.removed_ms).where(DataPoint.name == "a")
        assert (await session.execute(query)).scalar_one() is None


@pytest.mark.parametrize("at_once", [0, module.AT_ONCE])
async def test_a_catalog_that_was_cut_is_taken_whole_the_next_time(
    services: DomainServices, catalogs: CatalogService, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    async def cut(*_: object) -> None:
        raise RuntimeError("killed")

    monkeypatch.setattr(module, "AT_ONCE", at_once)
    wanted = catalog("a", "b")
    with monkeypatch.context() as broken:
        broken.setattr(CatalogRepository, "take", cut)
        with pytest.raises(RuntimeError):
            await catalogs.apply(GATEWAY, wanted)
    assert await catalogs.series_of(GATEWAY, wanted.hash) is None
    await catalogs.apply(GATEWAY, wanted)
    assert set(await catalogs.series_of(GATEWAY, wanted.hash) or ()) == {1, 2}
    assert len(await services.devices.sources(SYSTEM, 1)) == 2


async def test_a_small_catalog_is_one_transaction(services: DomainServices, catalogs: CatalogService) -> None:
    """Thousands of gateways come for the first time at once; a dozen transactions of each took 36 ms."""
    commits: list[object] = []
    engine, note = services.database.writing_engine.sync_engine, commits.append
    event.listen(engine, "commit", note)
    await catalogs.apply(GATEWAY, catalog(*(f"p{number}" for number in range(100))))
    await catalogs.apply(GATEWAY, catalog(*(f"p{number}" for number in range(50))))
    event.remove(engine, "commit", note)
    assert len(commits) == 2
    assert (await counted(services.database))[:2] == (50, 50)


@pytest.mark.clause("C-137", "C-138")
async def test_a_large_catalog_is_written_in_small_transactions(
    services: DomainServices, catalogs: CatalogService
) -> None:
    """Others write in between: with one transaction a user's PUT waited for seconds."""
    rows: list[int] = []
    engine = services.database.writing_engine.sync_engine

    def executed(_c: object, _cursor: object, statement: str, given: object, _x: object, many: bool) -> None:
        if many and statement.startswith("INSERT INTO data_point"):
            rows.append(len(given))  # type: ignore[arg-type]

    event.listen(engine, "before_cursor_execute", executed)
    others = 0

    async def write() -> None:
        nonlocal others
        while True:
            async with services.database.session() as session:
                await session.execute(select(1))
                await session.commit()
            others += 1

    writer = asyncio.create_task(write())
    await catalogs.apply(GATEWAY, catalog(*(f"p{number}" for number in range(2000))))
    writer.cancel()
    await asyncio.gather(writer, return_exceptions=True)
    event.remove(engine, "before_cursor_execute", executed)
    assert sum(rows) == 2000 and max(rows) <= 250
    assert others >= 8
