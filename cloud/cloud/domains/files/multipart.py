"""One file out of a multipart/form-data body that is in memory already (RFC 7578). Pure.

An upload is one part of at most a mebibyte, whose size was checked before it was read; so nothing has to be
streamed to a temporary file. Anything unusual is refused.
"""

from __future__ import annotations

import re

from cloud.domains.files.kinds import Wrong

FIELD = "file"
MOST_HEADER = 4096

_BOUNDARY = re.compile(
    r'multipart/form-data\s*;.*?boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))', re.IGNORECASE
)
_FORM_NAME = re.compile(
    rb'content-disposition:\s*form-data\s*;(?:[^\r\n]*;)?\s*name="?([^";\r\n]*)"?', re.IGNORECASE
)


def only_file(content_type: str, body: bytes) -> bytes:
    """Content of the only part, which is named file; Wrong when the body has another form."""
    found = _BOUNDARY.match(content_type)
    if found is None:
        raise Wrong("file.multipart", "multipart/form-data with a boundary")
    mark = b"--" + (found[1] or found[2]).encode("latin-1", "replace")
    parts = (b"\r\n" + body).split(b"\r\n" + mark)
    if len(parts) < 3 or not parts[-1].startswith(b"--") or parts[-1][2:].strip():
        raise Wrong("file.multipart", "a whole multipart body")
    if len(parts) != 3:
        raise Wrong("file.multipart", f"one part only, named {FIELD}")
    head, separator, content = parts[1].partition(b"\r\n\r\n")
    named = _FORM_NAME.search(head)
    if not separator or len(head) > MOST_HEADER or named is None or named[1] != FIELD.encode():
        raise Wrong("file.multipart", f"one part only, named {FIELD}")
    if b"content-transfer-encoding:" in head.lower():
        raise Wrong("file.multipart", "bytes as they are, without Content-Transfer-Encoding")
    return content
