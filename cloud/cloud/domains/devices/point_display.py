"""What was chosen for how the portal shows a point."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from sqlalchemy import select

from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.devices.setting_models import PointSetting
from cloud.domains.inventory.visibility import seen


@dataclass(frozen=True)
class PointDisplay:
    """How the portal shows a point. line_color: #rrggbb; gis_show: on the map's device card; alarm_limits: of
    its alarm while that is on, beyond which it is raised.
    """

    line_color: str | None = None
    gis_show: bool = False
    alarm_limits: tuple[float, ...] = ()


DEFAULT_DISPLAY = PointDisplay()
PointDisplays = Callable[[Scope, int], Awaitable[Mapping[tuple[str, str], PointDisplay]]]
"""By slave and name, of a gateway's points for which something was chosen."""


async def no_displays(scope: Scope, device_id: int) -> Mapping[tuple[str, str], PointDisplay]:
    """Nothing was chosen for any point."""
    return {}


class DisplayReader:
    """Colour in charts and place on the map, of the points for which something was chosen."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def displays(self, scope: Scope, device_id: int) -> dict[tuple[str, str], PointDisplay]:
        """By slave and name; of a gateway that the scope sees."""
        query = select(PointSetting).where(
            PointSetting.device_id == device_id, seen(scope, PointSetting.device_id)
        )
        async with self._database.reading() as session:
            rows = list(await session.scalars(query))
        return {
            (row.slave, row.name): PointDisplay(row.line_color, bool(row.gis_show), _limits(row))
            for row in rows
            if row.line_color is not None or row.gis_show or row.alarm_enable
        }


def _limits(row: PointSetting) -> tuple[float, ...]:
    """By rising value."""
    if not row.alarm_enable:
        return ()
    limits = [row.alarm_lower, row.alarm_upper]
    if row.alarm_mode == "multi":
        limits += [row.alarm_lower2, row.alarm_upper2]
    return tuple(sorted(limit for limit in limits if limit is not None))
