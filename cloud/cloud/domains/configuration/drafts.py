"""Drafts of gateways in a transaction of the caller: read the newest document, store a new one.

An edit whose base is not the newest version is refused (409, configuration.moved, with who was faster).
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.domains.configuration.document import points_of
from cloud.domains.configuration.models import ConfigurationStateRow, ConfigurationVersion
from cloud.domains.configuration.rebase import may_follow
from cloud.domains.configuration.repository import DeployRepository
from cloud.domains.configuration.state_changes import begin, whose
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import Conflict
from edge_contract.deployment import Document, document_hash

MOVED = "configuration.moved"
KEEP_VERSIONS = 200
"""Of each gateway; older ones go, unless they run or are a draft."""


@dataclass(frozen=True)
class NewDraft:
    """A new draft. document: of that gateway; content: its canonical bytes, as document.written made them."""

    document: Document
    content: bytes
    base: str | None
    note: str = ""


class Drafts:
    """A unit of work that commits nothing. Its caller makes sure that the user may change the gateway."""

    def __init__(
        self, session: AsyncSession, user: CurrentUser, now_ms: int, keep: int = KEEP_VERSIONS
    ) -> None:
        self._repository = DeployRepository(session, user.scope)
        self._user = user
        self._now_ms = now_ms
        self._keep = keep

    async def newest(self, device_id: int, *, locked: bool = False) -> tuple[str | None, str | None]:
        """Name and text of what the next edit must be based on; None when there is none yet.

        locked: nobody else changes it before this transaction ends.
        """
        repository = self._repository
        config_state = await (repository.locked(device_id) if locked else repository.config_state(device_id))
        name = config_state.newest if config_state else None
        return name, await repository.document(device_id, name) if name else None

    async def version(self, device_id: int, name: str) -> str | None:
        """Text of a version; None when it is not there, or not any more."""
        return await self._repository.document(device_id, name)

    async def only_author(self, device_id: int, base: str) -> str:
        """Who made the newest version when nothing but that one came after base; else empty."""
        config_state = await self._repository.config_state(device_id)
        newest = config_state.newest if config_state else None
        row = await self._repository.version(device_id, newest) if newest else None
        return row.author if row is not None and row.parent == base else ""

    async def editable(self, device_id: int) -> tuple[str | None, str | None]:
        """As newest, locked. Raises Conflict when `keep` would refuse a draft that is made from it."""
        config_state = await self._repository.locked(device_id)
        if not await may_follow(self._repository, config_state, config_state.newest):
            raise await self._moved(device_id, config_state)
        return await self.newest(device_id)

    async def refuse_moved(self, device_id: int, base: str | None) -> None:
        """Raises Conflict, with who made the newest version, when base is not that one."""
        config_state = await self._repository.config_state(device_id)
        if base != (config_state.newest if config_state else None):
            raise await self._moved(device_id, config_state)

    async def keep(self, device_id: int, draft: NewDraft) -> ConfigurationVersion:
        """Store a new draft. Raises Conflict when somebody, or the gateway itself, was faster than this
        editor.
        """
        repository = self._repository
        config_state = await repository.locked(device_id)
        if not await may_follow(repository, config_state, draft.base):
            raise await self._moved(device_id, config_state)
        name = document_hash(draft.document)
        row = await repository.version(device_id, name)
        if row is None:
            row = ConfigurationVersion(
                device_id=device_id,
                hash=name,
                document=draft.content.decode(),
                size=len(draft.content),
                points=points_of(draft.document),
                origin="cloud",
                parent=draft.base,
                author=self._user.name,
                note=draft.note,
                created_ms=self._now_ms,
            )
            repository.add(row)
        begin(config_state, draft.base, name, self._user.name, self._now_ms)
        await forget(repository, config_state, self._keep)
        return row

    async def _moved(self, device_id: int, config_state: ConfigurationStateRow | None) -> Conflict:
        newest = config_state.newest if config_state else None
        row = await self._repository.version(device_id, newest) if newest else None
        return Conflict(
            "the configuration was changed by somebody else meanwhile",
            field="base",
            rule=newest or "null",
            reason=MOVED,
            arguments=whose(row),
        )


async def forget(repository: DeployRepository, config_state: ConfigurationStateRow, keep: int) -> None:
    """Old versions of a gateway go, unless they run, are a draft or are being deployed."""
    deployed = {row.hash for row in await repository.unfinished(config_state.device_id)}
    named = {
        config_state.running,
        config_state.accepted,
        config_state.newest,
        config_state.draft,
        config_state.draft_base,
    }
    needed = deployed | {name for name in named if name}
    await repository.forget_versions(config_state.device_id, keep, needed)
