"""The domains themselves, in the order of their names."""

from __future__ import annotations

from importlib import import_module

from cloud.domains.base import Domain
from cloud.domains.names import NAMES


def _domain(name: str) -> Domain:
    domain: Domain = import_module(f"cloud.domains.{name}.domain").DOMAIN
    return domain


DOMAINS = tuple(map(_domain, NAMES))
