"""Where rules run, as lists name it. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from cloud.core.gateway_work import Assignment, GatewayHolding, assigned_to
from cloud.domains.exchange.models import ExchangeRule

COMMAND_OPEN = "command_open"
GATEWAY_CODES = frozenset({"no_such_slave", "no_such_point", "read_only", "unfit"})


def home_of_both(rule: ExchangeRule, homes: Mapping[int, GatewayHolding]) -> Assignment:
    """Of a rule whose saver may write."""
    return assigned_to({rule.source_device_id, rule.target_device_id}, rule.id, homes)
