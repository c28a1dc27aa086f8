"""Which request is which: a client's own id, and what it asked for under it. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Request:
    """id: None when the client gave none; then it is never known again. hash: of what was asked."""

    id: str | None
    hash: str | None


def request_of(request_id: str | None, asked: Mapping[str, Any]) -> Request:
    """asked: without what does not change what is sent, such as a password."""
    if request_id is None:
        return Request(None, None)
    text = json.dumps(asked, sort_keys=True, ensure_ascii=False, allow_nan=True)
    return Request(request_id, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())
