"""A formula or script that is tried out: the gateway's own language, and nothing of the gateway changes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from edge_agent.remote.tryout import try_out
from edge_contract.payloads import Argument, Command, CommandAction, CommandResult

from .gateway_bench import NOW, Bench


def command(**arguments: Argument) -> Command:
    return Command(
        id="command-1", action=CommandAction.TRY, expires_ms=NOW + 20_000, by="tester", arguments=arguments
    )


async def tried(**arguments: Any) -> CommandResult:
    bench = Bench()
    bench.actions[CommandAction.TRY] = try_out
    texts = {
        name: json.dumps(each) if isinstance(each, dict | list) else each for name, each in arguments.items()
    }
    result = await bench.ask(command(**texts))
    assert bench.bus.read_keys == [], "no device is asked"
    return result


@pytest.mark.clause("C-123", "C-124")
async def test_a_script_gives_outputs_and_state() -> None:
    result = await tried(
        text="count += 1\nif level > limit:\n    high = 1\nelse:\n    high = 0\ntotal = level * count",
        inputs={"level": 7.5, "limit": 5},
        outputs=["high", "total"],
        state={"count": 1},
    )
    assert (result.state, result.code, result.detail) == ("resp", "", "")
    assert result.values == {"high": 1, "total": 15.0, "count": 2}


@pytest.mark.clause("C-123", "C-124")
async def test_a_formula_gives_its_result() -> None:
    result = await tried(kind="formula", text="max(a, plc1.b) * 2", inputs={"a": 3, "plc1.b": 4.5})
    assert (result.state, result.values) == ("resp", {"result": 9.0})
    result = await tried(kind="formula", text="a / b", inputs={"a": 3, "b": 0})
    assert (result.state, result.code, result.detail) == ("fail", "script_fault", "division by zero")


@pytest.mark.clause("C-124")
@pytest.mark.parametrize(
    ("kind", "text", "says"),
    [
        ("script", "x = 1\nimport os", "line 2"),
        ("script", "x = (1", "line 2"),
        ("script", "x = other + 1", "other"),
        ("formula", "a +", "column"),
        ("formula", "unknown + 1", "unknown"),
    ],
)
async def test_what_is_refused_names_its_place(kind: str, text: str, says: str) -> None:
    result = await tried(kind=kind, text=text, inputs={"a": 1}, outputs=["x"])
    assert (result.state, result.code, result.values) == ("error", "bad_script", {})
    assert says in result.detail


@pytest.mark.clause("C-123", "C-124")
async def test_what_does_not_end_is_ended() -> None:
    result = await tried(text="x = 0\nwhile True:\n    x += 1", outputs=["x"], timeout_ms=10)
    assert (result.state, result.code) == ("fail", "script_time")
    result = await tried(text="x = 1 / a", inputs={"a": 0}, outputs=["x"])
    assert (result.state, result.code) == ("fail", "script_fault")
    assert result.detail.startswith("line 1: ")


@pytest.mark.clause("C-124")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "text: must be given"),
        ({"text": 5}, "text: must be given"),
        ({"text": "x = 1", "kind": "python"}, "kind: must be script or formula"),
        ({"text": "x = 1", "inputs": "{"}, "inputs: must be JSON, values by name"),
        ({"text": "x = 1", "state": "[1]"}, "state: must be JSON, values by name"),
        ({"text": "x = 1", "outputs": 5}, "outputs: must be JSON, a list of names"),
        ({"text": "x = 1", "timeout_ms": 5000}, "timeout_ms: must be from 1 to 1000"),
        (
            {"text": "x = 1", "outputs": json.dumps([f"o{n}" for n in range(201)])},
            "outputs: must be at most 200",
        ),
    ],
)
async def test_a_wrong_request_names_field_and_rule(arguments: dict[str, Any], says: str) -> None:
    result = await tried(**arguments)
    assert (result.state, result.code) == ("error", "bad_argument")
    assert says in result.detail
