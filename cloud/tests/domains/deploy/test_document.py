"""Pure: which documents the cloud keeps as a draft."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloud.domains.configuration.document import MOST_BYTES, read, written
from cloud.errors import ParameterError
from edge_contract.deployment import document_hash
from edge_contract.document.masking import MASK

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
        ({"points": [{"slave": "x", "name": "a"}]}, "points[0].slave", "must be the name of a slave"),
        (
            {"points": [{"slave": "meter", "name": "a"}] * 2},
            "points[1].name",
            "must be unique, 'a' stands there twice",
        ),
        ({"slaves": [{"name": "m", "port": ["lan"]}]}, "slaves[0].port", "must be the name of a port"),
        ({"scripts": [{"name": "m"}]}, "scripts[0].slave", "must be the name of a slave"),
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
    room = MOST_BYTES - len(written(content, GATEWAY))
    assert len(written(document(x="a" * room), GATEWAY)) == MOST_BYTES
    with pytest.raises(ParameterError) as error:
        written(document(x="a" * (room + 1)), GATEWAY)
    assert (error.value.field, error.value.rule) == ("document", f"at most {MOST_BYTES} bytes")


def test_key_order_and_blanks_are_not_content() -> None:
    content = document("Ua")
    turned = json.loads(json.dumps(dict(reversed(content.items())), indent=1))
    assert written(turned, GATEWAY) == written(content, GATEWAY)
