"""What may be uploaded, by kind of use. Pure."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

KIB = 1024
MIB = 1024 * 1024

MOST_PX = 8192
"""Of a side of any picture: a small file can hold a picture that no browser has the memory for."""

MOST_PIXELS = 40_000_000
"""Of any picture: a browser takes four bytes for each, whatever the file's size."""

MOST_ICON_PX = 512
"""Of a side of an icon, which is drawn some 40 px wide, many of them on one page."""


class Limits(NamedTuple):
    """How large a picture may be when it is drawn. side_px: of each side; pixels: of the whole."""

    side_px: int = MOST_PX
    pixels: int = MOST_PIXELS

    def check(self, width: int, height: int) -> None:
        """Wrong, naming the rule, when a picture has no pixel or too many."""
        if not (1 <= width <= self.side_px and 1 <= height <= self.side_px):
            raise Wrong("file.pixels", f"1 to {self.side_px} px wide and high; this is {width} x {height}")
        if width * height > self.pixels:
            raise Wrong("file.pixels", f"at most {self.pixels} pixels; this is {width} x {height}")


LARGEST = Limits()


class Kind(StrEnum):
    """What a file is for."""

    BACKGROUND = "background"
    LOGO = "logo"
    CAROUSEL = "carousel"
    ICON = "icon"
    PICTURE = "picture"


class Rule(NamedTuple):
    """forms: as sniffed. side: least and most pixels of a square picture. permission: None for every user.
    limits: of the picture, and of those embedded in an svg together.

    public: served without a token to whoever knows its id, which only its bytes tell: the sign-in page has
    none yet, and an <img> sends none.
    """

    forms: tuple[str, ...]
    most_bytes: int
    side: tuple[int, int] | None = None
    permission: str | None = None
    public: bool = False
    limits: Limits = LARGEST


RULES = {
    Kind.BACKGROUND: Rule(("jpg", "png", "svg"), MIB, permission="auth.Customize", public=True),
    Kind.LOGO: Rule(("png",), MIB, (50, 200), "auth.Customize", public=True),
    Kind.CAROUSEL: Rule(("png",), 100 * KIB, permission="auth.Customize", public=True),
    Kind.ICON: Rule(
        ("svg", "png", "jpg", "gif"), 20 * KIB, public=True, limits=Limits(MOST_ICON_PX, MOST_ICON_PX**2)
    ),
    Kind.PICTURE: Rule(("jpg", "png"), MIB),
}

MOST_BYTES = max(rule.most_bytes for rule in RULES.values())
"""Of a file of any kind."""

MEDIA_TYPES = {"png": "image/png", "jpg": "image/jpeg", "gif": "image/gif", "svg": "image/svg+xml"}


class Wrong(ValueError):
    """A file breaks a rule. reason: a code that the portal has words for."""

    def __init__(self, reason: str, rule: str) -> None:
        super().__init__(rule)
        self.reason = reason
        self.rule = rule
