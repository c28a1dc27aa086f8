"""What a file changes of a gateway, and that an export changes nothing."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloud.core.xlsx import Cell, NoValue, read_workbook
from cloud.domains.devices.forms import DeviceFields
from cloud.domains.importing.difference import difference
from cloud.domains.importing.names import Names
from cloud.domains.importing.outcome import Current, Given, GivenRow, ImportOutcome, Mode
from cloud.domains.importing.parsing import given_of
from cloud.domains.importing.schemas import SheetMapping
from cloud.domains.importing.sheets import extra_fields, gateways_workbook, rows_of_gateway
from cloud.domains.points.fields import FIELDS
from cloud.domains.sheets.changes import CellChange
from cloud.domains.sheets.columns import SHEETS, TEMPLATE, SheetKind, columns_of, guessed
from cloud.domains.sheets.values import WrongValue, cell_of, is_same, value_of

GATEWAY = "gw-1"
FIELDS_NOW: dict[str, Any] = {
    **dict.fromkeys(DeviceFields.model_fields), "device_title": "Boiler", "protocol": 1, "gateway_type": 3,
    "gis_show": False, "remark": "", "device_city": "", "scan_bind": True,
    "longitude": 121.5, "latitude": 31.25, "expire_ms": 1_790_000_000_123, "device_mst": 0,
    "offline_alarm_delay_s": 10,
}  # fmt: skip
DOCUMENT: dict[str, Any] = {
    "gateway": {"id": GATEWAY},
    "cloud": {"url": "mqtt://c"},
    "ports": [{"name": "lan", "type": "NET", "host": "10.0.0.1", "port": 502}],
    "slaves": [
        {"name": "plc", "port": "lan", "protocol": "modbus_tcp", "address": "1",
         "options": {"one_based": True}},
        {"name": "plc2", "port": "lan", "protocol": "modbus_tcp", "address": "2", "later": {"x": [1]}},
    ],
    "points": [
        {"slave": "plc", "name": "t", "ratio": 0.1, "address": {"reg_type": "4X", "offset": 1}, "min": 0.0},
        {"slave": "plc", "name": "on", "type": "swh", "on_value": 1, "off_value": "0",
         "address": {"reg_type": "0X", "offset": 2, "bit": 3}},
        {"slave": "plc", "name": "mode", "selector": {"0": "停", "1": "Run"},
         "address": {"reg_type": "4X", "offset": 9}},
        {"slave": "plc2", "name": "t", "title": "=1+1",
         "address": {"reg_type": "4X", "offset": 0, "later": 1.5}},
    ],
}  # fmt: skip
NOW = Current(
    FIELDS_NOW, document=DOCUMENT, settings={("plc", "t"): {"line_color": "#ff0000", "alarm_upper": 5.0}}
)


def said(mode: Mode = "merge", **sheets: Sequence[Mapping[str, Cell]]) -> Given:
    """A file with these rows; a sheet has the columns of its first row."""
    mapped = {kind: list(rows[0]) for kind, rows in sheets.items()}
    rows = {
        kind: [GivenRow(n, {k: v for k, v in row.items() if v is not None}) for n, row in enumerate(rows, 2)]
        for kind, rows in sheets.items()
    }
    return Given(GATEWAY, mode, mapped, rows)  # type: ignore[arg-type]


def told(outcome: ImportOutcome) -> list[tuple[str, str, tuple[str, ...], list[str]]]:
    return [
        (
            row.kind,
            row.sheet,
            row.key,
            [f"{c.field}:{c.fault.code if c.fault else c.after}" for c in row.cells],
        )
        for row in outcome.rows
    ]


def point(**fields: Cell) -> dict[str, Cell]:
    return {"gateway_id": GATEWAY, "slave": "plc", "ds_name": "t", **fields}


def exported(current: Current) -> list[Given]:
    """The export of a gateway, read again in either mode."""
    rows: dict[SheetKind, list[dict[str, Any]]] = {kind: [] for kind in SHEETS}
    extra: dict[SheetKind, set[str]] = {kind: set() for kind in SHEETS}
    given: Any = current.settings
    found = rows_of_gateway(GATEWAY, current.fields or {}, current.document or {}, given)
    for kind, row in found:
        rows[kind].append(row)
        extra[kind].update(extra_fields(kind, row))
    file = io.BytesIO()
    gateways_workbook(file, rows, extra, "zh")
    tables = read_workbook(file.getvalue(), "a.xlsx")
    guesses = [guessed(table.name, table.header) for table in tables]
    assert [kind for kind, _ in guesses] == list(SHEETS) and all(None not in fields for _, fields in guesses)
    mappings = [SheetMapping(kind=kind, fields=fields) for kind, fields in guesses]
    cells = [(at, n, row) for at, t in enumerate(tables) for n, row in zip(t.numbers, t.rows, strict=True)]
    return [given_of(GATEWAY, mode, mappings, cells, Names()) for mode in ("merge", "replace")]


def test_every_field_has_a_column() -> None:
    assert {"gateway_id", TEMPLATE, *DeviceFields.model_fields} == set(columns_of("devices"))
    for kind in ("ports", "slaves", "points"):
        wanted = {name.field for name in FIELDS[kind]} - {"options"}
        assert wanted <= set(columns_of(kind))
    assert {name.field for name in FIELDS["settings"]} <= set(columns_of("points"))


def test_heads_in_either_language_or_by_name() -> None:
    heads = ["序列号", "Slave", "标识", "dsTitle", "address.later", "nothing", "SLAVE"]
    fields = ["gateway_id", "slave", "ds_name", "ds_title", "address.later", None, None]
    assert guessed("Sheet1", heads) == ("points", fields)
    assert guessed("Ports", ["x"]) == (None, [None])


def test_heads_of_times_name_their_zone_in_both_languages() -> None:
    times = [column for kind in SHEETS for column in columns_of(kind).values() if column.kind == "time"]
    assert [column.field for column in times] == ["expire_ms"]
    assert all("UTC" in column.zh and "UTC" in column.en for column in times)


def test_heads_of_older_files_are_known() -> None:
    heads = ["SN", "设备类别码", "Positions itself", "Collect interval (s)", "", "Binding by scan"]
    fields = ["gateway_id", "device_mst", "auto_position", "collect_interval_s", None, "scan_bind"]
    assert guessed("Devices", heads) == ("devices", fields)


def test_a_wrong_coordinate_is_told_by_its_own_cell() -> None:
    row = {"gateway_id": GATEWAY, "longitude": "abc", "latitude": 31.2}
    outcome = difference(said(devices=[row]), Current(None))
    assert ("wrong", "devices", ["longitude:number"]) in [
        (kind, sheet, [cell for cell in cells if cell.startswith("longitude")])
        for kind, sheet, _, cells in told(outcome)
    ]
    one = difference(said(devices=[{"gateway_id": GATEWAY, "latitude": 31.2}]), Current(None))
    assert "longitude:both_coordinates" in told(one)[0][3]


def test_a_new_gateway_without_a_title_is_told_to_have_its_serial_number() -> None:
    outcome = difference(said(devices=[{"gateway_id": GATEWAY, "device_title": None}]), Current(None))
    assert told(outcome) == [("added", "devices", (), [f"device_title:{GATEWAY}"])]
    assert "device_title" not in outcome.fields


def test_an_export_changes_nothing() -> None:
    for again in exported(NOW):
        outcome = difference(again, NOW)
        assert told(outcome) == [] and not outcome.changes and outcome.unchanged == 8


NAMES = st.from_regex(r"[A-Za-z0-9_]{1,8}", fullmatch=True)
TEXTS = st.text(
    st.characters(blacklist_categories=["Cs", "Cc"], blacklist_characters="\ufffe\uffff"), max_size=8
)


SCALARS = st.one_of(
    st.booleans(), st.integers(-(2**63), 2**64 - 1), st.floats(allow_nan=False, allow_infinity=False), TEXTS
)


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    slaves = draw(st.lists(NAMES, unique=True, min_size=1, max_size=2))
    points = [
        {
            "slave": slave, "name": name, "title": draw(TEXTS), "ratio": draw(st.floats(-1e9, 1e9)),
            "address": draw(st.dictionaries(st.sampled_from(["new_key", "more"]), SCALARS, max_size=2)),
            "on_value": draw(SCALARS), "selector": draw(st.dictionaries(NAMES, TEXTS, max_size=2)),
        }
        for slave in slaves for name in draw(st.lists(NAMES, unique=True, max_size=3))
    ]  # fmt: skip
    options = draw(st.dictionaries(st.sampled_from(["new_key", "password"]), TEXTS, max_size=2))
    rows = [
        {"name": s, "port": "p", "address": "1", "protocol": "modbus_tcp", "options": options} for s in slaves
    ]
    return {
        "gateway": {"id": GATEWAY},
        "ports": [{"name": "p", "type": "NET"}],
        "slaves": rows,
        "points": points,
    }


@settings(max_examples=15, deadline=None)
@given(documents())
def test_no_export_changes_anything(document: dict[str, Any]) -> None:
    current = Current(FIELDS_NOW, document=document)
    again = exported(current)[0]
    assert told(difference(again, current)) == []


def test_added_changed_and_wrong_cells() -> None:
    rows = [
        point(ratio=0.2, ds_title="New", addroffset=1),
        point(ds_name="p2", ratio="x", addroffset=4),
        point(ds_name="p3", ratio=None, addroffset=4, ds_title=None),
        point(ds_name="p2"),
        point(ds_name=None),
        point(slave="gone", ds_name="t", addroffset=1),
    ]
    outcome = difference(said(points=rows), NOW)
    assert told(outcome)[:2] == [
        ("wrong", "points", ("plc", "p2"), ["ds_name:twice"]),
        ("wrong", "points", ("plc", ""), ["ds_name:required"]),
    ]
    assert told(outcome)[2] == ("changed", "points", ("plc", "t"), ["ratio:0.2", "ds_title:New"])
    assert "ratio:number" in told(outcome)[3][3] and told(outcome)[3][0] == "wrong"
    assert told(outcome)[5][3][0] == "slave:unknown_slave"
    assert outcome.document is not None
    assert (
        outcome.document["points"][0]["ratio"] == 0.2
        and outcome.document["points"][1:] == DOCUMENT["points"][1:]
    )
    assert DOCUMENT["points"][0]["ratio"] == 0.1


def test_an_empty_cell_keeps_in_a_merge_and_empties_in_a_replacement() -> None:
    row = point(min=None, line_color=None, ds_title=None)
    assert told(difference(said(points=[row]), NOW)) == []
    outcome = difference(said("replace", points=[row]), NOW)
    assert told(outcome)[0] == ("changed", "points", ("plc", "t"), ["min:None", "line_color:None"])
    assert outcome.settings == {("plc", "t"): {"line_color": None}}
    assert outcome.document is not None and "min" not in outcome.document["points"][0]
    device = {
        "gateway_id": GATEWAY,
        "device_title": None,
        "protocol": None,
        "longitude": None,
        "latitude": None,
    }
    emptied = difference(said("replace", devices=[device]), NOW)
    assert emptied.fields == {"longitude": None, "latitude": None}


def test_a_replacement_removes_what_is_not_listed_but_nothing_that_is_used() -> None:
    outcome = difference(said("replace", points=[point()]), NOW)
    gone = [row.key for row in outcome.rows if row.kind == "removed"]
    assert gone == [("plc", "on"), ("plc", "mode"), ("plc2", "t")]
    cells = [cell for row in outcome.rows if row.key == ("plc2", "t") for cell in row.cells]
    assert cells == [CellChange("ds_title", "=1+1")]  # its key and its title
    slave = {"gateway_id": GATEWAY, "name": "plc", "port": "lan"}
    both = difference(said("replace", slaves=[slave], points=[point()]), NOW)
    assert ("removed", "slaves", ("plc2",), []) in told(both)
    assert both.document is not None and [row["name"] for row in both.document["slaves"]] == ["plc"]
    used = difference(said("replace", slaves=[slave], points=[point(slave="plc2")]), NOW)
    assert ("removed", "slaves", ("plc2",), []) not in told(used)
    ports = difference(said("replace", ports=[{"gateway_id": GATEWAY, "name": "other"}]), NOW)
    assert ("wrong", "ports", ("lan",), ["name:in_use"]) in told(ports)
    scripted = {**DOCUMENT, "scripts": [{"name": "s", "slave": "plc2", "text": "a = 1"}]}
    kept = difference(said("replace", slaves=[slave]), Current(FIELDS_NOW, document=scripted))
    assert told(kept) == [("wrong", "slaves", ("plc2",), ["name:in_use"])]


def test_a_new_gateway_with_everything() -> None:
    rows: Any = {
        "devices": [{"gateway_id": GATEWAY, "device_title": "New", "gis_show": "是"}],
        "ports": [{"gateway_id": GATEWAY, "name": "lan", "type": "NET", "ip": "10.0.0.1"}],
        "slaves": [
            {"gateway_id": GATEWAY, "name": "plc", "port": "lan", "protocol": "modbus_tcp", "address": 1}
        ],
        "points": [point(regtype="4X", addroffset="5")],
    }
    outcome = difference(said(**rows), Current())
    assert [row.kind for row in outcome.rows] == ["added"] * 4 and outcome.is_new
    assert outcome.fields == {"device_title": "New", "gis_show": True}
    assert outcome.document == {
        "gateway": {"id": GATEWAY},
        "ports": [{"name": "lan", "type": "NET", "host": "10.0.0.1"}],
        "slaves": [{"name": "plc", "port": "lan", "protocol": "modbus_tcp", "address": "1"}],
        "points": [{"slave": "plc", "name": "t", "address": {"reg_type": "4X", "offset": 5}}],
    }


@pytest.mark.parametrize(
    ("sheets", "current", "code"),
    [
        ({"points": [point()]}, Current(), "no_gateway"),
        ({"devices": [{"gateway_id": GATEWAY}]}, Current(claimed=True), "claimed"),
        ({"devices": [{"gateway_id": GATEWAY, "protocol": 12}], "points": [point()]}, Current(), "depends"),
        (
            {"points": [point(ratio=7)]},
            Current(FIELDS_NOW, writes=False, document=DOCUMENT),
            "shared_read_only",
        ),
        ({"devices": [{"gateway_id": GATEWAY, "longitude": 200}]}, NOW, "at_most"),
    ],
)
def test_what_cannot_be_done_is_wrong(sheets: Any, current: Current, code: str) -> None:
    outcome = difference(said(**sheets), current)
    assert {row.kind for row in outcome.rows} == {"wrong"} and not outcome.changes
    assert any(cell.fault is not None and cell.fault.code == code for cell in outcome.rows[-1].cells)


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("[NaN]", "finite"), ("[1e400]", "finite"), ('"\\ud800"', "printable"),
        ("[18446744073709551616]", "bits64"),
        ("[" * 300 + "]" * 300, "json_deep"), ("[" * 9 + "1" + "]" * 9, "json_deep"),
    ],
)  # fmt: skip
def test_what_no_configuration_holds_is_wrong_at_its_cell(cell: str, code: str) -> None:
    rows = [{**point(), "address.x": cell}, {**point(ds_name="on"), "address.x": "[" * 8 + "1" + "]" * 8}]
    outcome = difference(said(points=rows), NOW)
    assert told(outcome) == [
        ("wrong", "points", ("plc", "t"), [f"address.x:{code}"]),
        ("changed", "points", ("plc", "on"), ["address.x:[[[[[[[[1]]]]]]]]"]),
    ]
    assert outcome.document is not None


def test_a_row_that_is_the_same_may_stand_in_the_file_of_who_only_reads() -> None:
    outcome = difference(
        said(points=[point(ratio=0.1)]), Current(FIELDS_NOW, writes=False, document=DOCUMENT)
    )
    assert (outcome.rows, outcome.unchanged) == ([], 1)


@pytest.mark.parametrize(
    ("cell", "kind", "value"),
    [
        (" a ", "text", "a"), (1, "text", "1"), ("12", "int", 12), (1.5, "number", 1.5),
        ("1e3", "number", 1000.0),
        ("Yes", "bool", True), (0, "bool", False), ("2026-01-01", "time", 1_767_225_600_000),
        ("20271231", "time", 1_830_211_200_000), (1_830_211_200_000, "time", 1_830_211_200_000),
        ("  ", "int", None),
        ('{"0": "a"}', "json", {"0": "a"}), ("[1]", "any", [1]), ("1", "any", "1"), (True, "any", True),
    ],
)  # fmt: skip
def test_cells_to_values(cell: Cell, kind: Any, value: Any) -> None:
    assert value_of(cell, kind) == value


@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        ("x", "int"),
        (1.5, "int"),
        ("nan", "number"),
        (True, "number"),
        ("maybe", "bool"),
        ("x", "time"),
        ("{", "json"),
    ],
)
def test_wrong_cells(cell: Cell, kind: Any) -> None:
    with pytest.raises(WrongValue) as found:
        value_of(cell, kind)
    assert found.value.code == kind


@pytest.mark.parametrize("cell", [20271231, 46387, 46387.5, 20271231120000, 0])
def test_a_plain_number_is_no_date(cell: Cell) -> None:
    with pytest.raises(WrongValue, match="time_number"):
        value_of(cell, "time")


@pytest.mark.parametrize(("text", "code"), [("=", "formula_without_value"), ("#DIV/0!", "error_value")])
def test_a_cell_without_a_value_is_wrong_in_both_modes(text: str, code: str) -> None:
    modes: list[Mode] = ["merge", "replace"]
    for mode in modes:
        outcome = difference(said(mode, devices=[{"gateway_id": GATEWAY, "remark": NoValue(text)}]), NOW)
        assert told(outcome) == [("wrong", "devices", (), [f"remark:{code}"])]


@settings(max_examples=50)
@given(SCALARS)
def test_any_scalar_comes_back(value: Any) -> None:
    cell = cell_of(value, "any")
    again = value_of(cell, "any") if cell not in ("", None) else None
    assert is_same(value, again) or (isinstance(value, str) and not value.strip())


def test_collection_and_reporting_go_into_the_draft_and_no_column() -> None:
    row = {"gateway_id": GATEWAY, "report_interval_s": 300, "low_power": True, "collect_interval_s": 2.5}
    held = {"gateway": {"id": GATEWAY}, "reporting": {"interval_s": 60}, "storage": {"max_mb": 7}}
    outcome = difference(said(devices=[row]), Current({"device_title": "x"}, document=held))
    assert outcome.fields == {}
    assert outcome.document == {
        "gateway": {"id": GATEWAY},
        "storage": {"max_mb": 7},
        "reporting": {"interval_s": 300, "power": "saving"},
        "collection": {"capture_cycle_ms": 2500},
    }
    again = difference(said(devices=[row]), Current({"device_title": "x"}, document=outcome.document))
    assert (again.rows, again.unchanged, again.document) == ([], 1, None)


def test_power_saving_needs_a_report_interval() -> None:
    row = {"gateway_id": GATEWAY, "low_power": True}
    outcome = difference(said(devices=[row]), Current({"device_title": "x"}))
    assert "report_interval_s:saving_interval" in told(outcome)[0][3]
    assert outcome.document is None
