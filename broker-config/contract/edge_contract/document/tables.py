"""Sections that are lists of rows: what knows a row again, and which fields name rows of other sections.

The truth for all programs; scripts/generate exports it to the portal. A test of the agent holds it against
the typed models.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Table:
    """key: fields that are unique together. references: field to the section whose rows it names.

    dotted: fields that are tables of `slave.point` or `point`, whose slave part names a row of slaves.
    """

    key: tuple[str, ...]
    references: Mapping[str, str] = field(default_factory=dict)
    dotted: tuple[str, ...] = ()


TABLES: Mapping[str, Table] = {
    "forwarders": Table(("name",)),
    "ports": Table(("name",)),
    "slaves": Table(("name",), {"port": "ports"}),
    "points": Table(("slave", "name"), {"slave": "slaves"}),
    "scripts": Table(("name",), {"slave": "slaves"}, ("inputs",)),
}
"""In the order in which they depend on each other."""

NESTED = frozenset({"address", "options"})
"""Fields of a row that are tables whose fields count one by one; every other field counts as one value."""

HIDDEN_FIELD = r"(?:^|_)(?:pwd|pw|psk)$|password|passwd|passphrase|secret|token|credential|private"
"""Regular expression, case ignored: fields of such a name hold a secret."""


def exported() -> dict[str, object]:
    """All of it as JSON."""
    return {
        "tables": {
            name: {"key": table.key, "references": dict(table.references), "dotted": table.dotted}
            for name, table in TABLES.items()
        },
        "nested": sorted(NESTED),
        "hidden_field": HIDDEN_FIELD,
    }
