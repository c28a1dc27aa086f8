"""A pattern is over where its text is: a final newline is part of no name."""

from __future__ import annotations

import re

import pytest

from edge_contract import payloads


@pytest.mark.parametrize(
    ("kind", "good"),
    [(payloads.Name, "meter-1.Ua"), (payloads.Hex16, "0123456789abcdef"), (payloads.CommandId, "command-1")],
)
def test_no_newline_at_the_end(kind: object, good: str) -> None:
    (meta,) = kind.__metadata__  # type: ignore[attr-defined]
    assert re.search(meta.pattern, good)
    assert not re.search(meta.pattern, good + "\n")
