"""What the link to the cloud reports of itself."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class LinkState:
    """Written by forwarder and session, read by the local page. Times are UTC milliseconds, 0 for never."""

    enabled: bool = True
    connected: bool = False  # to the broker
    accepted: bool = False  # by the cloud
    takes_collection: bool = False  # the cloud that accepted wants records of what was read
    since_ms: int = 0  # of the last change of the two
    reason: str = ""  # why not, in words
    back_ms: int = 0  # of a gateway that saves power: when it connects again
    refusal: str = ""  # version, not_claimed, disabled
    last_ack_ms: int = 0
    in_flight: int = 0
    sent_batches: int = 0
    acknowledged_batches: int = 0
    bad_messages: int = 0  # that broke the contract
    ignored_acks: int = 0  # of another stream
    faults: set[str] = field(default_factory=set)  # kinds of bad message that were logged
