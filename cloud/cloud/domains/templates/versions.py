"""Versions of a template: kept, found, and what a version may name."""

from __future__ import annotations

import asyncio

import msgspec

from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.templates.content import GATEWAY, POINT, checked, references_of
from cloud.domains.templates.models import TemplateNode, TemplateReference, TemplateVersion
from cloud.domains.templates.repository import TemplateRepository
from cloud.domains.templates.schemas import SaveVersion, TemplateDocument, TemplateVersionRow
from cloud.errors import Conflict, NoPermission, NotFound, ParameterError
from edge_contract.deployment import document_hash
from edge_contract.document.rows import rows_of

KEEP_VERSIONS = 100
"""Of each template; older ones go, unless something was made with them."""


async def own(repository: TemplateRepository, template_id: int) -> TemplateNode:
    """A node that is to be changed, locked; NoPermission for one that is only shared with the user.

    Raises NotFound without such a node.
    """
    node = await repository.node(template_id, locked=True)
    if node is None:
        raise NotFound("template")
    if not await repository.changeable([template_id]):
        raise NoPermission("template_of_above", reason="template.of_above")
    return node


async def template(repository: TemplateRepository, template_id: int, category: str = "") -> TemplateNode:
    """A template that the user sees, not a group; of this category if one is named.

    Raises NotFound without such a one.
    """
    node = await repository.node(template_id)
    if node is None or node.kind != "template" or category not in ("", node.category):
        raise NotFound("template")
    return node


def version_row(row: TemplateVersion) -> TemplateVersionRow:
    fields = {name: getattr(row, name) for name in TemplateVersionRow.model_fields}
    return TemplateVersionRow(**fields)


async def document_of(repository: TemplateRepository, template_id: int, number: int) -> TemplateDocument:
    """The content of a version; NotFound when there is no such version any more."""
    text = await repository.text(template_id, number)
    if text is None:
        raise NotFound("version")
    document: TemplateDocument = await asyncio.to_thread(msgspec.json.decode, text)
    return document


async def keep_version(
    repository: TemplateRepository, user: CurrentUser, node: TemplateNode, body: SaveVersion, now_ms: int
) -> TemplateVersion:
    """A new version of a node that is locked; Conflict when somebody was faster, ParameterError names a
    fault.
    """
    kept, content = await asyncio.to_thread(checked, node.category, body.document)
    if body.base != node.newest:
        raise Conflict(
            "the template was changed by somebody else meanwhile",
            field="base",
            rule=str(node.newest),
            reason="template.moved",
            arguments={"version": node.newest},
        )
    points = len(rows_of(kept, "points"))
    references = references_of(kept) if node.category == GATEWAY else {}
    protocols = {str(row.get("name")): str(row.get("protocol", "")) for row in rows_of(kept, "slaves")}
    for slave, each in references.items():
        path = f"document.templates.{slave}"
        named = await repository.node(each.template_id)
        version = None if named is None else await repository.version(each.template_id, each.number)
        if named is None or version is None or named.category != POINT:
            raise ParameterError(path, "must be a version of a point template")
        if named.protocol and named.protocol != protocols[slave]:
            raise ParameterError(path, f"is a template for {named.protocol}")
        points += version.points
    name = document_hash(kept)
    newest = await repository.version(node.id, node.newest) if node.newest else None
    if newest is not None and newest.hash == name:
        return newest
    row = TemplateVersion(
        template_id=node.id,
        number=node.newest + 1,
        hash=name,
        document=content.decode(),
        points=points,
        slaves=len(rows_of(kept, "slaves")),
        author=user.name,
        note=body.note,
        created_ms=now_ms,
    )
    repository.add(row)
    await repository.flush()
    for slave, each in references.items():
        repository.add(
            TemplateReference(
                version_id=row.id, slave=slave, template_id=each.template_id, number=each.number
            )
        )
    node.newest = row.number
    await repository.flush()
    await repository.forget_versions(node.id, row.number - KEEP_VERSIONS + 1)
    return row
