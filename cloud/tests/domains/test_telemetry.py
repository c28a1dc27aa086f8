"""Last values and history on the embedded series."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest
from msgspec import structs

from cloud.domains.devices.schemas import DeviceBody
from cloud.domains.telemetry.schemas import LastValue
from cloud.domains.telemetry.service import TelemetryService, bucket_width_ms
from cloud.errors import NotFound, ParameterError
from cloud.timeseries.base import SeriesColumn
from cloud.timeseries.embedded import EmbeddedTimeSeries
from cloud.timeseries.series_table import SeriesTable
from edge_contract.payloads import Catalog, State, catalog_hash

from ..conftest import ADMIN, BOOT, GATEWAY, SYSTEM, DomainServices, catalog, hello

T0 = 1_790_000_000_000


class Telemetry:
    """The service on a real series store, with points 1 and 2, and what it pushed."""

    def __init__(self, services: DomainServices, store: EmbeddedTimeSeries) -> None:
        self.store = store
        self.pushed: list[LastValue] = []
        self.service = TelemetryService(store, services.devices, self._push, clock=services.clock)

    async def _push(self, gateway: str, values: list[LastValue]) -> None:
        assert gateway == GATEWAY
        self.pushed += values

    async def file(self, column: SeriesColumn, *, late: bool = False) -> None:
        await self.store.write([column])
        await self.service.stored(GATEWAY, [column], late)


@pytest.fixture
async def telemetry(services: DomainServices, tmp_path: Path) -> AsyncIterator[Telemetry]:
    await services.presence.hello(GATEWAY, hello())
    await services.catalogs.apply(GATEWAY, catalog("pressure", "level"))
    store = EmbeddedTimeSeries(tmp_path / "series.db")
    await store.start()
    yield Telemetry(services, store)
    await store.close()


def modes(**records: int) -> Catalog:
    """The catalog with other record modes, read each second."""
    found = catalog(*records)
    points = [
        structs.replace(point, record=record, period_ms=1000)
        for point, record in zip(found.points, records.values(), strict=True)
    ]
    return structs.replace(found, points=points, hash=catalog_hash(found.slaves, points))


def column(*values: float | str | None, start: int = T0, step: int = 1000, quality: int = 0) -> SeriesColumn:
    times = [start + step * index for index in range(len(values))]
    return SeriesColumn(1, times, values, [quality] * len(values))


async def test_newest_value_is_kept_and_pushed(telemetry: Telemetry) -> None:
    await telemetry.file(column(1.0, 3.0, 2.0))
    assert [(v.t_ms, v.value) for v in telemetry.pushed] == [(T0 + 2000, 2.0)]
    await telemetry.file(column(9.0, start=T0 + 500), late=True)
    assert len(telemetry.pushed) == 1
    assert [v.value for v in await telemetry.service.last_values(SYSTEM, [1, 2])] == [2.0]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_table_of_single_samples_gives_what_its_columns_give(
    telemetry: Telemetry, services: DomainServices
) -> None:
    chosen = Random(7)
    other = Telemetry(services, telemetry.store)
    for _ in range(100):
        now = services.clock()
        columns = [
            SeriesColumn(
                chosen.choice((1, 2)), [now + offset], [chosen.choice((1, 1.0, 2.5, None, "on"))], [0]
            )
            for offset in chosen.choices((-90_000, -2000, -1000, 0, 0, 1000, 60_000), k=4)
        ]
        late = chosen.random() < 0.2
        await telemetry.service.stored(GATEWAY, columns, late)
        await other.service.stored(GATEWAY, SeriesTable.of(columns), late)
        services.clock.pass_s(chosen.choice((0, 1, 100)))
    assert len(telemetry.pushed) > 100
    assert other.pushed == telemetry.pushed


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("restarts", [False, True])
async def test_a_sample_of_the_future_does_not_stand_until_its_time_comes(
    telemetry: Telemetry, services: DomainServices, restarts: bool
) -> None:
    now, minute = services.clock(), 60_000
    await telemetry.file(column(99.0, start=now + 9 * minute))
    assert [(v.value, v.quality) for v in telemetry.pushed] == [(99.0, 8)]
    if restarts:
        telemetry = Telemetry(services, telemetry.store)
        del telemetry.pushed[:]
    assert [(v.value, v.quality) for v in await telemetry.service.last_values(SYSTEM, [1])] == [(99.0, 8)]
    await telemetry.file(column(1.0, start=now), late=True)  # back-fill
    await telemetry.file(column(2.0, start=now - 2 * minute))  # no news
    assert [v.value for v in await telemetry.service.last_values(SYSTEM, [1])] == [99.0]
    services.clock.pass_s(10)
    await telemetry.file(column(3.0, start=now + 9500))
    await telemetry.file(column(4.0, start=now + 9000))
    assert [(v.value, v.quality) for v in telemetry.pushed][-1] == (3.0, 0)
    assert [(v.value, v.quality) for v in await telemetry.service.last_values(SYSTEM, [1])] == [(3.0, 0)]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_clock_that_is_ahead_is_told_with_each_value(
    telemetry: Telemetry, services: DomainServices
) -> None:
    for number in range(3):
        await telemetry.file(column(float(number), start=services.clock() + 60_000))
        services.clock.pass_s(100)
    await telemetry.file(column(None, start=services.clock() + 60_000, quality=3))
    await telemetry.file(column(9.0, start=services.clock() + 4000))
    assert [(v.value, v.quality) for v in telemetry.pushed] == [
        *((0.0, 8), (1.0, 8), (2.0, 8)),
        *((2.0, 3), (9.0, 0)),
    ]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_value_that_is_read_again_has_not_changed(telemetry: Telemetry) -> None:
    """The first value after a deployment, a restart or a silence is compared with the one before."""

    async def changed() -> int | None:
        return (await telemetry.service.last_values(SYSTEM, [1]))[0].changed_ms

    await telemetry.file(column(5.0))
    assert await changed() is None  # nobody saw what it was before
    await telemetry.file(column(5.0, start=T0 + 10_000))
    assert await changed() is None
    await telemetry.file(column(6.0, 6.0, 6.0, start=T0 + 20_000))
    assert await changed() == T0 + 20_000
    await telemetry.file(column(None, start=T0 + 30_000, quality=5))
    await telemetry.file(column(6.0, start=T0 + 40_000))
    assert await changed() == T0 + 20_000
    await telemetry.file(column(7.0, 6.0, start=T0 + 50_000))
    assert await changed() == T0 + 51_000
    assert [value.changed_ms for value in telemetry.pushed][-1] == T0 + 51_000


async def test_after_a_restart_the_store_answers(telemetry: Telemetry, services: DomainServices) -> None:
    await telemetry.file(column(1.0, 2.0))
    restarted = Telemetry(services, telemetry.store)
    found = await restarted.service.last_values(SYSTEM, [1, 2])
    assert [(v.dsid, v.value, v.received_ms) for v in found] == [(1, 2.0, 0)]
    await restarted.service.stored(GATEWAY, [column(7.0, start=T0 - 5000)], late=True)
    assert (await restarted.service.last_values(SYSTEM, [1]))[0].value == 2.0


@pytest.mark.clause("C-065")
@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("value", [7.5, True, "running"])
async def test_the_last_good_value_stays_readable(
    telemetry: Telemetry, services: DomainServices, restarts: bool, value: float | bool | str
) -> None:
    """With its own time and the quality of now; history keeps what came."""
    await telemetry.file(SeriesColumn(1, [T0], [value], [0]))
    await telemetry.file(SeriesColumn(1, [T0 + 1000, T0 + 2000], [None, None], [5, 7]))
    await telemetry.file(SeriesColumn(2, [T0 + 1000], [None], [5]))
    told = [(v.dsid, v.t_ms, v.value, v.quality) for v in telemetry.pushed]
    assert told == [(1, T0, value, 0), (1, T0, value, 7), (2, T0 + 1000, None, 5)]
    if restarts:
        telemetry = Telemetry(services, telemetry.store)
    for _ in range(2):
        found = await telemetry.service.last_values(SYSTEM, [1, 2])
        assert [(v.dsid, v.t_ms, v.value, v.quality) for v in found] == told[1:]
    rows = (await telemetry.service.rows(SYSTEM, 1, T0, T0 + 10_000, 5)).rows
    assert [(row.value, row.quality) for row in rows] == [(None, 7), (None, 5), (value, 0)]


@pytest.mark.clause("C-063")
async def test_answers_say_what_is_stale_whatever_its_type(
    telemetry: Telemetry, services: DomainServices
) -> None:
    """Every reading of point 1 is sent, changes of point 2."""
    await services.catalogs.apply(GATEWAY, modes(pressure=1, level=2))
    now = services.clock()
    await telemetry.file(SeriesColumn(1, [now], [1.0], [0]))
    await telemetry.file(SeriesColumn(2, [now - 600_000], [True], [0]))

    async def stale() -> list[bool]:
        return [v.stale async for some in telemetry.service.of_device(SYSTEM, 1) for v in some]

    services.presence.note(GATEWAY)
    assert await stale() == [False, False]
    services.clock.pass_s(9)
    assert await stale() == [True, False]
    services.clock.pass_s(30)  # the agent is frozen
    assert await stale() == [True, True]
    services.presence.note(GATEWAY)
    assert await stale() == [True, False]
    await services.devices.change(ADMIN, 1, DeviceBody(offline_clear_data=False))
    await services.presence.state(GATEWAY, State(online=False, boot=BOOT, t_ms=1))
    await telemetry.file(SeriesColumn(1, [services.clock()], [2.0], [0]))
    assert await stale() == [True, True]


@pytest.mark.clause("C-141")
async def test_what_is_not_stored_is_known_and_never_history(
    telemetry: Telemetry, services: DomainServices
) -> None:
    await services.catalogs.apply(GATEWAY, modes(pressure=0, level=2))
    await telemetry.service.stored(GATEWAY, [SeriesColumn(1, [services.clock()], [4.5], [0])], False)
    assert [(v.dsid, v.value, v.stale) for v in await telemetry.service.last_values(SYSTEM, [1])] == [
        (1, 4.5, False)
    ]
    assert [(v.dsid, v.value) for v in telemetry.pushed] == [(1, 4.5)]
    assert (await telemetry.service.rows(SYSTEM, 1, 0, services.clock() + 1, 5)).rows == []


async def test_history_is_raw_when_it_fits_and_buckets_otherwise(telemetry: Telemetry) -> None:
    values = [float(index % 10) for index in range(600)]
    await telemetry.file(column(*values))
    raw = (await telemetry.service.history(SYSTEM, [1], T0, T0 + 600_000, 1000)).series[0]
    assert (raw.width_ms, raw.v, raw.truncated) == (0, values, False)
    packed = (await telemetry.service.history(SYSTEM, [1], T0, T0 + 600_000, 60)).series[0]
    assert packed.width_ms == 10_000
    assert packed.min is not None and packed.max is not None and packed.count is not None
    assert sum(packed.count) == 600
    assert (min(packed.min), max(packed.max)) == (0.0, 9.0)
    assert len(packed.t) <= 61


async def test_texts_are_never_averaged(telemetry: Telemetry) -> None:
    await telemetry.file(column(*[f"state {index}" for index in range(100)]))
    found = (await telemetry.service.history(SYSTEM, [1], T0, T0 + 100_000, 10)).series[0]
    assert (found.width_ms, found.truncated, found.v) == (0, True, [f"state {i}" for i in range(90, 100)])


async def test_rows_are_newest_first_with_quality(telemetry: Telemetry) -> None:
    await telemetry.file(column(1.0, 2.0))
    await telemetry.file(column(None, start=T0 + 5000, quality=5))
    rows = (await telemetry.service.rows(SYSTEM, 1, T0, T0 + 10_000, 2)).rows
    assert [(row.t_ms - T0, row.value, row.quality) for row in rows] == [(5000, None, 5), (1000, 2.0, 0)]


async def test_wrong_questions(telemetry: Telemetry) -> None:
    with pytest.raises(ParameterError, match="end_ms: must be after start_ms"):
        await telemetry.service.history(SYSTEM, [1], T0, T0, 10)
    with pytest.raises(NotFound):
        await telemetry.service.history(SYSTEM, [1, 99], T0, T0 + 1, 10)


@pytest.mark.parametrize(
    ("span_ms", "points", "width"),
    [
        (600_000, 60, 10_000),
        (3_600_000, 1000, 5_000),
        (86_400_000, 1000, 120_000),
        (365 * 86_400_000, 1000, 43_200_000),
    ],
)
def test_bucket_width_is_round_and_enough(span_ms: int, points: int, width: int) -> None:
    assert bucket_width_ms(span_ms, points) == width
    assert span_ms / bucket_width_ms(span_ms, points) <= points


@pytest.mark.clause("C-065")
async def test_last_values_of_an_offline_gateway_are_unknown_and_kept(
    telemetry: Telemetry, services: DomainServices
) -> None:
    await services.presence.clearing.refresh()
    await telemetry.file(column(1.0, 2.0))
    del telemetry.pushed[:]
    await services.presence.state(GATEWAY, State(online=False, boot=BOOT, t_ms=1))
    await telemetry.service.cleared(GATEWAY, 1, True)
    assert [(v.value, v.quality, v.t_ms) for v in telemetry.pushed] == [(None, 5, T0 + 1000)]
    assert await telemetry.service.last_values(SYSTEM, [1]) == telemetry.pushed
    await telemetry.file(column(3.0, start=T0 + 5000))  # landed before the link was lost, filed after it
    assert len(telemetry.pushed) == 1
    assert [v.value for v in await telemetry.service.last_values(SYSTEM, [1])] == [None]
    assert [row.value for row in (await telemetry.service.rows(SYSTEM, 1, T0, T0 + 10_000, 9)).rows] == [
        3.0,
        2.0,
        1.0,
    ]
    await services.presence.hello(GATEWAY, hello())
    await telemetry.service.cleared(GATEWAY, 1, False)
    assert [(v.value, v.quality) for v in telemetry.pushed[1:]] == [(3.0, 0)]
    assert [v.value for v in await telemetry.service.last_values(SYSTEM, [1])] == [3.0]


@pytest.mark.clause("C-065")
async def test_without_clear_data_they_stay(telemetry: Telemetry, services: DomainServices) -> None:
    await services.devices.change(ADMIN, 1, DeviceBody(offline_clear_data=False))
    await telemetry.file(column(1.0))
    await services.presence.state(GATEWAY, State(online=False, boot=BOOT, t_ms=1))
    assert [v.value for v in await telemetry.service.last_values(SYSTEM, [1])] == [1.0]
