"""What the template says above its columns."""

from __future__ import annotations

import pytest

from cloud.domains.importing.guide import EXAMPLE, example, range_text, values_text
from cloud.domains.sheets.columns import SHEETS, SheetKind, columns_of


@pytest.mark.parametrize(
    ("sheet", "field", "text"),
    [
        ("ports", "min_interval_ms", "0 – 10000"),
        ("ports", "port", "1 – 65535"),
        ("slaves", "storage_cycle_s", "0 – 86400"),
        ("slaves", "retries", "0 – 10"),
        ("points", "tofixed", "0 – 9"),
        ("devices", "longitude", "-180 – 180"),
        ("devices", "latitude", "-90 – 90"),
        ("devices", "project_id", ""),
        ("devices", "gis_show", ""),
        ("points", "unit", ""),
        ("points", "nothing", ""),
    ],
)
def test_what_may_stand_in_a_column(sheet: SheetKind, field: str, text: str) -> None:
    assert range_text(sheet, field) == text


def test_a_text_has_its_length() -> None:
    assert range_text("devices", "device_title") == "≤ 200"


def test_values_with_what_they_mean() -> None:
    words = "readonly=Read only, writeonly=Write only, readwrite=Read and write"
    assert values_text("points", "rw", "en") == words
    assert values_text("points", "nothing", "en") == ""
    named = {language: values_text("devices", "gateway_type", language) for language in ("zh", "en")}  # type: ignore[arg-type]
    assert named["en"].startswith("1=") and named["zh"] != named["en"]


@pytest.mark.parametrize("sheet", SHEETS)
def test_an_example_is_known_as_one_and_has_columns_of_its_sheet(sheet: SheetKind) -> None:
    for language, title in (("zh", "示例"), ("en", "example")):
        row = example(sheet, language)  # type: ignore[arg-type]
        assert row["gateway_id"].startswith(EXAMPLE) and title in row["gateway_id"]
        assert row.keys() - {"gateway_id"} <= columns_of(sheet).keys()
