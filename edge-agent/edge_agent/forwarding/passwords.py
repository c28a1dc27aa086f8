"""Passwords of targets: never in the configuration, one file a target in the data folder, for its user alone.

Each is bound to the place that it was set for: who changes the server of a target does not get its password.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec

from edge_agent.config.model import Configuration
from edge_agent.errors import ConfigError
from edge_agent.forwarding.kinds import FORWARDERS
from edge_agent.system.private_files import make_folder, write_private

FOLDER = "target-passwords"
LONGEST = 4096
"""Characters; a token of a platform may have a thousand."""

Password = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST)]


class PasswordState(StrEnum):
    """UNUSED: none is sent. OTHER_PLACE: it was set for another place than the configuration names now."""

    UNUSED = ""
    MISSING = "missing"
    SET = "set"
    OTHER_PLACE = "other_place"


class StoredPassword(msgspec.Struct, frozen=True):
    """place: of base.Kind.place."""

    place: str
    password: str


def keep(folder: Path, configuration: Configuration, name: str, password: str) -> None:
    """Set the password of a target of this configuration. folder: of the agent's data.

    ConfigError for a target that takes none, or for a password that is none; StoreError.
    """
    places = dict(_places(configuration))
    if name not in places:
        choices = ", ".join(places) or "none of this configuration, which has no target with a password"
        raise ConfigError("target", f"must be one of {choices}")
    if not 1 <= len(password) <= LONGEST or not password.isprintable():
        raise ConfigError("password", f"must be 1 to {LONGEST} printable characters")
    make_folder(folder / FOLDER)
    stored = StoredPassword(places[name], password)
    write_private(folder / FOLDER / name, msgspec.json.encode(stored).decode())


def password_of(folder: Path, name: str, place: str) -> tuple[str | None, PasswordState]:
    """The password for a place, None where there is none for it. place: empty where none is used."""
    if not place:
        return None, PasswordState.UNUSED
    stored = _read(folder / FOLDER / name)
    if stored is None:
        return None, PasswordState.MISSING
    if stored.place != place:
        return None, PasswordState.OTHER_PLACE
    return stored.password, PasswordState.SET


def all_passwords(folder: Path) -> Iterator[str]:
    """Those that are stored, to be hidden wherever they might appear."""
    with contextlib.suppress(OSError):
        for path in sorted((folder / FOLDER).iterdir()):
            if (stored := _read(path)) is not None:
                yield stored.password


def _places(configuration: Configuration) -> Iterator[tuple[str, str]]:
    """Targets that use a password, and where it goes."""
    for entry in configuration.forwarders:
        kind = FORWARDERS[entry.kind]
        if place := kind.place(kind.options_of(entry.options)):
            yield entry.name, place


def _read(path: Path) -> StoredPassword | None:
    with contextlib.suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return msgspec.json.decode(path.read_bytes(), type=StoredPassword)
    return None
