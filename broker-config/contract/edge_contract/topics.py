"""Topics of contract version 1: v1/{gateway}/up|down/{message} and v1/{gateway}/state."""

from __future__ import annotations

import re
from enum import StrEnum

from edge_contract.errors import TopicError
from edge_contract.version import MAJOR

GATEWAY_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{2,39}")
"""Identity of a gateway; also its MQTT client id and user name. No wildcard can be spelled with it."""

PREFIX = f"v{MAJOR}"


QOS = 1
"""Quality of service of every publication and subscription."""


class Message(StrEnum):
    """Every message of the contract, by its topic tail."""

    STATE = "state"  # retained, and the last will
    HELLO = "up/hello"
    CATALOG = "up/catalog"
    LIVE = "up/live"  # binary batch, newest first after an outage
    HISTORY = "up/history"  # binary batch, backfill queue
    VALUES = "up/values"  # binary batch of values that nobody stores
    PULSE = "up/pulse"
    RESULT = "up/result"
    RECEIPT = "up/receipt"
    CONFIGURATION = "up/configuration"
    COLLECTION = "up/collection"
    EVALUATION = "up/evaluation"
    EVENTS = "up/events"
    EXCHANGED = "up/exchanged"
    TASK_RUNS = "up/task_runs"
    FIRMWARE = "up/firmware"
    TRACED = "up/traced"
    TUNNEL_UP = "up/tunnel"  # binary frame of tunnel.py
    WELCOME = "down/welcome"
    ACK = "down/ack"
    RESEND = "down/resend"
    COMMAND = "down/command"
    DEPLOY = "down/deploy"
    WATCH = "down/watch"
    RULES = "down/rules"
    EXCHANGE = "down/exchange"
    TASKS = "down/tasks"
    UPGRADE = "down/upgrade"
    TRACE = "down/trace"
    TUNNEL_DOWN = "down/tunnel"  # binary frame of tunnel.py

    @property
    def from_gateway(self) -> bool:
        """True for what the gateway publishes, False for what the cloud publishes."""
        return not self.value.startswith("down/")


def check_gateway(gateway: str) -> str:
    """Return the identity unchanged, or raise TopicError that names the rule."""
    if not GATEWAY_ID.fullmatch(gateway):
        raise TopicError("gateway", "3 to 40 letters, digits, '-' or '_', starting with a letter or digit")
    return gateway


def topic(gateway: str, message: Message) -> str:
    """Topic of a message of one gateway."""
    return f"{PREFIX}/{check_gateway(gateway)}/{message.value}"


def parse(text: str) -> tuple[str, Message]:
    """Gateway and message of a topic; TopicError for any other topic."""
    prefix, _, rest = text.partition("/")
    gateway, _, tail = rest.partition("/")
    if prefix != PREFIX:
        raise TopicError("topic", f"must start with {PREFIX}/")
    check_gateway(gateway)
    try:
        return gateway, Message(tail)
    except ValueError:
        raise TopicError("topic", f"no message of the contract is called '{tail}'") from None


def gateway_filter() -> str:
    """Subscription of a gateway's own down messages; format with the gateway."""
    return PREFIX + "/{gateway}/down/+"


CLOUD_FILTERS = (f"{PREFIX}/+/up/+", f"{PREFIX}/+/state")
"""Subscriptions of the cloud."""
