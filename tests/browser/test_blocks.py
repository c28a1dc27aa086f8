"""The shared blocks in a real browser: lists, forms and deletion by keyboard too, and every small block."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, FilePayload, Locator, Page, Response, expect

from .blocks import DESK, PHONE, BlocksServer, opened, serving
from .conftest import OUTPUT
from .steps import settle, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BlocksServer]:
    with serving(tmp_path_factory.getbasetemp()) as made:
        yield made


@pytest.fixture
def people(browser: Browser, server: BlocksServer) -> Iterator[Page]:
    with opened(browser, server, "list", "lang=en&limit=10") as page:
        expect(page.get_by_test_id("people-row")).to_have_count(10)
        yield page


def test_a_list_without_a_mouse(people: Page) -> None:
    """Create, edit, copy and delete by keyboard; the deletion is taken back."""
    keys = people.keyboard
    people.get_by_test_id("people-create").focus()
    keys.press("Enter")
    expect(people.get_by_test_id("person-name")).to_be_focused()
    keys.type("aaron")
    keys.press("Control+s")
    expect(people.get_by_test_id("form-drawer")).to_have_count(0)
    first = people.get_by_test_id("people-row").first
    expect(first).to_contain_text("aaron")

    first.focus()
    keys.press("ArrowDown")
    keys.press("ArrowUp")
    expect(first).to_be_focused()
    keys.press("Enter")
    expect(people.get_by_test_id("person-name")).to_have_value("aaron")
    expect(people.get_by_test_id("person-name")).to_be_focused()
    people.get_by_test_id("person-phone").focus()
    keys.type("123456")
    keys.press("Enter")
    expect(first).to_contain_text("123456")

    first.focus()
    keys.press("Delete")
    dialog = people.get_by_test_id("confirm-dialog")
    expect(dialog).to_contain_text("Delete aaron?")
    expect(people.get_by_test_id("confirm-no")).to_be_focused()
    keys.press("Tab")
    keys.press("Enter")
    expect(people.get_by_test_id("people-row").first).to_contain_text("user00001")
    people.get_by_test_id("undo").focus()
    keys.press("Enter")
    expect(people.get_by_test_id("people-row").first).to_contain_text("aaron")


def test_rows_are_not_drawn_for_nothing(people: Page) -> None:
    settle(people)
    before = people.evaluate("window.cells")
    people.get_by_test_id("filter-search").type("u")
    people.get_by_test_id("people-row").nth(3).get_by_role("checkbox").click()
    people.get_by_test_id("people-row").nth(3).focus()
    people.keyboard.press("ArrowDown")
    # the row that was selected, and the two that gave and took the focus
    assert people.evaluate("window.cells") - before <= 6


def expect_columns(heads: Locator, names: list[str]) -> None:
    expect(heads).to_have_count(len(names))
    for place, name in enumerate(names):
        expect(heads.nth(place)).to_have_attribute("data-column", name)


def test_columns_are_the_users(people: Page, server: BlocksServer) -> None:
    heads = people.locator("th[data-column]")
    people.get_by_test_id("table-columns").click()
    people.get_by_test_id("column-email").check()
    people.get_by_test_id("column-phone").uncheck()
    people.get_by_label("Move City forward").click()
    people.keyboard.press("Escape")
    shown = ["name", "status", "type", "city", "email", "expires", "actions"]
    expect_columns(heads, shown)
    edge = people.locator('th[data-column="name"] [role=separator]')
    edge.focus()
    people.keyboard.press("ArrowRight")
    wide = people.locator('th[data-column="name"]').bounding_box()
    assert wide is not None
    before = wide["width"]

    def keeps_the_width(reply: Response) -> bool:
        if reply.request.method != "PUT":
            return False
        widths = reply.request.post_data_json["value"]["people"]["widths"]
        return bool(widths.get("name", 0) > before + 8)

    with people.expect_response(keeps_the_width):
        people.keyboard.press("ArrowRight")
    kept = server.columns["people"]
    assert isinstance(kept, dict)
    assert "phone" in kept["hidden"]

    people.evaluate("localStorage.clear()")  # another browser of the same user
    people.reload()
    expect_columns(heads, shown)
    now = people.locator('th[data-column="name"]').bounding_box()
    assert now is not None
    assert now["width"] == pytest.approx(wide["width"] + 16, abs=2)
    people.get_by_test_id("table-columns").click()
    people.get_by_text("Restore defaults").click()
    expect(people.locator('th[data-column="phone"]')).to_be_visible()


def png(side: int, padding: int = 0) -> bytes:
    """A grey square picture; padding: bytes of an ancillary chunk."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    lines = b"".join(b"\0" + b"\x80" * side for _ in range(side))
    head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    extra = chunk(b"tEXt", b"k\0" + b"x" * padding) if padding else b""
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + extra
        + chunk(b"IDAT", zlib.compress(lines))
        + chunk(b"IEND", b"")
    )


def test_uploads_are_checked_before_they_go(browser: Browser, server: BlocksServer) -> None:
    with opened(browser, server, "pieces") as page:
        logo = page.get_by_test_id("upload-logo")
        field = page.locator("section", has=logo)

        def choose(name: str, content: bytes) -> None:
            with page.expect_file_chooser() as chooser:
                logo.get_by_test_id("upload-choose").click()
            chooser.value.set_files(FilePayload(name=name, mimeType="image/png", buffer=content))

        choose("logo.png", b"GIF89a" + b"\0" * 50)
        expect(field.get_by_role("alert")).to_have_text("Only png images are accepted")
        choose("logo.png", png(201))
        expect(field.get_by_role("alert")).to_have_text("The image must be square, 50 to 200 px")
        choose("logo.png", png(64, padding=1_048_576))
        expect(field.get_by_role("alert")).to_have_text("At most 1 MB")
        choose("logo.png", png(64))
        expect(logo.locator("img")).to_be_visible()
        expect(field.get_by_role("alert")).to_have_count(0)
        logo.get_by_test_id("upload-remove").click()
        expect(logo.locator("img")).to_have_count(0)


@pytest.mark.parametrize("part", ["list", "pieces"])
@pytest.mark.parametrize(("scheme", "size", "language"), [("light", DESK, "en"), ("dark", PHONE, "zh")])
def test_no_accessibility_violation(
    browser: Browser, server: BlocksServer, part: str, scheme: str, size: tuple[int, int], language: str
) -> None:
    with opened(browser, server, part, f"lang={language}", size, scheme) as page:
        found: dict[str, list[str]] = {}

        def check(name: str) -> None:
            found[name] = violations(page)
            page.screenshot(
                path=OUTPUT / f"blocks-{part}-{name}-{scheme}-{size[0]}.png", full_page=part == "pieces"
            )
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name

        check("page")
        if part == "list":
            page.get_by_test_id("people-row").get_by_role("checkbox").first.click()
            check("selected")
            page.get_by_test_id("people-create").click()
            page.get_by_test_id("person-name").fill("a b")
            page.get_by_test_id("form-save").click()
            check("form")
            page.keyboard.press("Escape")
            check("question")
        assert {name: rules for name, rules in found.items() if rules} == {}
