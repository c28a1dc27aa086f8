"""The fuzz engine lies with the scripts: a bounded sample of what scripts/fuzz does is part of the tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from edge_agent.transports import reach


@pytest.fixture(autouse=True)
def devices_on_loopback() -> None:
    """Simulated devices are on this machine; the rule itself is tested in transports/test_reach.py."""
    reach.use_anything()
