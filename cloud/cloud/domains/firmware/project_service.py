"""Projects with what their gateways run, and the plans that are under way in them."""

from __future__ import annotations

from cloud.core.envelope import Rows
from cloud.db import Database
from cloud.domains.firmware.project_repository import ReleaseRepository
from cloud.domains.firmware.project_versions import project_rows
from cloud.domains.firmware.schemas import FirmwareProjectRow
from cloud.domains.identity.schemas import CurrentUser

MAX_LISTED = 5000
"""Nodes, as the tree of projects has them."""


class FirmwareProjectService:
    """What the user does not see is not counted."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def rows(self, user: CurrentUser) -> Rows[FirmwareProjectRow]:
        """Every node that the user sees, a parent before its children, and gateways of no project."""
        async with self._database.reading() as session:
            repository = ReleaseRepository(session, user.scope)
            nodes = await repository.nodes(MAX_LISTED)
            counts, plans = await repository.counts(), await repository.plans()
        return Rows(rows=project_rows(nodes, counts, plans))
