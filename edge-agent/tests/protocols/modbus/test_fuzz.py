"""A bounded sample of modbus_fuzz.py, whose program runs as long as one likes."""

import modbus_fuzz


def test_mutated_frames() -> None:
    found = modbus_fuzz.run(9_000, seed=20261121)
    assert min(found.values()) > 100, found  # else the mutations are too wild to test anything
