"""Products of device factories."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from cloud.core.envelope import Envelope, Page, ok
from cloud.core.paging import PageNumber, PageSize
from cloud.core.services import service
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.products.schemas import (
    NUMBER,
    NewProduct,
    ProductBody,
    ProductChange,
    ProductKey,
    ProductRow,
)
from cloud.domains.products.service import ProductService

router = APIRouter(tags=["products"])


Service = Annotated[ProductService, service(ProductService)]
Keeper = Annotated[CurrentUser, requires("Product")]
ProductNumber = Annotated[int, Path(ge=1, le=NUMBER)]


@router.get("/product", operation_id="listProducts")
async def list_products(
    user: Keeper,
    service: Service,
    search: Annotated[str, Query(max_length=100, pattern=r"^[^\x00]*$")] = "",
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Envelope[Page[ProductRow]]:
    """Products by name; search looks into name, product id and remark."""
    return ok(await service.page(user, page, limit, search))


@router.post("/product", operation_id="addProduct")
async def add_product(body: ProductBody, user: Keeper, service: Service) -> Envelope[NewProduct]:
    """A new product; its API key is shown this once."""
    return ok(await service.add(user, body))


@router.get("/product/{product_id:int}", operation_id="getProduct")
async def get_product(product_id: ProductNumber, user: Keeper, service: Service) -> Envelope[ProductRow]:
    """One product."""
    return ok(await service.product(user, product_id))


@router.put("/product/{product_id:int}", operation_id="changeProduct")
async def change_product(
    product_id: ProductNumber, body: ProductChange, user: Keeper, service: Service
) -> Envelope[ProductRow]:
    """Another name or remark."""
    return ok(await service.change(user, product_id, body))


@router.post("/product/{product_id:int}/key", operation_id="rotateProductKey")
async def rotate_product_key(
    product_id: ProductNumber, user: Keeper, service: Service
) -> Envelope[ProductKey]:
    """A new API key, shown this once; the old one opens nothing any more."""
    return ok(await service.rotate(user, product_id))


@router.delete("/product/{product_id:int}", operation_id="deleteProduct")
async def delete_product(product_id: ProductNumber, user: Keeper, service: Service) -> Envelope[None]:
    """Refused while gateways are of it."""
    await service.delete(user, product_id)
    return ok(None)
