"""Factor codes: the table is complete, and each version has its own codes and formats."""

from __future__ import annotations

import re

import pytest

from edge_agent.forwarding.hj212.factor_codes import FORMAT, FactorCode, factor_codes
from edge_agent.forwarding.hj212.profile import VERSIONS

UNITS = {
    "",
    "L/s",
    "mg/L",
    "µg/L",
    "°C",
    "µS/cm",
    "m³/s",
    "%",
    "kPa",
    "m/s",
    "°",
    "m²",
    "mg/m³",
    "ng/m³",
    "dB",
}


@pytest.mark.parametrize("version", VERSIONS)
def test_every_row_is_complete(version: str) -> None:
    codes = factor_codes(version)
    for code, factor in codes.items():
        assert factor.code == code
        assert re.fullmatch(r"[A-Za-z][A-Za-z0-9]*" if version != "2005" else r"[A-Z0-9][A-Za-z0-9]*", code)
        assert re.search("[一-鿿]", factor.name_zh) or factor.name_zh.startswith("pH")
        assert factor.name_en.isascii()
        assert factor.unit in UNITS
        assert factor.amount_unit in {"", "kg", "g", "m³"}
        assert FORMAT.fullmatch(factor.format) or code == "a01901"
    for names in ("name_zh", "name_en"):
        assert len({getattr(factor, names) for factor in codes.values()}) == len(codes)


def test_a_factor_has_its_code_of_each_version() -> None:
    flow = {"name_zh": "污水流量", "name_en": "waste water flow", "unit": "L/s", "amount_unit": "m³"}
    for version, code in (("2005", "B01"), ("2017", "w00000"), ("2025", "w00000")):
        assert factor_codes(version)[code] == FactorCode(
            code=code, usual_units=(), also=factor_codes("2017")["w00000"].also, format="N5.2", **flow
        )
    assert "w01009" not in factor_codes("2005"), "2005 had no dissolved oxygen"
    assert "" not in factor_codes("2005")
    assert "a01901" not in factor_codes("2017")
    assert factor_codes("2025")["a01901"].decimals is None


@pytest.mark.parametrize("version", VERSIONS)
def test_further_names_are_of_one_factor_or_told_apart_by_units(version: str) -> None:
    units: dict[str, set[str]] = {}
    for factor in factor_codes(version).values():
        for name in factor.also:
            assert name == name.strip() and not name.isdigit()
            assert factor.unit not in units.setdefault(name.lower(), set()), name
            units[name.lower()].add(factor.unit)
    oxygen = factor_codes(version)["S01" if version == "2005" else "a19001"]
    assert {"O2", "含氧量", "oxygen"} <= set(oxygen.also)
    assert {name for name, of in units.items() if len(of) > 1} == {"flow", "流量"}


def test_formats_changed_with_the_version() -> None:
    """HJ 212-2025, B.2, beside HJ 212-2017, B.2."""
    assert [factor_codes(version)["a34013"].format for version in ("2017", "2025")] == ["N4", "N4.1"]
    assert [factor_codes(version)["a21002"].decimals for version in ("2017", "2025")] == [1, 2]
    assert [factor_codes(version)["a34013"].decimals for version in ("2017", "2025")] == [0, 1]
    assert factor_codes("2005")["01"].format == "N4"


def test_units_that_are_taken_for_misprints() -> None:
    assert factor_codes("2017")["a34004"].usual_units == ("µg/m³", "mg/m³")
    assert {factor.unit for factor in factor_codes("2017").values() if factor.usual_units} == {"ng/m³"}
