"""What a pulse says of the modem and of the bytes on the gateway's links (C-220 to C-223)."""

from __future__ import annotations

from typing import Annotated

import msgspec

from edge_contract.fields import ControlMessage, Count, Millis

MAX_LINKS = 8

UNKNOWN_SIGNAL = 99
"""3GPP TS 27.007, 8.5: not known or not detectable."""

Imei = Annotated[str, msgspec.Meta(pattern=r"^([0-9]{15})?$(?!\n)")]
MIN_ICCID = 10
Iccid = Annotated[str, msgspec.Meta(pattern=rf"^([0-9A-F]{{{MIN_ICCID},20}})?$(?!\n)")]
"""As EF-ICCID has it (ETSI TS 102 221, 13.2), without filler."""
Signal = Annotated[int, msgspec.Meta(ge=0, le=UNKNOWN_SIGNAL)]
INTERFACE_NAME = r"[A-Za-z0-9_.:@-]{1,15}"
Interface = Annotated[str, msgspec.Meta(pattern=rf"^{INTERFACE_NAME}$(?!\n)")]


class ModemState(ControlMessage, frozen=True, kw_only=True):
    """The modem and its card. imei, iccid: empty where it tells none, as without a card. read_ms: when."""

    imei: Imei = ""
    iccid: Iccid = ""
    signal: Signal = UNKNOWN_SIGNAL
    read_ms: Millis


class LinkBytes(ControlMessage, frozen=True, kw_only=True):
    """Bytes of a network interface since since_ms, as the system counts them, headers of IP included.

    cellular: it is a modem's.
    """

    interface: Interface
    cellular: bool = False
    since_ms: Millis
    received: Count
    sent: Count


Links = Annotated[list[LinkBytes], msgspec.Meta(max_length=MAX_LINKS)]
