"""Charge of the gateway's battery, as Linux tells it (Documentation/ABI/testing/sysfs-class-power)."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

SUPPLIES = Path("/sys/class/power_supply")


@dataclass(frozen=True)
class Battery:
    """percent: of the lowest one; external: power comes from outside, or a battery is being charged."""

    percent: int
    external: bool


def read_battery(supplies: Path = SUPPLIES) -> Battery | None:
    """None when this machine tells of no battery."""
    percents: list[int] = []
    external = False
    with contextlib.suppress(OSError):
        for supply in supplies.iterdir():
            kind = _text(supply / "type")
            if kind in ("Mains", "USB"):
                external |= _text(supply / "online") == "1"
            elif kind == "Battery" and _text(supply / "scope") != "Device":
                charge = _text(supply / "capacity")
                if charge.isascii() and charge.isdigit():
                    percents.append(int(charge))
                external |= _text(supply / "status") in ("Charging", "Full")
    return Battery(min(percents), external) if percents else None


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return ""
