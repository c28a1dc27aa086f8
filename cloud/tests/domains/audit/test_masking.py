"""Secrets are masked at every depth, and what is kept is bounded."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloud.domains.audit.masking import CUT, MASK, MOST_BYTES, MOST_READ, is_secret, masked, of_body, of_query

JSON = "application/json"


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


def test_bodies() -> None:
    assert of_body(JSON, b"", 0) == {}
    assert of_body(JSON, b'{"a": 1}', 8) == {"a": 1}
    assert of_body("application/json; charset=utf-8", b"[1]", 3) == {"body": [1]}
    for body in (b"{", b"\xff", b"[" * 50_000, b"9" * 10_000):
        assert of_body(JSON, body, len(body)) == {"bytes": len(body), "content_type": JSON}
    assert of_body("multipart/form-data; boundary=x", b"x", 1)["bytes"] == 1
    assert of_body(JSON, b" " * MOST_READ, MOST_READ + 1) == {"bytes": MOST_READ + 1, "content_type": JSON}


def test_what_is_kept_is_bounded() -> None:
    wide = {f"field-{n}": ["x" * 150] * 10 for n in range(50)}
    kept = of_body(JSON, json.dumps(wide).encode(), 1)
    assert len(kept) == 50 and kept["field-0"] == f"{CUT}10"
    long = {f"{n}" + "n" * 190: "密" * 200 for n in range(50)}
    kept = of_body(JSON, json.dumps(long).encode(), 1)
    assert 1 < len(kept) < 50 and kept[CUT] == 51 - len(kept)
    assert len(json.dumps(kept, ensure_ascii=False).encode()) <= MOST_BYTES


def test_queries() -> None:
    assert of_query(b"kind=logo&token=abc&a=1&a=2") == {"kind": "logo", "token": MASK, "a": "2"}
    assert of_query(b"") == {}
    assert of_query(b"&".join(b"a%d=1" % n for n in range(60))) == {
        CUT: len(b"&".join(b"a%d=1" % n for n in range(60)))
    }
    assert of_query(b"name=password&value=x") == {"name": "password", "value": MASK}
    assert json.dumps(of_query(b"a=%ff%00")) == '{"a": "\\ufffd\\u0000"}'


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
    body = json.dumps({**value, "password": "hunter2"}).encode()
    kept = of_body(JSON, body, len(body))
    text = json.dumps(kept, ensure_ascii=False, allow_nan=False)
    assert len(text.encode()) <= MOST_BYTES
    assert "hunter2" not in text


def test_a_field_is_secret_in_one_operation_alone() -> None:
    body = b'{"code": "abc", "title": "Pump"}'
    assert of_body(JSON, body, len(body), "bindDevice") == {"code": MASK, "title": "Pump"}
    assert of_body(JSON, body, len(body), "other") == {"code": "abc", "title": "Pump"}
