"""Where gateways are: given by hand, or followed from what they say of themselves.

Given by hand in WGS-84, GCJ-02 or BD-09, stored in WGS-84. While positioning is automatic only the gateway's
location point with the lowest number moves it (text "longitude,latitude", WGS-84; 0,0 is no fix); a place
by hand is refused then unless the same call ends that. Without a location point automatic is refused; when
the last one goes the place stays, has_location_point says so.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from math import cos, hypot, radians

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.devices.filters import PlaceFilter
from cloud.domains.devices.geodetic_datums import to_wgs84
from cloud.domains.devices.position_repository import PositionRepository, PresenceFacts
from cloud.domains.devices.position_schemas import (
    ALARM,
    NEW,
    OFFLINE,
    ONLINE,
    PARTLY,
    SILENT,
    Location,
    PositionBody,
    Positions,
)
from cloud.domains.devices.repository import DeviceRepository
from cloud.domains.devices.states import FILTERS, NEVER_CONNECTED, status_of
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.visibility import read_only
from cloud.errors import Conflict, NotFound, ParameterError
from cloud.timeseries.base import SeriesColumn
from cloud.timeseries.series_table import columns_of
from edge_contract.model import Value

log = logging.getLogger(__name__)

_DIGITS = {"offline": OFFLINE, "online": ONLINE, "alarm": ALARM, "partly": PARTLY, "silent": SILENT}

MAX_PLACES = 20_000
"""In one reply: what a map can still draw, about 300 kB packed."""

MAX_FOLLOWED = 20_000

FOLLOW_S = 15.0
"""A gateway's place is written at most this often."""

JITTER_M = 5.0
"""A receiver that stands still wanders by so much: its gateway stays where it is."""

METRES_A_DEGREE = 111_195.0

DIGITS = 6
"""Of a degree: about 0.1 m."""

MAX_PUSHED = 100
"""Gateways with a new place that are pushed to open maps in one round; the others come when a map asks again.
"""

Placed = Callable[[int], None]
"""Called with the number of a gateway whose place was given, moved or taken away."""


def nobody(_device_id: int) -> None:
    """Where nobody waits for places."""


Newest = Callable[[Sequence[int]], Awaitable[dict[int, tuple[int, Value]]]]
"""Time and value of the newest sample of these points."""


class PositionService:
    """What the scope does not see raises NotFound, as if it were not there."""

    def __init__(self, database: Database, *, placed: Placed = nobody, clock: NowMs = now_ms) -> None:
        self._database = database
        self._placed = placed
        self._clock = clock

    async def positions(self, scope: Scope, wanted: PlaceFilter) -> Positions:
        """Every gateway with a place; ParameterError for a status that there is not."""
        _check(wanted)
        async with self._database.reading() as session:
            repository = PositionRepository(session, scope)
            rows = await repository.places(wanted, MAX_PLACES)
            placed, placeless = await repository.counts(wanted)
        return Positions(
            id=[row.id for row in rows],
            lng=[round(row.longitude, DIGITS) for row in rows],
            lat=[round(row.latitude, DIGITS) for row in rows],
            status="".join(str(_status(row.presence_facts)) for row in rows),
            title=[row.title for row in rows],
            total=placed,
            placeless=placeless,
            server_ms=self._clock(),
        )

    async def page(self, scope: Scope, wanted: PlaceFilter, page: int, limit: int) -> Page[Location]:
        """Gateways with and without a place, those without first."""
        _check(wanted)
        async with self._database.reading() as session:
            repository = PositionRepository(session, scope)
            rows, total = await repository.page(wanted, page, limit)
            points = await repository.location_points([device.id for device, _ in rows])
        return Page(
            rows=[_location(device, presence_facts, device.id in points) for device, presence_facts in rows],
            total=total,
        )

    async def location(self, scope: Scope, device_id: int) -> Location:
        """Where one gateway is."""
        async with self._database.reading() as session:
            device = await _existing(DeviceRepository(session, scope), device_id)
            presence_facts = await PositionRepository(session, scope).presence_facts(device)
            points = await PositionRepository(session, scope).location_points([device_id])
        return _location(device, presence_facts, bool(points))

    async def put(self, user: CurrentUser, device_id: int, body: PositionBody) -> Location:
        """Give, move or take away a place, or change how it comes about. Raises NotFound; NoPermission when
        the gateway is shared read only; Conflict when it is positioned automatically; ParameterError for one
        coordinate without the other, a place outside of the datum, or automatic without a location point.
        """
        given = body.model_fields_set & {"longitude", "latitude"}
        if (body.longitude is None) != (body.latitude is None) or len(given) == 1:
            missing = "latitude" if body.latitude is None else "longitude"
            raise ParameterError(missing, "longitude and latitude together")
        if given and body.auto:
            raise ParameterError("auto", "either automatic or a place")
        async with self._database.session() as session:
            devices = DeviceRepository(session, user.scope)
            device = await _existing(devices, device_id)
            if not await devices.writable_among([device_id]):
                raise read_only()
            repository = PositionRepository(session, user.scope)
            if body.auto and not await repository.location_points([device_id]):
                raise ParameterError(
                    "auto", "a location point at the gateway", reason="device.no_location_point"
                )
            if given and device.auto_position and body.auto is not False:
                raise Conflict(
                    "positioning is automatic", field="auto", rule="false", reason="device.auto_position"
                )
            before = _place_fields(device)
            if body.auto is not None:
                device.auto_position = body.auto
            if given:
                _move(device, body, self._clock())
            await session.commit()
        record_change(before, _place_fields(device))
        if given:
            self._placed(device_id)
        log.info("place of gateway %d changed by %s", device_id, user.name)
        return await self.location(user.scope, device_id)


class PositionFollower:
    """Moves automatically positioned gateways to what their location point ("longitude,latitude") says.

    `note_values` only notes what came; `follow`, run every FOLLOW_S, writes the newest of each gateway.
    placed is called for those that had no place, at most MAX_PUSHED a round; moves are seen when a map asks
    again.
    """

    def __init__(
        self, database: Database, newest: Newest, *, placed: Placed = nobody, clock: NowMs = now_ms
    ) -> None:
        self._database = database
        self._newest = newest
        self._placed = placed
        self._clock = clock
        self._points: dict[int, int] = {}
        self._noted: dict[int, tuple[int, str]] = {}
        self._taken_up: set[int] = set()

    def note_values(self, columns: Sequence[SeriesColumn]) -> None:
        """Samples are durable: note those of location points."""
        if not self._points:
            return
        for column in columns_of(columns, self._points):
            self._note(self._points[column.series], column.t_ms[-1], column.values[-1])

    async def follow(self) -> None:
        """Write what was noted; take up gateways that are positioned automatically since, with what they said
        last.
        """
        async with self._database.reading() as session:
            points = await PositionRepository(session, Scope.system()).followed(MAX_FOLLOWED)
        added = [dsid for dsid in points if dsid not in self._points]
        self._points = points
        self._taken_up |= {points[dsid] for dsid in added}
        if added:
            for dsid, (t_ms, value) in (await self._newest(added)).items():
                self._note(points[dsid], t_ms, value)
        noted, self._noted = self._noted, {}
        if noted:
            await self._write(noted)

    def _note(self, device_id: int, t_ms: int, value: Value) -> None:
        known = self._noted.get(device_id)
        if isinstance(value, str) and (known is None or known[0] < t_ms):
            self._noted[device_id] = (t_ms, value)

    async def _write(self, noted: dict[int, tuple[int, str]]) -> None:
        placed: list[int] = []
        async with self._database.session() as session:
            for device in await PositionRepository(session, Scope.system()).automatic(noted):
                t_ms, text = noted[device.id]
                place = parsed(text)
                is_newer = t_ms > (device.positioned_ms or 0)
                # A receiver that stands still may have said its place before a place was given by hand.
                if place is None or not (is_newer or device.id in self._taken_up):
                    continue
                self._taken_up.discard(device.id)
                if device.longitude is None:
                    placed.append(device.id)
                if not _is_near(device, place):
                    device.longitude, device.latitude = place
                device.positioned_ms = min(t_ms, self._clock())
            await session.commit()
        for device_id in placed[:MAX_PUSHED]:
            self._placed(device_id)


def parsed(text: str) -> tuple[float, float] | None:
    """Degrees out of "longitude,latitude"; None when it is no place. 0,0 is a receiver without a fix."""
    parts = text.split(",")
    if len(parts) != 2:
        return None
    try:
        longitude, latitude = (round(float(part), DIGITS) for part in parts)
    except ValueError:
        return None
    is_place = -180 <= longitude <= 180 and -90 <= latitude <= 90 and (longitude, latitude) != (0, 0)
    return (longitude, latitude) if is_place else None


def _is_near(device: Device, place: tuple[float, float]) -> bool:
    """Within what a receiver wanders that stands still."""
    if device.longitude is None or device.latitude is None:
        return False
    east = (place[0] - device.longitude) * cos(radians(device.latitude))
    return hypot(east, place[1] - device.latitude) * METRES_A_DEGREE <= JITTER_M


def _check(wanted: PlaceFilter) -> None:
    if wanted.status and wanted.status not in FILTERS:
        raise ParameterError("status", f"one of {', '.join(FILTERS)}")


def _status(presence_facts: PresenceFacts) -> int:
    online, open_alarms, silent, answering, reason, refused_ms = presence_facts
    if not online and reason == NEVER_CONNECTED and refused_ms is None:
        return NEW
    return _DIGITS[status_of(online=online, open_alarms=open_alarms, silent=silent, answering=answering)]


def _move(device: Device, body: PositionBody, now: int) -> None:
    if body.longitude is None or body.latitude is None:
        device.longitude = device.latitude = device.positioned_ms = None
        return
    longitude, latitude = to_wgs84(body.longitude, body.latitude, body.crs)
    if abs(longitude) > 180 or abs(latitude) > 90:
        raise ParameterError("crs", "a place of the earth in this datum")
    device.longitude, device.latitude = round(longitude, DIGITS), round(latitude, DIGITS)
    device.positioned_ms = now


def _place_fields(device: Device) -> dict[str, object]:
    return {"longitude": device.longitude, "latitude": device.latitude, "auto": device.auto_position}


def _location(device: Device, presence_facts: PresenceFacts, has_location_point: bool) -> Location:
    return Location(
        device_id=device.id,
        device_title=device.display_title,
        gateway_id=device.gateway_id,
        status=_status(presence_facts),
        address=device.address,
        longitude=device.longitude,
        latitude=device.latitude,
        auto=device.auto_position,
        has_location_point=has_location_point,
        positioned_ms=device.positioned_ms,
    )


async def _existing(repository: DeviceRepository, device_id: int) -> Device:
    device = await repository.device(device_id)
    if device is None:
        raise NotFound("device")
    return device
