"""What the gateways of an import use from now on, kept with their drafts in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.importing.workfile import Plan
from cloud.domains.jobs.run import JobFailed
from cloud.domains.templates.batch import TemplateBatch

AT_ONCE = 400
"""Rows that one statement names."""

MAX_NAMED_GATEWAYS = 20
"""Serial numbers that a failure names."""


class TemplateSets:
    """A unit of work on the caller's session; JobFailed when something moved since the preview."""

    def __init__(self, session: AsyncSession, user: CurrentUser, now_ms: int) -> None:
        self._batch = TemplateBatch(session, user)
        self._user = user
        self._now_ms = now_ms

    async def check(self, plans: Sequence[Plan]) -> None:
        """Before any draft is kept: gateways and templates are as the preview saw them.

        Raises JobFailed when one of them is not.
        """
        with_templates = [plan for plan in plans if plan.links is not None]
        if not await self._batch.are_there([plan.links or {} for plan in with_templates]):
            raise JobFailed("import.template_gone")
        seen = {p.device_id: (p.base, p.links_were) for p in with_templates if p.device_id is not None}
        numbers = sorted(seen)
        moved: set[int] = set()
        for at in range(0, len(numbers), AT_ONCE):
            moved |= set(await self._batch.moved({n: seen[n] for n in numbers[at : at + AT_ONCE]}))
        if moved:
            raise moved_meanwhile(plan.gateway for plan in with_templates if plan.device_id in moved)

    async def keep(self, plans: Iterable[Plan], numbers: Mapping[str, int]) -> None:
        """numbers: of the gateways, whose drafts are kept already."""
        sets = {
            numbers[plan.gateway]: (plan.hash or plan.base or "", plan.links)
            for plan in plans
            if plan.links is not None
        }
        await self._batch.put(sets, self._user.name, self._now_ms)


def moved_meanwhile(gateways: Iterable[str]) -> JobFailed:
    return JobFailed("import.moved", ", ".join(sorted(gateways)[:MAX_NAMED_GATEWAYS])[:200])
