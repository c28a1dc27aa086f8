"""Templates on gateways: who uses one, what a version would change, and applying it.

Needs DeviceTemplate and DeviceManage, and gateways that the user may change; others that he does not see
are in no usage, preview or application. With `others` gateways that do not use it yet get it as well: a
gateway template as it is, a point template on the slave that is named for all of them. A point template is
refused on a slave of another protocol. Previews are paged (at most 200 gateways), their totals exact.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.envelope import Page
from cloud.db import Database
from cloud.domains.configuration.document import written
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.visibility import read_only
from cloud.domains.jobs.run import JobFailed, Run
from cloud.domains.jobs.schemas import Job
from cloud.domains.jobs.service import JobService
from cloud.domains.templates.apply_plan import ApplyPlan, apply_plan, plan_of
from cloud.domains.templates.content import Reference
from cloud.domains.templates.drafts import CHANGE, NONE, OpenedDraft, TemplateDrafts, changes_of
from cloud.domains.templates.link_repository import LinkRepository, Links, ListedGateway
from cloud.domains.templates.models import TemplateNode
from cloud.domains.templates.planning import Planned
from cloud.domains.templates.repository import TemplateRepository
from cloud.domains.templates.row_changes import row_changes
from cloud.domains.templates.schemas import (
    ApplyTemplateBody,
    PreviewRow,
    PreviewTemplateBody,
    RowPreview,
    RowPreviewBody,
    TemplatePreview,
)
from cloud.domains.templates.version_cache import VersionCache
from cloud.domains.templates.versions import template
from cloud.errors import CloudError, NoPermission, NotFound, ParameterError

log = logging.getLogger(__name__)

KIND = "template.apply"
"""Of the job."""


class ApplyService:
    """Changes drafts only: what runs changes when somebody deploys them."""

    def __init__(self, database: Database, drafts: TemplateDrafts, jobs: JobService) -> None:
        self._database = database
        self._drafts = drafts
        self._jobs = jobs
        jobs.register(KIND, self.run, needs="DeviceTemplate")

    async def preview(
        self, user: CurrentUser, template_id: int, body: PreviewTemplateBody
    ) -> TemplatePreview:
        """What a version would do to the drafts of the gateways that use the template, or that are named;
        changes nothing.
        """
        async with self._database.reading() as session:
            node, wanted = await self._wanted(session, user, template_id, body.version)
            options = apply_plan(node, body)
            links = LinkRepository(session, user.scope)
            chosen = await _chosen(links, template_id, body)
            gateways = await links.gateways(chosen)
            page = gateways[(body.page - 1) * body.limit : body.page * body.limit]
            numbers = [gateway.device_id for gateway in page]
            writable = await links.writable(numbers) if user.may("DeviceManage") else set()
            versions = VersionCache(TemplateRepository(session, user.scope))
            rows = []
            for gateway in page:
                opened = await self._drafts.opened(session, user, gateway.device_id, gateway.gateway)
                if gateway.device_id not in writable:
                    rows.append(_preview_row(gateway, str(read_only().reason), None))
                    continue
                try:
                    made = await plan_of(node, wanted, options, opened, versions)
                    await asyncio.to_thread(written, made.document, gateway.gateway)
                except CloudError as error:
                    rows.append(_preview_row(gateway, code_of(error), None))
                else:
                    touched = made.changes() or made.links != opened.links
                    rows.append(_preview_row(gateway, CHANGE if touched else NONE, made))
        return TemplatePreview(version=wanted.number, total=len(gateways), rows=rows)

    async def preview_rows(
        self, user: CurrentUser, template_id: int, body: RowPreviewBody
    ) -> Page[RowPreview]:
        """Row by row what a version would do to one gateway's draft; Conflict says why it would not.

        Raises NotFound without such a gateway.
        """
        async with self._database.reading() as session:
            node, wanted = await self._wanted(session, user, template_id, body.version)
            found = await LinkRepository(session, user.scope).gateways([body.device_id])
            if not found:
                raise NotFound("device")
            opened = await self._drafts.opened(session, user, body.device_id, found[0].gateway)
            versions = VersionCache(TemplateRepository(session, user.scope))
            made = await plan_of(node, wanted, apply_plan(node, body), opened, versions)
        rows = await asyncio.to_thread(row_changes, opened.document, made.document)
        return Page(rows=rows[(body.page - 1) * body.limit : body.page * body.limit], total=len(rows))

    async def apply(self, user: CurrentUser, template_id: int, body: ApplyTemplateBody) -> Job:
        """A job; NotFound for a gateway that the user does not see, NoPermission for one shared read only."""
        if not user.may("DeviceManage"):
            raise NoPermission("DeviceManage")
        async with self._database.reading() as session:
            node, wanted = await self._wanted(session, user, template_id, body.version)
            options = apply_plan(node, body)
            links = LinkRepository(session, user.scope)
            numbers = list(dict.fromkeys(body.device_ids))
            if len(await links.gateways(numbers)) != len(numbers):
                raise NotFound("device")
            if len(await links.writable(numbers)) != len(numbers):
                raise read_only()
        parameters = {
            "template_id": template_id,
            "version": wanted.number,
            "device_ids": numbers,
            "keep_overrides": options.keep,
            "others": options.others,
            "slave": options.slave,
        }
        return await self._jobs.ask(user, KIND, node.title, parameters)

    async def run(self, run: Run) -> dict[str, Any]:
        """The job: gateway by gateway, each wholly or not at all. Its summary says what became of each.

        Raises JobFailed when the asker may not do it any more, or the version is gone.
        """
        numbers: Sequence[int] = run.parameters["device_ids"]
        asked = run.parameters
        options = ApplyPlan(bool(asked["keep_overrides"]), bool(asked.get("others")), asked.get("slave"))
        if not run.user.may("DeviceManage") or not run.user.may("DeviceTemplate"):
            raise JobFailed("no_permission")
        try:
            async with self._database.reading() as session:
                node, wanted = await self._wanted(
                    session, run.user, run.parameters["template_id"], run.parameters["version"]
                )
                known = await LinkRepository(session, run.user.scope).gateways(numbers)
        except NotFound as error:
            raise JobFailed("template_gone", error.message) from None
        gateways = {each.device_id: each for each in known}
        note = f"{node.title} v{wanted.number}"[:200]

        async def plan(opened: OpenedDraft, versions: VersionCache) -> Planned:
            return await plan_of(node, wanted, options, opened, versions)

        rows = []
        for done, number in enumerate(numbers):
            await run.progress(done, len(numbers))
            row: dict[str, Any] = {"device_id": number, "state": "", "hash": "", "slaves": []}
            row |= _names(gateways.get(number))
            try:
                row |= (await self._drafts.apply(run.user, number, plan, note)).model_dump()
            except CloudError as error:
                row["state"] = code_of(error)
                log.info("template %d is not applied to device %d: %s", node.id, number, error.message)
            rows.append(row)
        counts = Counter(str(row["state"]) for row in rows)
        return {
            "template_id": node.id,
            "version": wanted.number,
            "changed": counts[CHANGE],
            "unchanged": counts[NONE],
            "refused": len(rows) - counts[CHANGE] - counts[NONE],
            "rows": rows,
        }

    async def _wanted(
        self, session: AsyncSession, user: CurrentUser, template_id: int, version: int | None
    ) -> tuple[TemplateNode, Reference]:
        return await wanted_version(TemplateRepository(session, user.scope), template_id, version)


async def wanted_version(
    repository: TemplateRepository, template_id: int, version: int | None, category: str = ""
) -> tuple[TemplateNode, Reference]:
    """A template and one of its versions, the newest unless named. Raises NotFound without such a version."""
    node = await template(repository, template_id, category)
    number = version or node.newest
    if await repository.version(template_id, number) is None:
        raise NotFound("version")
    return node, Reference(template_id, number)


async def used_by(links: LinkRepository, template_id: int) -> dict[int, Links]:
    """Gateways of the scope whose newest document uses it, with all that they use."""
    found = await links.in_force(await links.candidates(template_id))
    return {
        number: used
        for number, used in found.items()
        if any(each.template_id == template_id for each in used.values())
    }


async def _chosen(links: LinkRepository, template_id: int, body: PreviewTemplateBody) -> Collection[int]:
    if body.others:
        if body.device_ids is None:
            raise ParameterError("device_ids", "must be given for other gateways")
        return set(body.device_ids)
    using = await used_by(links, template_id)
    return using.keys() & body.device_ids if body.device_ids is not None else using.keys()


def code_of(error: CloudError) -> str:
    """Why a gateway's draft stays as it is, as the portal has words for it."""
    if isinstance(error, NotFound):
        return "template.not_found"
    return error.reason or "template.faulty"


def _names(gateway: ListedGateway | None) -> dict[str, str]:
    return {
        "device_title": gateway.title if gateway else "",
        "gateway_id": gateway.gateway if gateway else "",
    }


def _preview_row(gateway: ListedGateway, state: str, made: Planned | None) -> PreviewRow:
    return PreviewRow(
        device_id=gateway.device_id,
        device_title=gateway.title,
        gateway_id=gateway.gateway,
        state=state,
        draft_by=gateway.draft_by,
        slaves=[] if made is None else changes_of(made),
    )
