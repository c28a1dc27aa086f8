"""What runs after a start or a reload: gateway.toml if somebody changed it, else the active version."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from edge_agent.config.documents import document_of, text_hash
from edge_agent.config.load import ConfigErrors, configuration_of, stored_configuration_of
from edge_agent.config.model import Configuration
from edge_agent.config.state import ActiveVersion, ConfigurationState, replaced, started
from edge_agent.config.state_store import StateStore
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


def choose(file: Path, state_store: StateStore, now_ms: int, proof: Proof, *, restart: bool = True) -> Start:
    """What is to run, durable in the state store. restart: the agent was stopped since the last time.

    ConfigErrors when neither the file nor any version can run; StoreError when the medium refuses.
    """
    if state_store.first_start:
        seed = _seed(read_file(file), proof, stored_configuration_of)
        running = ActiveVersion(state_store.versions.keep(seed.document), Origin.FILE, now_ms)
        state_store.save(ConfigurationState(running, file_text=seed.text, file_hash=running.hash))
        return Start(seed.configuration, [])
    state = state_store.state
    if restart:
        state = started(state, now_ms, clock_set=clock_set(now_ms))
    faults: list[ConfigError] = []
    configuration = None
    try:
        text = read_file(file)
        if text_hash(text) != state.file_text:
            state, configuration = _adopt_file(_seed(text, proof), state, state_store, now_ms)
    except ConfigErrors as error:
        faults = error.errors
        for fault in faults:
            log.error("%s: %s; what ran before goes on", file, fault)
    if configuration is None:
        state, configuration = _active_or_fallback(state, state_store, now_ms, faults)
    state_store.save(state)
    return Start(configuration, faults)


def read_file(path: Path) -> str:
    """Text of a configuration file. Raises ConfigErrors when it cannot be read."""
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


def _adopt_file(
    seed: Seed, state: ConfigurationState, state_store: StateStore, now_ms: int
) -> tuple[ConfigurationState, Configuration | None]:
    """The state after a look at another text of the file; its configuration where it is to run."""
    name = state_store.versions.keep(seed.document)
    before = state.file_hash
    state = replace(state, file_text=seed.text, file_hash=name)
    if name in (before, state.running.hash) or not before:
        return state, None
    log.info("gateway.toml was changed: it runs from now on, as version %s", name[:12])
    why = "gateway.toml was changed meanwhile and runs now"
    return replaced(state, ActiveVersion(name, Origin.FILE, now_ms), why, now_ms), seed.configuration


def _active_or_fallback(
    state: ConfigurationState, state_store: StateStore, now_ms: int, faults: list[ConfigError]
) -> tuple[ConfigurationState, Configuration]:
    """The running version, or the next best when it can no longer be read."""
    for one in _candidates(state, now_ms):
        document = state_store.versions.read(one.hash)
        if document is None:
            log.error("version %s of the configuration is missing or damaged", one.hash[:12])
            continue
        try:
            configuration = stored_configuration_of(document)
        except ConfigErrors as error:
            log.error("version %s cannot run with this agent: %s", one.hash[:12], error)
            faults += error.errors
            continue
        if one.hash != state.running.hash:
            log.warning("version %s runs instead", one.hash[:12])
            state = replaced(state, one, "its version cannot be read", now_ms)
        return state, configuration
    raise ConfigErrors(faults or [ConfigError("file", "must be there: no version of it can be read")])


def _candidates(state: ConfigurationState, now_ms: int) -> Iterator[ActiveVersion]:
    yield state.running
    if state.trial is not None:
        yield state.trial.back
    if state.previous is not None:
        yield state.previous
    yield ActiveVersion(state.file_hash, Origin.FILE, now_ms)
