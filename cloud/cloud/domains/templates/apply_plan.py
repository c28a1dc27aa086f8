"""A version of a template for one draft: on what uses it, or on what gets it now."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cloud.domains.points.rows import row_of
from cloud.domains.templates.content import POINT, Reference
from cloud.domains.templates.drafts import OpenedDraft
from cloud.domains.templates.models import TemplateNode
from cloud.domains.templates.planning import Planned, planned
from cloud.domains.templates.schemas import ApplyOptions
from cloud.domains.templates.version_cache import VersionCache
from cloud.errors import Conflict, ParameterError
from edge_contract.document.rows import rows_of

UNUSED = "template.unused"


@dataclass(frozen=True)
class ApplyPlan:
    """How a version is applied to drafts. others: also where nothing uses it; slave: the one that gets a
    point template.
    """

    keep: bool
    others: bool = False
    slave: str | None = None


def apply_plan(node: TemplateNode, body: ApplyOptions) -> ApplyPlan:
    """ParameterError for a slave where none is meant, or none where one is."""
    if body.slave is not None and (node.category != POINT or not body.others):
        raise ParameterError("slave", "only of a point template for other gateways")
    if body.others and node.category == POINT and body.slave is None:
        raise ParameterError("slave", "must be given for other gateways")
    return ApplyPlan(body.keep_overrides, body.others, body.slave)


async def plan_of(
    node: TemplateNode, wanted: Reference, options: ApplyPlan, opened: OpenedDraft, versions: VersionCache
) -> Planned:
    """For everything in a draft that uses the template, or for the slave that gets it; Conflict when nothing
    uses it, or with another protocol; NotFound without such a slave.
    """
    if not options.others and all(each.template_id != wanted.template_id for each in opened.links.values()):
        raise Conflict("the gateway does not use it any more", reason=UNUSED)
    if options.slave is not None:
        refuse_protocol(node, row_of(opened.document, "slaves", (options.slave,)))
        steps, frame = [await versions.slave_step(options.slave, opened.links, wanted)], None
    else:
        steps, frame = await versions.steps(node.category, opened.links, wanted)
    slaves = {str(row.get("name")): row for row in rows_of(opened.document, "slaves")}
    if frame is None:
        steps = [step for step in steps if step.slave in slaves]
    for step in steps if node.category == POINT else ():
        refuse_protocol(node, slaves[step.slave])
    work: Callable[[], Planned] = lambda: planned(  # noqa: E731
        opened.document, opened.links, steps, frame, keep=options.keep
    )
    return await asyncio.to_thread(work)


def refuse_protocol(node: TemplateNode, slave: dict[str, Any]) -> None:
    """A point template's rows mean nothing to another protocol.

    Raises Conflict for a slave with another protocol.
    """
    spoken = str(slave.get("protocol", ""))
    if node.protocol and spoken != node.protocol:
        raise Conflict(
            f"the template is for {node.protocol}, the slave speaks {spoken}",
            reason="template.protocol",
            arguments={"wanted": node.protocol, "spoken": spoken},
        )
