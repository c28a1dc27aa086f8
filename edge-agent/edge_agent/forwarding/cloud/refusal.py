"""Whether a welcome lets the gateway send. Pure."""

from __future__ import annotations

from edge_contract.payloads import Welcome
from edge_contract.version import SPOKEN


def refusal_of(welcome: Welcome) -> str:
    """Why a welcome does not let the gateway send, in words; empty when it does."""
    if not welcome.accepted:
        return ": ".join(filter(None, [str(welcome.refusal or "no reason"), welcome.detail]))
    if not SPOKEN[0] <= welcome.version <= SPOKEN[1]:
        return f"version {welcome.version} is not spoken by this agent"
    return ""
