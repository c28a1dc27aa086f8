"""Parameter groups that this agent does not carry out: it says why, for the machine as it is."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from edge_agent.system.appliers import Held, NotApplied

INTERFACES = Path("/sys/class/net")
DEVICES = Path("/dev")
MODEM_DEVICES = ("cdc-wdm*", "ttyUSB*", "wwan*")
"""Names of what a modem brings along."""


class UnsupportedGroup:
    """Applier that applies nothing. reason: of this machine, never empty."""

    def __init__(self, group: str, reason: Callable[[], str]) -> None:
        self.group = group
        self._reason = reason

    async def obstacle(self, wanted: Any) -> str:
        return self._reason()

    def covers(self, held: Held, wanted: Any) -> bool:
        return False

    async def read(self, wanted: Any) -> Held:
        return self._refuse()

    async def apply(self, wanted: Any) -> None:
        self._refuse()

    async def restore(self, held: Held) -> None:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise NotApplied(self._reason())


def mobile_reason(devices: Path = DEVICES) -> str:
    """Why 4G cannot be set here."""
    if not any(True for pattern in MODEM_DEVICES for _ in devices.glob(pattern)):
        return "this machine has no cellular modem"
    if shutil.which("mmcli") is None:
        return "this machine has no ModemManager"
    return "this agent sets neither APN nor routing of a modem"


def hotspot_reason(interfaces: Path = INTERFACES) -> str:
    """Why no hotspot can be opened here."""
    if not any(True for _ in interfaces.glob("*/wireless")):
        return "this machine has no WiFi interface"
    if shutil.which("hostapd") is None:
        return "this machine has no hostapd"
    return "this agent opens no hotspot"
