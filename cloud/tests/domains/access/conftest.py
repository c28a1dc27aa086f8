"""The tree of users of the domain identity, with groups, rules and why."""

from __future__ import annotations

from ..identity.conftest import accounts

FIXTURES = (accounts,)
