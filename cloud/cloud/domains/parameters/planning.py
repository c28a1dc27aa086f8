"""Which gateways a plan reaches. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from cloud.domains.projects.campaign_rows import CampaignStep, Row


@dataclass(frozen=True)
class ParameterPlanTarget:
    """A gateway that a plan names. draft, newest: of its configuration; draft_author, draft_note: of the
    draft, "" without one. online: what is sent now arrives.
    """

    id: int
    title: str
    gateway_id: str
    agent_version: str
    online: bool
    writable: bool
    draft: str | None
    newest: str | None
    draft_author: str = ""
    draft_note: str = ""


def numbers_of(version: str) -> tuple[int, ...] | None:
    """The leading numbers of a version, None of what begins with none: 1.10.2 is above 1.9."""
    match = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(part) for part in match[0].split(".")) if match else None


def is_in_range(version: str, lowest: str, highest: str) -> bool:
    """Is an agent's version within both ends, where "" is any? What is no version is in no range."""
    if not (lowest or highest):
        return True
    numbers = numbers_of(version)
    if numbers is None:
        return False
    return _at_least(numbers, lowest) and (not highest or _at_least(numbers_of(highest) or (), version))


def skip_of(target: ParameterPlanTarget, lowest: str, highest: str) -> str:
    """Why a plan leaves a gateway alone whether it is online or not; empty when it does not."""
    if not target.writable:
        return "read_only"
    if target.newest is None:
        return "no_configuration"
    if target.draft is not None:
        return "has_draft"
    return "" if is_in_range(target.agent_version, lowest, highest) else "version"


def planned(
    targets: Iterable[ParameterPlanTarget], lowest: str, highest: str, *, wait: bool
) -> Iterator[Row]:
    """Rows of a campaign, gateways that are online first; wait: the others too, when they come."""
    for target in sorted(targets, key=lambda one: not one.online):
        row = Row(target.id, target.title, target.gateway_id, online=target.online)
        reason = skip_of(target, lowest, highest) or ("" if target.online or wait else "offline")
        if reason:
            row.end(CampaignStep.SKIPPED, code=reason)
        yield row


def _at_least(numbers: tuple[int, ...], lowest: str) -> bool:
    wanted = numbers_of(lowest) or ()
    width = max(len(numbers), len(wanted))
    return _padded(numbers, width) >= _padded(wanted, width)


def _padded(numbers: tuple[int, ...], width: int) -> tuple[int, ...]:
    return numbers + (0,) * (width - len(numbers))
