"""Calculated points of a configuration: formulas and scripts read, their faults found, no rings."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from edge_agent.config.model import Point, Script
from edge_agent.errors import ConfigError
from edge_agent.model import PointKind
from edge_agent.points.formula import Outline, cycles, read_formula
from edge_agent.rules import shortened

PLAIN = {"rw": "readonly", "collect_mode": "cycle", "collect_delay_ms": 0, "priority": "trend"}
"""Settings that say how a point is read from a device, and so nothing about a calculated one."""

MAX_NAMED = 20  # points of a ring


@dataclass(frozen=True)
class ScriptPlan:
    """A script with the positions of its points. inputs, outputs: name in the script to position."""

    script: Script
    inputs: dict[str, int]
    outputs: dict[str, int]


@dataclass
class Calculated:
    """formulas: by position of their points, over positions. faults: fields such as points[3].formula."""

    formulas: dict[int, Outline] = field(default_factory=dict)
    scripts: list[ScriptPlan] = field(default_factory=list)
    faults: list[ConfigError] = field(default_factory=list)


@dataclass(frozen=True)
class Needs:
    """What a point is calculated from."""

    references: tuple[int, ...]


def calculated_of(points: Sequence[Point], scripts: Sequence[Script] = ()) -> Calculated:
    """Everything that is calculated, and every fault of it."""
    made = Calculated()
    everywhere: dict[str, int] = {}
    nearby: dict[str, dict[str, int]] = {}
    for at, point in enumerate(points):
        everywhere.setdefault(f"{point.slave}.{point.name}", at)
        nearby.setdefault(point.slave, {}).setdefault(point.name, at)
    names = {script.name for script in scripts}
    texts = {at for at, point in enumerate(points) if point.data_type == "string"}
    for at, point in enumerate(points):
        where = f"points[{at}]"
        made.faults += (
            ConfigError(f"{where}.{fault.field}", fault.rule) for fault in _point_faults(point, names)
        )
        if point.type is PointKind.CALCULATED and point.script is None:
            known = ChainMap(nearby[point.slave], everywhere)
            try:
                made.formulas[at] = read_formula(point.formula, known, f"{where}.formula", texts)
            except ConfigError as error:
                made.faults.append(error)
    for at, script in enumerate(scripts):
        known = ChainMap(nearby.get(script.slave, {}), everywhere)
        outputs = [n for n, point in enumerate(points) if point.script == script.name]
        made.faults += _compile(made, script, known, {points[n].name: n for n in outputs}, f"scripts[{at}]")
        if len({points[n].name for n in outputs}) < len(outputs):
            made.faults.append(ConfigError(f"scripts[{at}]", "must not have two outputs of one name"))
    made.faults += _rings(made, points)
    return made


def _point_faults(point: Point, scripts: set[str]) -> Iterator[ConfigError]:
    if point.type is not PointKind.CALCULATED:
        for name in ("formula", "script"):
            if getattr(point, name):
                yield ConfigError(name, "must be empty for a point that is not of type cal")
        return
    for name, value in PLAIN.items():
        if getattr(point, name) != value:
            yield ConfigError(name, f"must be {value!r} for a calculated point")
    if point.address:
        yield ConfigError("address", "must be empty for a calculated point")
    if point.script is not None and point.script not in scripts:
        yield ConfigError("script", f"must be the name of a script, {point.script!r} is none")
    if point.script is not None and point.formula:
        yield ConfigError("formula", "must be empty where a script is named")


def _compile(
    made: Calculated, script: Script, known: Mapping[str, int], outputs: dict[str, int], where: str
) -> Iterator[ConfigError]:
    """The script's plan into made, or what is wrong with it."""
    # Only a gateway that has scripts loads what they need.
    from edge_agent.sandbox import language, model

    inputs: dict[str, int] = {}
    for name, reference in script.inputs.items():
        if reference in known:
            inputs[name] = known[reference]
        else:
            yield ConfigError(f"{where}.inputs.{name}", f"must be a point, {shortened(reference)!r} is none")
    if not outputs:
        yield ConfigError(where, "must be named by a calculated point: it has no output")
    try:
        language.compile_script(
            model.SandboxScript(script.name, script.text, tuple(script.inputs), tuple(outputs), script.state),
            f"{where}.text",
        )
    except ConfigError as error:
        yield error
        return
    made.scripts.append(ScriptPlan(script, inputs, outputs))


def _rings(made: Calculated, points: Sequence[Point]) -> Iterator[ConfigError]:
    needs = {at: Needs(formula.references) for at, formula in made.formulas.items()}
    for plan in made.scripts:
        needs |= dict.fromkeys(plan.outputs.values(), Needs(tuple(plan.inputs.values())))
    for ring in cycles(needs):
        first = [f"{points[at].slave}.{points[at].name}" for at in ring[:MAX_NAMED]]
        more = [f"... {len(ring) - MAX_NAMED} more ..."] if len(ring) > MAX_NAMED else []
        names = " -> ".join([*first, *more, first[0]])
        field = "formula" if points[ring[0]].script is None else "script"
        yield ConfigError(f"points[{ring[0]}].{field}", f"must not need its own value: {names}")
