"""Checks that several protocols have in common. Pure."""

from __future__ import annotations

from edge_agent.protocols.conditions import (
    Condition,
    above,
    among,
    below,
    both,
    either,
    equal,
    given,
    matches,
    negation,
    var,
)
from edge_agent.protocols.description import Check, Rule

FRACTIONS = ("float", "double", "string")
"""Data types that are no integer."""

KNOWN_AREA = var("area.known")


def station_check(lowest: int, highest: int) -> Check:
    """The address of a slave is a number of this range."""
    station = var("station")
    wrong = either(equal(station, None), below(station, lowest), above(station, highest))
    return (Rule("address", "range", wrong, {"min": lowest, "max": highest}),)


def pattern_check(pattern: str, code: str) -> Check:
    """The address of a slave is a text of this form."""
    return (Rule("address", code, negation(matches(var("address"), pattern))),)


def length_check(*sized: str, where: Condition, present: Condition) -> Check:
    """A length stands with these data types, and with no other. present: whether there is one."""
    is_sized = among(var("data_type"), *sized)
    return (
        Rule("address.length", "length_needed", both(is_sized, where, negation(present))),
        Rule("address.length", "length_excess", both(present, where, negation(is_sized))),
    )


def area_checks() -> tuple[Check, ...]:
    """The model has the area; a point that writes does so where it may; a text has a length."""
    unknown = both(negation(equal(var("areas"), "")), var("address.area"), negation(KNOWN_AREA))
    model = either(var("model"), var("protocol"))
    arguments = {"area": var("address.area"), "model": model, "areas": var("areas")}
    refused = both(KNOWN_AREA, var("writes"), negation(var("area.writable")))
    return (
        (Rule("address.area", "area_of_model", unknown, arguments),),
        (Rule("rw", "area_read_only", refused, {"area": var("address.area")}),),
        length_check("string", where=KNOWN_AREA, present=given("length")),
    )


def type_of_area(when: Condition, *types: str) -> Check:
    """The data type is one of these where the condition says that the area wants it."""
    arguments = {"types": ", ".join(types), "area": var("address.area")}
    return (Rule("data_type", "type_of_area", both(KNOWN_AREA, when), arguments),)


def single_bit_area_check() -> Check:
    """An area of single bits holds integers, and no bit of them is asked for."""
    wrong = either(among(var("data_type"), *FRACTIONS), given("bit"))
    return (Rule("address.area", "single_bits", both(KNOWN_AREA, equal(var("area.bits"), 1), wrong)),)


def double_word_area_check() -> Check:
    """An area of 32-bit devices holds 32-bit integers, whole."""
    wrong = either(negation(among(var("data_type"), "uint32", "int32")), given("bit"))
    return type_of_area(both(equal(var("area.bits"), 32), wrong), "uint32", "int32")
