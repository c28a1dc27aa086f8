"""A formula or script tried out: run once on given values, in a sandbox of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from edge_agent.actions import ActionOutcome
from edge_agent.errors import BadValue, ConfigError
from edge_agent.model import Value
from edge_agent.points.formula import compile_formula
from edge_contract.limits import MAX_TRIED
from edge_contract.payloads import Command

BAD_SCRIPT = "bad_script"
RESULT = "result"
"""Name of a formula's value."""

MAX_TIMEOUT_MS = 1000
DEFAULT_TIMEOUT_MS = 50


async def try_out(command: Command, timeout_s: float) -> ActionOutcome:
    """arguments: kind (script or formula), text, timeout_ms, and JSON texts: inputs and state are values by
    name, outputs a list of names. BadValue names the argument.
    """
    arguments = command.arguments
    text, kind = arguments.get("text"), arguments.get("kind", "script")
    if not isinstance(text, str) or not text.strip():
        raise BadValue("text: must be given")
    inputs, state = _values(arguments, "inputs"), _values(arguments, "state")
    try:
        if kind == "formula":
            return _formula(text, inputs)
        if kind == "script":
            return await _script(text, inputs, _names(arguments), state, _timeout_ms(arguments) / 1000)
    except ConfigError as error:
        return ActionOutcome(code=BAD_SCRIPT, detail=error.rule)
    raise BadValue("kind: must be script or formula")


def _formula(text: str, inputs: Mapping[str, Value]) -> ActionOutcome:
    names = list(inputs)
    formula = compile_formula(text, {name: at for at, name in enumerate(names)})
    value, reason = formula.evaluate([inputs[names[at]] for at in formula.references])
    if reason is not None:
        return ActionOutcome(code="script_fault", detail=reason.value)
    return ActionOutcome(values={RESULT: value})


async def _script(
    text: str,
    inputs: Mapping[str, Value],
    outputs: tuple[str, ...],
    state: Mapping[str, Value],
    timeout_s: float,
) -> ActionOutcome:
    from edge_agent.sandbox import SandboxScript, ScriptHost  # only who tries a script loads what it needs

    if len(outputs) + len(state) > MAX_TRIED:
        raise BadValue(f"outputs: must be at most {MAX_TRIED} together with the state")
    async with ScriptHost([SandboxScript(RESULT, text, tuple(inputs), outputs, state)]) as host:
        run = await host.run(RESULT, inputs, timeout_s)
        if run.trouble is not None:
            line = f"line {run.line}: " if run.line else ""
            return ActionOutcome(code=f"script_{run.trouble.value}", detail=line + run.detail)
        return ActionOutcome(values={**run.outputs, **host.state(RESULT)})


def _json(arguments: Mapping[str, Any], name: str, kind: Any, rule: str, empty: str) -> Any:
    given = arguments.get(name) or empty
    try:
        return msgspec.json.decode(given, type=kind)
    except (msgspec.MsgspecError, TypeError):
        raise BadValue(f"{name}: must be JSON, {rule}") from None


def _values(arguments: Mapping[str, Any], name: str) -> dict[str, Value]:
    table: dict[str, Value] = _json(
        arguments, name, dict[str, bool | float | int | str | None], "values by name", "{}"
    )
    return table


def _names(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(_json(arguments, "outputs", list[str], "a list of names", "[]"))


def _timeout_ms(arguments: Mapping[str, Any]) -> float:
    given = arguments.get("timeout_ms", DEFAULT_TIMEOUT_MS)
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= MAX_TIMEOUT_MS:
        raise BadValue(f"timeout_ms: must be from 1 to {MAX_TIMEOUT_MS}")
    return given
