"""What may be uploaded, by kind of use. Pure."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

KIB = 1024
MIB = 1024 * 1024

MAX_PX = 8192
"""Of a side of any picture: a small file can hold a picture that no browser has the memory for."""

MAX_PIXELS = 40_000_000
"""Of any picture: a browser takes four bytes for each, whatever the file's size."""

MAX_ICON_PX = 512
"""Of a side of an icon, which is drawn some 40 px wide, many of them on one page."""


class PictureLimits(NamedTuple):
    """How large a picture may be when it is drawn. side_px: of each side; pixels: of all of it."""

    side_px: int = MAX_PX
    pixels: int = MAX_PIXELS

    def check(self, width: int, height: int) -> None:
        """width, height: pixels. Raises Wrong, naming the rule, when a picture has no pixel or too many."""
        if not (1 <= width <= self.side_px and 1 <= height <= self.side_px):
            raise Wrong("file.pixels", f"1 to {self.side_px} px wide and high; this is {width} x {height}")
        if width * height > self.pixels:
            raise Wrong("file.pixels", f"at most {self.pixels} pixels; this is {width} x {height}")


LARGEST = PictureLimits()


class FileKind(StrEnum):
    """What a file is for."""

    BACKGROUND = "background"
    LOGO = "logo"
    CAROUSEL = "carousel"
    ICON = "icon"
    PICTURE = "picture"


class KindRule(NamedTuple):
    """forms: as sniffed. side: minimum and maximum pixels of a square picture. permission: None for every
    user. limits: of the picture, and of those embedded in an svg together.

    public: served without a token to whoever knows its id, the hash of its bytes: the sign-in page has none
    yet, and an <img> sends none.
    """

    forms: tuple[str, ...]
    max_bytes: int
    side: tuple[int, int] | None = None
    permission: str | None = None
    public: bool = False
    limits: PictureLimits = LARGEST


RULES = {
    FileKind.BACKGROUND: KindRule(("jpg", "png", "svg"), MIB, permission="auth.Customize", public=True),
    FileKind.LOGO: KindRule(("png",), MIB, (50, 200), "auth.Customize", public=True),
    FileKind.CAROUSEL: KindRule(("png",), 100 * KIB, permission="auth.Customize", public=True),
    FileKind.ICON: KindRule(
        ("svg", "png", "jpg", "gif"), 20 * KIB, public=True, limits=PictureLimits(MAX_ICON_PX, MAX_ICON_PX**2)
    ),
    FileKind.PICTURE: KindRule(("jpg", "png"), MIB),
}

MAX_BYTES = max(rule.max_bytes for rule in RULES.values())
"""Of a file of any kind."""

MEDIA_TYPES = {"png": "image/png", "jpg": "image/jpeg", "gif": "image/gif", "svg": "image/svg+xml"}


class Wrong(ValueError):
    """A file breaks a rule. reason: a code that the portal has words for."""

    def __init__(self, reason: str, rule: str) -> None:
        super().__init__(rule)
        self.reason = reason
        self.rule = rule
