"""Tables of gateways and of what they are sorted by, and who sees which of them."""

from __future__ import annotations

from cloud.domains.base import Domain

DOMAIN = Domain("inventory", ())
