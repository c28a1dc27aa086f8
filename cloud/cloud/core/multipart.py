"""One file out of a multipart/form-data body that is in memory already (RFC 7578).

An upload is one part, whose size was checked before it was read; so nothing has to be streamed to a temporary
file. Anything unusual is refused.
"""

from __future__ import annotations

import re
from typing import Any

from fastapi import Request

from cloud.errors import ParameterError

FIELD = "file"
MAX_HEADER = 4096

BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": [FIELD],
                    "properties": {FIELD: {"type": "string", "format": "binary"}},
                }
            }
        },
    }
}
"""What OpenAPI says of an upload."""

_BOUNDARY = re.compile(
    r'multipart/form-data\s*;.*?boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))', re.IGNORECASE
)
_FORM_NAME = re.compile(
    rb'content-disposition:\s*form-data\s*;(?:[^\r\n]*;)?\s*name="?([^";\r\n]*)"?', re.IGNORECASE
)


async def received_file(request: Request, use: str = "") -> bytes:
    """The file that a request carries; ParameterError, which names its use, for a body of another form."""
    try:
        return only_file(request.headers.get("content-type", ""), await request.body())
    except ParameterError as error:
        raise _wrong(f"{use}: {error.rule}" if use else error.rule) from None


def only_file(content_type: str, body: bytes) -> bytes:
    """Content of the only part, which is named file; ParameterError when the body has another form."""
    found = _BOUNDARY.match(content_type)
    if found is None:
        raise _wrong("multipart/form-data with a boundary")
    mark = b"--" + (found[1] or found[2]).encode("latin-1", "replace")
    parts = (b"\r\n" + body).split(b"\r\n" + mark, 3)  # a body of nothing but marks is not taken apart
    if len(parts) > 3:
        raise _wrong(f"one part only, named {FIELD}")
    if len(parts) < 3 or not parts[-1].startswith(b"--") or parts[-1][2:].strip():
        raise _wrong("a whole multipart body")
    head, separator, content = parts[1].partition(b"\r\n\r\n")
    named = _FORM_NAME.search(head)
    if not separator or len(head) > MAX_HEADER or named is None or named[1] != FIELD.encode():
        raise _wrong(f"one part only, named {FIELD}")
    if b"content-transfer-encoding:" in head.lower():
        raise _wrong("bytes as they are, without Content-Transfer-Encoding")
    return content


def _wrong(rule: str) -> ParameterError:
    return ParameterError(FIELD, rule, reason="file.multipart")
