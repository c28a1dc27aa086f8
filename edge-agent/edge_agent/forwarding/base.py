"""What carries stored batches away. A kind of it is one folder here and one line in kinds.py."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

import msgspec

from edge_agent.actions import Action
from edge_agent.config.model import Configuration, Section
from edge_agent.config.shape import fields_of, shape_faults
from edge_agent.errors import ConfigError, ConfigErrors
from edge_agent.forwarding.deliveries import Deliveries
from edge_agent.forwarding.link import LinkState
from edge_agent.forwarding.services import Services
from edge_agent.store.base import Outbox
from edge_contract.document.masking import PRIVATE, is_secret
from edge_contract.payloads import CommandAction


class Condition(StrEnum):
    """Of a forwarder. CONNECTED: nothing of this connection was acknowledged yet. OFF: disabled in the
    configuration.
    """

    UP = "up"
    CONNECTED = "connected"
    DOWN = "down"
    OFF = "off"


class ForwarderCondition(NamedTuple):
    """since_ms: of the condition, UTC; 0: of none yet. reason: why it is down. next_try_ms: when one that is
    down is tried again, UTC; 0: none is planned. waiting_records: in its own records; None: it makes them
    when it sends them, and batches wait.
    """

    condition: Condition
    since_ms: int
    reason: str
    next_try_ms: int = 0
    waiting_records: int | None = None


@dataclass(frozen=True)
class ForwarderStatus:
    """As ForwarderCondition. waiting_records: as many as batches where it makes none before it sends them.

    lost_batches: moved past without its acknowledgement. passwords: PasswordState of passwords.py of each
    secret that the target takes from the data folder, by its name.
    """

    name: str
    kind: str
    condition: Condition
    since_ms: int
    reason: str
    next_try_ms: int
    waiting_batches: int
    waiting_bytes: int
    waiting_records: int
    lost_batches: int
    deliveries: Deliveries
    passwords: Mapping[str, str] = dataclasses.field(default_factory=dict)


class Forwarder(Protocol):
    """One target. It reads its own outbox, and acknowledges what its target holds durably."""

    @property
    def link(self) -> LinkState | None:
        """Of a target that gives orders; None for all others."""

    async def run(self) -> None:
        """Until cancelled. A target that is away is retried, and condition() has the reason."""

    async def drain(self, timeout_s: float) -> None:
        """Before a stop: bring away what is stored, at most so long."""

    def condition(self) -> ForwarderCondition:
        """How it is with the target now."""

    def deliveries(self) -> Deliveries:
        """What the target took and did not, since its cursor began or since this start of the agent."""

    def actions(self) -> Mapping[CommandAction, Action]:
        """What a target that gives orders may ask of the link to itself."""


class CodeEntry(msgspec.Struct, frozen=True):
    """A code of the platform with its words. units: of what it stands for, as they are printed. also: further
    names and abbreviations of it.
    """

    code: str
    zh: str
    en: str
    units: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


class CodeList(msgspec.Struct, frozen=True):
    """by: option whose value chooses the list."""

    by: str
    entries: Mapping[str, tuple[CodeEntry, ...]]


@dataclass(frozen=True)
class Kind:
    """One kind of target. build: of valid options; it imports late what only a running one needs.

    check: faults of options whose shape is right, with fields below options; check_points: faults of sound
    options beside the points of their configuration. section: the table in which the only one of its kind is
    configured, instead of [[forwarders]]. places: where each secret is sent that these options take from the
    data folder (passwords.py), by the secret's name; secret_fault: the rule that a secret of a name breaks.
    codes: what a form offers for a column of the options (form.py).
    """

    name: str
    options: type[Section]
    build: Callable[[str, Any, Services, Outbox], Forwarder]
    check: Callable[[Any], Iterator[ConfigError]] = lambda options: iter(())
    check_points: Callable[[Any, Configuration], Iterator[ConfigError]] = lambda *_: iter(())
    section: str = ""
    places: Callable[[Any], Mapping[str, str]] = lambda options: {}
    secret_fault: Callable[[str, str], str | None] = lambda name, secret: None
    codes: Callable[[], CodeList | None] = lambda: None

    def options_of(self, table: Mapping[str, Any]) -> Any:
        """ConfigErrors names every fault, with fields below options."""
        secrets = [name for name in table if is_secret(name) and name not in fields_of(self.options)]
        faults = [ConfigError(f"options.{name}", PRIVATE) for name in secrets]
        rest = {name: value for name, value in table.items() if name not in secrets}
        faults += shape_faults(rest, self.options, "options")
        if not faults:
            options = msgspec.convert(table, self.options, strict=True)
            faults = list(self.check(options))
            if not faults:
                return options
        raise ConfigErrors(faults)
