"""Two slots, and the one file that says which of them starts and how the upgrade stands.

A slot is emptied by taking its complete.json away first, and filled by writing that file last: with it a slot
can be started. All that has to change together is in state.json, which is replaced as one: there is no power
cut between two of its members.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path

import msgspec

from edge_agent.errors import StoreFull
from edge_agent.firmware import launcher
from edge_agent.firmware.launcher import COMPLETE_FILE, DELIVERED, SLOTS, STATE_FILE
from edge_agent.firmware.medium import Medium
from edge_contract.firmware import Manifest
from edge_contract.upgrade import FirmwareReport, Upgrade, UpgradeStep

log = logging.getLogger(__name__)

DOWNLOAD_FILE = "download.bin"
MAX_PAST = 8
"""Ended upgrades that are remembered, so that a repeated order is answered and not carried out again."""


class Baseline(msgspec.Struct, frozen=True, kw_only=True):
    """What was well before a version was switched to. slaves: that answered; good: points."""

    slaves: list[str] = []
    good: int = 0
    linked: bool = False


class UpgradeRecord(msgspec.Struct, frozen=True, kw_only=True):
    """An upgrade under way. done: bytes of the file that are durable; runs: starts of the agent that began or
    went on with it; slot: that it is installed into."""

    order: Upgrade
    step: UpgradeStep = UpgradeStep.DOWNLOADING
    done: int = 0
    runs: int = 0
    slot: str = ""
    baseline: Baseline = Baseline()


class SlotTrial(msgspec.Struct, frozen=True, kw_only=True):
    """seconds: after which the launcher's guard ends a version that was not confirmed."""

    slot: str
    starts: int = 0
    seconds: float


class FailedTrial(msgspec.Struct, frozen=True, kw_only=True):
    """Set by the launcher. code: crash, hang or unusable."""

    slot: str
    code: str


class BootState(msgspec.Struct, frozen=True, kw_only=True):
    """slot: the confirmed one; security_version: the highest that was ever confirmed. past: final reports,
    the newest last; unacknowledged: of which the cloud has not said that it holds them."""

    slot: str = DELIVERED
    trial: SlotTrial | None = None
    failed: FailedTrial | None = None
    security_version: int = 0
    record: UpgradeRecord | None = None
    past: list[FirmwareReport] = []
    unacknowledged: list[str] = []


class SlotContent(msgspec.Struct, frozen=True, kw_only=True):
    """Of complete.json. sha256: of the file that it came in."""

    manifest: Manifest
    sha256: str


class Slots:
    """folder: `firmware` in the agent's data; running: the slot of this process."""

    def __init__(self, folder: Path, running: str, medium: Medium | None = None) -> None:
        self.folder = folder
        self.running = running if running in SLOTS else DELIVERED
        self.medium = medium or Medium()
        self._state = self._read()

    @property
    def state(self) -> BootState:
        """As it was last made durable by this process, or read at its start."""
        return self._state

    @property
    def download(self) -> Path:
        """The file of firmware, as far as it is here."""
        return self.folder / DOWNLOAD_FILE

    def update(self, change: Callable[[BootState], BootState]) -> BootState:
        """Durable when it returns. Raises StoreFull, and the state is as before."""
        state = change(self._state)
        try:
            self.medium.make_folder(self.folder)
            self.medium.replace(self.folder / STATE_FILE, msgspec.json.encode(state))
        except OSError as error:
            raise StoreFull(f"{STATE_FILE} cannot be written: {error.strerror}") from error
        self._state = state
        return state

    def content(self, slot: str) -> SlotContent | None:
        """What a slot holds; None of one that cannot be started, and of the delivered installation."""
        try:
            return msgspec.json.decode((self.folder / slot / COMPLETE_FILE).read_bytes(), type=SlotContent)
        except (OSError, msgspec.MsgspecError):
            return None

    def free_slot(self) -> str:
        """The slot that neither runs nor is confirmed."""
        return next(slot for slot in SLOTS if slot not in (self.running, self._state.slot))

    def path(self, slot: str) -> Path:
        """Folder of a slot."""
        return self.folder / slot

    def empty(self, slot: str) -> None:
        """Nothing of it is there when this returns; from its first step on it cannot be started.

        Raises OSError.
        """
        path = self.path(slot)
        if path.exists():
            self.medium.remove(path / COMPLETE_FILE)
            self.medium.sync_folder(path)
            self.medium.remove(path)
        self.medium.make_folder(path)
        self.medium.sync_folder(self.folder)

    def complete(self, slot: str, content: SlotContent) -> None:
        """It can be started when this returns. Raises OSError."""
        self.medium.replace(self.path(slot) / COMPLETE_FILE, msgspec.json.encode(content))

    def _read(self) -> BootState:
        raw = launcher.read_state(str(self.folder))
        try:
            return msgspec.convert(raw, type=BootState)
        except msgspec.ValidationError as error:
            slot = str(raw.get("slot", DELIVERED))
            log.error("%s is damaged and begins anew, with slot %s: %s", STATE_FILE, slot, error)
            log.error("it had: %s", json.dumps(raw)[:2000])
            return BootState(slot=slot if launcher.is_complete(str(self.folder), slot) else DELIVERED)
