"""A configuration document is named by its content."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_contract.deployment import canonical, document_hash

leaves = st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False) | st.text()
documents = st.dictionaries(
    st.text(),
    st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20),
)


@pytest.mark.clause("C-090")
@given(documents)
def test_the_name_survives_transport_and_order(document: dict[str, object]) -> None:
    again = json.loads(canonical(document))
    turned = dict(reversed(list(again.items())))
    assert document_hash(document) == document_hash(again) == document_hash(turned)


@pytest.mark.clause("C-090")
def test_the_name_is_the_sha256_of_the_canonical_bytes() -> None:
    document = {"b": [1, 2.0, "\u4e2d"], "a": {"z": None, "y": True}}
    written = '{"a":{"y":true,"z":null},"b":[1,2.0,"\u4e2d"]}'.encode()
    assert canonical(document) == written
    assert document_hash(document) == hashlib.sha256(written).hexdigest()
