"""Configurations: kept versions, drafts, what a gateway runs, and edits that were made on it.

What runs and is not stored is asked for, again after five minutes at most. A report that was not asked for
is taken once a minute from a gateway; pulses name what runs, so one that is refused is asked for later.
What no report causes (a known version runs again, or an older cloud left it so) is rebased every 2 s.

Reading needs Monitor.DeviceMonitor, changing DeviceManage. Secrets are masked for everybody but owners with
DeviceManage. Versions of a gateway that the user does not see are not found.
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
from cloud.domains.configuration.document import MOST_BYTES, MOST_DEPTH, is_shallow, points_of, read, written
from cloud.domains.configuration.drafts import KEEP_VERSIONS, Drafts, Kept, forget
from cloud.domains.configuration.models import ConfigurationVersion, Standing
from cloud.domains.configuration.reach import reach_of, refusal_of
from cloud.domains.configuration.rebase import rebase
from cloud.domains.configuration.repository import DeployRepository
from cloud.domains.configuration.standing import drop_draft, pending, situation
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

UNASKED_MS = 60_000
"""Between two reports of a gateway that were not asked for; each may be 5 MiB, and is kept."""

AT_ONCE = 200
Ask = Callable[[int], Awaitable[None]]
"""Ask a gateway for what it runs."""

Changed = Callable[[int], Awaitable[None]]


class ConfigurationService:
    """changed: told the gateway whose configuration stands differently now. follow: told of slaves that have
    another name.
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
        self._asked: dict[int, int] = {}
        self._awaited: set[int] = set()
        self._reported: dict[int, int] = {}
        self._mended: dict[int, list[str | None]] = {}  # drafts as they were left
        self._looked_at = 0
        self._complaints = LogOnce()

    async def state(self, scope: Scope, device_id: int, page: int, limit: int) -> ConfigurationState:
        """Running, draft, pending local edit, last deployment and a page of versions."""
        await self._devices.gateway_of(scope, device_id)
        async with self._database.reading() as session:
            repository = DeployRepository(session, scope)
            standing = await repository.standing(device_id)
            rows, total = await repository.versions(device_id, page, limit)
            latest = await repository.latest(device_id)
            draft = pending(standing) if standing else None
            of_draft = await repository.latest(device_id, draft) if draft else None
            running = standing.running if standing else None
            known = running is not None and await repository.version(device_id, running) is not None
        return views.state(standing, known, latest, of_draft, rows, total)

    async def document(self, user: CurrentUser, device_id: int, name: str) -> VersionDocument:
        """A version; its secrets only for who may manage devices, and to whom this one belongs."""
        async with self._database.reading() as session:
            repository = DeployRepository(session, user.scope)
            row = await repository.version(device_id, name)
            text = await repository.document(device_id, name)
        if row is None or text is None:
            raise NotFound("configuration")
        hidden = not (user.may("DeviceManage") and await self._devices.owns(user, [device_id]))
        found = await asyncio.to_thread(read, text)
        return VersionDocument(
            version=views.version(row), masked=hidden, document=masked(found) if hidden else found
        )

    async def save(self, user: CurrentUser, device_id: int, body: DraftBody) -> Version:
        """A new draft. Conflict when somebody, or the gateway itself, was faster than this editor."""
        device = await self._devices.changeable(user, device_id)
        document = await self._with_secrets(user, device_id, body)
        content = await asyncio.to_thread(written, document, device.gateway_id)
        kept = Kept(document, content, body.base, body.note)
        async with self._database.session() as session:
            row = await Drafts(session, user, self._clock(), self._keep).keep(device_id, kept)
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
        found: Document = await asyncio.to_thread(lambda: unmasked(body.document, read(text)))
        return found

    async def discard(self, user: CurrentUser, device_id: int) -> None:
        """Drop the draft; its version stays in the history."""
        await self._devices.changeable(user, device_id)
        async with self._database.session() as session:
            repository = DeployRepository(session, user.scope)
            standing = await repository.locked(device_id)
            if standing.draft is None:
                raise NotFound("draft")
            log.info("configuration of %d: %s discards the draft %s", device_id, user.name, standing.draft)
            standing.newest = await self._without_draft(repository, standing)
            drop_draft(standing)
            await session.commit()
        await self._changed(device_id)

    async def drop_draft(self, device_id: int) -> None:
        """Drop the draft, whoever made it, if there is one."""
        async with self._database.session() as session:
            repository = DeployRepository(session, Scope.system())
            standing = await repository.locked(device_id)
            if standing.draft is None:
                return
            standing.newest = await self._without_draft(repository, standing)
            drop_draft(standing)
            await session.commit()
        await self._changed(device_id)

    async def compare(
        self, scope: Scope, device_id: int, before: str | None, after: str | None, most: int
    ) -> ConfigurationDifference:
        """From what runs to the draft, unless named otherwise."""
        async with self._database.reading() as session:
            repository = DeployRepository(session, scope)
            standing = situation(await repository.standing(device_id))
            names = (before or standing.running, after or standing.draft or standing.accepted)
            texts = [await repository.document(device_id, name) if name else None for name in names]
        if names[0] is None or names[1] is None or texts[0] is None or texts[1] is None:
            raise NotFound("configuration")
        found = await asyncio.to_thread(lambda: difference(read(texts[0] or ""), read(texts[1] or "")))
        lost = refusal_of(reach_of(texts[0]), reach_of(texts[1]), deliberate=True) is not None
        return views.difference(names[0], names[1], found, most, link_lost=lost)

    async def report(self, gateway: str, report: ConfigurationReport) -> None:
        """What a gateway says that it runs: kept, and shown as a local edit when nobody deployed it."""
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
            standing = await repository.locked(device_id)
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
                        parent=standing.accepted,
                        author="",
                        note="",
                        created_ms=self._clock(),
                    )
                )
            news = standing.running != report.hash or standing.origin is None
            standing.running, standing.origin = report.hash, report.origin.value
            standing.since_ms = report.t_ms
            accepted = standing.accepted
            if accepted is None:
                standing.accepted = report.hash
            elif news and report.hash not in (accepted, standing.draft_base):
                LOCAL_EDITS.inc()
                log.warning("gateway %s runs %s, which nobody deployed", gateway, report.hash)
            if standing.draft is None and (accepted is None or (news and report.hash != accepted)):
                standing.newest = report.hash
            if is_new:
                await self._rename(
                    session, Scope.system(), device_id, (accepted, report.hash), report.document, ""
                )
            await self._rebase(session, standing)
            await forget(repository, standing, self._keep)
            await session.commit()
        await self._changed(device_id)

    async def ask_unexplained(self) -> None:
        """Periodic: ask gateways for configurations that the cloud does not know."""
        async with self._database.reading() as session:
            found = await DeployRepository(session, Scope.system()).unexplained(AT_ONCE)
        now = self._clock()
        self._asked = {number: t_ms for number, t_ms in self._asked.items() if now - t_ms < ASK_AGAIN_MS}
        for device_id in found:
            if device_id in self._asked:
                continue
            if (await self._devices.row(Scope.system(), device_id)).link.online:
                self._awaited.add(device_id)
                await self._ask(device_id)
                self._asked[device_id] = now

    async def rebase_drafts(self) -> None:
        """Periodic: put drafts of gateways that run something else than their base onto that, when no report
        told: it was known already, or an older version of the cloud left them.
        """
        async with self._database.reading() as session:
            found = await DeployRepository(session, Scope.system()).elsewhere(self._looked_at, AT_ONCE)
        self._looked_at = found[-1][0] if len(found) == AT_ONCE else 0
        for device_id, *names in found:
            if self._mended.get(device_id) == names:
                continue
            async with self._database.session() as session:
                standing = await DeployRepository(session, Scope.system()).locked(device_id)
                await self._rebase(session, standing)
                self._mended[device_id] = [standing.draft, standing.running, standing.newest]
                await session.commit()
            await self._changed(device_id)

    async def _rebase(self, session: AsyncSession, standing: Standing) -> None:
        """What uses templates of the draft's slaves goes along."""
        made = await rebase(DeployRepository(session, Scope.system()), standing, self._clock())
        if made is None:
            return
        await session.flush()
        author, edited = standing.draft_author or "", (made.old, made.hash)
        await self._rename(
            session, Scope.system(), standing.device_id, edited, made.document, author, again=True
        )

    async def _without_draft(self, repository: DeployRepository, standing: Standing) -> str | None:
        """What the next edit begins with when the draft is gone: what runs, unless that is it, on trial."""
        name = standing.running
        if name is None or name == standing.draft:
            return standing.draft_base
        return name if await repository.version(standing.device_id, name) else standing.draft_base

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
        """Was it asked, or quiet for long enough? What is turned away is asked for by ask_unexplained as long
        as it runs, because hello and pulse name it.
        """
        now = self._clock()
        self._reported = {n: t_ms for n, t_ms in self._reported.items() if 0 <= now - t_ms < UNASKED_MS}
        if device_id not in self._awaited and device_id in self._reported:
            return False
        self._awaited.discard(device_id)
        self._reported[device_id] = now
        return True


def _problem(report: ConfigurationReport, content: bytes) -> str:
    """Why a reported document cannot be kept; empty when it can. content: its canonical bytes."""
    if hashlib.sha256(content).hexdigest() != report.hash:
        return "is not what its hash says"
    if len(content) > MOST_BYTES:
        return f"has more than {MOST_BYTES} bytes"
    return "" if is_shallow(report.document) else f"is more than {MOST_DEPTH} levels deep"
