"""The command log by what its commands come from: people, linkages, rules of data exchange, timed tasks."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from alembic import command as alembic
from fastapi.testclient import TestClient
from sqlalchemy import event, select, text, update
from sqlalchemy.engine import Connection

from cloud import migrations
from cloud.domains.commands.intake import origin_columns
from cloud.domains.commands.models import CommandRow
from cloud.domains.commands.schemas import CommandOrigin, OriginFilter
from cloud.errors import ParameterError

from ..application import token
from ..conftest import SYSTEM, DomainServices

OF: dict[str, tuple[Any, int]] = {
    "by hand": (None, 1),
    "again by hand": (None, 2),
    "of the cloud": (None, 0),
    "of trigger 1": (CommandOrigin(kind="trigger", id=1, title="Boiler"), 1),
    "of trigger 2": (CommandOrigin(kind="trigger", id=2, title="Pump"), 1),
    "of exchange 1": (CommandOrigin(kind="exchange", id=1, title="Setpoint"), 1),
    "at the gateway": (CommandOrigin(kind="exchange", id=1, title="Setpoint of now"), 0),
    "of task 1": (CommandOrigin(kind="task", id=1, title="Night"), 1),
}
"""Origin and user of a command by its identifier, the oldest first."""


@pytest.fixture
async def log(services: DomainServices) -> DomainServices:
    async with services.database.session() as session:
        for place, (name, (origin, user_id)) in enumerate(OF.items()):
            session.add(
                CommandRow(
                    id=name, device_id=1, user_id=user_id, user_name="u", action="W", status="resp",
                    created_ms=place, expires_ms=place, **origin_columns(origin),
                )
            )  # fmt: skip
        await session.commit()
    return services


@pytest.mark.parametrize(
    ("origin", "origin_id", "names"),
    [
        (None, None, list(OF)),
        ("people", None, ["by hand", "again by hand"]),
        ("trigger", None, ["of trigger 1", "of trigger 2"]),
        ("trigger", 2, ["of trigger 2"]),
        ("trigger", 3, []),
        ("exchange", None, ["of exchange 1", "at the gateway"]),
        ("exchange", 1, ["of exchange 1", "at the gateway"]),
        ("task", 1, ["of task 1"]),
    ],
)
async def test_only_what_comes_from_there_is_listed_and_counted(
    log: DomainServices, origin: OriginFilter | None, origin_id: int | None, names: list[str]
) -> None:
    listed = []
    for number in range(1, len(OF) + 1):
        page = await log.commands.page(SYSTEM, 1, number, 1, origin=origin, origin_id=origin_id)
        assert page.total == len(names)
        listed += [row.id for row in page.rows]
    assert listed == names[::-1]


async def test_the_name_of_then_stays(log: DomainServices) -> None:
    page = await log.commands.page(SYSTEM, 1, 1, 9, origin="exchange", origin_id=1)
    assert [row.origin and row.origin.title for row in page.rows] == ["Setpoint of now", "Setpoint"]


async def test_a_number_needs_a_kind_that_has_numbers(log: DomainServices) -> None:
    for origin in (None, "people"):
        with pytest.raises(ParameterError, match="origin_id: only with origin trigger, exchange or task"):
            await log.commands.page(SYSTEM, 1, 1, 9, origin=origin, origin_id=1)


@pytest.mark.parametrize(
    ("device_id", "origin", "origin_id", "index"),
    [
        (1, "people", None, "ix_command_device"),
        (1, "exchange", None, "ix_command_device"),
        (None, "exchange", 1, "ix_command_origin"),
    ],
)
async def test_the_database_looks_at_no_other_commands(
    log: DomainServices, device_id: int | None, origin: OriginFilter, origin_id: int | None, index: str
) -> None:
    asked: list[tuple[str, Any]] = []

    def note(_connection: Connection, _cursor: Any, statement: str, values: Any, *_: Any) -> None:
        if "FROM command" in statement:
            asked.append((statement, values))

    engine = log.database.engine
    event.listen(engine.sync_engine, "before_cursor_execute", note)
    await log.commands.page(SYSTEM, device_id, 1, 9, origin=origin, origin_id=origin_id)
    event.remove(engine.sync_engine, "before_cursor_execute", note)
    on_sqlite = engine.dialect.name == "sqlite"
    async with engine.connect() as connection:
        if not on_sqlite:  # of so few rows it would read all
            await connection.execute(text("SET LOCAL enable_seqscan = off"))
        plans = []
        for statement, values in asked:
            explain = "EXPLAIN QUERY PLAN" if on_sqlite else "EXPLAIN"
            lines = await connection.exec_driver_sql(f"{explain} {statement}", values)
            plans.append(" ".join(str(line) for line in lines))
    assert len(plans) == 2
    wanted = index if on_sqlite else "ix_command_"  # PostgreSQL chooses by what it knows of the rows
    assert [wanted in plan for plan in plans] == [True, True], plans


def test_input_that_breaks_a_rule(client: TestClient) -> None:
    headers = {"X-Token": token(client)}
    cases = {"origin=rain": "origin", "origin_id=0&origin=task": "origin_id", "origin_id=1": "origin_id"}
    for wrong, field in cases.items():
        reply = client.get(f"/api/v1/device/cmd?{wrong}", headers=headers)
        assert (reply.status_code, reply.json()["code"], reply.json()["data"]["field"]) == (400, 10002, field)
    reply = client.get("/api/v1/device/cmd?origin=people&limit=1", headers=headers)
    assert reply.json()["code"] == 0


async def test_commands_of_before_say_where_they_come_from(log: DomainServices, database_url: str) -> None:
    """With the title of then where it was noted."""
    addresses = {"by hand": "10.0.0.7", "of trigger 2": "trigger 2", "of exchange 1": "exchange 1"}
    async with log.database.session() as session:
        for name, address in addresses.items():
            await session.execute(update(CommandRow).where(CommandRow.id == name).values(address=address))
        await session.commit()
    before = await origins(log)
    await log.database.close()
    await asyncio.to_thread(alembic.downgrade, migrations.configuration(database_url), "0048")
    async with log.database.engine.begin() as connection:
        await connection.execute(text("UPDATE command SET origin = NULL WHERE id = 'of exchange 1'"))
    await log.database.close()
    await asyncio.to_thread(migrations.upgrade, database_url)
    assert await origins(log) == before | {"of exchange 1": ("exchange", 1, "")}


async def origins(services: DomainServices) -> dict[str, tuple[str | None, int | None, str]]:
    columns = CommandRow.origin_kind, CommandRow.origin_id, CommandRow.origin_title
    async with services.database.reading() as session:
        rows = await session.execute(select(CommandRow.id, *columns))
        return {row[0]: (row[1], row[2], row[3]) for row in rows}
