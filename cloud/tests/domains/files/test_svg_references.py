"""How much is drawn when references are followed: their limits, counted by hand."""

from __future__ import annotations

import pytest

from cloud.domains.files.svg_references import References


def element(references: References, name: str = "path", identifier: str = "") -> None:
    references.opened(name, identifier)
    references.closed()


def group(references: References, identifier: str, inside: int, *targets: str) -> None:
    """A group of so many elements beside itself, and references from it."""
    references.opened("g", identifier)
    for _ in range(inside):
        element(references)
    for target in targets:
        references.made(target)
    references.closed()


@pytest.mark.parametrize(("more", "fault"), [(0, False), (1, True)])
def test_elements_that_are_drawn(more: int, fault: bool) -> None:
    """40 elements 4900 times, with themselves and those that are drawn once."""
    references = References()
    group(references, "many", 39)
    for _ in range(4900):
        references.made("many")
    for _ in range(200_000 - 40 * 4901 + more):
        element(references)
    assert references.fault() == ("references that draw more than 200000 elements" if fault else None)


def test_what_is_inside_counts_for_every_element_around_it() -> None:
    for inner, fault in ((1998, False), (1999, True)):
        references = References()
        references.opened("g", "outer")
        group(references, "inner", inner)
        references.closed()
        for _ in range(99):
            references.made("outer")
        assert references.elements == inner + 2
        assert bool(references.fault()) is fault


def test_an_element_that_ended_has_no_more_inside() -> None:
    references = References()
    group(references, "small", 0)
    for _ in range(1000):
        element(references)
    for _ in range(4999):
        references.made("small")
    assert references.fault() is None


@pytest.mark.parametrize(("length", "fault"), [(65, False), (66, True)])
def test_a_chain_of_references(length: int, fault: bool) -> None:
    references = References()
    for number in range(length):
        group(references, f"e{number}", 0, f"e{number + 1}")
    assert bool(references.fault()) is fault


def test_a_circle_is_too_many() -> None:
    references = References()
    group(references, "a", 0, "b")
    group(references, "b", 0, "a")
    assert references.fault() == "references that draw more than 200000 elements"


def test_references_are_counted() -> None:
    for count, fault in ((5000, None), (5001, "more than 5000 references")):
        references = References()
        for _ in range(count):
            references.made("nothing")
        assert references.fault() == fault


@pytest.mark.parametrize("name", ["linearGradient", "radialGradient", "filter", "clipPath", "g", "pattern"])
def test_what_a_style_may_refer_to(name: str) -> None:
    references = References()
    element(references, name, "target")
    references.made_by_style("target")
    references.made_by_style("elsewhere")
    assert (references.fault() is None) == (name not in ("g", "pattern"))
