"""What one configuration changes of another: its size, before anything is done. Pure."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from edge_agent.config.model import Configuration
from edge_contract.deployment import Change, PortLoad
from edge_contract.document.difference import rows_difference, slaves_reached
from edge_contract.document.rows import Rows, key_of

MAX_PORTS = 1000


def change_of(
    before: Configuration,
    after: Configuration,
    load_before: Mapping[str, float],
    load_after: Mapping[str, float],
) -> Change:
    """A point counts as changed when it, its slave or its port is another one, titles aside.

    load_before, load_after: percent of each port's time, by name.
    """
    old, new = _rows(before), _rows(after)
    slaves, ports, points = (
        rows_difference(old[name], new[name], deep=False) for name in ("slaves", "ports", "points")
    )
    touched = slaves_reached(ports.keys(), slaves.keys(), new["slaves"].values())
    names = list(dict.fromkeys([*load_before, *load_after]))[:MAX_PORTS]
    return Change(
        points_added=len(points.added),
        points_removed=len(points.removed),
        points_changed=sum(
            key in points.changed or key[0] in touched for key in new["points"] if key not in points.added
        ),
        ports=[
            PortLoad(port=name, before=load_before.get(name), after=load_after.get(name)) for name in names
        ],
        restarts_link=(before.cloud, before.gateway.id) != (after.cloud, after.gateway.id),
    )


def _rows(configuration: Configuration) -> dict[str, Rows]:
    """By section, with the defaults and without the titles."""
    made: dict[str, Rows] = {}
    for section in ("ports", "slaves", "points"):
        rows = msgspec.to_builtins(getattr(configuration, section))
        made[section] = {
            key_of(section, row): {name: each for name, each in row.items() if name != "title"}
            for row in rows
        }
    return made
