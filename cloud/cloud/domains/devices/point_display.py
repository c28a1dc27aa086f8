"""What was chosen for how the portal shows a point."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from cloud.domains.identity.scope import Scope


@dataclass(frozen=True)
class PointDisplay:
    """How the portal shows a point. line_color: #rrggbb; gis_show: on the map's device card."""

    line_color: str | None = None
    gis_show: bool = False


DEFAULT_DISPLAY = PointDisplay()
PointDisplays = Callable[[Scope, int], Awaitable[Mapping[tuple[str, str], PointDisplay]]]
"""By slave and name, of a gateway's points for which something was chosen."""


async def no_displays(scope: Scope, device_id: int) -> Mapping[tuple[str, str], PointDisplay]:
    """Nothing was chosen for any point."""
    return {}
