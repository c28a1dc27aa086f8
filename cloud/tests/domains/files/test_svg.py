"""What an SVG may hold: a table of harmless and harmful ones, growth, and anything at all."""

from __future__ import annotations

import base64
import contextlib
import csv
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloud.domains.files.kinds import RULES, FileKind, PictureLimits, Wrong
from cloud.domains.files.pictures import examine
from cloud.domains.files.svg import looks_like_svg

from .pictures import jpg, png, svg

LARGEST, ICON = PictureLimits(), RULES[FileKind.ICON].limits
TABLE = list(csv.DictReader((Path(__file__).parent / "svg.csv").open(encoding="utf-8")))


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row["name"])
def test_table(row: dict[str, str]) -> None:
    data = svg(row["text"])
    assert looks_like_svg(data)
    if row["verdict"] == "ok":
        assert examine(data) == ("svg", 0, 0)
        return
    with pytest.raises(Wrong) as wrong:
        examine(data)
    assert wrong.value.reason == "file.svg"
    assert row["verdict"] in wrong.value.rule


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        ('<?xml version="1.0" encoding="UTF-8"?>\n<!-- made by hand -->\n', ""),
        (
            '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">',
            "",
        ),
        ("\ufeff", ""),
        ('<!DOCTYPE svg [<!ENTITY a "b">]>', "declarations"),
        ('<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>', "declarations"),
        ("<!DOCTYPE html>", "declarations"),
        ('<?xml version="1.0" encoding="UTF-16"?>', "UTF-8"),
        ('<?xml version="1.0" encoding="ISO-8859-1"?>', "UTF-8"),
        ('<?xml-stylesheet href="//a.example"?>', "instruction"),
    ],
)
def test_head(head: str, reason: str) -> None:
    data = head.encode() + svg()
    if not reason:
        examine(data)
        return
    with pytest.raises(Wrong, match=reason):
        examine(data)


@pytest.mark.parametrize(
    "data",
    [
        b"<html><svg></svg></html>",
        b"<svg></svg>",  # of no namespace
        svg()[:-1],
        svg() + b"<svg/>",
        svg("&a;"),
        svg("<path a='&lt;' b=<>/>"),
        svg().replace(b"M0 0h1", b"\xff\xfe"),
        svg().decode().encode("utf-16"),
    ],
)
def test_what_is_no_whole_svg(data: bytes) -> None:
    with pytest.raises(Wrong):
        examine(data)


def test_growth_is_bounded() -> None:
    levels = "".join(f'<g id="l{n}"><use href="#l{n - 1}"/><use href="#l{n - 1}"/></g>' for n in range(1, 30))
    with pytest.raises(Wrong, match="draw more than 200000 elements"):
        examine(svg(f'<g id="l0"><path/></g>{levels}<use href="#l29"/>'))
    patterns = "".join(
        f'<pattern id="p{n}"><path fill="url(#p{n - 1})"/><path fill="url(#p{n - 1})"/></pattern>'
        for n in range(1, 30)
    )
    with pytest.raises(Wrong, match="draw more than"):
        examine(svg(f'{patterns}<path fill="url(#p29)"/>'))
    with pytest.raises(Wrong, match="more than 5000 references"):
        examine(svg('<path id="a"/>' + '<use href="#a"/>' * 5001))
    with pytest.raises(Wrong, match="64 levels"):
        examine(svg("<g>" * 64 + "</g>" * 64))
    with pytest.raises(Wrong, match="20000 elements"):
        examine(svg("<g/>" * 20_000))
    examine(svg("<g>" * 63 + "</g>" * 63))


def embedded(picture: bytes, form: str = "png") -> str:
    return (
        f'<image href="data:image/{form};base64,{base64.b64encode(picture).decode()}" width="1" height="1"/>'
    )


@pytest.mark.parametrize(
    ("inside", "limits", "reason", "rule"),
    [
        (embedded(png(11_000, 11_000)), LARGEST, "file.pixels", "embedded pictures: 1 to 8192 px"),
        (
            embedded(png(8192, 8192)),
            LARGEST,
            "file.pixels",
            "embedded pictures: at most 40000000 pixels; this",
        ),
        (embedded(jpg(60_000, 9), "jpeg"), LARGEST, "file.pixels", "embedded pictures: 1 to 8192 px"),
        (embedded(jpg(9000, 9), "png"), LARGEST, "file.pixels", "embedded pictures: 1 to 8192 px"),
        (embedded(png(513, 9)), ICON, "file.pixels", "embedded pictures: 1 to 512 px"),
        (
            embedded(png(500, 500)) * 2,
            ICON,
            "file.pixels",
            "embedded pictures: at most 262144 pixels together",
        ),
        (embedded(png(9, 9)[:-1]), LARGEST, "file.damaged", "embedded pictures: a whole png"),
        (embedded(svg()), LARGEST, "file.form", "embedded pictures: png, jpg"),
        (embedded(b""), LARGEST, "file.form", "embedded pictures: png, jpg"),
        (embedded(b"").replace("base64,", "base64,A=B="), LARGEST, "file.damaged", "in base64"),
    ],
)
def test_embedded_pictures_keep_the_rules_of_the_kind(
    inside: str, limits: PictureLimits, reason: str, rule: str
) -> None:
    with pytest.raises(Wrong) as wrong:
        examine(svg(inside), limits)
    assert wrong.value.reason == reason
    assert rule in wrong.value.rule


def test_embedded_pictures_that_may_be_there() -> None:
    examine(svg(embedded(png(512, 256)) + embedded(jpg(256, 512), "jpg")), ICON)
    wrapped = embedded(png(30, 30)).replace("base64,", "base64,\n ")
    examine(svg(wrapped), ICON)


def test_filters_are_few() -> None:
    with pytest.raises(Wrong, match="100 steps"):
        examine(svg("<filter>" + "<feFlood/>" * 101 + "</filter>"))
    with pytest.raises(Wrong, match="100 filtered"):
        examine(svg('<filter id="f"/>' + '<path filter="url(#f)"/>' * 101))
    examine(svg('<filter id="f"/>' + '<path filter="url(#f)"/>' * 100 + '<path filter="none"/>'))


@pytest.mark.parametrize(
    "text", ["1" * 60_000 + "x", "1 " * 30_000 + "x", "/*" * 30_000, "stroke-dasharray" * 4000]
)
def test_long_numbers_are_read_in_no_time(text: str) -> None:
    began = time.process_time()
    with contextlib.suppress(Wrong):
        examine(svg(f'<path stroke-dasharray="{text}" style="stroke-dasharray:{text}" order="{text}"/>'))
    assert time.process_time() - began < 10, "it goes back over the text"


@given(st.binary(max_size=300))
@settings(max_examples=300, deadline=None)
def test_any_bytes_end_in_a_verdict(data: bytes) -> None:
    for given_bytes in (data, b"<svg xmlns='http://www.w3.org/2000/svg'>" + data):
        try:
            examine(given_bytes)
        except Wrong as wrong:
            assert wrong.reason.startswith("file.") and wrong.rule


def test_fifty_dashes_of_a_hundredth_together() -> None:
    examine(svg(f'<path stroke-dasharray="{"1 " * 50}"/>'))
    examine(svg('<path stroke-dasharray="0.005 0.005"/>'))
    examine(svg('<path stroke-dasharray="0 0"/>'))
    for dashes in ("1 " * 51, "0.005 0.0049", "0.009"):
        with pytest.raises(Wrong, match=r"more than 50 dashes or shorter than 0\.01"):
            examine(svg(f'<path stroke-dasharray="{dashes}"/>'))


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"<svg>", True), (b"\xef\xbb\xbf \n<?xml?><!-- a --><x:svg ", True), (b"<svg/>", True),
        (b"text <svg>", False), (b"<html>", False), (b"<svgs>", False), (b"", False),
        (b"<" + b" " * 4090 + b"<svg>", True), (b"<" + b" " * 4091 + b"<svg>", False),
    ],
)  # fmt: skip
def test_what_looks_like_one(data: bytes, found: bool) -> None:
    assert looks_like_svg(data) is found
