"""The local administrator's password: made at first boot, stored as argon2id."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from edge_agent.errors import BadValue
from edge_agent.system.private_files import write_private

if TYPE_CHECKING:
    from argon2 import PasswordHasher

HASH_FILE = "local-admin.hash"
TEXT_FILE = "local-admin.txt"
MEMORY_KIB = 19 * 1024  # the smallest that is recommended: a gateway has little
ROUNDS = 2
ALPHABET = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # without look-alikes
LENGTH = 16
SHORTEST, LONGEST = 10, 200
"""Of one that somebody chooses; the gate against guessing does the rest."""


def ensure(folder: Path) -> str | None:
    """Make a password when the folder has none; the new one, else None."""
    return None if (folder / HASH_FILE).exists() else reset(folder)


def announce(folder: Path, console: TextIO) -> None:
    """At first boot make the password; show it, this once, to a person, never to a log."""
    password = ensure(folder)
    if password is None:
        return
    where = folder / TEXT_FILE
    if console.isatty():
        console.write(f"First start. Local page: user admin, password {password}\n")
    console.write(f"The local page's password lies in {where}; delete that file once it is noted.\n")
    console.flush()


def reset(folder: Path) -> str:
    """Make a new password, replacing any; it also lies in TEXT_FILE until somebody deletes that."""
    password = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
    write_private(folder / TEXT_FILE, password)
    write_private(folder / HASH_FILE, _hasher().hash(password))
    return password


def change(folder: Path, password: str) -> None:
    """Keep one that somebody chose; its text lies nowhere. BadValue names the rule. As slow as verify."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise BadValue(f"must have {SHORTEST} to {LONGEST} characters")
    write_private(folder / HASH_FILE, _hasher().hash(password))
    (folder / TEXT_FILE).unlink(missing_ok=True)


def verify(folder: Path, password: str) -> bool:
    """Compare with what is stored now. Takes tens of milliseconds and 19 MB: never on the event loop."""
    from argon2.exceptions import InvalidHashError, VerificationError

    try:
        return bool(_hasher().verify((folder / HASH_FILE).read_text().strip(), password))
    except (VerificationError, InvalidHashError, OSError):
        return False


def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher  # loaded at the first sign-in

    return PasswordHasher(time_cost=ROUNDS, memory_cost=MEMORY_KIB, parallelism=1)
