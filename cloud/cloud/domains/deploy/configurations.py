"""Configurations: stored versions, drafts, what a gateway runs, and edits that were made on it.

What runs and is not stored is requested, again after five minutes at most. A report that was not requested is
taken once a minute from a gateway; pulses name what runs, so one that is refused is requested later.
What no report causes (a known version runs again, or an older cloud left it so) is rebased every 2 s.

Reading needs Monitor.DeviceMonitor, changing DeviceManage. Secrets are masked for everybody but owners with
DeviceManage. Versions of a gateway that the user does not see raise NotFound.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable, Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.clock import NowMs, now_ms
from cloud.core.log_once import LogOnce
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.configuration.difference import difference
from cloud.domains.configuration.document import MAX_BYTES, MAX_DEPTH, is_shallow, points_of, read, written
from cloud.domains.configuration.drafts import KEEP_VERSIONS, Drafts, NewDraft, forget
from cloud.domains.configuration.models import ConfigurationStateRow, ConfigurationVersion
from cloud.domains.configuration.reach import reach_of, refusal_of
from cloud.domains.configuration.rebase import rebase
from cloud.domains.configuration.repository import DeployRepository
from cloud.domains.configuration.state_changes import drop_draft, pending, situation
from cloud.domains.deploy import views
from cloud.domains.deploy.metrics import LOCAL_EDITS, REFUSED
from cloud.domains.deploy.renames import Follow, Renaming
from cloud.domains.deploy.schemas import (
    ConfigurationDifference,
    ConfigurationState,
    DraftBody,
    Version,
    VersionDocument,
)
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import NotFound
from edge_contract.deployment import ConfigurationReport, Document, canonical
from edge_contract.document.masking import masked, unmasked
from edge_contract.document.rename import renamed_slaves

log = logging.getLogger(__name__)

ASK_S = 2.0
"""Interval of the search for gateways that run something unexplained."""

ASK_AGAIN_MS = 300_000
"""A configuration of megabytes may take minutes on a cellular link."""

UNREQUESTED_MS = 60_000
"""Between two reports of a gateway that were not requested; each may be 5 MiB, and is stored."""

AT_ONCE = 200
Ask = Callable[[int], Awaitable[None]]
"""Ask a gateway for what it runs."""

Changed = Callable[[int], Awaitable[None]]


class ConfigurationService:
    """changed: called with the id of a gateway whose configuration state has changed. follow: called when
    slaves have been renamed.
    """

    def __init__(
        self,
        database: Database,
        devices: DeviceService,
        ask: Ask,
        changed: Changed,
        *,
        follow: Sequence[Follow] = (),
        clock: NowMs = now_ms,
        keep: int = KEEP_VERSIONS,
    ) -> None:
        self._database = database
        self._devices = devices
        self._ask = ask
        self._changed = changed
        self._follow = follow
        self._clock = clock
        self._keep = keep
        self._requested_ms: dict[int, int] = {}
        self._awaited: set[int] = set()
        self._reported: dict[int, int] = {}
        self._mended: dict[int, list[str | None]] = {}  # drafts as rebase_drafts left them
        self._looked_at = 0
        self._complaints = LogOnce()

    async def state(self, scope: Scope, device_id: int, page: int, limit: int) -> ConfigurationState:
        """Running, draft, pending local edit, last deployment and a page of versions. Raises NotFound for a
        gateway that the scope does not see.
        """
        await self._devices.gateway_of(scope, device_id)
        async with self._database.reading() as session:
            repository = DeployRepository(session, scope)
            config_state = await repository.config_state(device_id)
            rows, total = await repository.versions(device_id, page, limit)
            latest = await repository.latest(device_id)
            draft = pending(config_state) if config_state else None
            of_draft = await repository.latest(device_id, draft) if draft else None
            running = config_state.running if config_state else None
            known = running is not None and await repository.version(device_id, running) is not None
        return views.state(config_state, known, latest, of_draft, rows, total)

    async def document(self, user: CurrentUser, device_id: int, name: str) -> VersionDocument:
        """A version; its secrets only for the owner with DeviceManage. Raises NotFound when there is no such
        version, or not for this user.
        """
        async with self._database.reading() as session:
            repository = DeployRepository(session, user.scope)
            row = await repository.version(device_id, name)
            text = await repository.document(device_id, name)
        if row is None or text is None:
            raise NotFound("configuration")
        hidden = not (user.may("DeviceManage") and await self._devices.owns(user, [device_id]))
        document = await asyncio.to_thread(read, text)
        return VersionDocument(
            version=views.version(row), masked=hidden, document=masked(document) if hidden else document
        )

    async def save(self, user: CurrentUser, device_id: int, body: DraftBody) -> Version:
        """A new draft. Raises Conflict when somebody, or the gateway itself, was faster than this editor,
        ParameterError for a document that is no draft, NotFound and NoPermission when the user may not change
        the gateway.
        """
        device = await self._devices.changeable(user, device_id)
        document = await self._with_secrets(user, device_id, body)
        content = await asyncio.to_thread(written, document, device.gateway_id)
        draft = NewDraft(document, content, body.base, body.note)
        async with self._database.session() as session:
            row = await Drafts(session, user, self._clock(), self._keep).keep(device_id, draft)
            await self._rename(session, user.scope, device_id, (body.base, row.hash), document, user.name)
            await session.commit()
        log.info("configuration of %s: %s saves %s on %s", device.gateway_id, user.name, row.hash, body.base)
        await self._changed(device_id)
        return views.version(row)

    async def _with_secrets(self, user: CurrentUser, device_id: int, body: DraftBody) -> Document:
        """The document to be saved; what its base hides from this user stays as it is there."""
        if body.base is None:
            return body.document
        async with self._database.reading() as session:
            text = await DeployRepository(session, user.scope).document(device_id, body.base)
        if text is None:
            return body.document
        document: Document = await asyncio.to_thread(lambda: unmasked(body.document, read(text)))
        return document

    async def discard(self, user: CurrentUser, device_id: int) -> None:
        """Drop the draft; its version stays in the history. Raises NotFound when there is no draft."""
        await self._devices.changeable(user, device_id)
        async with self._database.session() as session:
            repository = DeployRepository(session, user.scope)
            config_state = await repository.locked(device_id)
            if config_state.draft is None:
                raise NotFound("draft")
            log.info(
                "configuration of %d: %s discards the draft %s", device_id, user.name, config_state.draft
            )
            config_state.newest = await self._without_draft(repository, config_state)
            drop_draft(config_state)
            await session.commit()
        await self._changed(device_id)

    async def drop_draft(self, device_id: int, only: str | None = None) -> None:
        """Drop the draft, whoever made it, if there is one; only: if it is this version."""
        async with self._database.session() as session:
            repository = DeployRepository(session, Scope.system())
            config_state = await repository.locked(device_id)
            if config_state.draft is None or only not in (None, config_state.draft):
                return
            config_state.newest = await self._without_draft(repository, config_state)
            drop_draft(config_state)
            await session.commit()
        await self._changed(device_id)

    async def compare(
        self, scope: Scope, device_id: int, before: str | None, after: str | None, limit: int
    ) -> ConfigurationDifference:
        """From what runs to the draft, unless named otherwise; at most limit rows of each list. Raises
        NotFound when one of the two versions is not stored.
        """
        async with self._database.reading() as session:
            repository = DeployRepository(session, scope)
            config_state = situation(await repository.config_state(device_id))
            names = (before or config_state.running, after or config_state.draft or config_state.accepted)
            texts = [await repository.document(device_id, name) if name else None for name in names]
        if names[0] is None or names[1] is None or texts[0] is None or texts[1] is None:
            raise NotFound("configuration")
        changes = await asyncio.to_thread(lambda: difference(read(texts[0] or ""), read(texts[1] or "")))
        lost = refusal_of(reach_of(texts[0]), reach_of(texts[1]), deliberate=True) is not None
        return views.difference(names[0], names[1], changes, limit, link_lost=lost)

    async def report(self, gateway: str, report: ConfigurationReport) -> None:
        """Store what a gateway says that it runs; it is a local edit when nobody deployed it."""
        device_id = await self._devices.id_of(gateway)
        if device_id is None:
            return
        if not self._may_report(device_id):
            REFUSED.labels("unasked").inc()
            return
        content = await asyncio.to_thread(canonical, report.document)
        if problem := await asyncio.to_thread(_problem, report, content):
            REFUSED.labels("configuration").inc()
            if self._complaints.first(gateway):
                log.warning("configuration of %s: the document %s", gateway, problem)
            return
        async with self._database.session() as session:
            repository = DeployRepository(session, Scope.system())
            config_state = await repository.locked(device_id)
            is_new = await repository.version(device_id, report.hash) is None
            if is_new:
                repository.add(
                    ConfigurationVersion(
                        device_id=device_id,
                        hash=report.hash,
                        document=content.decode(),
                        size=len(content),
                        points=points_of(report.document),
                        origin=report.origin.value,
                        parent=config_state.accepted,
                        author="",
                        note="",
                        created_ms=self._clock(),
                    )
                )
            is_change = config_state.running != report.hash or config_state.origin is None
            config_state.running, config_state.origin = report.hash, report.origin.value
            config_state.since_ms = report.t_ms
            accepted = config_state.accepted
            if accepted is None:
                config_state.accepted = report.hash
            elif is_change and report.hash not in (accepted, config_state.draft_base):
                LOCAL_EDITS.inc()
                log.warning("gateway %s runs %s, which nobody deployed", gateway, report.hash)
            if config_state.draft is None and (accepted is None or (is_change and report.hash != accepted)):
                config_state.newest = report.hash
            if is_new:
                await self._rename(
                    session, Scope.system(), device_id, (accepted, report.hash), report.document, ""
                )
            await self._rebase(session, config_state)
            await forget(repository, config_state, self._keep)
            await session.commit()
        await self._changed(device_id)

    async def ask_unexplained(self) -> None:
        """Periodic: ask gateways for configurations that the cloud does not know."""
        async with self._database.reading() as session:
            device_ids = await DeployRepository(session, Scope.system()).unexplained(AT_ONCE)
        now = self._clock()
        self._requested_ms = {
            number: t_ms for number, t_ms in self._requested_ms.items() if now - t_ms < ASK_AGAIN_MS
        }
        for device_id in device_ids:
            if device_id in self._requested_ms:
                continue
            if (await self._devices.row(Scope.system(), device_id)).link.online:
                self._awaited.add(device_id)
                await self._ask(device_id)
                self._requested_ms[device_id] = now

    async def rebase_drafts(self) -> None:
        """Periodic: rebase drafts of gateways that run something else than their base, when no report did: it
        was known already, or an older version of the cloud left them.
        """
        async with self._database.reading() as session:
            rows = await DeployRepository(session, Scope.system()).to_rebase(self._looked_at, AT_ONCE)
        self._looked_at = rows[-1][0] if len(rows) == AT_ONCE else 0
        for device_id, *names in rows:
            if self._mended.get(device_id) == names:
                continue
            async with self._database.session() as session:
                config_state = await DeployRepository(session, Scope.system()).locked(device_id)
                await self._rebase(session, config_state)
                self._mended[device_id] = [config_state.draft, config_state.running, config_state.newest]
                await session.commit()
            await self._changed(device_id)

    async def _rebase(self, session: AsyncSession, config_state: ConfigurationStateRow) -> None:
        """Rebase the draft of a gateway; what uses templates of its slaves follows."""
        made = await rebase(DeployRepository(session, Scope.system()), config_state, self._clock())
        if made is None:
            return
        await session.flush()
        author, edited = config_state.draft_author or "", (made.old, made.hash)
        await self._rename(
            session, Scope.system(), config_state.device_id, edited, made.document, author, again=True
        )

    async def _without_draft(
        self, repository: DeployRepository, config_state: ConfigurationStateRow
    ) -> str | None:
        """What the next edit begins with when the draft is gone: what runs, unless that is it, on trial."""
        name = config_state.running
        if name is None or name == config_state.draft:
            return config_state.draft_base
        return name if await repository.version(config_state.device_id, name) else config_state.draft_base

    async def _rename(
        self,
        session: AsyncSession,
        scope: Scope,
        device_id: int,
        edited: tuple[str | None, str],
        document: Document,
        author: str,
        *,
        again: bool = False,
    ) -> None:
        """edited: names of the document before and of this one. again: as in Renaming."""
        base, name = edited
        text = await DeployRepository(session, scope).document(device_id, base) if base else None
        if base is None or text is None or base == name or not self._follow:
            return
        slaves = await asyncio.to_thread(lambda: renamed_slaves(read(text), document))
        if slaves:
            renaming = Renaming(scope, device_id, base, name, slaves, author, self._clock(), again)
            for follow in self._follow:
                await follow(session, renaming)

    def _may_report(self, device_id: int) -> bool:
        """Was a report requested, or none taken for UNREQUESTED_MS? ask_unexplained requests a refused one
        again as long as it runs, because hello and pulse name it.
        """
        now = self._clock()
        self._reported = {n: t_ms for n, t_ms in self._reported.items() if 0 <= now - t_ms < UNREQUESTED_MS}
        if device_id not in self._awaited and device_id in self._reported:
            return False
        self._awaited.discard(device_id)
        self._reported[device_id] = now
        return True


def _problem(report: ConfigurationReport, content: bytes) -> str:
    """Why a reported document cannot be stored; empty when it can. content: its canonical bytes."""
    if hashlib.sha256(content).hexdigest() != report.hash:
        return "is not what its hash says"
    if len(content) > MAX_BYTES:
        return f"has more than {MAX_BYTES} bytes"
    return "" if is_shallow(report.document) else f"is more than {MAX_DEPTH} levels deep"
