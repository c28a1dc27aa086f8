"""The one access rule: which client may do what. Three brokers ask it, none has a rule of its own.

A gateway's user name and client id are its identity; it publishes what Message.from_gateway says and
subscribes to its own down messages. A service (the cloud) may use every topic of the contract, a closer none.
Anything else is denied.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from edge_contract.push import PUSH_TOPIC
from edge_contract.topics import CLOUD_FILTERS, GATEWAY_ID, PREFIX, Message, gateway_filter, topic


class Action(StrEnum):
    """What a client wants to do with a topic or filter."""

    PUBLISH = "publish"
    SUBSCRIBE = "subscribe"


class Role(StrEnum):
    """Kinds of client. CLOSER: the cloud in the name of a gateway, to end that one's session."""

    GATEWAY = "gateway"
    SERVICE = "service"
    CLOSER = "closer"


@dataclass(frozen=True)
class Principal:
    """A client whose secret has been checked. name: user name and client id."""

    role: Role
    name: str


@dataclass(frozen=True)
class Grant:
    """One line of an access list; topic may hold MQTT wildcards."""

    action: Action
    topic: str
    retain: bool = False


def grants(principal: Principal) -> tuple[Grant, ...]:
    """Everything that a principal may do; the rest is denied. TopicError: the name is no identity."""
    if principal.role is Role.CLOSER:
        return ()
    if principal.role is Role.SERVICE:
        up = tuple(Grant(Action.SUBSCRIBE, item) for item in CLOUD_FILTERS)
        down = tuple(
            Grant(Action.PUBLISH, f"{PREFIX}/+/{message.value}")
            for message in Message
            if not message.from_gateway
        )
        among = (Grant(Action.SUBSCRIBE, PUSH_TOPIC), Grant(Action.PUBLISH, PUSH_TOPIC))
        return up + down + among
    publish = tuple(
        Grant(Action.PUBLISH, topic(principal.name, message), retain=message is Message.STATE)
        for message in Message
        if message.from_gateway
    )
    return (*publish, Grant(Action.SUBSCRIBE, gateway_filter().format(gateway=principal.name)))


def allowed(principal: Principal, action: Action, requested: str, *, retain: bool = False) -> bool:
    """Decide one request. requested: a topic (publish) or a filter (subscribe).

    A gateway whose name is no identity may do nothing; a topic with wildcards can only be subscribed to.
    """
    if principal.role is Role.GATEWAY and GATEWAY_ID.fullmatch(principal.name) is None:
        return False
    if action is Action.PUBLISH and ("+" in requested or "#" in requested):
        return False
    return any(
        grant.action is action and _covers(grant.topic, requested) and (grant.retain or not retain)
        for grant in grants(principal)
    )


def well_formed(username: str | None, client_id: str | None) -> bool:
    """A user name is an identity without wildcards, and the client id is the same word.

    Without the second half one gateway could take over another's session.
    """
    return bool(username) and username == client_id and GATEWAY_ID.fullmatch(username or "") is not None


def _covers(granted: str, requested: str) -> bool:
    """True when every topic that matches the requested filter matches the granted one."""
    have, want = granted.split("/"), requested.split("/")
    return len(have) == len(want) and all(
        level == wanted or (level == "+" and wanted != "#") for level, wanted in zip(have, want, strict=True)
    )
