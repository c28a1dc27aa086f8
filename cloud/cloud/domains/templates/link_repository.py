"""Every query of which templates the drafts of gateways use."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import and_, delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.configuration.models import ConfigurationStateRow, ConfigurationVersion
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.visibility import visible, writable
from cloud.domains.templates.content import Reference
from cloud.domains.templates.models import TemplateLink, TemplateOwnPoint, TemplateSet

AT_ONCE = 400
"""Rows that one statement names."""

Links = dict[str, Reference]
"""What each slave of a gateway uses; "" is the gateway itself."""


@dataclass(frozen=True)
class ListedGateway:
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
        return await self._links_of(await self.newest(device_ids))

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
            used = nearest(newest.get(device_id), parents.get(device_id, {}), names, last[device_id])
            if used is not None:
                chosen[device_id] = used
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

    async def gateways(self, device_ids: Collection[int]) -> list[ListedGateway]:
        query = (
            select(Device.id, Device.display_title, Device.gateway_id, ConfigurationStateRow.draft_author)
            .outerjoin(ConfigurationStateRow, ConfigurationStateRow.device_id == Device.id)
            .where(Device.id.in_(device_ids), visible(self._scope))
            .order_by(Device.title_key, Device.id)
        )
        return [ListedGateway(*row) for row in await self._session.execute(query)]

    async def writable(self, device_ids: Collection[int]) -> set[int]:
        """Those that may be changed."""
        query = select(Device.id).where(Device.id.in_(device_ids), writable(self._scope))
        return set(await self._session.scalars(query))

    async def newest(self, device_ids: Collection[int], *, locked: bool = False) -> dict[int, str | None]:
        """Names of their newest documents, None where there is none yet. locked: where a database can."""
        query = select(ConfigurationStateRow.device_id, ConfigurationStateRow.newest).where(
            ConfigurationStateRow.device_id.in_(device_ids)
        )
        query = query.order_by(ConfigurationStateRow.device_id)
        rows = await self._session.execute(query.with_for_update() if locked else query)
        by_device: dict[int, str | None] = dict.fromkeys(device_ids)
        return by_device | {row[0]: row[1] for row in rows}

    async def put(self, device_id: int, name: str, links: Links, author: str, now_ms: int) -> None:
        """The set of one document, in place of what it had; sets of forgotten documents go."""
        await self.put_all({device_id: (name, links)}, author, now_ms)

    async def put_all(self, sets: Mapping[int, tuple[str, Links]], author: str, now_ms: int) -> None:
        """The same of many gateways, by the name of a document of each."""
        numbers = list(sets)
        for at in range(0, len(numbers), AT_ONCE):
            await self._forget({number: sets[number][0] for number in numbers[at : at + AT_ONCE]})
        made = {
            number: TemplateSet(device_id=number, hash=name, author=author, set_ms=now_ms)
            for number, (name, _) in sets.items()
        }
        self._session.add_all(made.values())
        await self._session.flush()
        for number, (_, links) in sets.items():
            for slave, each in links.items():
                said = {"set_id": made[number].id, "slave": slave}
                self._session.add(TemplateLink(**said, template_id=each.template_id, number=each.number))
                self._session.add_all(TemplateOwnPoint(**said, name=point) for point in sorted(each.own))
        await self._session.flush()

    async def _forget(self, names: Mapping[int, str]) -> None:
        """Sets of these documents, and of those of their gateways that are not kept any more."""
        version = (ConfigurationVersion.device_id, ConfigurationVersion.hash)
        of_set = (TemplateSet.device_id, TemplateSet.hash)
        query = select(TemplateSet.id, *of_set, ConfigurationVersion.id)
        query = query.outerjoin(ConfigurationVersion, and_(version[0] == of_set[0], version[1] == of_set[1]))
        rows = await self._session.execute(query.where(of_set[0].in_(names)))
        gone = [row[0] for row in rows if row[3] is None or names[row[1]] == row[2]]
        for at in range(0, len(gone), AT_ONCE):
            some = gone[at : at + AT_ONCE]
            await self._session.execute(delete(TemplateLink).where(TemplateLink.set_id.in_(some)))
            await self._session.execute(delete(TemplateOwnPoint).where(TemplateOwnPoint.set_id.in_(some)))
            await self._session.execute(delete(TemplateSet).where(TemplateSet.id.in_(some)))

    async def _parents(self, device_ids: Collection[int]) -> dict[int, dict[str, str | None]]:
        columns = (ConfigurationVersion.device_id, ConfigurationVersion.hash, ConfigurationVersion.parent)
        query = select(*columns).where(ConfigurationVersion.device_id.in_(device_ids))
        by_device: dict[int, dict[str, str | None]] = {}
        for device_id, name, parent in await self._session.execute(query):
            by_device.setdefault(device_id, {})[name] = parent
        return by_device

    async def _links(self, set_ids: Iterable[int]) -> dict[int, Links]:
        numbers = list(set_ids)
        own: dict[tuple[int, str], set[str]] = {}
        left = select(TemplateOwnPoint).where(TemplateOwnPoint.set_id.in_(numbers))
        for point in await self._session.scalars(left):
            own.setdefault((point.set_id, point.slave), set()).add(point.name)
        by_set: dict[int, Links] = {}
        for row in await self._session.scalars(select(TemplateLink).where(TemplateLink.set_id.in_(numbers))):
            names = frozenset(own.get((row.set_id, row.slave), ()))
            by_set.setdefault(row.set_id, {})[row.slave] = Reference(row.template_id, row.number, names)
        return by_set


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
