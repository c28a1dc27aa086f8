"""A configuration as a document: the tables of gateway.toml as JSON carries them, named by their content."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from edge_agent.config.load import ConfigErrors
from edge_agent.config.text import tables_of
from edge_agent.errors import ConfigError
from edge_contract.deployment import Document, canonical


def text_hash(text: str) -> str:
    """Tells whether a file is the one that was read before, without reading it as TOML."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def document_of(text: str) -> Document:
    """Document of a file, TOML or (beginning with a brace) JSON; ConfigErrors when it is neither.

    Nothing is validated yet but that it can travel: JSON has no name for a number that is not finite.
    """
    try:
        tables = _json(text) if text.lstrip().startswith("{") else tables_of(text)
        document: Document = msgspec.json.decode(canonical(tables))
    except (msgspec.MsgspecError, OverflowError, RecursionError) as error:
        raise ConfigErrors([ConfigError("file", f"must be a JSON object: {error}")]) from None
    except ConfigError as error:
        raise ConfigErrors([error]) from None
    if lost := _lost(tables, document, ""):
        raise ConfigErrors([ConfigError(lost, "must be a finite number")])
    return document


def _json(text: str) -> dict[str, Any]:
    return msgspec.json.decode(text, type=dict[str, Any])


def _lost(before: Any, after: Any, path: str) -> str:
    """Path of the first value that JSON made null; empty when there is none."""
    if isinstance(before, dict):
        pairs = ((f"{path}.{name}" if path else name, before[name], after[name]) for name in before)
    elif isinstance(before, list):
        pairs = ((f"{path}[{at}]", before[at], after[at]) for at in range(len(before)))
    else:
        return path if after is None and before is not None else ""
    return next((lost for name, one, other in pairs if (lost := _lost(one, other, name))), "")
