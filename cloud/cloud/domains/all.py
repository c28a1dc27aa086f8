"""The domains by name, the lowest layer first. One is built from those above its line here, and its event
handlers run after theirs.
"""

from __future__ import annotations

from importlib import import_module

from cloud.domains.base import Domain

NAMES = (
    "identity",
    "options",
    "audit",
    "access",
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
    "templates",
    "importing",
    "projects",
    "tunnels",
    "exchange",
    "overview",
    "reports",
    "system",
)


def _domain(name: str) -> Domain:
    found: Domain = import_module(f"cloud.domains.{name}.domain").DOMAIN
    return found


DOMAINS = tuple(map(_domain, NAMES))
