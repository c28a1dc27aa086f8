"""The domains by name, the lowest layer first. One imports and is built from those above its line here alone,
and its event handlers run after theirs. Apart from all.py, whose import makes every route.
"""

from __future__ import annotations

NAMES = (
    "identity",
    "options",
    "inventory",
    "audit",
    "access",
    "configuration",
    "devices",
    "jobs",
    "products",
    "files",
    "customize",
    "alarms",
    "telemetry",
    "retention",
    "completeness",
    "monitoring",
    "search",
    "commands",
    "deploy",
    "points",
    "sheets",
    "templates",
    "importing",
    "projects",
    "tunnels",
    "exchange",
    "overview",
    "reports",
    "system",
)
