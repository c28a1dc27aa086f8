"""The transform and the rules of a new password."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloud.domains.identity import passwords
from cloud.domains.identity.passwords import MADE_LENGTH, MIN_LENGTH, PUNCTUATION, Passwords, transformed
from cloud.errors import ParameterError

VECTORS = list(
    csv.DictReader((Path(__file__).parent / "transform.csv").read_text("utf-8").splitlines())
)  # the portal is tested with the same


@pytest.mark.parametrize("row", VECTORS, ids=lambda row: repr(row["word"]))
def test_transform(row: dict[str, str]) -> None:
    assert transformed(row["word"]) == row["sent"]
    assert transformed(row["sent"]) == row["sent"]


@given(st.text())
def test_transform_is_done_once(word: str) -> None:
    assert transformed(transformed(word)) == transformed(word)


async def test_word_and_its_transform_are_the_same_password() -> None:
    made = Passwords()
    for word in ("correct!horse1", transformed("correct!horse1")):
        stored = await made.hash(word)
        assert stored.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
        assert await made.matches(stored, "correct!horse1")
        assert await made.matches(stored, transformed("correct!horse1"))
        assert not await made.matches(stored, "correct!horse2")
        assert not await made.matches(stored, stored)


def test_constants_of_the_hint() -> None:
    assert (MIN_LENGTH, PUNCTUATION) == (8, "!@#$%^&*")


@pytest.mark.parametrize("word", ["Aa1!@#$%^&*", "a" * 8, "9" * 200, transformed("密码")])
def test_fitting_words(word: str) -> None:
    passwords.check(word)


@pytest.mark.parametrize(
    "word", ["", "a" * 7, "a" * 201, "with space", "密码12345678", "quote\"'1234", "a" * 8 + "\n"]
)
def test_unfitting_words_name_field_and_rule(word: str) -> None:
    with pytest.raises(ParameterError, match=r"new: 8 to 200 letters, digits and !@#\$%\^&\*") as caught:
        passwords.check(word, "new")
    assert caught.value.reason == "user.password"


def test_made_words_fit_and_differ() -> None:
    words = {passwords.made() for _ in range(50)}
    assert len(words) == 50 and {len(word) for word in words} == {MADE_LENGTH}
    for word in words:
        passwords.check(word)
