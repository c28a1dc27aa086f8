"""Numbers in an SVG that keep a browser busy: filters and dashes. Pure."""

from __future__ import annotations

import re

MAX_VALUES = {
    "numOctaves": 8,
    "stdDeviation": 100,
    "radius": 50,
    "order": 9,
}
"""Of attributes that only filters have, by their size: time grows with each."""

MAX_FILTER_STEPS = 100
MAX_FILTERED = 100
"""Elements that name a filter; each one draws its steps anew."""

MIN_DASH = 0.01
"""Sum of a pattern of dashes: a line of shorter ones is cut into millions."""

MAX_DASHES = 50

NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?", re.IGNORECASE)
BETWEEN = re.compile(r"[\s,]+")
UNITS = ("px", "%")
NO_DASHES = frozenset({"none", "inherit"})
COMMENT = re.compile(r"/\*.*?(?:\*/|$)", re.DOTALL)
DECLARED_DASHES = re.compile(r"stroke-dasharray\s*:([^;}]*)", re.IGNORECASE)
DECLARED_FILTER = re.compile(r"\bfilter\s*:", re.IGNORECASE)
FILTER_FUNCTION = re.compile(r"\b(?:blur|drop-shadow)\s*\(", re.IGNORECASE)


class Costs:
    """Checks every element, attribute and style sheet; the first fault is stored."""

    def __init__(self) -> None:
        self._steps = 0
        self._filtered = 0
        self._fault: str | None = None

    def opened(self, name: str) -> None:
        self._steps += name.startswith("fe")

    def attribute(self, name: str, value: str) -> None:
        if name in MAX_VALUES:
            numbers = NUMBER.findall(value)
            if any(abs(float(number)) > MAX_VALUES[name] for number in numbers):
                self._set_fault(f"{name} above {MAX_VALUES[name]}")
        elif name == "stroke-dasharray":
            self._dashes(value)
        elif name == "filter":
            self._filter(value)
        elif name == "style":
            self.style(value, counts=True)

    def style(self, text: str, *, counts: bool = False) -> None:
        """counts: it is of one element. A style sheet holds for many, so that it may name no filter."""
        plain = COMMENT.sub(" ", text)
        for dashes in DECLARED_DASHES.findall(plain):
            self._dashes(dashes.replace("!important", ""))
        if DECLARED_FILTER.search(plain):
            if counts:
                self._filter(plain)
            else:
                self._set_fault("a filter in a style sheet")

    def fault(self) -> str | None:
        """What costs too much in the complete picture, or None."""
        if self._steps > MAX_FILTER_STEPS or self._filtered > MAX_FILTERED:
            return f"more than {MAX_FILTER_STEPS} steps of filters or {MAX_FILTERED} filtered elements"
        return self._fault

    def _filter(self, value: str) -> None:
        self._filtered += value.strip().lower() != "none"
        if FILTER_FUNCTION.search(COMMENT.sub(" ", value)):
            self._set_fault("a filter that is a function")

    def _dashes(self, value: str) -> None:
        words = [word for word in BETWEEN.split(value.strip().lower()) if word not in NO_DASHES]
        bare = [word.removesuffix(UNITS[0]).removesuffix(UNITS[1]) for word in words]
        if not all(NUMBER.fullmatch(word) for word in bare):
            self._set_fault("dashes that are no numbers")
            return
        numbers = [float(word) for word in bare]
        if len(numbers) > MAX_DASHES or 0 < sum(map(abs, numbers)) < MIN_DASH:
            self._set_fault(f"more than {MAX_DASHES} dashes or shorter than {MIN_DASH}")

    def _set_fault(self, fault: str) -> None:
        self._fault = self._fault or fault
