"""What a device reports of itself: functions 11 (serial lines) and 2B/0E (TCP). Pure.

2B/0E says more, but its RTU frame has no length, and slaves on serial lines rarely know it.
"""

from __future__ import annotations

from edge_agent.errors import BadFrame
from edge_agent.protocols.modbus.frames import DEVICE_IDENTIFICATION, REPORT_ID

MEI_TYPE = 0x0E
BASIC, FIRST_OBJECT = 1, 0  # vendor, product, revision
HEAD_BYTES = 7  # function, type, code, conformity, more, next, number of objects
ID_AND_STATUS_BYTES = 2  # of function 11, before the text; neither has a meaning that devices share


def identity_request(*, tcp: bool) -> bytes:
    if tcp:
        return bytes((DEVICE_IDENTIFICATION, MEI_TYPE, BASIC, FIRST_OBJECT))
    return bytes((REPORT_ID,))


def identity_of(pdu: bytes) -> str:
    """Text of an answer; empty when it has none. BadFrame names the field that does not fit."""
    if pdu[0] == REPORT_ID:
        if len(pdu) < 2 or pdu[1] != len(pdu) - 2:
            raise BadFrame(f"byte count: {pdu[1:2].hex() or 'none'}, {max(len(pdu) - 2, 0):02x} expected")
        return _text(pdu[2 + ID_AND_STATUS_BYTES :])
    if len(pdu) < HEAD_BYTES or pdu[1] != MEI_TYPE:
        raise BadFrame(f"identification: type 0e and {HEAD_BYTES} bytes expected, {pdu.hex()} came")
    texts, at = [], HEAD_BYTES
    for number in range(pdu[6]):
        end = at + 2 + (pdu[at + 1] if at + 1 < len(pdu) else len(pdu))
        if end > len(pdu):
            raise BadFrame(f"identification: object {number} ends behind the frame")
        texts.append(_text(pdu[at + 2 : end]))
        at = end
    if at != len(pdu):
        raise BadFrame(f"identification: {len(pdu) - at} bytes behind its {pdu[6]} objects")
    return " ".join(filter(None, texts))


def _text(data: bytes) -> str:
    """Printable ASCII, words joined by one space."""
    return " ".join("".join(chr(byte) if 32 < byte < 127 else " " for byte in data).split())
