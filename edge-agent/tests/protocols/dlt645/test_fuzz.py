"""A bounded sample of dlt645_fuzz.py, whose program runs as long as one likes."""

import dlt645_fuzz


def test_mutated_frames() -> None:
    found = dlt645_fuzz.run(15_000, seed=20071997)
    assert min(found.values()) > 1000, found  # else the mutations are too wild to test anything
