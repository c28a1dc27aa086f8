"""What applying templates makes of a gateway's draft. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from cloud.domains.points.rows import with_rows
from cloud.domains.templates.content import Parts, Reference
from cloud.domains.templates.link_repository import Links
from cloud.domains.templates.merge import MergeOutcome, applied
from edge_contract.deployment import Document
from edge_contract.document.rows import Row, key_of, rows_of
from edge_contract.document.tables import OF_SLAVES


@dataclass(frozen=True)
class SlaveStep:
    """Points of a slave get another version. before: rows of what they are made with now; link: what they are
    made with then, None for nothing of their own.
    """

    slave: str
    before: Sequence[Row]
    after: Sequence[Row]
    link: Reference | None


@dataclass(frozen=True)
class Frame:
    """Ports and slaves of a gateway template that is applied with its points."""

    before: Parts
    after: Parts
    link: Reference


@dataclass(frozen=True)
class Planned:
    """The draft after it. outcomes: by slave, "" for ports and slaves."""

    document: Document
    links: Links
    outcomes: dict[str, list[MergeOutcome]] = field(default_factory=dict)

    def changes(self) -> bool:
        """Is another row in the document?"""
        outcomes = [each for several in self.outcomes.values() for each in several]
        return any(each.added or each.changed or each.removed for each in outcomes)


def planned(
    document: Document, links: Links, steps: Iterable[SlaveStep], frame: Frame | None, *, keep: bool
) -> Planned:
    """Apply templates to a draft. links: what it uses now."""
    made, now = document, dict(links)
    outcomes: dict[str, list[MergeOutcome]] = {}
    for step in steps:
        rows = [row for row in rows_of(made, "points") if row.get("slave") == step.slave]
        outcome = applied(rows, step.before, step.after, keep=keep)
        made = _with(made, "points", outcome, step.slave)
        outcomes[step.slave] = [outcome]
        now.pop(step.slave, None)
        if step.link is not None:
            now[step.slave] = step.link
    if frame is not None:
        made, outcomes[""] = _framed(made, frame, keep=keep)
        now[""] = frame.link
    return Planned(made, of_slaves(now, made), outcomes)


def of_slaves(links: Links, document: Document) -> Links:
    """Without those of slaves that are not there."""
    slaves = {str(row.get("name")) for row in rows_of(document, "slaves")}
    return {name: each for name, each in links.items() if not name or name in slaves}


def present(links: Links, document: Document) -> Links:
    """A point that left its template and was deleted is one that the template gives again."""
    if not any(each.own for each in links.values()):
        return links
    there = {(str(row.get("slave")), str(row.get("name"))) for row in rows_of(document, "points")}
    return {
        slave: replace(each, own=frozenset(name for name in each.own if (slave, name) in there))
        for slave, each in links.items()
    }


def _framed(document: Document, frame: Frame, *, keep: bool) -> tuple[Document, list[MergeOutcome]]:
    """Slaves first: a port stays as long as a slave of the gateway's is on it, a slave while it has
    points.
    """
    made = document
    outcomes = []
    for section, hanging, field_ in (
        ("slaves", OF_SLAVES, "slave"),
        ("ports", ("slaves",), "port"),
    ):
        before, after = getattr(frame.before, section), getattr(frame.after, section)
        rows = rows_of(made, section)
        held = {str(row.get(field_)) for name in hanging for row in rows_of(made, name)}
        wanted = {str(row.get("name")) for row in after}
        known = {str(row.get("name")) for row in before} - wanted
        staying = [row for row in rows if row.get("name") in held & known]
        outcome = applied(rows, before, [*after, *staying], keep=keep, fill=True)
        made = _with(made, section, outcome)
        outcomes.append(outcome)
    return made, outcomes


def _with(document: Document, section: str, outcome: MergeOutcome, slave: str = "") -> Document:
    rows = {str(row.get("name", "")): row for row in outcome.rows}

    def key(name: str) -> tuple[str, ...]:
        return key_of(section, {"name": name, "slave": slave})

    return with_rows(
        document,
        section,
        added=[rows[name] for name in outcome.added],
        changed={key(name): rows[name] for name in outcome.changed},
        removed=[key(name) for name in outcome.removed],
    )
