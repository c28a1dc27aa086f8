"""Whose entries are too many: the largest tenants give way until all fit. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import NamedTuple


class Tenant(NamedTuple):
    """Everybody below a path; exact_path: only who has just this path ("" of unauthenticated requests)."""

    path: str
    exact_path: bool = False


def tenant_of(path: str, platform: Collection[int]) -> Tenant:
    """The topmost user of a path who is not the platform's; who is the platform's stands for himself."""
    prefix = "/"
    for part in path.strip("/").split("/"):
        prefix += f"{part}/"
        if part and int(part) not in platform:
            return Tenant(prefix)
    return Tenant(path, exact_path=True)


def excess(sizes: Mapping[str, int], platform: Collection[int], max_rows: int) -> dict[Tenant, int]:
    """How many entries each tenant has to give so that max_rows are left. sizes: entries by path."""
    entries: Counter[Tenant] = Counter()
    for path, size in sizes.items():
        entries[tenant_of(path, platform)] += size
    allowed = _level(sorted(entries.values()), max_rows)
    return {tenant: size - allowed for tenant, size in entries.items() if size > allowed}


def _level(sizes: list[int], max_rows: int) -> int:
    """The largest number that all may have when nobody has more and there are at most so many in all."""
    left = max_rows
    for at, size in enumerate(sizes):
        share = left // (len(sizes) - at)
        if size > share:
            return share
        left -= size
    return max_rows
