"""Engines of one process share their compiled statements.

SQLAlchemy keeps them for each engine. An application has one engine; nearly every test has one of its own,
and compiling the same statements again took a third of the processor time of the domains' tests.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy.dialects import registry
from sqlalchemy.dialects.postgresql.asyncpg import PGDialect_asyncpg
from sqlalchemy.dialects.sqlite.aiosqlite import SQLiteDialect_aiosqlite
from sqlalchemy.engine import Engine
from sqlalchemy.util import LRUCache

STATEMENTS = 5000

_compiled: LRUCache[Any, Any] = LRUCache(STATEMENTS)


class _Shared:
    """Dialects are part of a compiled statement's key: all of one kind and one server are the same."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    @classmethod
    def engine_created(cls, engine: Engine) -> None:
        engine._compiled_cache = _compiled


class Sqlite(_Shared, SQLiteDialect_aiosqlite):
    supports_statement_cache = True


class Postgresql(_Shared, PGDialect_asyncpg):
    supports_statement_cache = True


def share_compiled_statements() -> None:
    registry.register("sqlite.aiosqlite", __name__, Sqlite.__name__)
    registry.register("postgresql.asyncpg", __name__, Postgresql.__name__)
