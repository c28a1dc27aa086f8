"""Products on a real database: ids, keys, use, and whose they are."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic import ValidationError
from sqlalchemy import select, update

from cloud.db import Database
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.product_models import Product
from cloud.domains.products.schemas import ProductBody, ProductChange
from cloud.domains.products.service import ProductService, hash_of
from cloud.errors import Conflict, NotFound

from ..tenants import tree


@pytest.fixture
async def shop(database_url: str) -> AsyncIterator[Any]:
    """Service, users, database."""
    database = Database(database_url)
    yield ProductService(database), await tree(database), database
    await database.close()


async def test_a_product_lives(shop: Any) -> None:
    products, users, database = shop
    maker = users["factory-x"]
    made = await products.add(maker, ProductBody(name=" 锅炉 ", product_id="BL-200"))
    assert (made.product.name, made.product.product_id, made.product.has_key) == ("锅炉", "BL-200", True)
    new = await products.rotate(maker, made.product.id)
    async with database.session() as session:
        (stored,) = await session.scalars(select(Product.key_hash))
        assert stored == hash_of(new.api_key) != hash_of(made.api_key)
        session.add(
            Device(
                gateway_id="gw", title="d", secret_hash="", created_ms=1, owner_id=users["enterprise-x"].id
            )
        )
        await session.execute(update(Device).values(product_id=made.product.id))
        await session.commit()
    changed = await products.change(maker, made.product.id, ProductChange(remark="x"))
    assert (changed.name, changed.remark, changed.devices) == ("锅炉", "x", 1)
    with pytest.raises(Conflict) as refused:
        await products.delete(maker, made.product.id)
    assert (refused.value.reason, refused.value.arguments) == ("product.in_use", {"devices": 1})
    async with database.session() as session:
        await session.execute(update(Device).values(product_id=None))
        await session.commit()
    await products.delete(maker, made.product.id)
    assert (await products.page(maker, 1, 20, "")).total == 0


async def test_an_id_is_there_once(shop: Any) -> None:
    products, users, _ = shop
    await products.add(users["factory-x"], ProductBody(name="a", product_id="BL-200"))
    with pytest.raises(Conflict) as refused:
        await products.add(users["factory-y"], ProductBody(name="b", product_id="bl-200"))
    assert (refused.value.reason, refused.value.field) == ("product.taken", "product_id")


async def test_whose_it_is(shop: Any) -> None:
    products, users, _ = shop
    number = (await products.add(users["factory-x"], ProductBody(name="a", product_id="P1"))).product.id
    for call in (products.product, products.rotate, products.delete):
        with pytest.raises(NotFound, match="product not found"):
            await call(users["factory-y"], number)
    assert (await products.page(users["platform-x"], 1, 20, "p1")).rows[0].owner_name == "factory-x"
    assert (await products.page(users["factory-y"], 1, 20, "")).total == 0


@pytest.mark.parametrize("code", ["", "x", "-x", "a b", "中文", "x" * 41])
def test_ids_that_are_refused(code: str) -> None:
    with pytest.raises(ValidationError):
        ProductBody(name="a", product_id=code)
