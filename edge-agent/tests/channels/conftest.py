"""The simulated clock and the independent slave lie beside the tests of the bus and of Modbus."""

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "bus"), str(TESTS / "protocols" / "modbus")]
