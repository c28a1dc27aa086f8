"""Passwords of targets beside the configuration: a file for each in the data folder, for its user alone.

Each is bound to the place that it was set for: who changes the server of a target does not get its password.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec

from edge_agent.config.model import Configuration
from edge_agent.errors import ConfigError
from edge_agent.forwarding.base import Kind
from edge_agent.forwarding.kinds import FORWARDERS
from edge_agent.system.private_files import make_folder, write_private

FOLDER = "target-passwords"
LONGEST = 4096
"""Characters; a token of a platform may have a thousand."""

SET_IT = "set it with edge-agent target-password or on the local page"

Password = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST)]


class PasswordState(StrEnum):
    """OTHER_PLACE: it was set for another place than the configuration names now."""

    MISSING = "missing"
    SET = "set"
    OTHER_PLACE = "other_place"


class StoredPassword(msgspec.Struct, frozen=True):
    """place: of base.Kind.places."""

    place: str
    password: str


def keep(folder: Path, configuration: Configuration, name: str, password: str, secret: str = "") -> str:
    """Set a password of a target of this configuration. folder: of the agent's data.

    secret: its name where the target has several, empty for the first; the name is returned. ConfigError for
    a target that takes none, or for a password that is none; StoreError.
    """
    targets = dict(_targets(configuration))
    if name not in targets:
        choices = ", ".join(targets) or "none of this configuration, which has no target with a password"
        raise ConfigError("target", f"must be one of {choices}")
    kind, places = targets[name]
    secret = secret or next(iter(places))
    if secret not in places:
        raise ConfigError("secret", f"must be one of {', '.join(places)}")
    if not 1 <= len(password) <= LONGEST or not password.isprintable():
        raise ConfigError("password", f"must be 1 to {LONGEST} printable characters")
    if (rule := kind.secret_fault(secret, password)) is not None:
        raise ConfigError("password", rule)
    make_folder(folder / FOLDER)
    stored = StoredPassword(places[secret], password)
    write_private(folder / FOLDER / _file(name, secret), msgspec.json.encode(stored).decode())
    return secret


def password_of(folder: Path, name: str, secret: str, place: str) -> tuple[str | None, PasswordState]:
    """The secret of a target for a place, None where there is none for it."""
    stored = _read(folder / FOLDER / _file(name, secret))
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


def _targets(configuration: Configuration) -> Iterator[tuple[str, tuple[Kind, Mapping[str, str]]]]:
    """Targets that take passwords from the data folder, and where each goes."""
    for entry in configuration.forwarders:
        kind = FORWARDERS[entry.kind]
        if places := kind.places(kind.options_of(entry.options)):
            yield entry.name, (kind, places)


def _file(name: str, secret: str) -> str:
    return f"{name}.{secret}"


def _read(path: Path) -> StoredPassword | None:
    with contextlib.suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return msgspec.json.decode(path.read_bytes(), type=StoredPassword)
    return None
