"""A serial line as a pseudo terminal; a link in the state folder leads to the master's end."""

from __future__ import annotations

import asyncio
import os
import pty
import tty
from collections.abc import Callable
from pathlib import Path

from firmware_sim.errors import StartError

MAX_BYTES = 4096


class PtyLine:
    """Both ends stay open here, so that a master may come and go. Baud rate and parity have no effect."""

    def __init__(self, link: Path, received: Callable[[bytes], None]) -> None:
        self.link = link
        self._received = received
        self._device = self._master = -1

    def open(self) -> None:
        """Raises StartError when the link cannot be made."""
        self._device, self._master = pty.openpty()
        tty.setraw(self._device)
        tty.setraw(self._master)
        os.set_blocking(self._device, False)
        fresh = self.link.with_name(f".{self.link.name}.new")
        try:
            fresh.unlink(missing_ok=True)
            fresh.symlink_to(os.ttyname(self._master))
            fresh.replace(self.link)
        except OSError as error:
            self.close()
            raise StartError(f"line {self.link}: {error.strerror}") from None
        asyncio.get_running_loop().add_reader(self._device, self._readable)

    def write(self, data: bytes) -> bool:
        """False when the line is gone or its buffer is full because nobody reads."""
        try:
            return self._device >= 0 and os.write(self._device, data) == len(data)
        except BlockingIOError:
            return False

    def close(self) -> None:
        if self._device < 0:
            return
        asyncio.get_running_loop().remove_reader(self._device)
        if self.link.is_symlink() and str(self.link.readlink()) == os.ttyname(self._master):
            self.link.unlink()
        os.close(self._device)
        os.close(self._master)
        self._device = self._master = -1

    def _readable(self) -> None:
        try:
            data = os.read(self._device, MAX_BYTES)
        except BlockingIOError:
            return
        if data:
            self._received(data)
