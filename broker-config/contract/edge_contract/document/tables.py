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

    points: paths of fields that name points, `*` for each entry: "slave.point", or without a dot a point of
    the row's own slave, in a row without slave a slave. formulas: fields whose text names points in the same
    way. names_point: slave and name of a row are those of a point.
    """

    key: tuple[str, ...]
    references: Mapping[str, str] = field(default_factory=dict)
    points: tuple[str, ...] = ()
    formulas: tuple[str, ...] = ()
    names_point: bool = False


TABLES: Mapping[str, Table] = {
    "forwarders": Table(
        ("name",),
        points=(
            "options.mapping.*.point",
            "options.mapping.*.flow",
            "options.mapping.*.state",
            "options.equipment.*.point",
            "options.functions.*.point",
            "options.variables.*.point",
            "options.points.*",
        ),
    ),
    "ports": Table(("name",)),
    "slaves": Table(("name",), {"port": "ports"}),
    "points": Table(("slave", "name"), {"slave": "slaves"}, formulas=("formula",)),
    "scripts": Table(("name",), {"slave": "slaves"}, ("inputs.*",)),
    "internal_slave_points": Table(("slave", "name"), {"slave": "slaves"}, names_point=True),
    "loop_writes": Table(("name",), {"slave": "slaves"}),
    "calibrations": Table(("slave", "name"), {"slave": "slaves"}, names_point=True),
    "channels": Table(("name",), {"port": "ports"}),
}
"""In the order in which they depend on each other."""

OF_SLAVES = tuple(name for name, table in TABLES.items() if "slaves" in table.references.values())
"""Sections whose rows hang on a slave and go with it."""

NESTED = frozenset({"address", "options"})
"""Fields of a row that are tables whose fields count one by one; every other field counts as one value."""

HIDDEN_FIELD = r"(?:^|_)(?:pwd|pw|psk)$|password|passwd|passphrase|secret|token|credential|private"
"""Regular expression, case ignored: fields of such a name hold a secret."""


def exported() -> dict[str, object]:
    """All of it as JSON."""
    return {
        "tables": {
            name: {"key": table.key, "references": dict(table.references)} for name, table in TABLES.items()
        },
        "nested": sorted(NESTED),
        "hidden_field": HIDDEN_FIELD,
    }
