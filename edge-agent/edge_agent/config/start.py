"""What runs after a start or a reload: gateway.toml if somebody changed it, else the version in force."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from edge_agent.config.documents import document_of, text_hash
from edge_agent.config.load import ConfigErrors, configuration_of, stored_configuration_of
from edge_agent.config.model import Configuration
from edge_agent.config.shelf import Shelf
from edge_agent.config.standing import InForce, Standing, replaced, started
from edge_agent.config.text import read
from edge_agent.errors import ConfigError
from edge_agent.system.clock import clock_set
from edge_contract.deployment import Document, Origin

log = logging.getLogger(__name__)

Proof = Callable[[Configuration], None]
"""Raises ConfigError for what only shows on this gateway."""


@dataclass(frozen=True)
class Start:
    """What runs. faults: of gateway.toml, while something else runs."""

    configuration: Configuration
    faults: list[ConfigError]


@dataclass(frozen=True)
class Seed:
    """gateway.toml, when it can run."""

    text: str  # hash of its text
    document: Document
    configuration: Configuration


def choose(file: Path, shelf: Shelf, now_ms: int, proof: Proof, *, restart: bool = True) -> Start:
    """What is to run, durable on the shelf. restart: the agent was stopped since the last time.

    ConfigErrors when neither the file nor any version can run; StoreError when the medium refuses.
    """
    if shelf.first_start:
        seed = _seed(read_file(file), proof, stored_configuration_of)
        running = InForce(shelf.versions.keep(seed.document), Origin.FILE, now_ms)
        shelf.save(Standing(running, file_text=seed.text, file_hash=running.hash))
        return Start(seed.configuration, [])
    standing = shelf.standing
    if restart:
        standing = started(standing, now_ms, clock_set=clock_set(now_ms))
    faults: list[ConfigError] = []
    configuration = None
    try:
        text = read_file(file)
        if text_hash(text) != standing.file_text:
            standing, configuration = _taken_in(_seed(text, proof), standing, shelf, now_ms)
    except ConfigErrors as error:
        faults = error.errors
        for fault in faults:
            log.error("%s: %s; what ran before goes on", file, fault)
    if configuration is None:
        standing, configuration = _in_force(standing, shelf, now_ms, faults)
    shelf.save(standing)
    return Start(configuration, faults)


def read_file(path: Path) -> str:
    try:
        return read(path)
    except ConfigError as error:
        raise ConfigErrors([error]) from None


def _seed(text: str, proof: Proof, loaded: Callable[[Document], Configuration] = configuration_of) -> Seed:
    document = document_of(text)
    configuration = loaded(document)
    try:
        proof(configuration)
    except ConfigErrors:
        raise
    except ConfigError as error:
        raise ConfigErrors([error]) from None
    return Seed(text_hash(text), document, configuration)


def _taken_in(
    seed: Seed, standing: Standing, shelf: Shelf, now_ms: int
) -> tuple[Standing, Configuration | None]:
    """The standing after a look at another text of the file; its configuration where it is to run."""
    name = shelf.versions.keep(seed.document)
    before = standing.file_hash
    standing = replace(standing, file_text=seed.text, file_hash=name)
    if name in (before, standing.running.hash) or not before:
        return standing, None
    log.info("gateway.toml was changed: it runs from now on, as version %s", name[:12])
    why = "gateway.toml was changed meanwhile and runs now"
    return replaced(standing, InForce(name, Origin.FILE, now_ms), why, now_ms), seed.configuration


def _in_force(
    standing: Standing, shelf: Shelf, now_ms: int, faults: list[ConfigError]
) -> tuple[Standing, Configuration]:
    """The running version, or the next best when it can no longer be read."""
    for one in _candidates(standing, now_ms):
        document = shelf.versions.read(one.hash)
        if document is None:
            log.error("version %s of the configuration is missing or damaged", one.hash[:12])
            continue
        try:
            configuration = stored_configuration_of(document)
        except ConfigErrors as error:
            log.error("version %s cannot run with this agent: %s", one.hash[:12], error)
            faults += error.errors
            continue
        if one.hash != standing.running.hash:
            log.warning("version %s runs instead", one.hash[:12])
            standing = replaced(standing, one, "its version cannot be read", now_ms)
        return standing, configuration
    raise ConfigErrors(faults or [ConfigError("file", "must be there: no version of it can be read")])


def _candidates(standing: Standing, now_ms: int) -> Iterator[InForce]:
    yield standing.running
    if standing.trial is not None:
        yield standing.trial.back
    if standing.previous is not None:
        yield standing.previous
    yield InForce(standing.file_hash, Origin.FILE, now_ms)
