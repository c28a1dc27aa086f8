"""Titles in the order in which people look for them."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from cloud.core.natural_order import MAX_BYTES, natural_key

SORTED = (
    ("泵 2", "泵 10", "泵 10b", "泵 100"),
    ("1号泵", "２号泵", "10号泵"),
    ("Line 2 pump 9", "line 2 Pump 11", "Line 10 pump 1"),
    ("Pump", "Pump 0", "Pump 1", "Pump A"),
    ("1.9", "1.10", "2.0"),
    ("阀门 3", "锅炉 1", "锅炉 12", "水泵 2", "水泵 11"),
)


def test_numbers_sort_by_value_and_chinese_by_sound() -> None:
    for titles in SORTED:
        assert tuple(sorted(set(titles), key=natural_key)) == titles


def test_case_width_and_leading_zeros_do_not_count() -> None:
    assert natural_key("PUMP 007") == natural_key("ｐｕｍｐ ７")


@settings(max_examples=50)
@given(st.integers(0, 10**150), st.integers(0, 10**150))
def test_numbers_of_any_length_sort_by_value(a: int, b: int) -> None:
    assert (natural_key(f"p{a}x") < natural_key(f"p{b}x")) == (a < b)


@settings(max_examples=50)
@given(st.text(max_size=200))
def test_every_title_has_a_key_of_bounded_length(title: str) -> None:
    assert len(natural_key(title)) <= MAX_BYTES


def test_titles_count_up_to_400_bytes() -> None:
    assert natural_key("x" * 399 + "a") < natural_key("x" * 399 + "b")
    assert natural_key("x" * 400 + "a") == natural_key("x" * 400 + "b")
