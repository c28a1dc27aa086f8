"""Every query of which templates the drafts of gateways use."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.domains.deploy.models import ConfigurationVersion, Standing
from cloud.domains.devices.models import Device
from cloud.domains.devices.visibility import visible, writable
from cloud.domains.identity.scope import Scope
from cloud.domains.templates.content import Reference
from cloud.domains.templates.models import TemplateLink, TemplateOwnPoint, TemplateSet

Links = dict[str, Reference]
"""What each slave of a gateway uses; "" is the gateway itself."""


@dataclass(frozen=True)
class Gateway:
    """A gateway as lists show it. draft_by: who has a draft open."""

    device_id: int
    title: str
    gateway: str
    draft_by: str | None


class LinkRepository:
    """Works on the caller's session; commits nothing. Gateways that the scope does not see are not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def in_force(self, device_ids: Collection[int]) -> dict[int, Links]:
        """Links of each gateway's newest document: the set of the nearest document that it was edited
        from.
        """
        return await self._links_of(await self._newest(device_ids))

    async def of_document(self, device_id: int, name: str) -> Links:
        """Links of one document of a gateway."""
        return (await self._links_of({device_id: name}))[device_id]

    async def _links_of(self, newest: Mapping[int, str | None]) -> dict[int, Links]:
        """Of one document of each gateway, by its name."""
        device_ids = list(newest)
        sets: dict[int, dict[str, int]] = {}
        last: dict[int, int] = {}
        query = select(TemplateSet.device_id, TemplateSet.hash, TemplateSet.id)
        query = query.where(TemplateSet.device_id.in_(device_ids)).order_by(
            TemplateSet.set_ms, TemplateSet.id
        )
        for device_id, name, number in await self._session.execute(query):
            sets.setdefault(device_id, {})[name] = number
            last[device_id] = number
        edited = [number for number, names in sets.items() if newest.get(number) not in names]
        parents = await self._parents(edited)
        chosen: dict[int, int] = {}
        for device_id, names in sets.items():
            found = nearest(newest.get(device_id), parents.get(device_id, {}), names, last[device_id])
            if found is not None:
                chosen[device_id] = found
        links = await self._links(chosen.values())
        return {device_id: links.get(chosen.get(device_id, 0), {}) for device_id in device_ids}

    async def candidates(self, template_id: int) -> list[int]:
        """Gateways that use the template, or did with an older document."""
        query = (
            select(TemplateSet.device_id)
            .join(TemplateLink, TemplateLink.set_id == TemplateSet.id)
            .join(Device, Device.id == TemplateSet.device_id)
            .where(TemplateLink.template_id == template_id, visible(self._scope))
            .distinct()
            .order_by(TemplateSet.device_id)
        )
        return list(await self._session.scalars(query))

    async def gateways(self, device_ids: Collection[int]) -> list[Gateway]:
        query = (
            select(Device.id, Device.title, Device.gateway_id, Standing.draft_author)
            .outerjoin(Standing, Standing.device_id == Device.id)
            .where(Device.id.in_(device_ids), visible(self._scope))
            .order_by(Device.title, Device.id)
        )
        return [Gateway(*row) for row in await self._session.execute(query)]

    async def writable(self, device_ids: Collection[int]) -> set[int]:
        """Those that may be changed."""
        query = select(Device.id).where(Device.id.in_(device_ids), writable(self._scope))
        return set(await self._session.scalars(query))

    async def put(self, device_id: int, name: str, links: Links, author: str, now_ms: int) -> None:
        """The set of one document, in place of what it had; sets of forgotten documents go."""
        kept = select(ConfigurationVersion.hash).where(ConfigurationVersion.device_id == device_id)
        old = select(TemplateSet.id).where(
            TemplateSet.device_id == device_id,
            (TemplateSet.hash == name) | TemplateSet.hash.not_in(kept),
        )
        gone = list(await self._session.scalars(old))
        if gone:
            await self._session.execute(delete(TemplateLink).where(TemplateLink.set_id.in_(gone)))
            await self._session.execute(delete(TemplateOwnPoint).where(TemplateOwnPoint.set_id.in_(gone)))
            await self._session.execute(delete(TemplateSet).where(TemplateSet.id.in_(gone)))
        made = TemplateSet(device_id=device_id, hash=name, author=author, set_ms=now_ms)
        self._session.add(made)
        await self._session.flush()
        self._session.add_all(
            TemplateLink(set_id=made.id, slave=slave, template_id=each.template_id, number=each.number)
            for slave, each in links.items()
        )
        self._session.add_all(
            TemplateOwnPoint(set_id=made.id, slave=slave, name=name)
            for slave, each in links.items()
            for name in sorted(each.own)
        )
        await self._session.flush()

    async def _newest(self, device_ids: Collection[int]) -> dict[int, str | None]:
        query = select(Standing.device_id, Standing.newest).where(Standing.device_id.in_(device_ids))
        found: dict[int, str | None] = dict.fromkeys(device_ids)
        return found | {row[0]: row[1] for row in await self._session.execute(query)}

    async def _parents(self, device_ids: Collection[int]) -> dict[int, dict[str, str | None]]:
        columns = (ConfigurationVersion.device_id, ConfigurationVersion.hash, ConfigurationVersion.parent)
        query = select(*columns).where(ConfigurationVersion.device_id.in_(device_ids))
        found: dict[int, dict[str, str | None]] = {}
        for device_id, name, parent in await self._session.execute(query):
            found.setdefault(device_id, {})[name] = parent
        return found

    async def _links(self, set_ids: Iterable[int]) -> dict[int, Links]:
        numbers = list(set_ids)
        own: dict[tuple[int, str], set[str]] = {}
        left = select(TemplateOwnPoint).where(TemplateOwnPoint.set_id.in_(numbers))
        for point in await self._session.scalars(left):
            own.setdefault((point.set_id, point.slave), set()).add(point.name)
        found: dict[int, Links] = {}
        for row in await self._session.scalars(select(TemplateLink).where(TemplateLink.set_id.in_(numbers))):
            names = frozenset(own.get((row.set_id, row.slave), ()))
            found.setdefault(row.set_id, {})[row.slave] = Reference(row.template_id, row.number, names)
        return found


def nearest(
    newest: str | None, parents: Mapping[str, str | None], sets: Mapping[str, int], last: int
) -> int | None:
    """The set of a document or of the nearest one that it was edited from; the last one where a document of
    the chain is forgotten; None where the chain ends without.
    """
    name = newest
    for _ in range(len(parents) + 1):
        if name is None:
            return None
        if name in sets:
            return sets[name]
        if name not in parents:
            return last
        name = parents[name]
    return None
