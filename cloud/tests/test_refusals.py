"""What may be missing has words in the portal, in both languages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest

from cloud.errors import NotFound, Thing

LOCALES = Path(__file__).parents[2] / "web/src/i18n/locales"


@pytest.mark.parametrize("language", ["zh", "en"])
def test_everything_that_may_be_missing_has_words(language: str) -> None:
    words = json.loads((LOCALES / f"{language}.json").read_text())["refusal"]["not_found"]
    assert {NotFound(each).reason for each in get_args(Thing)} == {f"not_found.{name}" for name in words}
    assert all(text.strip() for text in words.values())


def test_what_an_operator_named_is_in_his_message_alone() -> None:
    error = NotFound("user", "worker-9")
    assert (error.message, error.reason) == ("user worker-9 not found", "not_found.user")
    assert NotFound("data point").reason == "not_found.data_point"
