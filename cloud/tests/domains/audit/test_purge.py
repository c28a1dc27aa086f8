"""The migration takes secrets out of rows that earlier releases wrote, on both databases."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from alembic import command
from sqlalchemy import column, insert, select, table

from cloud import migrations
from cloud.db import Database
from cloud.domains.audit.models import AuditEntry

ENTRY = table(
    "audit_entry",
    *(
        column(each.name, each.type)
        for each in AuditEntry.__table__.columns
        if each.name not in {"id", "thing", "things", "reference"}
    ),
)
"""As it was then: without the columns of later migrations."""

CANARY = "Kanarie9999zq"
ROWS: list[tuple[str, dict[str, Any], dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    # operation, query and changes as they were, query and changes as they are to be
    ("changeOwnPassword", {}, {"old": CANARY, "new": CANARY}, {}, {"old": "***", "new": "***"}),
    (
        "changeOwnPassword",
        {"old": CANARY, "a": ""},
        {"old": "", "n": None},
        {"old": "***", "a": ""},
        {"old": "", "n": None},
    ),
    (
        "changeOwnPassword",
        {},
        {"body": [{"old": [CANARY, {"deep": {"er": CANARY}}]}], "pin": 9999, "f": False},
        {},
        {"body": [{"old": ["***", {"deep": {"er": "***"}}]}], "pin": "***", "f": False},
    ),
    (
        "createUser",
        {},
        {"user_name": "anna", "user_type": 1, "password": "***", "pasword": CANARY},
        {},
        {"user_name": "anna", "user_type": 1, "password": "***", "pasword": "***"},
    ),
    ("createUser", {}, {"user_name": {"x": CANARY}}, {}, {"user_name": {"x": "***"}}),
    (
        "sendCommand",
        {},
        {"dsid": 3, "value": 1, "passwort": CANARY},
        {},
        {"dsid": 3, "value": 1, "passwort": "***"},
    ),
    ("resetPassword", {"p": CANARY}, {"word": CANARY}, {"p": "***"}, {"word": "***"}),
    ("", {}, {"old": CANARY}, {}, {"old": "***"}),
    ("", {}, {"bytes": 7, "content_type": "text/csv"}, {}, {"bytes": 7, "content_type": "text/csv"}),
    (
        "changeUser",
        {"page": "1"},
        {"before": {"remark": "a"}, "after": {"remark": "b"}},
        {"page": "1"},
        {"before": {"remark": "a"}, "after": {"remark": "b"}},
    ),
]


def row(operation: str, query: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    plain = {"user_name": "anna", "user_path": "/1/", "address": "", "method": "POST", "path": "/api/v1/x"}
    numbers = {"at_ms": 1, "user_id": 1, "status": 200, "code": 0, "duration_ms": 1}
    return plain | numbers | {
        "operation": operation, "ids": {}, "query": query, "changes": changes, "request_id": "x"
    }  # fmt: skip


async def test_old_rows_lose_their_secrets(database_url: str) -> None:
    database = Database(database_url)
    to = migrations.configuration(database_url)
    await asyncio.to_thread(command.downgrade, to, "0028-1")
    many = [ROWS[0]] * 1200  # more than are read at once
    async with database.session() as session:
        rows = [row(operation, query, changes) for operation, query, changes, _, _ in (*ROWS, *many)]
        await session.execute(insert(ENTRY), rows)
        await session.commit()
    await asyncio.to_thread(migrations.upgrade, database_url)
    async with database.reading() as session:
        entries = list(await session.scalars(select(AuditEntry).order_by(AuditEntry.id)))
    await database.close()
    found = [(entry.operation, entry.query, entry.changes) for entry in entries]
    assert found[: len(ROWS)] == [(operation, query, changes) for operation, _, _, query, changes in ROWS]
    assert found[len(ROWS) :] == [(ROWS[0][0], ROWS[0][3], ROWS[0][4])] * len(many)
    assert CANARY not in json.dumps([list(each) for each in found])
    if database_url.startswith("sqlite"):  # not only the rows: the pages of the file
        file = Path(database_url.partition("///")[2])
        assert CANARY.encode() not in b"".join(
            each.read_bytes() for each in file.parent.glob(f"{file.name}*")
        )
