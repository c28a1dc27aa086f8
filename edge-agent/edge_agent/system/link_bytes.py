"""Bytes that the gateway's network interfaces carry, counted through restarts (C-221).

The system counts from the start of the machine, and anew when an interface goes and comes back (Linux,
Documentation/ABI/testing/sysfs-class-net-statistics). What it has counted is added up here, and saved seldom:
a write costs the medium, and between two of them only a power cut loses anything.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
from pathlib import Path

import msgspec

from edge_agent.errors import StoreError
from edge_agent.system.clock import Clock, clock_set
from edge_agent.system.private_files import write_private
from edge_contract.cellular import INTERFACE_NAME, MAX_LINKS, LinkBytes

log = logging.getLogger(__name__)

LOOK_S = 10.0
"""What an interface carries between the last look and its end is not counted."""
SAVE_S = 900.0
FILE = "link-bytes.json"

INTERFACES = Path("/sys/class/net")
BOOT = Path("/proc/sys/kernel/random/boot_id")

LOOPBACK, POINT_TO_POINT, RAW_IP = "772", "512", "519"
"""Types of interfaces (linux/if_arp.h)."""


class InterfaceCount(msgspec.Struct, kw_only=True):
    """An interface. since_ms: 0 until the clock is set. index: of the interface that the system counted
    system_received and system_sent of; another one has begun at 0.
    """

    cellular: bool = False
    since_ms: int = 0
    received: int = 0
    sent: int = 0
    index: str = ""
    system_received: int = 0
    system_sent: int = 0


class SavedCounts(msgspec.Struct, kw_only=True):
    """The file. boot: of the machine, whose counters began with it."""

    boot: str
    interfaces: dict[str, InterfaceCount]


class LinkCounter:
    """look() adds up; run() looks and saves until it is cancelled."""

    def __init__(
        self, folder: Path, clock: Clock, *, interfaces: Path = INTERFACES, boot: Path = BOOT
    ) -> None:
        self._file = folder / FILE
        self._clock = clock
        self._interfaces = interfaces
        self._boot = _text(boot)
        loaded = self._loaded()
        self._is_first = loaded is None
        self._counted = loaded or {}
        self._saved = b""
        self._failed = False

    def links(self) -> list[LinkBytes]:
        """What is counted, modems first, then what carried most."""
        known = [(name, one) for name, one in self._counted.items() if one.since_ms]
        known.sort(key=lambda each: (not each[1].cellular, -each[1].received - each[1].sent, each[0]))
        return [
            LinkBytes(
                interface=name,
                cellular=one.cellular,
                since_ms=one.since_ms,
                received=one.received,
                sent=one.sent,
            )
            for name, one in known[:MAX_LINKS]
        ]

    def look(self) -> None:
        """Add what interfaces have carried since the last look; what they did before the first one ever is
        not counted.
        """
        now_ms = self._clock.now_ms()
        names: list[str] = []
        with contextlib.suppress(OSError):
            names = sorted(path.name for path in self._interfaces.iterdir())
        for name in names:
            folder = self._interfaces / name
            received, sent = _count(folder, "rx_bytes"), _count(folder, "tx_bytes")
            if received is None or sent is None or not _is_link(folder):
                continue
            index, one = _text(folder / "ifindex"), self._counted.get(name)
            if one is None:
                if len(self._counted) >= MAX_LINKS and not self._forget_one(set(names)):
                    continue
                self._counted[name] = one = InterfaceCount(index=index)
                if self._is_first:
                    one.system_received, one.system_sent = received, sent
            one.received += _risen(one.system_received, received, is_same=one.index == index)
            one.sent += _risen(one.system_sent, sent, is_same=one.index == index)
            one.index, one.system_received, one.system_sent = index, received, sent
            one.cellular = _is_cellular(folder)
            if not one.since_ms and clock_set(now_ms):
                one.since_ms = now_ms
        self._is_first = False

    def save(self) -> None:
        """Write the file if something has changed. A medium that refuses is logged once."""
        self._write(self._content())

    def _content(self) -> bytes:
        return msgspec.json.encode(SavedCounts(boot=self._boot, interfaces=self._counted))

    def _write(self, content: bytes) -> None:
        if content == self._saved:
            return
        try:
            write_private(self._file, content.decode())
            self._saved, self._failed = content, False
        except StoreError as error:
            if not self._failed:
                log.warning("bytes of the links are not saved: %s", error)
            self._failed = True

    async def run(self) -> None:
        """Until cancelled; saves at its end too."""
        self.look()
        saved_at = self._clock.monotonic()
        writing: asyncio.Future[None] | None = None
        try:
            while True:
                await self._clock.sleep(LOOK_S)
                self.look()
                if self._clock.monotonic() - saved_at >= SAVE_S:
                    saved_at = self._clock.monotonic()
                    writing = asyncio.ensure_future(asyncio.to_thread(self._write, self._content()))
                    await asyncio.shield(writing)
        finally:
            if writing is not None:
                await asyncio.wait([writing])
            self.look()
            self.save()

    def _loaded(self) -> dict[str, InterfaceCount] | None:
        """None of a file that cannot be read: what is counted then begins anew, with another since_ms."""
        try:
            saved = msgspec.json.decode(self._file.read_bytes(), type=SavedCounts)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
            log.warning("%s cannot be read, bytes are counted anew: %s", self._file, error)
            return None
        if saved.boot != self._boot or not self._boot:
            for one in saved.interfaces.values():
                one.index, one.system_received, one.system_sent = "", 0, 0
        return saved.interfaces

    def _forget_one(self, present: set[str]) -> bool:
        """Give up an interface that is gone, the one that carried the fewest bytes; False if none is."""
        gone = [(one.received + one.sent, name) for name, one in self._counted.items() if name not in present]
        if gone:
            del self._counted[min(gone)[1]]
        return bool(gone)


def _risen(before: int, now: int, *, is_same: bool) -> int:
    return now - before if is_same and now >= before else now


def _is_link(folder: Path) -> bool:
    """Not the loopback, nor a bridge or a container's end, whose bytes another interface carries too, nor one
    with a name that no pulse may have.
    """
    return (
        re.fullmatch(INTERFACE_NAME, folder.name) is not None
        and _text(folder / "type") != LOOPBACK
        and not (folder / "bridge").exists()
        and not folder.name.startswith("veth")
    )


def _is_cellular(folder: Path) -> bool:
    return (
        _text(folder / "type") in (POINT_TO_POINT, RAW_IP)
        or "DEVTYPE=wwan" in _text(folder / "uevent").split()
    )


def _count(folder: Path, name: str) -> int | None:
    text = _text(folder / "statistics" / name)
    return int(text) if text.isascii() and text.isdigit() else None


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return ""
