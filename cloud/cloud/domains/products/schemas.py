"""Shapes of products. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

NUMBER = 2**31 - 1

Code = Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{1,39}$")]
Title = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]*$"),
]
Remark = Annotated[str, StringConstraints(strip_whitespace=True, max_length=500, pattern=r"^[^\x00]*$")]


class ProductRow(BaseModel):
    """A product. product_id: what its makers print; devices: gateways of it that the reader sees.

    owner_name: "" for the platform's own. has_key: it has an API key, which nobody can read again.
    """

    id: int
    name: str
    product_id: str
    remark: str
    owner_id: int | None
    owner_name: str
    has_key: bool
    devices: int
    created_ms: int


class ProductBody(BaseModel):
    """A new product. product_id: letters, digits, _ and -, 2 to 40, unlike any other's."""

    model_config = ConfigDict(extra="forbid")

    name: Title
    product_id: Code
    remark: Remark = ""


class ProductChange(BaseModel):
    """What is left out stays; the product id does, because it is printed on devices."""

    model_config = ConfigDict(extra="forbid")

    name: Title | None = None
    remark: Remark | None = None


class ProductKey(BaseModel):
    """A new API key. It is shown this once."""

    id: Annotated[int, Field(ge=1)]
    api_key: str


class NewProduct(BaseModel):
    """The product that was made, with its API key, which is shown this once."""

    product: ProductRow
    api_key: str
