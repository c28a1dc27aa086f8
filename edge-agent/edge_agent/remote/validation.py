"""A document validated on the gateway that is to run it: every fault, and what it would change."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from edge_agent.config.difference import change_of
from edge_agent.config.load import ConfigErrors, configuration_of
from edge_agent.config.model import Configuration, Port, Slave
from edge_agent.config.start import Proof
from edge_agent.errors import ConfigError
from edge_agent.model import ExpectedLoad
from edge_contract.deployment import Change, Document, Fault

MAX_FAULTS = 200
"""As many as a receipt carries."""


@dataclass(frozen=True)
class ValidationResult:
    """Either faults, or a configuration with its change."""

    faults: list[Fault]
    configuration: Configuration | None = None
    change: Change | None = None


@dataclass(frozen=True)
class Validation:
    """budget: of every port that has something to do. proof: what only shows on this gateway.
    reach: rule that a port's address breaks.
    """

    budget: Callable[[Configuration], Sequence[ExpectedLoad]]
    proof: Proof
    reach: Callable[[Port], str | None]

    def validate(
        self, document: Document, running: Configuration, *, forced: bool, by_cloud: bool
    ) -> ValidationResult:
        """forced: a port may be asked for more than it can do; the estimate takes slaves for usual ones.
        by_cloud: it must lead back to the cloud.
        """
        try:
            configuration = configuration_of(document)
        except ConfigErrors as error:
            return refused(error.errors)
        except RecursionError:
            return refused([ConfigError("file", "must not be nested so deep")])
        faults = list(self._faults(configuration, running))
        if by_cloud:
            faults += _link_faults(configuration)
        before, after = self._loads(configuration, running)
        if not forced:
            faults += _overloads(configuration, before, after)
        if faults:
            return refused(faults)
        change = change_of(
            running,
            configuration,
            {name: load.used_percent for name, load in before.items()},
            {name: load.used_percent for name, load in after.items()},
        )
        return ValidationResult([], configuration, change)

    def _faults(self, configuration: Configuration, running: Configuration) -> Iterator[ConfigError]:
        """A device or file that is named already may be absent for the moment; a new one must be there."""
        known = {port.device for port in running.ports}
        for at, port in enumerate(configuration.ports):
            new = port.type == "COM" and port.enable and port.device not in known
            if new and not Path(port.device).exists():
                yield ConfigError(
                    f"ports[{at}].device", f"must exist on this gateway, {port.device} does not"
                )
            if port.enable and (rule := self.reach(port)):
                yield ConfigError(f"ports[{at}].host", rule)
        if configuration.cloud is not None and configuration.cloud != running.cloud:
            file = configuration.cloud.ca_file
            if file is not None and not os.access(file, os.R_OK):
                yield ConfigError("cloud.ca_file", "must be a file that the agent can read")
        try:
            self.proof(configuration)
        except ConfigErrors as error:
            yield from error.errors
        except ConfigError as error:
            yield error

    def _loads(
        self, configuration: Configuration, running: Configuration
    ) -> tuple[dict[str, ExpectedLoad], dict[str, ExpectedLoad]]:
        """Before and after, by port; simulated only for what differs."""
        same = _alike(configuration, running)
        before = {load.port: load for load in self.budget(running)}
        after = {name: load for name, load in before.items() if name in same}
        if len(same) < len(configuration.ports):
            after |= {load.port: load for load in self.budget(_without(configuration, same))}
        return before, after


def refused(faults: Sequence[ConfigError]) -> ValidationResult:
    """The first MAX_FAULTS faults, texts cut to 200 characters."""
    return ValidationResult(
        [Fault(field=one.field[:200], rule=one.rule[:200]) for one in faults[:MAX_FAULTS]]
    )


def _link_faults(configuration: Configuration) -> Iterator[ConfigError]:
    """Nobody far away could mend a gateway whose link went with its configuration."""
    if configuration.cloud is None:
        yield ConfigError("cloud.url", "must be there: the gateway could not be reached any more")
    elif not configuration.cloud.enable:
        yield ConfigError("cloud.enable", "must be true: only the gateway's own page turns the link off")


def _overloads(
    configuration: Configuration, before: dict[str, ExpectedLoad], after: dict[str, ExpectedLoad]
) -> Iterator[ConfigError]:
    for at, port in enumerate(configuration.ports):
        load, old = after.get(port.name), before.get(port.name)
        if load is not None and not load.fits and (old is None or old.fits):
            yield ConfigError(
                f"ports[{at}]",
                f"must have the time for its requests: they would take {load.used_percent:.0f} % of it"
                + (f", now {old.used_percent:.0f} %" if old else ""),
            )


def _alike(one: Configuration, other: Configuration) -> set[str]:
    """Ports on which both do the same."""
    others = _works(other)
    return {name for name, work in _works(one).items() if work == others.get(name)}


def _works(configuration: Configuration) -> dict[str, tuple[Port, list[tuple[Slave, list[object]]]]]:
    points: dict[str, list[object]] = {}
    for point in configuration.points:
        points.setdefault(point.slave, []).append(point)
    works: dict[str, tuple[Port, list[tuple[Slave, list[object]]]]] = {
        port.name: (port, []) for port in configuration.ports
    }
    for slave in configuration.slaves:
        works[slave.port][1].append((slave, points.get(slave.name, [])))
    return works


def _without(configuration: Configuration, ports: set[str]) -> Configuration:
    """Only the slaves of other ports, for an estimate."""
    slaves = [slave for slave in configuration.slaves if slave.port not in ports]
    names = {slave.name for slave in slaves}
    return replace(
        configuration,
        ports=[port for port in configuration.ports if port.name not in ports],
        slaves=slaves,
        points=[point for point in configuration.points if point.slave in names],
        scripts=[],
    )
