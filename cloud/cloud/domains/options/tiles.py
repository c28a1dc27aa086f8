"""Addresses of a map's tiles. Pure.

{z}, {x}, {y}, no password, the key only as {key}.
"""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

from cloud.domains.options.addresses import address

RULE = "an http:// or https:// address of a host name or IPv4 address with {z}, {x}, {y}, perhaps with {key}"
KEY_RULE = "{key} in the place of the key, which has a field of its own"

_HOST = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?){0,9}")
_IN_BRACES = re.compile(r"\{([^{}]*)\}")
_NEEDED = frozenset({"z", "x", "y"})
_KEYS = frozenset({"tk", "key", "ak", "sk", "apikey", "api_key", "token", "access_token"})
"""What services call a key: written into the address it would be shown and logged as a part of it."""


def tile_address(text: str) -> str:
    """The template when pages may load tiles by it; ValueError with the rule otherwise."""
    address(text)
    parts = urlsplit(text)
    names = _IN_BRACES.findall(text)
    outside = _IN_BRACES.sub("", text)
    if (
        text.startswith("/")
        or not _HOST.fullmatch(parts.hostname or "")
        or parts.fragment
        or not _NEEDED <= set(names) <= _NEEDED | {"key"}
        or {"{", "}"} & set(outside + parts.netloc)
    ):
        raise ValueError(RULE)
    origin(text)  # a port that is none
    if any(name.lower() in _KEYS and value != "{key}" for name, value in parse_qsl(parts.query)):
        raise ValueError(KEY_RULE)
    return text


def tile_address_or_none(text: str) -> str:
    """The same, but it may be empty."""
    return tile_address(text) if text else ""


def origin(text: str) -> str:
    """Scheme, host and port of a template, as a Content-Security-Policy has them; ValueError for no port."""
    parts = urlsplit(text)
    port = "" if parts.port is None else f":{parts.port}"
    return f"{parts.scheme.lower()}://{parts.hostname}{port}"
