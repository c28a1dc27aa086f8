"""Secrets are masked at every depth, and what is kept is bounded."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloud.core.masking import CUT, MASK, MAX_BYTES, MAX_ITEMS, MAX_TEXT, bounded, is_secret, masked


@pytest.mark.parametrize(
    "name",
    [
        "password", "Password", "newPassword", "old_password", "access_password", "passwd", "pwd", "pw",
        "mqtt.pw", "secret", "clientSecret", "token", "refresh_token", "X-Token", "accessToken", "key",
        "api_key", "apiKey", "APIKey", "private-key", "appkey", "PSK", "wifiPsk", "credentials",
        "Authorization", "PIN", "登录密码", "userpassword", "tokens",
    ],
)  # fmt: skip
def test_names_of_secrets(name: str) -> None:
    assert is_secret(name)


@pytest.mark.parametrize(
    "name",
    [
        "user_name",
        "keyword",
        "keyboard",
        "title",
        "monkey",
        "passed",
        "bypass",
        "opinion",
        "spinning",
        "pwm",
        "url",
    ],
)
def test_names_of_no_secrets(name: str) -> None:
    assert not is_secret(name)


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ({"password": "x", "title": "a"}, {"password": MASK, "title": "a"}),
        ({"a": [{"b": {"wifi_psk": "x", "n": 1}}]}, {"a": [{"b": {"wifi_psk": MASK, "n": 1}}]}),
        ({"token": {"deep": ["x"]}, "keys": ["x"]}, {"token": MASK, "keys": MASK}),
        ({"password": None, "secret": ""}, {"password": None, "secret": ""}),
        ({"name": "smtp_password", "value": "x"}, {"name": "smtp_password", "value": MASK}),
        (
            [{"path": "/mqtt/password", "old": "a", "new": "b"}],
            [{"path": "/mqtt/password", "old": MASK, "new": MASK}],
        ),
        ({"key": "CDCF", "value": {"ot": 1}}, {"key": "CDCF", "value": {"ot": 1}}),
        ({"key": "api_token", "value": "x"}, {"key": "api_token", "value": MASK}),
        ({"url": "mqtt://user:word@host/"}, {"url": f"mqtt://{MASK}@host/"}),
        ({"text": "x" * 300}, {"text": "x" * 200 + CUT}),
        (list(range(60)), [*range(50), f"{CUT}10"]),
        (float("inf"), "inf"),
    ],
)
def test_masked(sent: Any, kept: Any) -> None:
    assert masked(sent) == kept


ANY = st.characters()
"""Also halves of surrogate pairs."""

VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(ANY, max_size=30),
    lambda inside: (
        st.lists(inside, max_size=5) | st.dictionaries(st.text(ANY, max_size=10), inside, max_size=5)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.text(ANY, max_size=300), VALUES, max_size=55))
@settings(max_examples=40, deadline=None)
def test_anything_is_kept_bounded_and_as_json(value: dict[str, Any]) -> None:
    kept = bounded(masked({**value, "password": "hunter2"}))
    text = json.dumps(kept, ensure_ascii=False, allow_nan=False)
    assert len(text.encode()) <= MAX_BYTES
    assert "hunter2" not in text


def test_names_that_protocols_mark_are_secret_at_every_depth() -> None:
    names = frozenset({"operator"})
    sent = {"slaves": [{"options": {"operator": "12345678", "level": 2}}], "operator": ""}
    assert masked(sent, 0, names) == {
        "slaves": [{"options": {"operator": MASK, "level": 2}}],
        "operator": "",
    }
    for path in ("slaves.meter.options.operator", "/options/operator"):
        assert masked({"path": path, "value": "1"}, 0, names) == {"path": path, "value": MASK}
    assert masked(sent)["slaves"][0]["options"]["operator"] == "12345678"


@pytest.mark.parametrize("begin", ["password", "title"])
def test_names_and_lists_are_cut_at_their_bounds(begin: str) -> None:
    longest, longer = begin.ljust(MAX_TEXT, "x"), begin.ljust(MAX_TEXT + 1, "x")
    assert list(masked({longer: 1})) == list(masked({longest: 1})) == [longest]
    assert masked(list(range(MAX_ITEMS))) == list(range(MAX_ITEMS))
    assert masked(list(range(MAX_ITEMS + 2))) == [*range(MAX_ITEMS), f"{CUT}2"]
    names = [str(number) for number in range(MAX_ITEMS + 3)]
    assert list(masked(dict.fromkeys(names[:MAX_ITEMS]))) == names[:MAX_ITEMS]
    assert masked(dict.fromkeys(names)) == {**dict.fromkeys(names[:MAX_ITEMS]), CUT: 3}
    assert (MAX_TEXT, MAX_ITEMS, MAX_BYTES) == (200, 50, 4096)
