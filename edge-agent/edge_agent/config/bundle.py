"""A configuration as a file, put in and taken out while the agent does not run."""

from __future__ import annotations

from pathlib import Path

from edge_agent.config.documents import document_of
from edge_agent.config.load import ConfigErrors, configuration_of
from edge_agent.config.start import Proof, read_file
from edge_agent.config.state import ActiveVersion, ConfigurationState, replaced
from edge_agent.config.state_store import StateStore
from edge_agent.errors import ConfigError, StoreError
from edge_contract.deployment import Document, Origin


def import_file(file: Path, state_store: StateStore, now_ms: int, proof: Proof) -> str:
    """Make a file, TOML or JSON, what runs from the next start on; its hash.

    ConfigErrors with every fault; StoreError when the medium refuses.
    """
    document = document_of(read_file(file))
    configuration = configuration_of(document)
    proof(configuration)
    if not state_store.first_start:
        here = gateway_of(state_store)
        if here not in (None, configuration.gateway.id):
            raise ConfigErrors([ConfigError("gateway.id", f"must be {here}, which this gateway is")])
    running = ActiveVersion(state_store.versions.keep(document), Origin.FILE, now_ms)
    if state_store.first_start:
        state_store.save(ConfigurationState(running))
    elif running.hash != state_store.state.running.hash:
        why = "another one was put in its place on the gateway"
        state_store.save(replaced(state_store.state, running, why, now_ms))
    return running.hash


def export_document(state_store: StateStore, name: str | None = None) -> Document:
    """A stored version by its hash or how that begins, or what runs. StoreError when there is none."""
    if state_store.first_start:
        raise StoreError("no configuration was ever taken in: start the agent once")
    full_hash = state_store.state.running.hash if name is None else _full_hash(state_store, name)
    document = state_store.versions.read(full_hash)
    if document is None:
        raise StoreError(f"version {full_hash[:12]} is missing or damaged")
    return document


def gateway_of(state_store: StateStore) -> str | None:
    """Id of the gateway whose configuration runs; None when that cannot be read."""
    document = state_store.versions.read(state_store.state.running.hash)
    section = {} if document is None else document.get("gateway", {})
    name = section.get("id")
    return name if isinstance(name, str) else None


def _full_hash(state_store: StateStore, beginning: str) -> str:
    matching = [name for name in state_store.versions.hashes() if name.startswith(beginning)]
    if len(matching) != 1:
        raise StoreError(f"{len(matching)} kept versions begin with {beginning[:64]!r}")
    return matching[0]
