"""The rule of config/reach.py as it stands on this gateway: its list of networks, and gateway.toml."""

from __future__ import annotations

import logging
from pathlib import Path

from edge_agent.config.documents import document_of
from edge_agent.config.reach import Address, Allowed, Network, hosts_of, networks_of
from edge_agent.config.text import read
from edge_agent.errors import ConfigError, StoreError
from edge_agent.system.private_files import write_private

log = logging.getLogger(__name__)

NETWORKS_FILE = "allowed-networks"


class Reach:
    """The rule as it stands on this gateway: the list in folder, and the addresses in the file gateway.toml.

    Both are read again when they changed, so that a new list holds at once. A list that cannot be read
    allows nothing.
    """

    def __init__(self, folder: Path, file: Path) -> None:
        self._list = folder / NETWORKS_FILE
        self._file = file
        self._seen: dict[Path, int | None] = {}
        self._networks: tuple[Network, ...] | None = None
        self._hosts: frozenset[Address] = frozenset()

    def __call__(self) -> Allowed:
        if self._changed(self._list):
            self._networks = read_networks(self._list)
        if self._changed(self._file):
            self._hosts = _hosts(self._file)
        return Allowed(self._networks, self._hosts)

    def _changed(self, path: Path) -> bool:
        try:
            stamp: int | None = path.stat().st_mtime_ns
        except OSError:
            stamp = None
        before = self._seen.get(path, -1)
        self._seen[path] = stamp
        return before != stamp


def read_networks(path: Path) -> tuple[Network, ...] | None:
    """The gateway's list; None while there is none, empty when it cannot be read."""
    try:
        return networks_of(path.read_text(encoding="utf-8").splitlines())
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, ConfigError) as error:
        log.error("%s: %s; no address is allowed until it is mended", path, error)
        return ()


def write_networks(path: Path, networks: tuple[Network, ...] | None) -> None:
    """Keep a list, which holds at once, or with None take it away. StoreError."""
    try:
        if networks is None:
            path.unlink(missing_ok=True)
        else:
            write_private(path, "\n".join(map(str, networks)))
    except OSError as error:
        raise StoreError(f"{path} cannot be removed: {error.strerror}") from error


def _hosts(file: Path) -> frozenset[Address]:
    try:
        return frozenset(hosts_of(document_of(read(file))))
    except (ConfigError, OSError):
        return frozenset()
