"""TOML text to tables, bounded in size, nesting and time before the parser sees anything."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from edge_agent.errors import ConfigError

MAX_BYTES = 16 * 2**20  # 20,000 points with everything that can be said about one are half of it
MAX_DEPTH = 32  # brackets one in the other, and names in a dotted key

TOKEN = re.compile(
    r'''"""(?s:\\.|[^\\])*?"""|\'\'\'(?s:.)*?\'\'\'|"(?:\\.|[^"\\\n])*+"|'[^'\n]*+'|\#[^\n]*+|[.\[\]{},=\n]|["']'''
)
"""What matters for depth; strings and comments are taken whole. A quote alone was not closed."""


def read(path: Path) -> str:
    """Text of a file; ConfigError when it cannot be read, is too large or is not UTF-8."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        text = content.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(str(path), f"must be a readable UTF-8 file: {error}") from None
    if len(content) > MAX_BYTES:
        raise _too_large()
    return text


def tables_of(text: str) -> dict[str, Any]:
    """What tomllib makes of a text; ConfigError for the field `file` when it makes nothing."""
    if len(text) > MAX_BYTES:
        raise _too_large()
    _check_depth(text)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of too many digits is a plain ValueError
        raise ConfigError("file", f"must be TOML: {error}") from None


def _too_large() -> ConfigError:
    return ConfigError("file", f"must be at most {MAX_BYTES // 2**20} MiB")


def _check_depth(text: str) -> None:
    """tomllib recurses into brackets, and takes the cube of its names for a dotted key."""
    depth = dots = 0
    for match in TOKEN.finditer(text):
        word = match[0]
        if word == ".":
            dots += 1
        elif word in "[{":
            depth, dots = depth + 1, 0
        elif word in "]}":
            depth, dots = max(depth - 1, 0), 0
        elif word in ",=\n":
            dots = 0
        elif word in "\"'":
            return  # the parser says where
        if depth > MAX_DEPTH or dots >= MAX_DEPTH:
            line = text.count("\n", 0, match.start()) + 1
            raise ConfigError("file", f"must be at most {MAX_DEPTH} deep (at line {line})")
