"""Conditions of a description, built in a subset of JsonLogic. Pure.

Operators: var, and, or, !, if, ==, !=, in, <, <=, >, >=, +, -, *, /, %, max, and one of our own: matches
(a regular expression on the whole text). A comparison with what is no number is false, a sum with it null.
Two evaluators read them, in the cloud (points/conditions.py) and the portal (points/conditions.ts); one table
of cases holds them together.
"""

from __future__ import annotations

from typing import Any

Condition = Any
"""A JSON value: a literal, or an object of one operator and its operands."""


def var(name: str) -> Condition:
    return {"var": name}


def given(field: str) -> Condition:
    """Whether an address has the field."""
    return var(f"given.{field}")


def missing(field: str) -> Condition:
    return negation(given(field))


def negation(condition: Condition) -> Condition:
    return {"!": [condition]}


def both(*conditions: Condition) -> Condition:
    return {"and": list(conditions)}


def either(*conditions: Condition) -> Condition:
    return {"or": list(conditions)}


def equal(left: Condition, right: Condition) -> Condition:
    return {"==": [left, right]}


def among(value: Condition, *choices: str) -> Condition:
    return {"in": [value, list(choices)]}


def above(left: Condition, right: Condition) -> Condition:
    return {">": [left, right]}


def below(left: Condition, right: Condition) -> Condition:
    return {"<": [left, right]}


def matches(value: Condition, pattern: str) -> Condition:
    return {"matches": [value, pattern]}


def choice(condition: Condition, then: Condition, otherwise: Condition) -> Condition:
    return {"if": [condition, then, otherwise]}


def total(left: Condition, right: Condition) -> Condition:
    return {"+": [left, right]}


def difference(left: Condition, right: Condition) -> Condition:
    return {"-": [left, right]}


def product(left: Condition, right: Condition) -> Condition:
    return {"*": [left, right]}


def quotient(left: Condition, right: Condition) -> Condition:
    return {"/": [left, right]}


def remainder(left: Condition, right: Condition) -> Condition:
    return {"%": [left, right]}


def largest(left: Condition, right: Condition) -> Condition:
    return {"max": [left, right]}
