"""The fuzz engine lies with the scripts: a bounded sample of what scripts/fuzz does is part of the tests."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
