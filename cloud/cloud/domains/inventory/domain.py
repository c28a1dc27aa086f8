"""Tables of gateways and of what they are sorted by, and who sees which of them."""

from __future__ import annotations

from cloud.domains.base import Domain
from cloud.domains.inventory.ownership import NAMED, OWNED

DOMAIN = Domain("inventory", (), owned=OWNED, named=NAMED)
