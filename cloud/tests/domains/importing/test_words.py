"""Faults of cells have words, the same in the error file and the portal; what the template says holds."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from cloud.core.constraints import CODES, KINDS, broken
from cloud.core.xlsx import read_workbook
from cloud.domains.importing import difference, template_column
from cloud.domains.importing.endpoints import router
from cloud.domains.importing.guide import EXAMPLE, example
from cloud.domains.importing.names import NameIndex, Node, WrongName, names_of
from cloud.domains.importing.parsing import parsed, sorted_rows
from cloud.domains.importing.schemas import ExportBody, SheetMapping
from cloud.domains.importing.sheets import template_workbook
from cloud.domains.importing.words import codes, why
from cloud.domains.importing.workfile import Workfile
from cloud.domains.points import address_rules, rules
from cloud.domains.points.forms import forms
from cloud.domains.sheets import values

REPOSITORY = Path(__file__).parents[4]
LOCALES = REPOSITORY / "web/src/i18n/locales"


def portal(language: str) -> dict[str, str]:
    words = json.loads((LOCALES / f"{language}.json").read_text())
    return {**words["refusal"]["constraint"], **words["point"]["fault"], **words["import"]["fault"]}


def test_the_error_file_says_what_the_portal_says() -> None:
    for language in ("zh", "en"):
        for code, words in portal(language).items():
            assert why(code, {}, language) == re.sub(r"\{\{(\w+)\}\}", r"{\1}", words), code
    assert why("range", {"min": 1, "max": 9}, "zh") == "应在 1 至 9 之间"


def test_every_code_has_words() -> None:
    said = set(CODES)
    for module in (rules, address_rules):
        said |= set(re.findall(r'Cell\(\s*[^,()]+,\s*"([a-z_]+)"', Path(module.__file__).read_text()))
    for form in forms().values():
        for checks in (form.port_checks, form.address_checks, form.slave_checks, form.point_checks):
            said |= {rule["code"] for rules in checks for rule in rules}
    for module in (difference, template_column, values):
        text = Path(module.__file__).read_text()
        said |= set(re.findall(r'(?:Fault|WrongValue)\("([a-z_]+)"', text))
    assert len(said) > 60 and said <= codes()


def test_every_constraint_of_the_api_has_a_code() -> None:
    """By its name in the schema, and the kind that pydantic tells when it is broken."""
    kinds = {
        "minimum": "greater_than_equal", "exclusiveMinimum": "greater_than", "maximum": "less_than_equal",
        "exclusiveMaximum": "less_than", "multipleOf": "multiple_of", "minLength": "string_too_short",
        "maxLength": "string_too_long", "pattern": "string_pattern_mismatch", "minItems": "too_short",
        "maxItems": "too_long", "maxProperties": "too_long", "minProperties": "too_short",
        "required": "missing", "additionalProperties": "extra_forbidden", "enum": "literal_error",
        "const": "literal_error", "discriminator": "union_tag_invalid",
    }  # fmt: skip
    plain = {
        "title", "type", "description", "default", "format", "properties", "items", "anyOf", "oneOf", "allOf",
        "$ref", "examples", "prefixItems", "propertyNames", "patternProperties", "nullable", "deprecated",
        "not", "ge", "lt", "writeOnly",
    }  # fmt: skip
    used: set[str] = set()

    def look(schema: Any) -> None:
        used.update(schema)
        for name, value in schema.items():
            if name in ("properties", "patternProperties"):
                for each in value.values():
                    look(each)
            elif name in ("items", "additionalProperties", "propertyNames") and isinstance(value, dict):
                look(value)
            elif name in ("anyOf", "oneOf", "allOf", "prefixItems"):
                for each in value:
                    look(each)

    whole = json.loads((REPOSITORY / "web/openapi.json").read_text())
    for schema in whole["components"]["schemas"].values():
        look(schema)
    for path in whole["paths"].values():
        for operation in path.values():
            for parameter in operation.get("parameters", ()):
                look(parameter["schema"])
    assert "pattern" in used and "multipleOf" in used
    assert used - plain - kinds.keys() == set()
    assert set(kinds.values()) <= KINDS.keys()


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ({"type": "less_than_equal", "ctx": {"le": 90.0}}, ("at_most", {"limit": 90})),
        ({"type": "string_too_long", "ctx": {"max_length": 20}}, ("text_long", {"limit": 20})),
        ({"type": "string_pattern_mismatch", "ctx": {"pattern": "^a$"}}, ("pattern", {})),
        ({"type": "literal_error", "ctx": {"expected": "'a', 'b' or 'c'"}}, ("one_of", {"limit": "a, b, c"})),
        ({"type": "something_new"}, ("form", {})),
    ],
)
def test_what_is_broken_is_a_code_with_its_limit(
    error: dict[str, Any], told: tuple[str, dict[str, Any]]
) -> None:
    assert broken(error) == told


def test_what_an_address_asks_for_has_the_bounds_of_what_a_body_asks_for() -> None:
    app = FastAPI()
    app.include_router(router)
    asked = app.openapi()["paths"]["/device/export-list"]["get"]["parameters"]
    body = ExportBody.model_json_schema()["properties"]
    told = {each["name"]: {**each["schema"], "title": ""} for each in asked if each["name"] in body}
    assert len(told) > 9
    assert all(
        {**body[name], "default": None, "title": ""} == {**told[name], "default": None} for name in told
    )


def test_an_example_of_the_template_is_not_imported(tmp_path: Path) -> None:
    file = io.BytesIO()
    template_workbook(file, "zh")
    assert str(read_workbook(file.getvalue(), "a.xlsx")[0].rows[0][0]).startswith(EXAMPLE)
    work = Workfile(tmp_path / "a.sqlite")
    sheets = parsed(file.getvalue(), "a.xlsx", work)
    assert all((sheet["rows"], sheet["sample"]) == (0, []) for sheet in sheets if sheet["kind"])
    mappings = [SheetMapping(kind=sheet["kind"], fields=sheet["fields"]) for sheet in sheets]
    assert [mapping.kind for mapping in mappings] == ["devices", "ports", "slaves", "points", None]
    found = sorted_rows(work, mappings)
    assert (found.places, found.lost) == ({}, [])
    said = {row[2]: row[5:] for row in read_workbook(file.getvalue(), "a.xlsx")[4].rows if row[0] == "设备"}
    assert said["gateway_type"] == ["1=DTU, 2=智能网关, 3=普通网关", "1 – 3"]
    assert "留空则保持不变" in str(said["gateway_template_id"][0])


def test_examples_of_the_template_are_what_a_gateway_takes() -> None:
    """A temperature in tenths of a degree in the first holding register of a PLC."""
    point, slave, port = (dict(example(kind, "en")) for kind in ("points", "slaves", "ports"))
    assert (point["regtype"], point["addroffset"], point["data_type"]) == ("4X", 0, "int16")
    assert (point["ratio"], point["tofixed"], point["record"], point["unit"]) == (0.1, 1, 1, "℃")
    assert (point["slave"], slave["port"]) == (slave["name"], port["name"])
    assert (port["type"], port["port"], slave["address"], slave["capture_cycle_ms"]) == (
        "NET",
        502,
        "1",
        1000,
    )
    form = forms()[slave["protocol"]]
    assert list(rules.port_faults(port, form)) == list(rules.slave_faults(slave, port, form)) == []
    assert rules.points_faults([point], form, {}) == [[]]
    device = example("devices", "zh")
    assert (device["protocol"], device["gateway_type"], device["gis_show"]) == (3, 2, True)
    assert (device["longitude"], device["latitude"]) == (121.47, 31.23)


def test_projects_are_known_by_number_title_or_path() -> None:
    nodes = [
        Node(1, "/1/", "East", True), Node(2, "/1/2/", "Station", False), Node(3, "/3/", "West", True),
        Node(4, "/3/4/", "Station", False), Node(5, "/5/", "North", False), Node(6, "/6/", "7", False),
    ]  # fmt: skip
    names = names_of(nodes, [(1, "P-1", "Meter")])
    assert [names.number_of("project_id", text) for text in ("east/ station", "North")] == [2, 5]
    assert [names.number_of("product_id", text) for text in ("p-1", "meter")] == [1, 1]
    for text, code in (("Station", "ambiguous"), ("South", "unknown"), ("East", "unknown")):
        with pytest.raises(WrongName, match=code):
            names.number_of("project_id", text)
    shown = [names.with_names({"project_id": number})["project_id"] for number in (2, 4, 6, 9, None)]
    assert shown == ["East / Station", "West / Station", 6, 9, None]
    assert NameIndex().cell_of(3) == 3


def test_a_long_limit_is_cut_and_a_short_one_reads_as_a_list() -> None:
    def limit(**context: Any) -> object:
        return broken({"type": "literal_error", "ctx": context})[1].get("limit")

    assert limit(expected="x" * 301) == "x" * 300
    assert limit(expected="'a', 'b' or 'c'") == "a, b, c"
    assert (limit(ge=5.0), limit(ge=0.5), limit(), limit(ge=0)) == (5, 0.5, None, 0)
