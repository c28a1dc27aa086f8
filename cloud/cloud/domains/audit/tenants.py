"""Whose entries are too many: the largest tenants give way until all fit. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import NamedTuple


class Tenant(NamedTuple):
    """Everybody below a path, or alone: only who has just this path (strangers have none: "")."""

    path: str
    alone: bool = False


def tenant_of(path: str, platform: Collection[int]) -> Tenant:
    """The topmost user of a path who is not the platform's; who is the platform's stands for himself."""
    found = "/"
    for part in path.strip("/").split("/"):
        found += f"{part}/"
        if part and int(part) not in platform:
            return Tenant(found)
    return Tenant(path, alone=True)


def excess(sizes: Mapping[str, int], platform: Collection[int], most: int) -> dict[Tenant, int]:
    """How many entries each tenant has to give so that most are left. sizes: entries by path."""
    entries: Counter[Tenant] = Counter()
    for path, size in sizes.items():
        entries[tenant_of(path, platform)] += size
    allowed = _level(sorted(entries.values()), most)
    return {tenant: size - allowed for tenant, size in entries.items() if size > allowed}


def _level(sizes: list[int], most: int) -> int:
    """The largest number that all may have when nobody has more and there are at most so many in all."""
    left = most
    for at, size in enumerate(sizes):
        share = left // (len(sizes) - at)
        if size > share:
            return share
        left -= size
    return most
