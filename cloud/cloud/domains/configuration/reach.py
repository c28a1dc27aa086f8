"""What a document says of how its gateway is reached, and whether another one changes that. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from cloud.domains.configuration.difference import DocumentFieldChange
from cloud.domains.configuration.states import Refusal

SECTIONS = ("gateway", "cloud", "local_page")
"""Its name, its way to the cloud, and its own page: what a wrong value of needs a visit."""

_GATEWAY_ID = "gateway.id"


class Reach(msgspec.Struct):
    """Those sections of a document, as they stand in it."""

    gateway: Any = None
    cloud: Any = None
    local_page: Any = None


def reach_of(text: str) -> Reach:
    """Of a stored version; the rest, which may be megabytes, is passed over."""
    return msgspec.json.decode(text, type=Reach)


def is_of_reach(field: str) -> bool:
    """Is this a field of a difference that says how the gateway is reached?"""
    return field == _GATEWAY_ID or field.partition(".")[0] in ("cloud", "local_page")


def has_link(reach: Reach) -> bool:
    """Does it lead to a cloud at all?"""
    cloud = reach.cloud
    return isinstance(cloud, dict) and bool(cloud.get("url")) and cloud.get("enable", True) is True


def refusal_of(before: Reach | None, after: Reach, *, deliberate: bool) -> Refusal | None:
    """Why a document must not be deployed over another one, None where that is not known.

    deliberate: whoever deploys says that the way to the gateway is to change. Nobody may take it away.
    """
    if not has_link(after) and (before is None or has_link(before)):
        return Refusal.LINK_LOST
    if before is None or deliberate:
        return None
    same = all(_section_value(name, before) == _section_value(name, after) for name in SECTIONS)
    return None if same else Refusal.LINK_CHANGES


def of_reach(
    changes: list[DocumentFieldChange],
) -> tuple[list[DocumentFieldChange], list[DocumentFieldChange]]:
    """Those that say how the gateway is reached, and the others."""
    mine = [change for change in changes if is_of_reach(change.field)]
    return mine, [change for change in changes if not is_of_reach(change.field)]


def _section_value(section: str, reach: Reach) -> object:
    value = getattr(reach, section)
    if section == "gateway":
        return value.get("id") if isinstance(value, Mapping) else value
    return value or {}
