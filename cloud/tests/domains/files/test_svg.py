"""What an SVG may hold: a table of harmless and harmful ones, growth, and anything at all."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloud.domains.files.kinds import Wrong
from cloud.domains.files.pictures import examine
from cloud.domains.files.svg import check_svg, looks_like_svg

from .pictures import svg

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
        check_svg(data)
        return
    with pytest.raises(Wrong, match=reason):
        check_svg(data)


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
        check_svg(svg(f'<g id="l0"><path/></g>{levels}<use href="#l29"/>'))
    patterns = "".join(
        f'<pattern id="p{n}"><path fill="url(#p{n - 1})"/><path fill="url(#p{n - 1})"/></pattern>'
        for n in range(1, 30)
    )
    with pytest.raises(Wrong, match="draw more than"):
        check_svg(svg(f'{patterns}<path fill="url(#p29)"/>'))
    with pytest.raises(Wrong, match="more than 5000 references"):
        check_svg(svg('<path id="a"/>' + '<use href="#a"/>' * 5001))
    with pytest.raises(Wrong, match="64 levels"):
        check_svg(svg("<g>" * 64 + "</g>" * 64))
    with pytest.raises(Wrong, match="20000 elements"):
        check_svg(svg("<g/>" * 20_000))
    check_svg(svg("<g>" * 63 + "</g>" * 63))


@given(st.binary(max_size=300))
@settings(max_examples=300, deadline=None)
def test_any_bytes_end_in_a_verdict(data: bytes) -> None:
    for given_bytes in (data, b"<svg xmlns='http://www.w3.org/2000/svg'>" + data):
        try:
            examine(given_bytes)
        except Wrong as wrong:
            assert wrong.reason.startswith("file.") and wrong.rule
