"""Every type of the contract is a value: it does not change once it was made or read."""

from __future__ import annotations

import importlib
import pkgutil

import msgspec
import pytest

import edge_contract

MODULES = [name for _, name, _ in pkgutil.walk_packages(edge_contract.__path__, "edge_contract.")]
TYPES = {
    found
    for name in MODULES
    for found in vars(importlib.import_module(name)).values()
    if isinstance(found, type) and issubclass(found, msgspec.Struct) and found.__module__ == name
}


@pytest.mark.parametrize("made", sorted(TYPES, key=lambda made: made.__qualname__))
def test_a_type_is_frozen(made: type[msgspec.Struct]) -> None:
    assert made.__struct_config__.frozen


def test_messages_are_among_them() -> None:
    assert len(TYPES) > 30
