"""Products: kinds of devices, each with an id that is printed on them and an API key."""

from __future__ import annotations

import hashlib
import logging
import secrets

from sqlalchemy.exc import IntegrityError

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.product_models import Product
from cloud.domains.products.repository import Found, ProductRepository
from cloud.domains.products.schemas import NewProduct, ProductBody, ProductChange, ProductKey, ProductRow
from cloud.errors import Conflict, NotFound

log = logging.getLogger(__name__)


class ProductService:
    """What the user does not see is not found, as if it were not there."""

    def __init__(self, database: Database, *, clock: NowMs = now_ms) -> None:
        self._database = database
        self._clock = clock

    async def page(self, user: CurrentUser, page: int, limit: int, search: str) -> Page[ProductRow]:
        """Products by name."""
        async with self._database.reading() as session:
            repository = ProductRepository(session, user.scope)
            found, total = await repository.page(search.strip(), page, limit)
            devices = await repository.devices([product.id for product, _ in found])
        rows = [_row(product, name, devices.get(product.id, 0)) for product, name in found]
        return Page(rows=rows, total=total)

    async def product(self, user: CurrentUser, number: int) -> ProductRow:
        """A product and how many gateways are of it. Raises NotFound for one that the user does not see."""
        async with self._database.reading() as session:
            repository = ProductRepository(session, user.scope)
            product, name = await _existing(repository, number)
            devices = await repository.devices([number])
        return _row(product, name, devices.get(number, 0))

    async def of_device(self, device_id: int) -> int | None:
        """Number of a gateway's product, for pushes; None without one, and of a gateway that is not there."""
        async with self._database.reading() as session:
            return await ProductRepository(session, Scope.system()).of_device(device_id)

    async def add(self, user: CurrentUser, body: ProductBody) -> NewProduct:
        """A new product of the user, with its first key; Conflict when its id is taken."""
        key = secrets.token_urlsafe(32)
        product = Product(
            code=body.product_id,
            title=body.name,
            remark=body.remark,
            key_hash=hash_of(key),
            owner_id=None if user.scope.everything else user.id,
            created_ms=self._clock(),
        )
        async with self._database.session() as session:
            repository = ProductRepository(session, user.scope)
            if await repository.is_taken(body.product_id):
                raise _taken(body.product_id)
            repository.add(product)
            try:
                await session.commit()
            except IntegrityError:  # somebody else was faster
                raise _taken(body.product_id) from None
        log.info("product %s added by %s", product.code, user.name)
        record_change({}, _fields(product))
        return NewProduct(product=await self.product(user, product.id), api_key=key)

    async def change(self, user: CurrentUser, number: int, body: ProductChange) -> ProductRow:
        """Another name or remark."""
        async with self._database.session() as session:
            product, _ = await _existing(ProductRepository(session, user.scope), number)
            before = _fields(product)
            if body.name is not None:
                product.title = body.name
            if body.remark is not None:
                product.remark = body.remark
            await session.commit()
        record_change(before, _fields(product))
        return await self.product(user, number)

    async def rotate(self, user: CurrentUser, number: int) -> ProductKey:
        """A new API key; the old one opens nothing any more."""
        key = secrets.token_urlsafe(32)
        async with self._database.session() as session:
            product, _ = await _existing(ProductRepository(session, user.scope), number)
            product.key_hash = hash_of(key)
            await session.commit()
        log.info("new key for product %s by %s", product.code, user.name)
        return ProductKey(id=number, api_key=key)

    async def delete(self, user: CurrentUser, number: int) -> None:
        """Conflict while gateways are of it."""
        async with self._database.session() as session:
            repository = ProductRepository(session, user.scope)
            product, _ = await _existing(repository, number)
            if devices := await repository.used_by(number):
                raise Conflict(
                    f"{devices} gateways are of this product",
                    reason="product.in_use",
                    arguments={"devices": devices},
                )
            before = _fields(product)
            await repository.delete(product)
            await session.commit()
        log.info("product %s deleted by %s", product.code, user.name)
        record_change(before, {})


def hash_of(key: str) -> str:
    """What is stored of an API key: it is long and random, so no salt is needed."""
    return hashlib.sha256(key.encode()).hexdigest()


async def _existing(repository: ProductRepository, number: int) -> Found:
    found = await repository.product(number)
    if found is None:
        raise NotFound("product")
    return found


def _taken(code: str) -> Conflict:
    return Conflict(
        f"product {code} is there already", field="product_id", rule="must be new", reason="product.taken"
    )


def _row(product: Product, owner: str, devices: int) -> ProductRow:
    return ProductRow(
        id=product.id,
        name=product.title,
        product_id=product.code,
        remark=product.remark,
        owner_id=product.owner_id,
        owner_name=owner,
        has_key=bool(product.key_hash),
        devices=devices,
        created_ms=product.created_ms,
    )


def _fields(product: Product) -> dict[str, str]:
    """What a change may name."""
    return {"name": product.title, "product_id": product.code, "remark": product.remark}
