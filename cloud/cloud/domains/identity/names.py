"""What user names may be, and when two are the same. Pure.

Letters, digits, Chinese characters, _, . and -. Twins from before the rule keep their names.
"""

from __future__ import annotations

import re
import unicodedata

from cloud.errors import ParameterError

USER_NAME = re.compile(r"[A-Za-z0-9_.\u4e00-\u9fff-]{2,64}")
"""Any name that a user has; one that is new must not end in a sign as well."""

SIGNS = ".-_"

KEY_LENGTH = 64


def check_name(name: str) -> None:
    """ParameterError for a name that no new user may have."""
    if not USER_NAME.fullmatch(name) or name[-1] in SIGNS:
        rule = "2 to 64 letters, digits, '_', '.', '-' or Chinese characters, no sign at the end"
        raise ParameterError("user_name", rule, reason="user.name")


def name_key(name: str) -> str:
    """Names with the same key are the same: 'Root' and 'root' would be taken for each other."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())[:KEY_LENGTH]
