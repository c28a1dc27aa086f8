"""A cellular modem's command port (3GPP TS 27.007) on a pseudo terminal: echo, signal, IMEI, card, errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from firmware_sim.lines.pty_line import PtyLine

MAX_BYTES = 256
"""Longest command line; what comes beyond is thrown away, as a modem does."""

UNKNOWN_CSQ = 99


EF_ICCID = "AT+CRSM=176,12258,0,0,10"
CARD_BYTES = 10
NO_CARD = "+CME ERROR: 10"


@dataclass
class ModemIdentity:
    """imei: 15 digits. iccid: up to 20 digits, empty without a card."""

    imei: str = "490154203237518"
    iccid: str = ""


class AtCommands:
    """What a modem answers, without a line. csq: 0 to 31, 99 unknown."""

    def __init__(self, csq: Callable[[], int], identity: ModemIdentity) -> None:
        self.echo = True
        self._csq = csq
        self._identity = identity
        self._line = b""

    def take(self, data: bytes) -> bytes:
        """The echo and answers that the bytes bring."""
        out = b""
        for byte in data:
            out += bytes([byte]) if self.echo else b""
            if byte == 13:
                words, self._line = self._line.decode("ascii", "replace").strip().upper(), b""
                out += self._answer(words) if words else b""
            elif len(self._line) < MAX_BYTES:
                self._line += bytes([byte])
        return out

    def _answer(self, words: str) -> bytes:
        if words in ("ATE0", "ATE1"):
            self.echo = words == "ATE1"
            return b"\r\nOK\r\n"
        if words == "AT":
            return b"\r\nOK\r\n"
        if words == "AT+CSQ":
            return f"\r\n+CSQ: {self._csq()},{UNKNOWN_CSQ}\r\n\r\nOK\r\n".encode()
        if words == "AT+CGSN":
            return f"\r\n{self._identity.imei}\r\n\r\nOK\r\n".encode()
        if words == EF_ICCID:
            if not self._identity.iccid:
                return f"\r\n{NO_CARD}\r\n".encode()
            return f'\r\n+CRSM: 144,0,"{_card_bytes(self._identity.iccid)}"\r\n\r\nOK\r\n'.encode()
        return b"\r\nERROR\r\n"


def _card_bytes(iccid: str) -> str:
    """As the card stores it: two digits a byte, the first in the lower half, the rest F."""
    digits = iccid.ljust(2 * CARD_BYTES, "F")
    return "".join(digits[at + 1] + digits[at] for at in range(0, len(digits), 2))


class AtModem:
    """Serves its link until closed; csq and identity may change meanwhile."""

    def __init__(self, link: Path, csq: int = UNKNOWN_CSQ, identity: ModemIdentity | None = None) -> None:
        self.csq = csq
        self.identity = identity or ModemIdentity()
        self._commands = AtCommands(lambda: self.csq, self.identity)
        self._line = PtyLine(link, self._received)

    def open(self) -> None:
        """Raises StartError when the link cannot be made."""
        self._line.open()

    def close(self) -> None:
        self._line.close()

    def _received(self, data: bytes) -> None:
        answer = self._commands.take(data)
        if answer:
            self._line.write(answer)
