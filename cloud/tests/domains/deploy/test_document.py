"""Pure: which documents the cloud keeps as a draft."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloud.domains.configuration.document import MAX_BYTES, is_shallow, points_of, read, written
from cloud.errors import ParameterError
from edge_contract.deployment import document_hash
from edge_contract.document.masking import MASK, PRIVATE

from ...conftest import GATEWAY
from .conftest import document

scalars = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text()
)
trees = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
)


@given(trees)
def test_text_keeps_the_hash_or_names_the_fault(extra: Any) -> None:
    content = {"gateway": {"id": GATEWAY}, "extra": extra}
    try:
        text = written(content, GATEWAY).decode()
    except ParameterError as error:
        assert error.field.startswith("document.extra")
        assert error.rule
    else:
        assert document_hash(read(text)) == document_hash(content)


def nested(levels: int) -> Any:
    return [nested(levels - 1)] if levels else 1


@pytest.mark.parametrize(
    ("changes", "field", "rule"),
    [
        ({"gateway": {"id": "gw-other"}}, "gateway.id", f"must be {GATEWAY}"),
        ({"gateway": 5}, "gateway.id", f"must be {GATEWAY}"),
        ({"ports": {}}, "ports", "a list of at most 1000 tables"),
        ({"points": [{}] * 20_001}, "points", "a list of at most 20000 tables"),
        ({"points": [7]}, "points[0]", "a table"),
        ({"points": [{"slave": "meter"}]}, "points[0].name", "a text"),
        ({"points": [{"slave": "meter", "name": ""}]}, "points[0].name", "a text"),
        ({"points": [{"slave": "meter", "name": 5}]}, "points[0].name", "a text"),
        ({"points": [{"slave": "x", "name": "a"}]}, "points[0].slave", "must be the name of a slave"),
        (
            {"points": [{"slave": "meter", "name": "a"}] * 2},
            "points[1].name",
            "must be unique, 'a' stands there twice",
        ),
        ({"slaves": [{"name": "m", "port": ["lan"]}]}, "slaves[0].port", "must be the name of a port"),
        ({"scripts": [{"name": "m"}]}, "scripts[0].slave", "must be the name of a slave"),
        (
            {"forwarders": [7, {"name": "a"}, {"name": "b", "options": {"password": "x"}}]},
            "forwarders[2].options.password",
            PRIVATE,
        ),
        ({"x": float("nan")}, "x", "a finite number"),
        ({"x": 2**64}, "x", "a number of at most 64 bits"),
        ({"x": ["\ud800"]}, "x[0]", "Unicode text"),
        ({"x": {"\ud800": 1}}, "x", "Unicode text"),
        ({"x": {"password": MASK}}, "x.password", "is masked; the secret itself is needed"),
        ({"x": nested(12)}, "x[0][0][0][0][0][0][0][0][0][0][0][0]", "at most 12 levels deep"),
        ({"x": nested(900)}, "x[0][0][0][0][0][0][0][0][0][0][0][0]", "at most 12 levels deep"),
    ],
    ids=str,
)
def test_fault_by_field_and_rule(changes: dict[str, Any], field: str, rule: str) -> None:
    with pytest.raises(ParameterError) as error:
        written(document(**changes), GATEWAY)
    assert (error.value.field, error.value.rule) == (f"document.{field}", rule)


def test_the_largest_document() -> None:
    content = document(x="")
    room = MAX_BYTES - len(written(content, GATEWAY))
    assert len(written(document(x="a" * room), GATEWAY)) == MAX_BYTES
    with pytest.raises(ParameterError) as error:
        written(document(x="a" * (room + 1)), GATEWAY)
    assert (error.value.field, error.value.rule) == ("document", f"at most {MAX_BYTES} bytes")


def test_key_order_and_blanks_are_not_content() -> None:
    content = document("Ua")
    turned = json.loads(json.dumps(dict(reversed(content.items())), indent=1))
    assert written(turned, GATEWAY) == written(content, GATEWAY)


def test_points_are_named_within_their_slave_and_scripts_within_the_gateway() -> None:
    slaves = [{"name": name, "port": "lan"} for name in ("m1", "m2")]
    same_name = [{"slave": row["name"], "name": "a"} for row in slaves]
    assert read(written(document(slaves=slaves, points=same_name), GATEWAY).decode())["points"] == same_name
    with pytest.raises(ParameterError) as error:
        written(document(slaves=slaves, scripts=same_name), GATEWAY)
    assert (error.value.field, error.value.rule) == (
        "document.scripts[1].name", "must be unique, 'a' stands there twice",
    )  # fmt: skip


def test_as_many_rows_as_a_section_holds() -> None:
    for section, limit in (("ports", 1000), ("slaves", 1000), ("points", 20_000), ("scripts", 100)):
        rows = [{"name": f"n{n}", "slave": "meter", "port": "lan"} for n in range(limit + 1)]
        more = {section: rows} if section != "ports" else {section: rows, "slaves": [], "points": []}
        with pytest.raises(ParameterError) as error:
            written(document(**more), GATEWAY)
        assert (error.value.field, error.value.rule) == (
            f"document.{section}", f"a list of at most {limit} tables",
        )  # fmt: skip
        rows.pop()
        assert len(read(written(document(**more), GATEWAY).decode())[section]) == limit


@pytest.mark.parametrize("number", [-(2**63), 2**64 - 1])
def test_the_least_and_the_largest_whole_number(number: int) -> None:
    assert read(written(document(x=number), GATEWAY).decode())["x"] == number
    with pytest.raises(ParameterError, match="64 bits"):
        written(document(x=number + (1 if number > 0 else -1)), GATEWAY)


def test_the_deepest_document() -> None:
    assert is_shallow(read(written(document(x=nested(11)), GATEWAY).decode()))
    assert not is_shallow(document(x=nested(12)))
    assert (points_of(document("Ua", "Ub")), points_of({}), points_of({"points": 5})) == (2, 0, 0)


def test_a_document_leaves_four_kibibytes_of_a_message() -> None:
    assert MAX_BYTES == (5 * 1024 - 4) * 1024
