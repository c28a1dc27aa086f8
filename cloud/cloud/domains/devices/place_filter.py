"""Which gateways a map shows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PlaceFilter:
    """Which gateways. project_id, product_id, status, search: as in DeviceFilter, so that both agree.
    gis: shown in GIS, or capable of it.
    """

    project_id: int | None = None
    product_id: int | None = None
    status: str = ""
    search: str = ""
    gis: bool = False
    placed: bool | None = None
