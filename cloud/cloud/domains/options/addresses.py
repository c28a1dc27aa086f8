"""Addresses that users enter and browsers open. Pure."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

MAX_URL = 500
RULE = "an http:// or https:// address or a path of this site that begins with one /"

_PRINTABLE = re.compile(r"[\x21-\x5b\x5d-\x7e\u00a1-\uffff]+")  # no space, control character or backslash


def address(text: str) -> str:
    """The address when a browser may follow it: http, https or a path of this site; ValueError otherwise."""
    if not 1 <= len(text) <= MAX_URL or not _PRINTABLE.fullmatch(text):
        raise ValueError(RULE)
    if text.startswith("/"):
        if text.startswith("//"):
            raise ValueError(RULE)
        return text
    parts = urlsplit(text)  # raises ValueError by itself for a broken host
    if (
        parts.scheme.lower() not in {"http", "https"}
        or not parts.hostname
        or not text.lower().startswith("http")
    ):
        raise ValueError(RULE)
    if parts.username is not None or parts.password is not None:
        raise ValueError("an address without user name and password")
    return text


def address_or_none(text: str) -> str:
    """The same, but it may be empty."""
    return address(text) if text else ""
