"""Secrets that this gateway knows: nothing that leaves it for a reader holds one of them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from edge_agent.config.model import Configuration
from edge_agent.forwarding.passwords import all_passwords
from edge_agent.localweb.passwords import TEXT_FILE
from edge_agent.system.private_files import cloud_secret
from edge_contract.document.masking import secrets_in


def own_secrets(folder: Path) -> Iterator[str]:
    """Of the data folder."""
    yield cloud_secret(folder) or ""
    yield from all_passwords(folder)
    with contextlib.suppress(OSError, UnicodeDecodeError):
        yield (folder / TEXT_FILE).read_text(encoding="utf-8").strip()


def known_secrets(configuration: Configuration, folder: Path) -> list[str]:
    """Of the configuration and of the data folder."""
    return [*secrets_in(msgspec.to_builtins(configuration)), *own_secrets(folder)]
