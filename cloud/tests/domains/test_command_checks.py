"""Whether a value may be written: each rule from both sides of its bound."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from cloud.domains.commands.checks import check
from cloud.errors import ParameterError
from edge_contract.limits import MAX_TEXT


def point(kind: str = "num", **words: Any) -> Any:
    usual = {
        "ds_type": kind,
        "data_type": "int64",
        "rw": "readwrite",
        "min": None,
        "max": None,
        "selector": None,
    }
    return SimpleNamespace(**usual | words)


@pytest.mark.parametrize(
    ("target", "action", "value"),
    [
        (point(), "W", -(2**63)),
        (point(), "W", 2**64 - 1),
        (point(), "W", 1e300),
        (point(min=1.0, max=2.0), "W", 1),
        (point(min=1.0, max=2.0), "W", 2),
        (point(selector={"0": "Stop", "2": "Run"}), "W", 2),
        (point(selector={"0": "Stop", "2": "Run"}), "W", 0.0),
        (point(selector={}), "W", 7),
        (point("swh"), "W", False),
        (point("str", data_type="string"), "W", "x" * MAX_TEXT),
        (point(rw="readonly"), "R", None),
        (point("cal"), "R", None),
    ],
)
def test_what_may_be_done(target: Any, action: str, value: Any) -> None:
    check(target, action, value)


@pytest.mark.parametrize(
    ("target", "action", "value", "field", "rule"),
    [
        (point(), "W", -(2**63) - 1, "value", "finite"),
        (point(), "W", 2**64, "value", "finite"),
        (point(), "W", float("nan"), "value", "finite"),
        (point(), "W", True, "value", "finite"),
        (point(), "W", "7", "value", "finite"),
        (point(), "W", None, "value", "finite"),
        (point(min=1.0), "W", 0.5, "value", "at least 1"),
        (point(max=2.0), "W", 2.5, "value", "at most 2"),
        (point(selector={"0": "Stop", "2": "Run"}), "W", 1, "value", r"one of 0 \(Stop\), 2 \(Run\)"),
        (point("swh"), "W", 1, "value", "true or false"),
        (point("str", data_type="string"), "W", "x" * (MAX_TEXT + 1), "value", "at most 200"),
        (point("str", data_type="string"), "W", 7, "value", "at most 200"),
        (point(rw="readonly"), "W", 1, "action", "read-only"),
        (point("cal"), "W", 1, "action", "read-only"),
        (point(rw="writeonly"), "R", None, "action", "write-only"),
        (point(), "R", 1, "value", "left out"),
    ],
)
def test_what_may_not(target: Any, action: str, value: Any, field: str, rule: str) -> None:
    with pytest.raises(ParameterError, match=rule) as refused:
        check(target, action, value)
    assert refused.value.field == field
