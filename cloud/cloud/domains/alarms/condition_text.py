"""What a condition of a rule says, in a reader's language. Pure.

The condition is the one that raised the alarm, with the specification's names (001, section 3), as the alarm
event keeps it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cloud.domains.alarms.words import CONDITIONS, DURATION_UNITS, OPERATORS, POSITIONS
from edge_contract.alarms.rule import Operator
from edge_contract.model import Value

COMPARISON, UNCHANGED, CHANGE, TREND = 1, 2, 3, 4
UNITS_S = (86_400, 3600, 60, 1)


def condition_text(
    condition: Mapping[str, Any], language: str, unit: str, switch: Mapping[bool, str] | None
) -> str:
    """Empty for one of another form, which an older version wrote. switch: names of a switch's positions,
    None for a point that is none.
    """
    words = CONDITIONS[language]
    try:
        kind = int(condition["type"])
        if kind == COMPARISON:
            return _comparison(condition, language, unit, switch)
        given = {
            "duration": duration_text(1000 * float(condition.get("duration_s", 0)), language),
            "magnitude": _number(condition.get("magnitude", 0), unit),
            "count": int(condition.get("count", 0)),
        }
        if kind != TREND:
            return words[str(kind)].format(**given)
        text = words[f"4.{condition['direction']}"].format(**given)
        return text + words["4.magnitude"].format(**given) if condition.get("magnitude") else text
    except (KeyError, TypeError, ValueError):
        return ""


def duration_text(duration_ms: float, language: str) -> str:
    """The two largest units, as 1 h 5 min; less than a second is 0 s."""
    left, parts = max(0, int(duration_ms // 1000)), []
    for size, unit in zip(UNITS_S, DURATION_UNITS[language], strict=True):
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count} {unit}")
        elif parts:
            break
    return " ".join(parts[:2]) or f"0 {DURATION_UNITS[language][-1]}"


def _comparison(
    condition: Mapping[str, Any], language: str, unit: str, switch: Mapping[bool, str] | None
) -> str:
    operator, threshold = Operator(condition["trigger_optype"]), condition["trigger_threshold"]
    if isinstance(threshold, Mapping):
        low, high = f"{float(threshold['lolmt']):.10g}", _number(threshold["uplmt"], unit)
        return OPERATORS[language][operator].format(low=low, high=high)
    if switch is not None:
        limit = switch[bool(threshold)] or POSITIONS[language][bool(threshold)]
    else:
        limit = _number(threshold, unit)
    return OPERATORS[language][operator].format(limit=limit)


def _number(value: Value, unit: str) -> str:
    """As many digits as were entered: a limit is not rounded as its point's values are."""
    return f"{float(value):.10g} {unit}".rstrip() if isinstance(value, int | float) else str(value)
