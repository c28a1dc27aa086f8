"""How a gateway's draft differs from the templates that it uses."""

from __future__ import annotations

from typing import Any

from cloud.domains.templates.content import GATEWAY, Reference
from cloud.domains.templates.drafts import OpenedDraft
from cloud.domains.templates.merge import Overrides, listed, overrides_of
from cloud.domains.templates.schemas import Override, SlaveUsage
from cloud.domains.templates.version_cache import VersionCache
from edge_contract.document.masking import masked_at
from edge_contract.document.rows import Row, rows_of
from edge_contract.document.values import ABSENT

MAX_OVERRIDES = 200
"""Told of one slave in a list of gateways; the others are asked for gateway by gateway."""


async def usages(
    template_id: int, category: str, opened: OpenedDraft, versions: VersionCache
) -> list[SlaveUsage]:
    """Of everything in a gateway that uses the template."""
    found = []
    for slave, link in opened.links.items():
        if link.template_id == template_id and (category == GATEWAY) == (slave == ""):
            usage = await usage_of(slave, opened, link, versions)
            found.append(usage.model_copy(update={"overrides": usage.overrides[:MAX_OVERRIDES]}))
    return found


async def usage_of(slave: str, opened: OpenedDraft, link: Reference, versions: VersionCache) -> SlaveUsage:
    """With all overrides."""
    if not slave:
        return await _gateway_usage(opened, link, versions)
    rows = [row for row in rows_of(opened.document, "points") if row.get("slave") == slave]
    known = await versions.points(link, slave)
    return _slave_usage(slave, link, [("", known, overrides_of(known, rows))])


async def _gateway_usage(opened: OpenedDraft, link: Reference, versions: VersionCache) -> SlaveUsage:
    parts = await versions.parts(link)
    compared = []
    for section in ("ports", "slaves"):
        known: list[Row] = getattr(parts, section)
        found = overrides_of(known, rows_of(opened.document, section))
        compared.append((f"{section}.", known, found))
    points = rows_of(opened.document, "points")
    for slave in dict.fromkeys(str(row.get("slave")) for row in parts.points):
        if slave not in opened.links:
            own = [row for row in points if row.get("slave") == slave]
            known = parts.of_slave(slave)
            compared.append((f"points.{slave}.", known, overrides_of(known, own)))
    return _slave_usage("", link, compared)


def _slave_usage(slave: str, link: Reference, compared: list[tuple[str, list[Row], Overrides]]) -> SlaveUsage:
    overrides = [
        Override(
            row=f"{prefix}{row}", field=field, template_value=_value(theirs), own_value=_value(own, field)
        )
        for prefix, known, found in compared
        for row, field, theirs, own in listed(known, found)
    ]
    return SlaveUsage(
        slave=slave,
        version=link.number,
        overrides=overrides,
        overridden=len(overrides),
        own_rows=sum(len(found.own) for _, _, found in compared),
    )


def _value(value: Any, field: str = "") -> Any:
    return None if value is ABSENT else masked_at(tuple(field.split(".")), value)
