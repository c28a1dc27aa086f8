"""Shapes of the cloud's configuration."""

from __future__ import annotations

from pydantic import BaseModel


class CloudConfig(BaseModel):
    """Switches that the portal reads; 0 is off. ot: OTA pages, rl: rules page; ss and rg: reserved."""

    ot: int = 0
    rl: int = 0
    ss: int = 0
    rg: int = 0
