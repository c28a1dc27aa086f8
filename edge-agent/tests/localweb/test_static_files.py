"""The files of the gateway's own page: few, small, in two languages, and nothing from elsewhere."""

from __future__ import annotations

import gzip
import re
from typing import Any

import pytest

from edge_agent.errors import FieldbusError
from edge_agent.localweb.files import STATIC
from edge_contract.deployment import FINAL, Origin, Step
from edge_contract.payloads import CommandResult


async def test_static_files_are_few_small_and_cached(page: Any) -> None:
    reply = await page.client.get("/")
    assert reply.content_type == "text/html"
    again = await page.client.get("/", headers={"If-None-Match": reply.headers["ETag"]})
    assert again.status == 304
    packed = await page.client.get("/texts.js", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    bare = await page.client.get("/texts.js", headers={"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in bare.headers
    assert await packed.read() == await bare.read() == (STATIC / "texts.js").read_bytes()


async def test_everything_that_the_page_loads_is_small(page: Any) -> None:
    """Each file packed, the chart's library with it: 150 kB is the bound of the product."""
    sizes = {file.name: len(gzip.compress(file.read_bytes(), 9)) for file in STATIC.iterdir()}
    print(f"{sum(sizes.values())} bytes packed, of these {sizes['uplot.js']} the charts")
    assert sum(sizes.values()) < 85_000
    html = (STATIC / "index.html").read_text()
    asked = set(re.findall(r'(?:src|href)="([\w.-]+)"', html))
    asked |= {"uplot.js", "index.html", "uplot-license.txt"}
    assert asked == sizes.keys(), "nothing lies here that nobody asks for, and nothing is missing"


def test_every_address_is_relative_to_the_page() -> None:
    """Behind a proxy the page lives under another origin and path."""
    for file in STATIC.iterdir():
        text = file.read_text()
        assert not re.search(r"""(href|src)="/|fetch\(['"`]/|['"`]/api/""", text), file
    assert "default-src" not in (STATIC / "index.html").read_text()


async def test_large_answers_are_packed(page: Any) -> None:
    assert await page.sign_in() == 200
    for path, packed in (("tools", True), ("session", False)):
        reply = await page.client.get(f"/api/{path}", headers={"Accept-Encoding": "gzip"})
        assert ("Content-Encoding" in reply.headers) is packed, path
        assert isinstance(await reply.json(), dict)


def test_no_external_request_and_no_inline_code() -> None:
    for file in STATIC.iterdir():
        text = file.read_text().replace("http://www.w3.org/2000/svg", "")
        text = text.replace("/*! https://github.com/leeoniya/uPlot", "")  # the library's name, in a comment
        assert not re.search(r"https?://|//cdn|@import|url\(", text), file
    html = (STATIC / "index.html").read_text()
    assert not re.search(r"<script(?![^>]*src=)| style=| on\w+=", html)


def test_both_languages_have_the_same_texts_and_every_text_exists() -> None:
    source = (STATIC / "texts.js").read_text()
    zh, en = (set(re.findall(r"\b(\w+): '", part)) for part in source.split("  en: {"))
    assert zh == en
    html = (STATIC / "index.html").read_text()
    used = set(re.findall(r'data-(?:text|label)="(\w+)"', html))
    for file in STATIC.glob("*.js"):
        if file.name != "uplot.js":
            used |= set(re.findall(r"\bt\('(\w+)'", file.read_text()))
    beginnings = {"q", "r", "c_", "d_", "e_", "j_", "l_", "o_", "r_", "s_"}
    assert len(used) > 200
    assert used - beginnings <= zh
    for step in Step:
        assert f"s_{step}" in zh
        assert f"e_{step}" in zh or step not in FINAL
    assert {f"o_{origin}" for origin in Origin} <= zh
    codes = "invalid conflict expired busy not_this_gateway hash store link points slaves crash error asked"
    assert {f"d_{code}" for code in codes.split()} <= zh
    assert {f"q{number}" for number in range(9)} <= zh


CONTRACT_CODES = str(CommandResult.__doc__).partition("code: ")[2].partition(" ...")[0]
REPORTED_CODES = sorted(
    {
        *re.findall(r"\w+", CONTRACT_CODES),
        *(kind.code for kind in (FieldbusError, *FieldbusError.__subclasses__())),
    }
)


@pytest.mark.parametrize("code", REPORTED_CODES)
def test_every_reason_of_a_command_has_words_in_both_languages(code: str) -> None:
    zh, en = (STATIC / "texts.js").read_text().split("  en: {")
    assert f"c_{code}: '" in zh
    assert f"c_{code}: '" in en
