"""A configuration as a file, put in and taken out while the agent does not run."""

from __future__ import annotations

from pathlib import Path

from edge_agent.config.documents import document_of
from edge_agent.config.load import ConfigErrors, configuration_of
from edge_agent.config.shelf import Shelf
from edge_agent.config.standing import InForce, Standing, replaced
from edge_agent.config.start import Proof, read_file
from edge_agent.errors import ConfigError, StoreError
from edge_contract.deployment import Document, Origin


def put_in(file: Path, shelf: Shelf, now_ms: int, proof: Proof) -> str:
    """Make a file, TOML or JSON, what runs from the next start on; its hash.

    ConfigErrors with every fault; StoreError when the medium refuses.
    """
    document = document_of(read_file(file))
    configuration = configuration_of(document)
    proof(configuration)
    if not shelf.first_start:
        here = gateway_of(shelf)
        if here not in (None, configuration.gateway.id):
            raise ConfigErrors([ConfigError("gateway.id", f"must be {here}, which this gateway is")])
    running = InForce(shelf.versions.keep(document), Origin.FILE, now_ms)
    if shelf.first_start:
        shelf.save(Standing(running))
    elif running.hash != shelf.standing.running.hash:
        why = "another one was put in its place on the gateway"
        shelf.save(replaced(shelf.standing, running, why, now_ms))
    return running.hash


def take_out(shelf: Shelf, name: str | None = None) -> Document:
    """A kept version by its hash or how that begins, or what runs. StoreError when there is none."""
    if shelf.first_start:
        raise StoreError("no configuration was ever taken in: start the agent once")
    whole = shelf.standing.running.hash if name is None else _whole(shelf, name)
    document = shelf.versions.read(whole)
    if document is None:
        raise StoreError(f"version {whole[:12]} is missing or damaged")
    return document


def gateway_of(shelf: Shelf) -> str | None:
    """Id of the gateway whose configuration runs; None when that cannot be read."""
    document = shelf.versions.read(shelf.standing.running.hash)
    section = {} if document is None else document.get("gateway", {})
    found = section.get("id")
    return found if isinstance(found, str) else None


def _whole(shelf: Shelf, beginning: str) -> str:
    found = [name for name in shelf.versions.kept() if name.startswith(beginning)]
    if len(found) != 1:
        raise StoreError(f"{len(found)} kept versions begin with {beginning[:64]!r}")
    return found[0]
