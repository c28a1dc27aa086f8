"""Versions of the contract. The major version is a topic level; minors only add."""

MAJOR = 1
"""Topic level v1."""

SPOKEN = (1, 1)
"""Lowest and highest major version that this package speaks."""
