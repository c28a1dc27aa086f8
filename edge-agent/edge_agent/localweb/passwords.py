"""The local administrator's password: made at first boot, kept as argon2id."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from edge_agent.errors import StoreError
from edge_agent.system.process import give_back_memory

if TYPE_CHECKING:
    from argon2 import PasswordHasher

HASH_FILE = "local-admin.hash"
TEXT_FILE = "local-admin.txt"
MEMORY_KIB = 19 * 1024  # the smallest that is recommended: a gateway has little
ROUNDS = 2
ALPHABET = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # without look-alikes
LENGTH = 16


def ensure(folder: Path) -> str | None:
    """Make a password when the folder has none; the new one, else None."""
    return None if (folder / HASH_FILE).exists() else reset(folder)


def reset(folder: Path) -> str:
    """Make a new password, replacing any; it also lies in TEXT_FILE until somebody deletes that."""
    password = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
    write_private(folder / TEXT_FILE, password)
    write_private(folder / HASH_FILE, _hasher().hash(password))
    give_back_memory()
    return password


def verify(folder: Path, password: str) -> bool:
    """Compare with what is kept now. Takes tens of milliseconds and 19 MB: never on the event loop."""
    from argon2.exceptions import InvalidHashError, VerificationError

    try:
        return bool(_hasher().verify((folder / HASH_FILE).read_text().strip(), password))
    except (VerificationError, InvalidHashError, OSError):
        return False
    finally:
        give_back_memory()


def write_private(path: Path, text: str) -> None:
    """Replace a file that only its owner can read, whole or not at all. StoreError when that fails."""
    draft = path.with_name(f".{path.name}.draft")
    try:
        draft.unlink(missing_ok=True)
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error


def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher  # loaded at the first sign-in

    return PasswordHasher(time_cost=ROUNDS, memory_cost=MEMORY_KIB, parallelism=1)
