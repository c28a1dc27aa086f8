"""Where a master finds a serial line: a pseudo terminal's link or a TCP port; what a byte costs there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from firmware_sim.lines.device_server import DeviceServer
from firmware_sim.lines.pace import PacedEnd, SerialEnd
from firmware_sim.lines.pty_line import PtyLine


class Place:
    """link: of a pseudo terminal; None: a port of loopback. char_s: seconds of one character, 0: no time."""

    def __init__(self, link: Path | None, *, port: int = 0, char_s: float = 0.0) -> None:
        self.link = link
        self._port = port
        self._char_s = char_s
        self._server: DeviceServer | None = None

    @property
    def port(self) -> int | None:
        """The TCP port, once the line is open; None for a pseudo terminal."""
        return None if self._server is None else self._server.port

    def end(self, received: Callable[[bytes], None]) -> SerialEnd:
        """The devices' end of the line, not yet open."""
        if self._char_s:
            return PacedEnd(self._make, received, self._char_s)
        return self._make(received)

    def disconnect(self) -> None:
        """Let the masters of a TCP port go; a cable cannot do that."""
        if self._server is not None:
            self._server.disconnect()

    def _make(self, received: Callable[[bytes], None]) -> SerialEnd:
        if self.link is not None:
            return PtyLine(self.link, received)
        self._server = DeviceServer(self._port, received)
        return self._server
