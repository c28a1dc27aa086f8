"""The column of gateway templates: what it names, and the drafts that come of it before rows are compared.

A template is named by path, title or number; ambiguous and unknown ones are faults, as is any for who may
not apply templates. One that the gateway does not use yet is applied in its newest version with what the
gateway has otherwise kept; the one that it uses, in whichever version, is no change, and an empty cell
leaves everything in both modes. In a replacing import its rows count as listed. The preview has what
templates add, change and remove as rows of their own (by_template), at most 200,000 in one import.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.domains.configuration.document import read
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.importing.names import NameIndex, Node, WrongName, in_tree
from cloud.domains.importing.outcome import Current, Given, Links, TemplatedDraft
from cloud.domains.importing.repository import Stored
from cloud.domains.points.rows import empty
from cloud.domains.sheets.changes import Fault
from cloud.domains.sheets.columns import TEMPLATE
from cloud.domains.sheets.values import WrongValue, value_of
from cloud.domains.templates.batch import TemplateBatch, may_apply
from cloud.domains.templates.content import Reference
from cloud.errors import CloudError

GatewayState = tuple[Stored | None, Current]


@dataclass(frozen=True)
class KnownTemplates:
    """Gateway templates that a user may apply. newest: the version that a preview applies, by template."""

    named: NameIndex = field(default_factory=lambda: NameIndex(is_closed=True))
    newest: Mapping[int, int] = field(default_factory=dict)


async def known_templates(session: AsyncSession, user: CurrentUser) -> KnownTemplates:
    """None without the right to apply them."""
    if not may_apply(user):
        return KnownTemplates()
    templates = await TemplateBatch(session, user).gateway_templates()
    some = [each for each in templates if each.is_group or each.newest]
    nodes = [Node(each.number, each.path, each.title, each.is_group) for each in some]
    return KnownTemplates(in_tree(nodes, is_closed=True), {each.number: each.newest for each in some})


def names_template(given: Given) -> bool:
    """Does the file say something of the gateway's template?"""
    rows = given.rows.get("devices", ())
    return bool(rows) and str(rows[0].cells.get(TEMPLATE, "")).strip() != ""


async def with_templates(
    session: AsyncSession,
    user: CurrentUser,
    known: KnownTemplates,
    given: Mapping[str, Given],
    gateways: Mapping[str, GatewayState],
) -> dict[str, GatewayState]:
    """Gateways as they are with the templates that the file names applied to their drafts."""
    if not any(map(names_template, given.values())):
        return dict(gateways)
    application = _Application(session, user, known)
    links = await application.batch.links(
        [each.device.id for each, _ in gateways.values() if each is not None]
    )
    made: dict[str, GatewayState] = {}
    for name, (each, current) in gateways.items():
        used = {} if each is None else links[each.device.id]
        if names_template(given[name]):
            current = await application.templated(given[name], each, current, used)
        made[name] = (each, current)
    return made


class _Application:
    """Of some gateways; what comes of an empty draft is the same for each of them."""

    def __init__(self, session: AsyncSession, user: CurrentUser, known: KnownTemplates) -> None:
        self.batch = TemplateBatch(session, user)
        self._may = may_apply(user)
        self._known = known
        self._fresh: dict[int, TemplatedDraft] = {}

    async def templated(self, given: Given, stored: Stored | None, current: Current, used: Links) -> Current:
        now = used.get("")
        current = replace(current, links=used, template_id=None if now is None else now.template_id)
        if not self._may:
            return _refused(current, Fault("template_permission"))
        wanted = _named(given)
        if wanted is None or current.claimed or not current.writes:
            return current
        if now is None or wanted != now.template_id:
            if stored is not None and stored.text is not None:
                current = replace(current, document=await asyncio.to_thread(read, stored.text))
            try:
                templated = await self._apply(
                    Reference(wanted, self._known.newest[wanted]), given.gateway, current
                )
            except CloudError as error:
                return _refused(current, Fault("refused", {"rule": error.message[:200]}))
            current, used = replace(current, templated=templated), templated.links
        if given.mode == "replace":
            current = replace(current, listed=await self.batch.rows_of(used))
        return current

    async def _apply(self, wanted: Reference, gateway: str, current: Current) -> TemplatedDraft:
        if current.document is not None or current.links:
            made = await self.batch.apply(wanted, current.document or empty(gateway), current.links)
            return TemplatedDraft(made.document, made.links)
        if wanted.template_id not in self._fresh:
            made = await self.batch.apply(wanted, empty(gateway), {})
            self._fresh[wanted.template_id] = TemplatedDraft(made.document, made.links)
        fresh = self._fresh[wanted.template_id]
        return TemplatedDraft({**fresh.document, "gateway": empty(gateway)["gateway"]}, fresh.links)


def _refused(current: Current, fault: Fault) -> Current:
    return replace(current, refused={**current.refused, TEMPLATE: fault})


def _named(given: Given) -> int | None:
    """The template that a gateway's row names; None where the comparison finds a fault."""
    try:
        said = value_of(given.rows["devices"][0].cells[TEMPLATE], "name")
        return given.names.number_of(TEMPLATE, said)
    except (WrongValue, WrongName):
        return None
