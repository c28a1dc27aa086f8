"""Coordinates between the datums of maps, by values of another program."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloud.domains.devices.geodetic_datums import Datum, to_wgs84, wgs84_to_gcj02

NEAR_DEG = 2e-6
"""The reference values come from another program, which stops 1e-6 degrees from the goal."""

GOLDEN: list[tuple[Datum, tuple[float, float], tuple[float, float]]] = [
    ("GCJ02", (116.397428, 39.90923), (116.3911868, 39.9078288)),
    ("BD09", (116.397428, 39.90923), (116.3848017, 39.9015235)),
    ("GCJ02", (121.4737, 31.2304), (121.4691623, 31.2323293)),
    ("BD09", (121.4737, 31.2304), (121.4626382, 31.2262575)),
    ("GCJ02", (114.0579, 22.5431), (114.0527923, 22.5458265)),
    ("BD09", (114.0579, 22.5431), (114.0462600, 22.5401521)),
    ("GCJ02", (87.6168, 43.8256), (87.6139528, 43.8243960)),
    ("BD09", (112.3333, 16.8333), (112.3219471, 16.8286452)),
    ("GCJ02", (2.3522, 48.8566), (2.3522, 48.8566)),
    ("BD09", (2.3522, 48.8566), (2.3455594, 48.8505962)),
    ("WGS84", (116.397428, 39.90923), (116.397428, 39.90923)),
]


@pytest.mark.parametrize(("datum", "given_deg", "wgs84"), GOLDEN)
def test_datums(datum: Datum, given_deg: tuple[float, float], wgs84: tuple[float, float]) -> None:
    assert to_wgs84(*given_deg, datum) == pytest.approx(wgs84, abs=NEAR_DEG)


@given(st.floats(73.5, 135), st.floats(3, 53.5))
@settings(max_examples=50)
def test_there_and_back_again(longitude: float, latitude: float) -> None:
    moved = wgs84_to_gcj02(longitude, latitude)
    assert to_wgs84(*moved, "GCJ02") == pytest.approx((longitude, latitude), abs=NEAR_DEG)


@pytest.mark.parametrize(
    ("inside", "outside"),
    [
        ((72.004, 40.0), (72.0039, 40.0)),
        ((137.8347, 40.0), (137.8348, 40.0)),
        ((110.0, 0.8293), (110.0, 0.8292)),
        ((110.0, 55.8271), (110.0, 55.8272)),
    ],
)
def test_only_in_a_box_around_china_is_anything_moved(
    inside: tuple[float, float], outside: tuple[float, float]
) -> None:
    assert wgs84_to_gcj02(*inside) != inside
    assert wgs84_to_gcj02(*outside) == outside
    assert to_wgs84(*outside, "GCJ02") == outside


@pytest.mark.parametrize(
    "place", [(116.3911868, 39.9078288), (87.6139528, 43.8243960), (121.4691623, 31.2323293)]
)
def test_the_way_back_ends_a_centimetre_from_the_place(place: tuple[float, float]) -> None:
    assert to_wgs84(*wgs84_to_gcj02(*place), "GCJ02") == pytest.approx(place, abs=1e-7)
