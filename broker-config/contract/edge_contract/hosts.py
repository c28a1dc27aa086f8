"""Host of a NET port: a name or an address alone. The gateway refuses a document with another one."""

from __future__ import annotations

from typing import Literal

HostFault = Literal["host_length", "host_blanks", "host_alone", "host_labels"]

LONGEST_HOST = 253
"""RFC 1035 section 2.3.4, without the dots that end it."""

HOST_RULES: dict[HostFault, str] = {
    "host_length": f"must have 1 to {LONGEST_HOST} characters",
    "host_blanks": "must have no blanks and no control characters",
    "host_alone": "must be a host name or an address alone",
    "host_labels": "must be a host name: labels of 1 to 63 characters between dots",
}


def host_fault(host: str) -> HostFault | None:
    """Name in HOST_RULES of the first rule that a host name or address breaks."""
    if not 1 <= len(host) <= LONGEST_HOST:
        return "host_length"
    if any(character.isspace() or not character.isprintable() for character in host):
        return "host_blanks"
    if any(character in "/\\@?#[]" for character in host):
        return "host_alone"
    try:
        host.encode("idna")
    except UnicodeError:
        return "host_labels"
    return None
