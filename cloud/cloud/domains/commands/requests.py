"""Recognises a repeated request: a client's own id, and a hash of its content. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class RequestIdentity:
    """id: None when the client gave none; then it is never recognised. hash: SHA-256 of the content."""

    id: str | None
    hash: str | None


def request_of(request_id: str | None, content: Mapping[str, Any]) -> RequestIdentity:
    """content: the request's fields without those that do not change what is sent, such as a password."""
    if request_id is None:
        return RequestIdentity(None, None)
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, allow_nan=True)
    return RequestIdentity(request_id, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())
