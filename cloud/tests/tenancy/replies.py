"""What replies say, so that they can be compared and searched."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any


def text_of(reply: Any) -> str:
    """What a reply says; of a workbook its sheet, because packed bytes show no name."""
    if reply.content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(reply.content)) as parts:
            return parts.read("xl/worksheets/sheet1.xml").decode()
    return str(reply.text)


def same(reply: Any) -> Any:
    """A reply without what differs from one request to the next."""
    if "json" not in reply.headers.get("content-type", ""):
        return reply.status_code, text_of(reply)
    try:
        body = reply.json()
    except json.JSONDecodeError:
        return reply.status_code, reply.text
    if isinstance(body.get("data"), dict):
        body["data"].pop("request_id", None)
        body["data"].pop("server_ms", None)
    return reply.status_code, body
