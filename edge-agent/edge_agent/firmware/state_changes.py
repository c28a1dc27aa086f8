"""Changes of the state of slots and upgrades. Pure: the state before gives the one after."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from edge_agent.firmware.slots import MAX_PAST, BootState, SlotTrial, UpgradeRecord
from edge_contract.upgrade import FirmwareReport


def is_known(state: BootState, upgrade: str) -> bool:
    """Whether an order was taken before."""
    under_way = state.record is not None and state.record.order.id == upgrade
    return under_way or any(one.id == upgrade for one in state.past)


def recorded(state: BootState, record: UpgradeRecord) -> BootState:
    """An upgrade begins, or came further."""
    return replace(state, record=record)


def trial_begun(state: BootState, record: UpgradeRecord, trial: SlotTrial) -> BootState:
    """The next start is of the slot on trial."""
    return replace(state, record=record, trial=trial, failed=None)


def trial_ended(state: BootState, confirmed: str | None, security_version: int) -> BootState:
    """No slot is on trial. confirmed: the slot that starts from now on; None: the one before."""
    return replace(
        state,
        slot=state.slot if confirmed is None else confirmed,
        trial=None,
        failed=None,
        security_version=max(state.security_version, security_version),
    )


def finished(state: BootState, report: FirmwareReport) -> BootState:
    """No upgrade is under way; this is how the last one ended."""
    past = [*(one for one in state.past if one.id != report.id), report][-MAX_PAST:]
    ids = {one.id for one in past}
    waiting = [one for one in state.unacknowledged if one in ids and one != report.id]
    return replace(state, record=None, past=past, unacknowledged=[*waiting, report.id])


def acknowledged(state: BootState, upgrades: Collection[str]) -> BootState:
    """The cloud holds these final reports."""
    return replace(state, unacknowledged=[one for one in state.unacknowledged if one not in upgrades])


def reopened(state: BootState, upgrade: str) -> BootState:
    """The cloud asks again how it ended."""
    return replace(acknowledged(state, [upgrade]), unacknowledged=[*state.unacknowledged, upgrade])
