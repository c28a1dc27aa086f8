"""An order to upgrade a gateway's firmware, and what the gateway says of it (C-204 to C-209). Pure."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec

from edge_contract.fields import CommandId, ControlMessage, Count, Hash, Millis, Text
from edge_contract.firmware import ReleaseName, SecurityVersion, VersionNumber
from edge_contract.limits import MAX_FIRMWARE_BYTES, MAX_MANIFEST_BYTES

MINUTE_MS = 60_000
DAY_MINUTES = 24 * 60
MinuteOfDay = Annotated[int, msgspec.Meta(ge=0, lt=DAY_MINUTES)]
"""Of a day in UTC."""
Url = Annotated[str, msgspec.Meta(pattern=r"^https?://[^\s/?#@]+([/?#]\S*)?$(?!\n)", max_length=1000)]
FileBytes = Annotated[int, msgspec.Meta(ge=1, le=MAX_FIRMWARE_BYTES + MAX_MANIFEST_BYTES + 1024)]


class UpgradeStep(StrEnum):
    """How far an upgrade came. The last three are final."""

    DOWNLOADING = "downloading"
    VERIFIED = "verified"
    INSTALLED = "installed"  # in the slot that does not run
    TRIAL = "trial"  # it runs, its health is watched
    CONFIRMED = "confirmed"
    ROLLED_BACK = "rolled_back"  # what ran before runs again
    REFUSED = "refused"  # what runs was not touched


FINAL_UPGRADE = frozenset({UpgradeStep.CONFIRMED, UpgradeStep.ROLLED_BACK, UpgradeStep.REFUSED})


class Upgrade(ControlMessage, frozen=True, kw_only=True):
    """Install the firmware in the file at url. size, sha256: of the file; version: what its manifest says.

    window: it is switched to between these minutes of a day in UTC only, over midnight if the second one is
    not greater; allow_older: also when a newer version is installed.
    confirm_s: so long the gateway may take to be linked and collecting as before; then it rolls back.
    """

    id: CommandId
    url: Url
    size: FileBytes
    sha256: Hash
    version: VersionNumber
    expires_ms: Millis
    window: tuple[MinuteOfDay, MinuteOfDay] | None = None
    allow_older: bool = False
    confirm_s: Annotated[int, msgspec.Meta(ge=30, le=3600)] = 600


class FirmwareState(ControlMessage, frozen=True, kw_only=True):
    """What a gateway runs and can take. version: 0 as it was delivered; security_version: the highest that
    was ever confirmed. upgrade, step: how its last order stands (None: never one).
    """

    name: ReleaseName
    model: ReleaseName
    version: Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
    version_text: Text
    security_version: SecurityVersion
    upgrade_types: Annotated[list[int], msgspec.Meta(max_length=10)]
    upgrade: CommandId | None = None
    step: UpgradeStep | None = None


class FirmwareReport(ControlMessage, frozen=True, kw_only=True):
    """One step of an upgrade. done: bytes of the file that are on the gateway.

    code: of REFUSED one of firmware.FirmwareRefusal, or url, download, disk, battery, window, expired, busy,
    unusable, interrupted, store, not_this_file; of ROLLED_BACK crash, hang, unusable, slaves, points, link,
    unsteady; of CONFIRMED unchanged when it ran already. detail: the same in words; of a step that waits,
    for what.
    """

    id: CommandId
    step: UpgradeStep
    t_ms: Millis
    firmware: FirmwareState
    done: Count = 0
    code: Text = ""
    detail: Text = ""


def in_window(window: tuple[int, int] | None, now_ms: int) -> bool:
    """Whether a time (UTC ms) is in a window of a day; no window: always."""
    if window is None:
        return True
    first, end = window
    minute = now_ms // MINUTE_MS % DAY_MINUTES
    return first <= minute < end if first < end else minute >= first or minute < end
