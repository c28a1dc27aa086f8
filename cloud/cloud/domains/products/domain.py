"""Products, which gateways belong to."""

from __future__ import annotations

from cloud.domains.base import Build, Domain
from cloud.domains.products import endpoints
from cloud.domains.products.service import ProductService


def build(build: Build) -> None:
    build.services.add(ProductService(build.database))


DOMAIN = Domain(
    "products",
    (endpoints.router,),
    build,
    permissions=frozenset({"Product"}),
)
