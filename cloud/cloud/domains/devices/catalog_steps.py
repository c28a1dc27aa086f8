"""In how many transactions a catalog is taken over."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import ParamSpec, Protocol, TypeVar

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.shielded import shielded
from cloud.db import Database
from cloud.domains.devices.catalog_repository import CatalogRepository

P = ParamSpec("P")
T = TypeVar("T")

Step = Callable[[CatalogRepository], Awaitable[T]]


class CatalogSteps(Protocol):
    """What is read and written of a catalog, step by step; the last step says that it is the gateway's."""

    def read(self, step: Step[T]) -> Awaitable[T]: ...

    def write(self, step: Step[T]) -> Awaitable[T]: ...

    def last(self, step: Callable[[AsyncSession], Awaitable[None]]) -> Awaitable[None]: ...

    def compute(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Awaitable[T]: ...


class ManyTransactions:
    """One for each step of a large catalog, so that landing and others wait for a few milliseconds."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, step: Step[T]) -> T:
        async with self._database.reading() as session:
            return await step(CatalogRepository(session))

    @shielded
    async def write(self, step: Step[T]) -> T:
        """One that a power cut may undo, until one that lasts follows: then the catalog comes again."""
        async with self._database.asynchronous_commit() as session:
            result = await step(CatalogRepository(session))
            await session.commit()
        return result

    @shielded
    async def last(self, step: Callable[[AsyncSession], Awaitable[None]]) -> None:
        async with self._database.session() as session:
            await step(session)
            await session.commit()

    async def compute(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.to_thread(work, *args, **kwargs)


class SingleTransaction:
    """The caller's, who commits it: for a small catalog, as thousands of gateways come for the first time at
    once.
    """

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def read(self, step: Step[T]) -> T:
        return await step(CatalogRepository(self._session))

    async def write(self, step: Step[T]) -> T:
        return await step(CatalogRepository(self._session))

    async def last(self, step: Callable[[AsyncSession], Awaitable[None]]) -> None:
        await step(self._session)

    async def compute(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return work(*args, **kwargs)  # no thread that is busy may keep the transaction open
