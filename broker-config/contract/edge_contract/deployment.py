"""Configuration on its way: a document, named by its content, and a receipt for every step of a deployment.

A document is a JSON object with the sections of gateway.toml. What a gateway was told and what it runs can
be compared by hash alone.
"""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import Annotated, Any

import msgspec

from edge_contract.fields import CommandId, ControlMessage, Count, Hash, Millis, Name, Text
from edge_contract.limits import MAX_GROUP_STATES, MAX_MISSING

Document = dict[str, Any]


def canonical(document: Document) -> bytes:
    """JSON with sorted names and without blanks; 7 and 7.0 differ."""
    return msgspec.json.encode(document, order="sorted")


def document_hash(document: Document) -> str:
    """SHA-256 of the canonical bytes."""
    return hashlib.sha256(canonical(document)).hexdigest()


class Deploy(ControlMessage, frozen=True, kw_only=True):
    """Run this document. Refused when the gateway runs neither it nor base, unless base is None.

    check_only: validate, and say with a CHECKED receipt what it would change; nothing is kept.
    confirm_s: so long the gateway may take to be linked and collecting as before; then it goes back.
    healthy_share: of the points that were good before and are still configured, so many must be good again;
    slaves that answered before, and those that are new or reached otherwise, must answer whatever it says.
    """

    id: CommandId
    hash: Hash
    base: Hash | None
    expires_ms: Millis
    document: Document
    check_only: bool = False
    confirm_s: Annotated[int, msgspec.Meta(ge=30, le=900)] = 300
    healthy_share: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.9


class Step(StrEnum):
    """How far a deployment came. The last five are final."""

    RECEIVED = "received"
    STAGED = "staged"  # valid and durable on the gateway
    SWITCHED = "switched"  # it runs, its health is watched
    CHECKED = "checked"  # of check_only
    REFUSED = "refused"  # nothing was changed
    UNCHANGED = "unchanged"  # it ran already
    CONFIRMED = "confirmed"
    REVERTED = "reverted"  # what ran before runs again


FINAL = frozenset({Step.CHECKED, Step.REFUSED, Step.UNCHANGED, Step.CONFIRMED, Step.REVERTED})


class Fault(ControlMessage, frozen=True, kw_only=True):
    """One rule of the configuration that a document breaks."""

    field: Text
    rule: Text


class PortLoad(ControlMessage, frozen=True, kw_only=True):
    """Share of a port's time that its requests take, in percent, before and after; None: no such port."""

    port: Name
    before: float | None
    after: float | None


class Change(ControlMessage, frozen=True, kw_only=True):
    """What a document changes on the gateway that is to run it."""

    points_added: Count
    points_removed: Count
    points_changed: Count
    ports: Annotated[list[PortLoad], msgspec.Meta(max_length=1000)] = []
    restarts_link: bool = False  # the cloud's address or the gateway's network is another one


class Missing(ControlMessage, frozen=True, kw_only=True):
    """What a trial waits for, or what is silent at its end: the first names, and how many there are."""

    slaves: Annotated[list[Name], msgspec.Meta(max_length=MAX_MISSING)] = []
    points: Annotated[list[Text], msgspec.Meta(max_length=MAX_MISSING)] = []  # slave.point
    slaves_all: Count = 0
    points_all: Count = 0
    link: bool = False  # the cloud has not accepted the gateway again


class GroupCondition(StrEnum):
    """What a gateway did with a parameter group of its machine."""

    APPLIED = "applied"  # read back as the document has it
    NOT_SUPPORTED = "not_supported"  # this machine lacks hardware, program or permission; nothing was changed
    FAILED = "failed"  # tried, and taken back


class GroupState(ControlMessage, frozen=True, kw_only=True):
    """Of one parameter group that the machine itself has to carry out. reason: why it is not applied."""

    group: Name
    condition: GroupCondition
    reason: Text = ""


class Receipt(ControlMessage, frozen=True, kw_only=True):
    """One step of a deployment. running: what the gateway runs after it.

    code: of REFUSED invalid, conflict, expired, busy, not_this_gateway, hash, store; of REVERTED link,
    slaves, points, crash, error, asked (by the command revert). detail: the same in words. The final
    receipt of the last deployment is repeated after every hello until the cloud has acknowledged it
    (Ack.deployments).

    missing: of SWITCHED, which comes again whenever it changes, at most once a second; of CONFIRMED and
    REVERTED what was silent at the end. None: nothing is missing, or nobody looked yet.

    parameters: of every group of the machine in the document: in CHECKED and STAGED what would not be
    supported, later what became of it.
    """

    id: CommandId
    step: Step
    t_ms: Millis
    running: Hash
    code: Text = ""
    detail: Text = ""
    faults: Annotated[list[Fault], msgspec.Meta(max_length=200)] = []
    change: Change | None = None
    missing: Missing | None = None
    parameters: Annotated[list[GroupState], msgspec.Meta(max_length=MAX_GROUP_STATES)] = []


class Origin(StrEnum):
    """Who made the running configuration."""

    FILE = "file"  # gateway.toml, or a file that `edge-agent apply` put in on the gateway
    LOCAL = "local"  # the local page
    CLOUD = "cloud"


class ConfigurationReport(ControlMessage, frozen=True, kw_only=True):
    """The running configuration, as the cloud asked for it."""

    hash: Hash
    origin: Origin
    t_ms: Millis  # since when it runs
    document: Document
