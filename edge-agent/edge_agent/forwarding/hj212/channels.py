"""Factors of a target with the numbers of their points. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from edge_agent.forwarding.hj212.options import EQUIPMENT_STATES, Hj212Options
from edge_agent.forwarding.hj212.options import Mapping as Entry
from edge_contract.payloads import Catalog, PointEntry

DEFAULT_DECIMALS = 3
VOLUME_M3 = {"L/s": 1e-3, "m3/s": 1.0, "m3/h": 1 / 3600}
"""Cubic metres of one unit of flow in a second."""
GAS_AMOUNT, WATER_AMOUNT = 1e-6, 1e-3
"""Of a concentration times cubic metres: mg/m3 to kg, mg/L to kg (or ug/L to g)."""


@dataclass(frozen=True)
class Channel:
    """One entry of the mapping. point, flow, state: numbers of points. period_ms: of the point's readings.

    volume: cubic metres of one unit of flow in a second; amount: of its value and a cubic metre of flow, 1 of
    a flow itself. weighted: its mean is weighted by the flow. marks: data flag by text of the state point.
    """

    key: str
    factor: str
    zs: str
    types: frozenset[str]
    units: frozenset[str]
    point: int
    period_ms: int
    decimals: int
    flow: int | None = None
    state: int | None = None
    upper: float | None = None
    volume: float = 1.0
    amount: float = 1.0
    weighted: bool = False


@dataclass(frozen=True)
class EquipmentChannel:
    """One treatment equipment. point: number of its state point."""

    code: str
    point: int

    @property
    def key(self) -> str:
        """Of its run time in a minute; no factor has it."""
        return f"{self.code}-RT"


@dataclass(frozen=True)
class Rules:
    """Of one target. marks: data flag by the text of a state point's value. lost: flag of a value that cannot
    be read. any_abnormal: one abnormal record makes a longer one abnormal, else fewer than 75 of 100 normal.
    equipment_states: -RS by the text of an equipment's value; empty: the value is it.
    """

    channels: tuple[Channel, ...]
    marks: Mapping[str, str]
    lost: str
    any_abnormal: bool
    offset_ms: int
    equipment: tuple[EquipmentChannel, ...] = ()
    equipment_states: Mapping[str, str] = field(default_factory=dict)

    def equipment_state(self, text: str | None) -> str | None:
        """-RS of an equipment by the text of its value (HJ 212-2017, SBx-RS); None when it is none."""
        if text is None:
            return None
        state = self.equipment_states.get(text) if self.equipment_states else text
        return state if state in EQUIPMENT_STATES else None


def rules_of(options: Hj212Options, catalog: Catalog) -> Rules:
    """Entries whose point the catalog does not know are left out; a valid configuration has none."""
    points = {f"{point.slave}.{point.name}": point for point in catalog.points}
    channels = [_channel(entry, options, points) for entry in options.mapping if entry.point in points]
    return Rules(
        channels=tuple(channels),
        marks=dict(options.states),
        # 2005 has no B, and of 2025 it is not known to have one
        lost="B" if options.version == "2017" else "D",
        any_abnormal=(options.validity or ("share" if options.is_gas else "any")) == "any",
        offset_ms=options.offset_ms,
        equipment=tuple(
            EquipmentChannel(one.code, points[one.point].id)
            for one in options.equipment
            if one.point in points
        ),
        equipment_states=dict(options.equipment_states),
    )


def _channel(entry: Entry, options: Hj212Options, points: Mapping[str, PointEntry]) -> Channel:
    point = points[entry.point]
    decimals = point.decimals if entry.decimals is None else entry.decimals
    flow, state = (points.get(name or "") for name in (entry.flow, entry.state))
    return Channel(
        key=entry.key,
        factor=entry.factor,
        zs="Zs" if entry.converted else "",
        types=frozenset(entry.types),
        units=frozenset(entry.units),
        point=point.id,
        period_ms=point.period_ms,
        decimals=DEFAULT_DECIMALS if decimals is None else decimals,
        flow=flow.id if flow else None,
        state=state.id if state else None,
        upper=entry.upper,
        volume=VOLUME_M3[entry.flow_unit or ("m3/s" if options.is_gas else "L/s")],
        amount=(GAS_AMOUNT if options.is_gas else WATER_AMOUNT) if flow else 1.0,
        weighted=flow is not None and not options.is_gas,
    )
