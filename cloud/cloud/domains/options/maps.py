"""The platform's map: where its ground comes from, and borders that the operator has approval to show."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from cloud.core.secret import Secret
from cloud.domains.options.addresses import MAX_URL
from cloud.domains.options.tiles import origin, tile_address_or_none

MAX_VERTICES = 30_000
"""Of all lines together; as JSON they fit into the body of a request."""

MAX_LINES = 3000
MAP_FILE = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,79}\.pmtiles$"

Words = Annotated[str, Field(max_length=100, pattern=r"^[^\x00-\x1f]*$")]
TileUrl = Annotated[str, Field(max_length=MAX_URL), AfterValidator(tile_address_or_none)]
Longitude = Annotated[float, Field(ge=-180, le=180, allow_inf_nan=False)]
Latitude = Annotated[float, Field(ge=-90, le=90, allow_inf_nan=False)]
Line = Annotated[list[tuple[Longitude, Latitude]], Field(min_length=2, max_length=MAX_VERTICES)]


class Strict(BaseModel):
    """A field that nobody knows is a mistake and not kept."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class MapBase(Strict):
    """What the map is drawn on. builtin: land only, asks nobody outside. pmtiles: a file of the data folder.

    xyz: tiles of a service; its address has {z}, {x}, {y} and perhaps {key}, label_url is drawn above it.
    datum: in which the tiles are drawn. credit: shown on the map (owner, approval number).
    """

    kind: Literal["builtin", "pmtiles", "xyz"] = "builtin"
    file: Annotated[str, Field(pattern=MAP_FILE[:-1] + "$|^$")] = ""
    url: TileUrl = ""
    label_url: TileUrl = ""
    key: Annotated[str, Secret(pattern=r"^[A-Za-z0-9._~-]*$", readable=True)] = ""
    datum: Literal["WGS84", "GCJ02", "BD09"] = "WGS84"
    max_zoom: int = Field(default=18, ge=1, le=22)
    credit: Words = ""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.kind == "pmtiles" and not self.file:
            raise ValueError("file: needed with pmtiles")
        if self.kind == "xyz" and not self.url:
            raise ValueError("url: needed with xyz")
        if self.kind == "xyz" and "{key}" in self.url + self.label_url and not self.key:
            raise ValueError("key: needed by an address with {key}")
        return self

    def origins(self) -> tuple[str, ...]:
        """Where pages load tiles from; () when it is this site."""
        urls = [self.url, self.label_url] if self.kind == "xyz" else []
        return tuple(dict.fromkeys(origin(url) for url in urls if url))


class MapBorders(Strict):
    """Lines in degrees of WGS-84, longitude first; approval: their number, shown wherever they are."""

    approval: Words = ""
    lines: list[Line] = Field(default=[], max_length=MAX_LINES)

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        if sum(map(len, self.lines)) > MAX_VERTICES:
            raise ValueError(f"lines: at most {MAX_VERTICES} vertices together")
        if self.lines and not self.approval.strip():
            raise ValueError("approval: needed with lines")
        return self


class MapBaseOption(Strict):
    """The ground of every map."""

    name: Literal["map_base"] = "map_base"
    value: MapBase = MapBase()


class MapBordersOption(Strict):
    """Borders on every map."""

    name: Literal["map_borders"] = "map_borders"
    value: MapBorders = MapBorders()
