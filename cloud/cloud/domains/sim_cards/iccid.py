"""Numbers of cards (ITU-T E.118; ETSI TS 102 221, 13.2). Pure."""

from __future__ import annotations

import re

from cloud.errors import ParameterError

PATTERN = r"^89[0-9A-F]{16,18}$"
"""18 to 20 characters: E.118 has at most 19 digits, cards in China have 20, some with letters."""

MAX_RANGE = 1000
"""Cards of one range."""

_FORM = re.compile(PATTERN)
_FILLER = re.compile(r"F+$")


def plain(text: str) -> str:
    """Without blanks, dashes and the filler of the last half byte, in capital letters."""
    return _FILLER.sub("", re.sub(r"[\s-]", "", text).upper())


def is_iccid(text: str) -> bool:
    return _FORM.fullmatch(text) is not None


def check_digit(digits: str) -> str:
    """By the Luhn formula (ISO/IEC 7812-1, annex B), of decimal digits."""
    total = 0
    for place, char in enumerate(reversed(digits)):
        value = int(char) * (2 if place % 2 == 0 else 1)
        total += value - 9 if value > 9 else value
    return str(-total % 10)


def is_suspect(iccid: str) -> bool:
    """Has a number of 19 digits another check digit than E.118 wants? Longer ones often have none."""
    return len(iccid) == 19 and iccid.isdigit() and iccid[-1] != check_digit(iccid[:-1])


def numbers_of(prefix: str, first: str, last: str, *, with_check_digit: bool) -> list[str]:
    """Numbers from prefix + first to prefix + last, each with its check digit if wanted.

    ParameterError names the field: prefix, first, last.
    """
    if len(first) != len(last):
        raise ParameterError("last", "as many digits as first", reason="sim_card.range_digits")
    begin, end = int(first), int(last)
    if end < begin:
        raise ParameterError("last", "not below first", reason="sim_card.range_order")
    if end - begin >= MAX_RANGE:
        raise ParameterError(
            "last",
            f"at most {MAX_RANGE} cards at a time",
            reason="sim_card.range_long",
            arguments={"most": MAX_RANGE},
        )
    if with_check_digit and not prefix.isdigit():
        raise ParameterError("prefix", "digits alone have a check digit", reason="sim_card.range_letters")
    numbers = [f"{prefix}{number:0{len(first)}d}" for number in range(begin, end + 1)]
    if with_check_digit:
        numbers = [number + check_digit(number) for number in numbers]
    if not is_iccid(numbers[0]):
        raise ParameterError(
            "prefix",
            "with the number, numbers of 18 to 20 characters that begin with 89",
            reason="sim_card.range_form",
        )
    return numbers
