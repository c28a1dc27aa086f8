"""The tree of users of the room beside, with groups, rules and why."""

from __future__ import annotations

from ..identity.conftest import house

FIXTURES = (house,)
