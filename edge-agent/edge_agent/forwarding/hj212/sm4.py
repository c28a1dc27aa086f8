"""SM4 of HJ 212-2025: groups of 16 bytes of the area, in ECB; what is left over stays clear (6.4.2).
Experimental. Pure.

The length and the CRC are those of the clear segment. The cipher travels as raw bytes (RAW): a conclusion of
annex A.2, which prints a list and gives the length of the clear packet. The other forms are habits of
platforms; with them the length counts what is sent, and the bound of a segment must be set higher.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, field
from enum import StrEnum

from edge_agent.errors import ConfigError

GROUP = 16
ENCRYPTED_BOTH_WAYS, ENCRYPTED_FROM_FIELD = frozenset({"1014"}), frozenset({"3020"})
LIST = re.compile(rb"\{(0[xX][0-9A-Fa-f]{2}(?:,0[xX][0-9A-Fa-f]{2})*)\}")
HEX_DIGITS = re.compile(rb"(?:[0-9A-Fa-f]{32})+")
BASE64_DIGITS = re.compile(rb"[0-9A-Za-z+/]+={0,2}")


class CipherForm(StrEnum):
    """How the cipher bytes are written."""

    RAW = "raw"
    LIST = "list"
    HEX = "hex"
    BASE64 = "base64"


class Side(StrEnum):
    """Who sends: the data logger or the platform."""

    FIELD = "field"
    PLATFORM = "platform"


class Sm4Key:
    """16 bytes, written as 16 ASCII characters or 32 hexadecimal digits; its text shows nothing of it.

    ConfigError for another length or other characters; it does not quote the key.
    """

    def __init__(self, text: str) -> None:
        if re.fullmatch("[0-9A-Fa-f]{32}", text):
            self._bytes = bytes.fromhex(text)
        elif len(text) == GROUP and text.isascii() and text.isprintable():
            self._bytes = text.encode()
        else:
            raise ConfigError("key", "must be 16 printable ASCII characters or 32 hexadecimal digits")

    def __repr__(self) -> str:
        return "Sm4Key(***)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sm4Key) and other._bytes == self._bytes

    def __hash__(self) -> int:
        return hash(self._bytes)

    def encrypted(self, groups: bytes) -> bytes:
        """Of a multiple of 16 bytes; the same length."""
        return self._run(groups, decrypt=False)

    def decrypted(self, groups: bytes) -> bytes:
        """Of a multiple of 16 bytes; the same length."""
        return self._run(groups, decrypt=True)

    def _run(self, groups: bytes, *, decrypt: bool) -> bytes:
        # imported late: a gateway without encryption does not load OpenSSL
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        cipher = Cipher(algorithms.SM4(self._bytes), modes.ECB())  # noqa: S305  # the standard asks for ECB
        run = cipher.decryptor() if decrypt else cipher.encryptor()
        return run.update(groups) + run.finalize()


@dataclass(frozen=True)
class Encryption:
    """Options of a platform. side: who encodes with them. previous: a key before this one, for packets on
    their way.

    crc_over_cipher: check digits of what is sent, not of the clear segment.
    """

    key: Sm4Key
    side: Side = Side.FIELD
    form: CipherForm = CipherForm.RAW
    crc_over_cipher: bool = False
    previous: Sm4Key | None = field(default=None)

    @property
    def keys(self) -> list[Sm4Key]:
        """In the order in which they are tried."""
        return [key for key in (self.key, self.previous) if key is not None]


def must_be_encrypted(cn: str, sender: Side) -> bool:
    """Whether the standard wants it (6.4.4): data sent by the field, new keys, field information."""
    from_field = cn in ENCRYPTED_FROM_FIELD or cn.startswith("2")
    return cn in ENCRYPTED_BOTH_WAYS or (sender is Side.FIELD and from_field)


def encrypt(area: bytes, key: Sm4Key, form: CipherForm) -> bytes:
    """The area as it is sent; one of fewer than 16 bytes stays as it is."""
    end = len(area) - len(area) % GROUP
    if not end:
        return area
    cipher = key.encrypted(area[:end])
    match form:
        case CipherForm.LIST:
            cipher = b"{" + b",".join(b"0x%02X" % byte for byte in cipher) + b"}"
        case CipherForm.HEX:
            cipher = cipher.hex().upper().encode()
        case CipherForm.BASE64:
            cipher = base64.b64encode(cipher)
        case CipherForm.RAW:
            pass
    return cipher + area[end:]


def cipher_bytes(area: bytes, form: CipherForm) -> bytes | None:
    """Cipher and clear tail of an area that was written in that form; None when it is not."""
    match form:
        case CipherForm.RAW:
            return area
        case CipherForm.LIST:
            # some senders put the tail into the braces, undivided bytes as well
            listed = LIST.match(area)
            return listed and bytes(int(byte, 16) for byte in listed[1].split(b",")) + area[listed.end() :]
        case CipherForm.HEX:
            digits = HEX_DIGITS.match(area)
            return digits and bytes.fromhex(digits[0].decode()) + area[digits.end() :]
        case CipherForm.BASE64:
            # the tail is text of the same letters: only lengths of whole groups may end the cipher
            return _from_base64(area)


def _from_base64(area: bytes) -> bytes | None:
    digits = BASE64_DIGITS.match(area)
    for groups in range(len(digits[0]) // 4 * 3 // GROUP if digits else 0, 0, -1):
        size = -(-groups * GROUP // 3) * 4
        try:
            read = base64.b64decode(area[:size], validate=True)
        except binascii.Error:
            continue
        if len(read) == groups * GROUP:
            return read + area[size:]
    return None


def decrypt(area: bytes, key: Sm4Key) -> bytes:
    """The clear area of cipher and clear tail; the same length."""
    end = len(area) - len(area) % GROUP
    return key.decrypted(area[:end]) + area[end:] if end else area
