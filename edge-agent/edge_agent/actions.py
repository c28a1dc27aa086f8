"""An action: what a command asks of the gateway, of a forwarder or of its link, and what came of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from edge_agent.model import Value
from edge_contract.payloads import Command


@dataclass(frozen=True)
class ActionOutcome:
    """What came of an action. code: empty when it was done; value, values: what the action says of itself."""

    value: Value = None
    code: str = ""
    detail: str = ""
    values: Mapping[str, Value] = field(default_factory=dict)


Action = Callable[[Command, float], Awaitable[ActionOutcome]]
"""Does it within so many seconds. AgentError when it fails."""
