"""The forwarders of one configuration: built from the list of kinds, and reported together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping
from typing import Any

import msgspec

from edge_agent.actions import Action
from edge_agent.config.model import Configuration
from edge_agent.forwarding.base import Condition, Forwarder, ForwarderCondition, ForwarderStatus, Kind
from edge_agent.forwarding.deliveries import Deliveries, shortened
from edge_agent.forwarding.kinds import FORWARDERS
from edge_agent.forwarding.link import LinkState
from edge_agent.forwarding.passwords import password_of
from edge_agent.forwarding.services import Services
from edge_agent.store.base import Bound, Outbox
from edge_contract.limits import MAX_TARGET_REASON
from edge_contract.payloads import CommandAction
from edge_contract.targets import MAX_TARGET_REJECTS, TargetReject, TargetState

MEGABYTE = 1024 * 1024
SHARE = 4
"""A forwarder without max_mb may keep this part of the store waiting."""


def bounds_of(configuration: Configuration) -> list[Bound]:
    """Of every forwarder of [[forwarders]], also of disabled ones: their data waits for them."""
    return [
        Bound(
            name=entry.name,
            max_bytes=entry.max_mb * MEGABYTE
            if entry.max_mb
            else configuration.storage.max_mb * MEGABYTE // SHARE,
            max_age_s=entry.max_age_h * 3600,
            start=entry.start,
        )
        for entry in configuration.forwarders
    ]


def _entries(configuration: Configuration) -> Iterator[tuple[str, Kind, bool, Any]]:
    """Name, kind, whether it is enabled, options."""
    for kind in FORWARDERS.values():
        if kind.section and (options := getattr(configuration, kind.section)) is not None:
            yield kind.name, kind, options.enable, options
    for entry in configuration.forwarders:
        kind = FORWARDERS[entry.kind]
        yield entry.name, kind, entry.enable, kind.options_of(entry.options)


class Forwarders:
    """Those that are enabled run; all are reported. The store's consumers are attached already."""

    def __init__(self, configuration: Configuration, services: Services) -> None:
        self._outboxes: dict[str, tuple[str, Outbox]] = {}
        self._folder = services.folder
        self._places: dict[str, Mapping[str, str]] = {}
        self._running: dict[str, Forwarder] = {}
        for name, kind, is_enabled, options in _entries(configuration):
            outbox = services.store.outbox.consumer(name)
            self._outboxes[name] = kind.name, outbox
            self._places[name] = kind.places(options)
            if is_enabled:
                self._running[name] = kind.build(name, options, services, outbox)
        links = (forwarder.link for forwarder in self._running.values())
        self.link = next((link for link in links if link is not None), LinkState(enabled=False))

    def tasks(self) -> dict[str, Callable[[], Coroutine[Any, Any, None]]]:
        """What runs each forwarder until cancelled, by the task's name."""
        return {f"forwarder {name}": forwarder.run for name, forwarder in self._running.items()}

    def actions(self) -> dict[CommandAction, Action]:
        """Of all of them."""
        by_command: dict[CommandAction, Action] = {}
        for forwarder in self._running.values():
            by_command |= forwarder.actions()
        return by_command

    async def drain(self, timeout_s: float) -> None:
        """All at once."""
        await asyncio.gather(*(forwarder.drain(timeout_s) for forwarder in self._running.values()))

    def statuses(self) -> list[ForwarderStatus]:
        """State of every forwarder, those that cannot run too."""
        return [self._status(name, kind, outbox) for name, (kind, outbox) in self._outboxes.items()]

    def targets(self) -> list[TargetState]:
        """What the cloud is told of those of [[forwarders]], by name."""
        return [
            _target(status)
            for status in sorted(self.statuses(), key=lambda status: status.name)
            if not FORWARDERS[status.kind].section
        ]

    def _status(self, name: str, kind: str, outbox: Outbox) -> ForwarderStatus:
        forwarder = self._running.get(name)
        now = forwarder.condition() if forwarder is not None else ForwarderCondition(Condition.OFF, 0, "")
        state, records = outbox.state(), now.waiting_records
        return ForwarderStatus(
            name=name,
            kind=kind,
            condition=now.condition,
            since_ms=now.since_ms,
            reason=now.reason,
            next_try_ms=now.next_try_ms,
            waiting_batches=state.batches,
            waiting_bytes=state.payload_bytes,
            waiting_records=state.batches if records is None else records,
            lost_batches=state.evicted_batches,
            deliveries=forwarder.deliveries() if forwarder is not None else Deliveries(),
            passwords={
                secret: password_of(self._folder, name, secret, place)[1].value
                for secret, place in self._places[name].items()
            },
        )


def _target(status: ForwarderStatus) -> TargetState:
    ledger = status.deliveries
    return TargetState(
        name=status.name,
        kind=status.kind,
        condition=status.condition.value,
        since_ms=status.since_ms,
        reason=shortened(status.reason, MAX_TARGET_REASON),
        waiting_batches=status.waiting_batches,
        waiting_bytes=status.waiting_bytes,
        waiting_records=status.waiting_records,
        lost_batches=status.lost_batches,
        delivered=ledger.delivered,
        late=ledger.late,
        repeated=ledger.repeated,
        given_up=ledger.given_up,
        failed=ledger.failed,
        last_ack_ms=ledger.last_ack_ms,
        next_try_ms=status.next_try_ms,
        rejects=[TargetReject(**msgspec.structs.asdict(one)) for one in ledger.rejects[-MAX_TARGET_REJECTS:]],
    )
