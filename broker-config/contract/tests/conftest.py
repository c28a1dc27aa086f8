"""Parts that several tests of this room read with."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def hocon() -> ModuleType:
    """The reader of EMQX settings; loaded by path, because tests are no package."""
    spec = importlib.util.spec_from_file_location(
        "contract_tests_hocon", Path(__file__).with_name("hocon.py")
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
