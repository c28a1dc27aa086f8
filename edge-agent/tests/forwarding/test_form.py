"""What portals are given to ask for the options of each kind: complete, and true to options and reasons."""

from __future__ import annotations

import re
from typing import Any

import pytest

from edge_agent.config.model import ForwarderEntry
from edge_agent.config.shape import fields_of
from edge_agent.forwarding.base import Kind
from edge_agent.forwarding.form import COMMON, document, form_of, words_of
from edge_agent.forwarding.hj212.connection import REFUSALS
from edge_agent.forwarding.hj212.options import Mapping
from edge_agent.forwarding.kinds import FORWARDERS
from edge_agent.forwarding.mqtt.config import Variable

KINDS = [kind for kind in FORWARDERS.values() if not kind.section]
DOCUMENT = document(FORWARDERS.values())


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_each_option_is_asked_for_once(kind: Kind) -> None:
    form = form_of(kind)
    assert form is not None
    assert sorted(field.name for field in form.fields) == sorted(fields_of(kind.options))
    assert {field.section for field in form.fields} <= set(words_of("edge_agent.forwarding").sections)
    for fault in form.faults:
        assert re.compile(fault.pattern)
        assert set(fault.fields) <= set(fields_of(kind.options)), "a fault leads to an option"


@pytest.mark.parametrize(
    ("kind", "field", "struct"), [("hj212", "mapping", Mapping), ("mqtt", "variables", Variable)]
)
def test_each_column_is_asked_for_once(kind: str, field: str, struct: Any) -> None:
    rows = field_of(kind, field)
    assert rows["kind"] == "rows"
    assert sorted(column["name"] for column in rows["columns"]) == sorted(fields_of(struct))
    assert set(rows["unique"]) <= {column["name"] for column in rows["columns"]}


def test_every_choice_has_words_and_every_field_both_languages() -> None:
    fields = [*DOCUMENT["fields"], *(one for kind in DOCUMENT["kinds"].values() for one in kind["fields"])]
    for field in fields:
        assert field["zh"] and field["en"]
        for choice in field.get("choices", ()):
            assert choice["zh"] and choice["en"]
    assert sorted(field["name"] for field in DOCUMENT["fields"]) == sorted(COMMON)
    assert set(COMMON) | {"kind", "options"} == set(fields_of(ForwarderEntry))


def field_of(kind: str, name: str) -> Any:
    return next(field for field in DOCUMENT["kinds"][kind]["fields"] if field["name"] == name)


def test_ranges_choices_defaults_and_secrets_are_those_of_the_options() -> None:
    timeout = field_of("hj212", "timeout_s")
    assert (timeout["kind"], timeout["min"], timeout["max"], timeout["default"]) == ("integer", 1, 99, 10)
    assert [one["value"] for one in field_of("hj212", "flag")["choices"]] == [5, 0]
    assert field_of("hj212", "pw")["secret"] and "secret" not in field_of("hj212", "mn")
    assert field_of("hj212", "port")["required"] and field_of("mqtt", "port")["optional"]
    assert field_of("hj212", "tolerances")["kind"] == "choices"
    assert field_of("hj212", "states")["kind"] == "pairs"
    assert field_of("file", "points")["kind"] == "texts"
    pattern = field_of("hj212", "mn")["pattern"]
    assert re.fullmatch(pattern, "010000A8900016F000169DC0") and not re.fullmatch(pattern, "a,b")


def test_the_codes_are_those_of_each_version() -> None:
    codes = DOCUMENT["kinds"]["hj212"]["codes"]
    assert codes["by"] == "version"
    assert {version: codes["entries"][version][0]["code"] for version in codes["entries"]} == {
        "2005": "B01",
        "2017": "w00000",
        "2025": "w00000",
    }


def test_each_code_of_a_refusal_has_words() -> None:
    faults = DOCUMENT["kinds"]["hj212"]["faults"]
    mended = {}
    for code, words in REFUSALS.items():
        reason = f"the platform refused CN=2011: {words} (QnRtn={code})"
        fault = next(one for one in faults if re.search(one["pattern"], reason))
        mended[code] = list(fault["fields"])
    assert mended == {
        "2": [],
        "3": ["pw"],
        "4": ["mn"],
        "5": ["st"],
        "6": ["flag", "version"],
        "7": ["version"],
        "8": ["version"],
        "9": ["crc"],
        "100": [],
    }
