"""What is kept of a request follows from what its operation takes: no secrets, and nothing unknown."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import pytest
from fastapi import APIRouter, FastAPI, Path, Query
from fastapi.routing import APIRoute
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from cloud.core.masking import CUT, MASK, MAX_BYTES
from cloud.core.secret import Secret
from cloud.domains.audit.sent import MAX_BODY_BYTES, Operation

from .test_masking import ANY, VALUES

JSON = "application/json"
NAMES = frozenset({"operator"})
Word = Annotated[str, Secret()]


class Key(BaseModel):
    kind: Literal["key"]
    key: Annotated[str, Secret(readable=True)]


class Plain(BaseModel):
    kind: Literal["plain"]
    text: str = ""


class Measured(BaseModel):
    """A field of every type that a scalar may have."""

    number: float = 0.0
    whole: int = 0
    flag: bool = False
    text: str = ""
    nothing: None = None
    chosen: Literal["a", "b"] = "a"
    only: Literal[7] = 7


class Inner(BaseModel):
    old: Word | None = None
    words: list[Word] = []
    pair: tuple[int, Word] | None = None
    by_name: dict[str, Word] = {}


class Body(BaseModel):
    title: str = ""
    count: int = 0
    flag: bool = False
    old: Word = ""
    many: list[Inner] = []
    one_of: Annotated[Key | Plain, Field(discriminator="kind")] | None = None
    document: dict[str, Any] = {}
    options: dict[str, int | str] = {}
    parent: Body | None = None


router = APIRouter()


@router.post("/thing/{code}/{number}", operation_id="thing")
async def thing(
    code: Annotated[str, Path(), Secret()],
    number: int,
    body: Body,
    pw: Word = "",
    page: int = 1,
    text: str = "",
) -> None: ...


@router.post("/open", operation_id="open")
async def plain(body: list[Body], key: Annotated[Word, Query(alias="the-key")] = "") -> None: ...


@router.post("/measured", operation_id="measured")
async def measured(body: Measured) -> None: ...


app = FastAPI()
app.include_router(router)
THING, OPEN, MEASURED = (Operation(route, NAMES) for route in router.routes if isinstance(route, APIRoute))


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (
            {"title": "a", "count": 1, "flag": True, "old": "x"},
            {"title": "a", "count": 1, "flag": True, "old": MASK},
        ),
        ({"old": None, "title": ""}, {"old": None, "title": ""}),
        ({"old": ["x"]}, {"old": MASK}),
        ({"old": {"x": "y"}}, {"old": MASK}),
        ({"old": 123456}, {"old": MASK}),
        ({"odl": "x", "Old": 1, "empty": ""}, {"odl": MASK, "Old": MASK, "empty": ""}),
        ({"title": 5, "count": "pasted", "flag": ["pasted"]}, {"title": MASK, "count": MASK, "flag": MASK}),
        ({"many": [{"old": "x", "words": ["x", "y"]}]}, {"many": [{"old": MASK, "words": [MASK, MASK]}]}),
        ({"many": {"old": "x"}}, {"many": MASK}),
        ({"many": ["x"]}, {"many": [MASK]}),
        (
            {"many": [{"pair": [1, "x"], "by_name": {"a": "x"}}]},
            {"many": [{"pair": [MASK, MASK], "by_name": {"a": MASK}}]},
        ),
        ({"one_of": {"kind": "key", "key": "x"}}, {"one_of": {"kind": "key", "key": MASK}}),
        (
            {"one_of": {"kind": "plain", "text": "t", "key": "x"}},
            {"one_of": {"kind": "plain", "text": "t", "key": MASK}},
        ),
        (
            {"parent": {"parent": {"old": "x", "title": "t"}}},
            {"parent": {"parent": {"old": MASK, "title": "t"}}},
        ),
        (
            {"document": {"slaves": [{"password": "x", "operator": "y", "n": 1}]}},
            {"document": {"slaves": [{"password": MASK, "operator": MASK, "n": 1}]}},
        ),
        (
            {"options": {"password": 1, "operator": "y", "level": 2, "deep": {"x": "y"}}},
            {"options": {"password": MASK, "operator": MASK, "level": 2, "deep": MASK}},
        ),
        ({"title": "mqtt://user:word@host"}, {"title": f"mqtt://{MASK}@host"}),
        ({"title": "x" * 300}, {"title": "x" * 200 + CUT}),
        ({"many": [{}] * 50}, {"many": [{}] * 50}),
        ({"many": [{}] * 51}, {"many": [{}] * 50 + [f"{CUT}1"]}),
        ({"many": [{}] * 60}, {"many": [{}] * 50 + [f"{CUT}10"]}),
        (["x"], {"body": MASK}),
        ("x", {"body": MASK}),
    ],
)
def test_bodies(sent: Any, kept: Any) -> None:
    body = json.dumps(sent).encode()
    assert THING.body(JSON, body, len(body)) == kept
    wrapped = json.dumps([sent]).encode()
    inner = kept["body"] if kept.keys() == {"body"} else kept
    assert OPEN.body(JSON, wrapped, len(wrapped)) == {"body": [inner]}


def test_what_cannot_be_read_is_measured() -> None:
    assert THING.body(JSON, b"", 0) == {}
    for body in (b"{", b"\xff", b"[" * 50_000, b"9" * 10_000):
        assert THING.body(JSON, body, len(body)) == {"bytes": len(body), "content_type": JSON}
    assert THING.body("multipart/form-data; boundary=x", b"x", 1)["bytes"] == 1
    assert THING.body(JSON, b" " * MAX_BODY_BYTES, MAX_BODY_BYTES + 1)["bytes"] == MAX_BODY_BYTES + 1
    unknown = Operation(None, NAMES)
    assert unknown.body(JSON, b'{"old": "x"}', 12) == {"bytes": 12, "content_type": JSON}
    assert unknown.query(b"a=x&b=") == {"a": MASK, "b": ""}


def test_parameters() -> None:
    assert THING.query(b"pw=x&page=2&text=t&pv=x") == {"pw": MASK, "page": "2", "text": "t", "pv": MASK}
    assert OPEN.query(b"the-key=x") == {"the-key": MASK}
    assert THING.ids({"code": "x", "number": 3}) == {"code": MASK, "number": "3"}
    assert THING.place("/thing/x/3") == "/thing/{code}/{number}"
    assert OPEN.place("/open") == "/open"
    flood = b"&".join(b"a%d=1" % n for n in range(60))
    assert THING.query(flood) == {CUT: len(flood)}


def test_what_is_kept_is_bounded() -> None:
    long = {f"{n}" + "n" * 190: "密" * 200 for n in range(50)}
    body = json.dumps({"document": long, "title": "x"}).encode()
    kept = THING.body(JSON, body, 1)
    assert kept == {"document": f"{CUT}50", "title": "x"}
    assert len(json.dumps(kept, ensure_ascii=False).encode()) <= MAX_BYTES


@given(
    st.dictionaries(
        st.sampled_from(["title", "old", "many", "one_of", "document", "options", "parent", "x"]), VALUES
    )
)
@settings(max_examples=60, deadline=None)
def test_any_body_is_kept_as_json(value: dict[str, Any]) -> None:
    body = json.dumps({**value, "old": "hunter2"}).encode()
    text = json.dumps(THING.body(JSON, body, len(body)), ensure_ascii=False, allow_nan=False)
    assert len(text.encode()) <= MAX_BYTES and "hunter2" not in text


@given(st.text(ANY, min_size=1, max_size=200))
def test_a_secret_does_not_show_itself(word: str) -> None:
    made = Inner(old=word) if word.isprintable() else Inner(old="hunter2")
    assert repr(made.old) == repr(MASK) and MASK in repr(made)
    assert json.loads(made.model_dump_json())["old"] == MASK
    assert made.model_dump()["old"] == made.old != MASK or word == MASK


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("number", [1, 1.5, 0]), ("whole", [1, 0]), ("flag", [True, False]), ("text", ["a", ""]),
        ("nothing", [None]),
        ("chosen", ["a", "b"]), ("only", [7]),
    ],
)  # fmt: skip
def test_a_value_of_another_type_than_the_fields_is_masked(field: str, values: list[Any]) -> None:
    """A whole number is a number as well; a secret may have been pasted into any field."""
    for value in (1, 1.5, 0, True, False, "a", None, "b", 7, "7"):
        body = json.dumps({field: value}).encode()
        stored = MEASURED.body(JSON, body, len(body))[field]
        of_type = any(type(value) is type(each) for each in values)
        taken = value in values if field in ("chosen", "only") else of_type
        assert stored == (value if taken or value is None else MASK), value
