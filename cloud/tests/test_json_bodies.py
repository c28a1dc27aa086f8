"""Texts that no endpoint is given, and a stream that breaks off does not look whole."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest
from fastapi import Depends, FastAPI
from fastapi.responses import StreamingResponse

from cloud import web
from cloud.core.text import NO_SURROGATES, READABLE, is_suspect, refusal, storable
from cloud.json_bodies import readable_texts

from .real_server import serving

FAMILY = "\U0001f468‍\U0001f469‍\U0001f467"


@pytest.fixture(scope="module")
def calls() -> Iterator[httpx.Client]:
    app = FastAPI(dependencies=[Depends(readable_texts)])
    web.install(app)

    @app.post("/api/v1/anything")
    async def anything(body: dict[str, Any]) -> int:
        return len(body)

    @app.get("/api/v1/broken")
    async def broken() -> StreamingResponse:
        async def parts() -> AsyncIterator[str]:
            yield "first\n"
            raise RuntimeError("the database went away")

        return StreamingResponse(parts(), media_type="text/csv")

    with serving(app, lifespan="off") as port, httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
        yield client


@pytest.mark.parametrize(
    ("body", "field", "rule"),
    [
        ({"options": {"a": ["x", "\ud800"]}}, "options.a.1", NO_SURROGATES),
        ({"points": [{"\udfff": 1}]}, "points.0.?", NO_SURROGATES),
        ("\ud800", "body", NO_SURROGATES),
        ({"device_title": "pump\u202etxt.exe"}, "device_title", READABLE),
        ({"document": {"slaves": [{"title": "\u2066x"}]}}, "document.slaves.0.title", READABLE),
        ({"title": "\u200b \u2060"}, "title", READABLE),
    ],
)
@pytest.mark.parametrize("escaped", [True, False])
def test_refused_with_field_and_rule(
    calls: httpx.Client, body: object, field: str, rule: str, escaped: bool
) -> None:
    sent = json.dumps(body, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
    answer = calls.post("/api/v1/anything", content=sent, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    told = answer.json()["data"]
    assert (told["field"], told["rule"]) == (field, rule)
    assert told["reason"] == ("text.half" if rule == NO_SURROGATES else "text.unreadable")


@pytest.mark.parametrize(
    "body",
    [
        {"title": FAMILY, "name": "نص", "remark": "\u202a", "value": "\u200b"},
        {"title": "", "ds_name": "a\u200bb", "label": "  ", "list": [None, 1.5, True, {}]},
    ],
)
@pytest.mark.parametrize("escaped", [True, False])
def test_passes(calls: httpx.Client, body: dict[str, Any], escaped: bool) -> None:
    sent = json.dumps(body, ensure_ascii=escaped)
    answer = calls.post("/api/v1/anything", content=sent, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()) == (200, len(body))


def test_every_refused_text_is_looked_at() -> None:
    for number in range(0x10000):
        character = chr(number)
        if refusal({"title": character}) is not None:
            for escaped in (True, False):
                sent = json.dumps({"title": character}, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
                assert is_suspect(sent), hex(number)
    assert not is_suspect(json.dumps({"title": "锅炉房 1 号"}).encode())


def test_storable() -> None:
    assert storable("a\0b\ud800c", 4) == "ab?c"


def test_a_stream_that_fails_half_way_does_not_look_whole(calls: httpx.Client) -> None:
    got: list[bytes] = []
    with pytest.raises(httpx.RemoteProtocolError), calls.stream("GET", "/api/v1/broken") as answer:
        got.extend(answer.iter_raw())
    assert b"".join(got) == b"first\n"


def test_the_path_to_a_wrong_text_is_cut() -> None:
    found = refusal({"a" * 150: {"b" * 150: "\ud800"}})
    assert found == ("a" * 150 + "." + "b" * 49, NO_SURROGATES)
