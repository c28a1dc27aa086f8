"""Words of the error file for what is wrong with a cell: the portal's, by code. Pure."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from importlib import resources

from cloud.domains.points.forms import fault_word, forms
from cloud.domains.sheets.columns import Language


def why(code: str, arguments: Mapping[str, object], language: Language) -> str:
    """A fault in words; its code where there are none."""
    words = _words().get(code, {}).get(language) or fault_word(code, language) or code
    for name, value in arguments.items():
        words = words.replace(f"{{{name}}}", str(value))
    return words


@cache
def _words() -> dict[str, dict[str, str]]:
    text = (resources.files(__package__) / "words.csv").read_text(encoding="utf-8")
    return {row["code"]: row for row in csv.DictReader(text.splitlines())}


def codes() -> frozenset[str]:
    """Of which there are words."""
    return frozenset(_words()) | {code for form in forms().values() for code in form.fault_words}
