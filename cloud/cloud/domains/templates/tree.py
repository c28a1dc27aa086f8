"""Where a node of the tree goes, and whether the tree's limits allow it."""

from __future__ import annotations

from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.templates.models import TemplateNode
from cloud.domains.templates.repository import TemplateRepository
from cloud.domains.templates.schemas import CreateTemplate
from cloud.domains.templates.versions import own
from cloud.errors import Conflict, ParameterError

MAX_NODES = 2000
"""Of one owner; and in one answer."""

MAX_DEPTH = 8


async def add_node(
    repository: TemplateRepository, user: CurrentUser, body: CreateTemplate, now_ms: int
) -> TemplateNode:
    """A node without a version yet, the last of its siblings; it belongs to whom its group belongs to.

    Raises Conflict when the tree would be too deep or too large.
    """
    parent = await group(repository, body.parent_id, body.category)
    owner = user.id if parent is None else parent.owner_id
    if depth(parent) + 1 > MAX_DEPTH:
        raise Conflict(f"at most {MAX_DEPTH} levels", reason="template.too_deep")
    if await repository.count_of(owner) >= MAX_NODES:
        raise full()
    siblings = await repository.children(body.parent_id, body.category, owner)
    node = TemplateNode(
        parent_id=body.parent_id,
        kind=body.kind,
        category=body.category,
        title=body.title.strip(),
        protocol=body.protocol,
        remark=body.remark,
        owner_id=owner,
        shared=body.shared or (parent is not None and parent.shared),
        place=siblings[-1].place + 1 if siblings else 0,
        created_ms=now_ms,
    )
    repository.add(node)
    await repository.flush()
    node.path = f"{parent.path if parent else '/'}{node.id}/"
    return node


async def group(repository: TemplateRepository, parent_id: int | None, category: str) -> TemplateNode | None:
    """The group to put something into; None for the top.

    Raises ParameterError for a node that is no such group.
    """
    if parent_id is None:
        return None
    node = await own(repository, parent_id)
    if node.kind != "group" or node.category != category:
        raise ParameterError("parent_id", "must be a group of the same category")
    return node


def depth(node: TemplateNode | None) -> int:
    """How deep a node lies; 0 for the top."""
    return 0 if node is None else node.path.count("/") - 1


def full() -> Conflict:
    """One owner has too much."""
    return Conflict(f"at most {MAX_NODES} templates and groups", reason="template.too_many")
