"""Where a configuration document names slaves and points beside the keys of its rows. Pure.

The places are those of `tables.TABLES`; a test of the agent holds them against the typed models.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from keyword import iskeyword
from typing import Any

from edge_contract.deployment import Document
from edge_contract.document.rows import rows_of
from edge_contract.document.tables import TABLES

WORD = re.compile(
    r"""(?P<text>"[^"]*"|'[^']*')
    |(?P<number>0[xX][0-9a-fA-F]+|0[bB][01]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    |\{(?P<brace>[^{}]*)\}
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_0-9][A-Za-z0-9_-]*)?)(?!\s*\()""",
    re.VERBOSE | re.ASCII,
)
"""Words of a formula; a name before a parenthesis is a function."""
BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_0-9][A-Za-z0-9_-]*)?", re.ASCII)


@dataclass(frozen=True)
class Reference:
    """field: where it stands, such as forwarders[0].options.points[2]. point: "" for a slave alone."""

    field: str
    slave: str
    point: str


Visit = Callable[[Reference], Reference]
"""What is to stand there instead; the same one to leave it."""


def references(document: Document) -> Iterator[Reference]:
    """Every place that names a point or a slave, beside the fields that hang a row on its slave."""
    seen: list[Reference] = []

    def note(reference: Reference) -> Reference:
        seen.append(reference)
        return reference

    for section in TABLES:
        for at, row in enumerate(rows_of(document, section)):
            visited(section, row, f"{section}[{at}]", note)
    return iter(seen)


def unresolved(document: Document) -> Iterator[Reference]:
    """References to what the document does not have."""
    slaves = {str(row.get("name")) for row in rows_of(document, "slaves")}
    points = {(str(row.get("slave")), str(row.get("name"))) for row in rows_of(document, "points")}
    for each in references(document):
        if (each.slave, each.point) not in points if each.point else each.slave not in slaves:
            yield each


def newly_unresolved(before: Document, after: Document) -> Iterator[Reference]:
    """References of a document to what only the one before had."""
    slaves = {str(row.get("name")) for row in rows_of(before, "slaves")}
    points = {(str(row.get("slave")), str(row.get("name"))) for row in rows_of(before, "points")}
    for each in unresolved(after):
        if (each.slave, each.point) in points if each.point else each.slave in slaves:
            yield each


def visited(section: str, row: dict[str, Any], where: str, visit: Visit) -> dict[str, Any]:
    """A row with what the visit makes of its references; the same row when that is nothing new."""
    table = TABLES[section]
    own = row.get("slave")

    def text(field: str, written: str) -> str:
        return _text(field, written, own if isinstance(own, str) else None, visit)

    made: Any = row
    for path in table.points:
        made = _walked(made, path.split("."), where, text)
    for name in table.formulas:
        if isinstance(formula := row.get(name), str):
            new = _formula(f"{where}.{name}", formula, own if isinstance(own, str) else "", visit)
            made = made if new == formula else {**made, name: new}
    if table.names_point and isinstance(own, str) and isinstance(row.get("name"), str):
        old = Reference(f"{where}.name", own, row["name"])
        if (now := visit(old)).point != old.point:
            made = {**made, "name": now.point}
    return made  # type: ignore[no-any-return]


def _walked(value: Any, path: list[str], field: str, text: Callable[[str, str], str]) -> Any:
    if not path:
        return text(field, value) if isinstance(value, str) else value
    step, rest = path[0], path[1:]
    if step == "*" and isinstance(value, list | tuple):
        items = [_walked(each, rest, f"{field}[{at}]", text) for at, each in enumerate(value)]
        return items if any(a is not b for a, b in zip(items, value, strict=True)) else value
    if not isinstance(value, Mapping):
        return value
    names = list(value) if step == "*" else [step] if step in value else []
    made = {name: _walked(value[name], rest, f"{field}.{name}", text) for name in names}
    return {**value, **made} if any(made[name] is not value[name] for name in names) else value


def _text(field: str, written: str, own: str | None, visit: Visit) -> str:
    old = _reference(field, written, own)
    new = visit(old)
    if new == old:
        return written
    if "." not in written:
        return new.slave if own is None else new.point
    return f"{new.slave}.{new.point}"


def _reference(field: str, written: str, own: str | None) -> Reference:
    slave, dot, point = written.partition(".")
    if dot:
        return Reference(field, slave, point)
    return Reference(field, written, "") if own is None else Reference(field, own, written)


def _formula(field: str, formula: str, own: str, visit: Visit) -> str:
    def word(match: re.Match[str]) -> str:
        kind = match.lastgroup or ""
        written = match[kind].strip()
        if kind in ("text", "number") or (kind == "name" and (iskeyword(written) or written == "pi")):
            return match[0]
        new = _text(field, written, own, visit)
        if new == written:
            return match[0]
        is_bare = kind == "name" and BARE.fullmatch(new) and not iskeyword(new) and "-" not in new
        return new if is_bare else f"{{{new}}}"

    return WORD.sub(word, formula)
