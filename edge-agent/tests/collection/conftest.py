"""The simulated plant of the bus tests, with a recorder beside the bus."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUS = HERE.parent / "bus"
sys.path[:0] = [str(HERE), str(BUS), str(BUS.parent / "protocols" / "modbus")]
