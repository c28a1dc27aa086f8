"""Whose gateways, projects and products are: what identity and the audit must know of these tables."""

from __future__ import annotations

from functools import partial

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.core.tables import NamedTable, OwnedTable
from cloud.domains.identity.limits import ResourceLimits
from cloud.domains.identity.scope import within
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.product_models import Product
from cloud.domains.inventory.project_models import Project
from cloud.domains.inventory.visibility import visible

OWNED = (
    OwnedTable(Device.owner_id, limit="devices", keeps_owner=True),
    OwnedTable(Project.owner_id, limit="projects", counted=(Project.kind == "project",)),
    OwnedTable(Product.owner_id),
)
"""Groups of projects use no place of a limit."""


def user_limits(session: AsyncSession, scope: Scope) -> ResourceLimits:
    """Limits of projects and gateways, queried on the caller's session."""
    return ResourceLimits(session, scope, OWNED)


NAMED = (
    NamedTable("device", Device.id, Device.title, visible),
    NamedTable("project", Project.id, Project.title, partial(within, owner=Project.owner_id)),
    NamedTable("product", Product.id, Product.title, partial(within, owner=Product.owner_id)),
)
