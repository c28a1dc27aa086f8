"""The portal's looks: what a host name shows before and after sign-in."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.db import Database
from cloud.domains.customize.models import Customization
from cloud.domains.customize.repository import CustomizeRepository
from cloud.domains.customize.schemas import DEFAULT, CustomizeInfo, CustomizeRow, Looks
from cloud.domains.files.kinds import FileKind
from cloud.domains.files.service import FileService
from cloud.domains.identity.permissions import PLATFORM
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import Conflict, NoPermission, NotFound

log = logging.getLogger(__name__)

MAX_DOMAINS = 500

Offered = Callable[[], Awaitable[bool]]


async def no_demo() -> bool:
    """Of an installation without a demo user."""
    return False


class CustomizeService:
    """offered: would the demo sign-in succeed now?"""

    def __init__(
        self, database: Database, files: FileService, offered: Offered = no_demo, *, clock: NowMs = now_ms
    ) -> None:
        self._database = database
        self._files = files
        self._offered = offered
        self._clock = clock

    async def info(self, domain: str) -> CustomizeInfo:
        """Looks of a host name, else the default ones, else the portal's own."""
        async with self._database.reading() as session:
            repository = CustomizeRepository(session)
            row = await repository.one(domain.lower()) or await repository.one(DEFAULT)
        looks = Looks() if row is None else _looks(row)
        offered = (row is None or row.demo) and await self._offered()
        return CustomizeInfo(domain=domain, **{**looks.model_dump(), "demo": offered})

    async def page(self, user: CurrentUser, page: int, limit: int) -> Page[CustomizeRow]:
        """Entries by host name. Raises NoPermission when the user is not the platform."""
        _check_platform(user)
        async with self._database.reading() as session:
            rows, total = await CustomizeRepository(session).page(page, limit)
        return Page(rows=[_row(row) for row in rows], total=total)

    async def put(self, user: CurrentUser, domain: str, looks: Looks) -> None:
        """Make or replace the entry of a host name. Raises NoPermission when the user is not the platform,
        ParameterError for a picture that was not uploaded, Conflict when there are MAX_DOMAINS host names
        already.
        """
        _check_platform(user)
        for field, url, kind in _pictures(looks):
            await self._files.keep(url, kind, field)
        async with self._database.session() as session:
            repository = CustomizeRepository(session)
            row = await repository.one(domain)
            before = {} if row is None else _looks(row).model_dump()
            if row is None and await repository.count() >= MAX_DOMAINS:
                rule = f"at most {MAX_DOMAINS} host names"
                raise Conflict(f"domain: {rule}", field="domain", rule=rule, reason="customize.too_many")
            now = self._clock()
            await repository.put(domain=domain, changed_ms=now, user_name=user.name, **looks.model_dump())
            await session.commit()
        record_change(before, looks.model_dump())
        log.info("looks of %s changed by %s", domain, user.name)

    async def delete(self, user: CurrentUser, domain: str) -> None:
        """Delete the entry of a host name. Raises NotFound when there is none, NoPermission when the user is
        not the platform.
        """
        _check_platform(user)
        async with self._database.session() as session:
            repository = CustomizeRepository(session)
            row = await repository.one(domain)
            if row is None or not await repository.delete(domain):
                raise NotFound("host name")
            await session.commit()
        record_change(_looks(row).model_dump(), {})
        log.info("looks of %s deleted by %s", domain, user.name)

    async def pictures(self) -> set[str]:
        """Addresses of all uploads that an entry shows."""
        async with self._database.reading() as session:
            rows = await CustomizeRepository(session).all()
        return {url for row in rows for _, url, _ in _pictures(_looks(row))}


def _pictures(looks: Looks) -> list[tuple[str, str, FileKind]]:
    """Field, address and kind of every picture that is set."""
    pictures = [("logo", looks.logo, FileKind.LOGO), ("background", looks.background, FileKind.BACKGROUND)]
    pictures += [(f"carousel.{place}", url, FileKind.CAROUSEL) for place, url in enumerate(looks.carousel)]
    return [picture for picture in pictures if picture[1]]


def _looks(row: Customization) -> Looks:
    return Looks(**{name: getattr(row, name) for name in Looks.model_fields})


def _row(row: Customization) -> CustomizeRow:
    names = CustomizeRow.model_fields
    return CustomizeRow(**{name: getattr(row, name) for name in names})


def _check_platform(user: CurrentUser) -> None:
    """Rules may give the permission to others; these entries are the platform's all the same."""
    if user.user_type != PLATFORM:
        raise NoPermission("auth.Customize")
