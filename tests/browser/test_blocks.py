"""The shared blocks in a real browser: lists, forms and deletion by keyboard too, and every small block."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, FilePayload, Locator, Page, Response, expect

from .blocks import DESK, PHONE, BlocksServer, opened, serving
from .conftest import OUTPUT
from .steps import settle, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


TYPE = """async (box, text) => {
  box.focus();
  for (const letter of text) {
    const next = new Promise(resolve => setTimeout(resolve, 20));
    document.execCommand('insertText', false, letter);
    await next;
  }
}"""
"""Types by the page's own timers, so that however busy the machine is no letter comes after a later timer."""

TOOLTIPS = """() => {
  window.tooltips = [];
  const look = () => window.tooltips.push(
    ...[...document.querySelectorAll('[role=tooltip]')].map(one => one.innerText));
  new MutationObserver(look).observe(
    document.body, { childList: true, subtree: true, characterData: true, attributes: true });
}"""
"""Keeps what tooltips said: one of them is gone after a moment."""


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


def test_refusals_stand_where_they_belong(people: Page) -> None:
    people.get_by_test_id("people-create").click()
    name = people.get_by_test_id("person-name")
    name.fill("no spaces")
    people.get_by_test_id("form-save").click()
    expect(name).to_have_attribute("aria-invalid", "true")
    expect(name).to_be_focused()
    name.fill("user00003")
    people.get_by_test_id("form-save").click()
    drawer = people.get_by_test_id("form-drawer")
    expect(drawer).to_contain_text("not taken by another user")
    expect(name).to_be_focused()
    expect(people.get_by_test_id("form-failure")).to_have_count(0)
    name.fill("broken")
    expect(drawer).not_to_contain_text("not taken by another user")
    people.get_by_test_id("form-save").click()
    expect(people.get_by_test_id("form-failure")).to_have_text("The mail server does not answer")
    people.keyboard.press("Escape")
    expect(people.get_by_test_id("confirm-dialog")).to_contain_text("Unsaved changes")
    people.get_by_test_id("confirm-no").click()
    expect(name).to_have_value("broken")
    people.keyboard.press("Escape")
    people.get_by_test_id("confirm-yes").click()
    expect(drawer).to_have_count(0)


def test_the_address_holds_the_list(people: Page) -> None:
    people.locator('th[data-column="name"] button').click()
    expect(people.locator('th[data-column="name"]')).to_have_attribute("aria-sort", "descending")
    expect(people.get_by_test_id("people-row").first).to_contain_text("user00021")
    people.get_by_label("Page 2", exact=True).click()
    expect(people.get_by_test_id("people-row").first).to_contain_text("user00011")
    expect(people.get_by_test_id("people-table")).to_have_attribute("aria-rowcount", "22")
    expect(people.get_by_test_id("people-row").first).to_have_attribute("aria-rowindex", "12")
    expect(people).to_have_url(re.compile(r"sort=-name.*page=2|page=2.*sort=-name"))
    people.reload()
    expect(people.get_by_test_id("people-row").first).to_contain_text("user00011")
    people.get_by_test_id("filter-search").fill("  user0001 ")
    expect(people.get_by_test_id("people-row").first).to_contain_text("user00019")
    expect(people).not_to_have_url(re.compile("page="))
    people.get_by_test_id("filter-status").get_by_text("Off").click()
    expect(people.get_by_test_id("people-row")).to_have_count(1)
    people.get_by_test_id("filter-search").fill("zzz")
    expect(people.get_by_test_id("empty-state")).to_contain_text("Nothing matches the filter")
    people.get_by_test_id("table-clear").click()
    expect(people.get_by_test_id("people-row")).to_have_count(10)


def test_the_last_row_of_a_page_goes(people: Page) -> None:
    people.get_by_label("Page 3", exact=True).click()
    expect(people.get_by_test_id("people-row")).to_have_count(1)
    people.get_by_test_id("row-remove").click()
    people.get_by_test_id("confirm-yes").click()
    expect(people.get_by_test_id("people-row")).to_have_count(10)
    expect(people).to_have_url(re.compile("page=2"))


def test_selection_and_what_is_done_with_it(people: Page) -> None:
    boxes = people.get_by_test_id("people-row").get_by_role("checkbox")
    boxes.nth(2).click()
    boxes.nth(5).click(modifiers=["Shift"])
    bar = people.get_by_test_id("selection-bar")
    expect(bar).to_contain_text("4 selected")
    people.get_by_test_id("people-row").first.focus()
    people.keyboard.press(" ")
    expect(bar).to_contain_text("5 selected")
    people.get_by_label("Page 2", exact=True).click()
    expect(people.get_by_test_id("people-row").first).to_contain_text("user00011")
    expect(bar).to_contain_text("5 selected")
    people.get_by_test_id("bulk-remove").click()
    expect(people.get_by_test_id("confirm-dialog")).to_contain_text("Delete 5?")
    people.get_by_test_id("confirm-yes").click()
    expect(bar).to_have_count(0)
    expect(people.get_by_test_id("paging")).to_contain_text("of 16")


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


def test_who_may_not_sees_why(browser: Browser, server: BlocksServer) -> None:
    with opened(browser, server, "list", "lang=en&may=no") as page:
        create = page.get_by_test_id("people-create")
        expect(create).to_have_attribute("aria-disabled", "true")
        create.click(force=True)
        expect(page.get_by_test_id("form-drawer")).to_have_count(0)
        create.focus()
        expect(page.get_by_role("tooltip")).to_contain_text("Your account has no permission for this")
        expect(page.get_by_test_id("row-copy")).to_have_count(0)
        page.get_by_test_id("people-row").first.focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Delete")
        expect(page.get_by_role("dialog")).to_have_count(0)
    with opened(browser, server, "list") as page:
        off = page.get_by_test_id("people-row").nth(1).get_by_test_id("row-remove")
        expect(off).to_have_attribute("aria-label", "Delete: Has users below")
        off.click(force=True)
        expect(page.get_by_role("dialog")).to_have_count(0)


def test_small_blocks(browser: Browser, server: BlocksServer) -> None:
    with opened(browser, server, "pieces") as page:
        expect(page.get_by_test_id("hidden")).to_have_count(0)
        expect(page.get_by_test_id("secret-part")).to_have_count(0)
        expect(page.get_by_test_id("fallback")).to_be_visible()
        expect(page.get_by_test_id("secret")).not_to_contain_text("kT7")
        page.get_by_test_id("secret-show").click()
        expect(page.get_by_test_id("secret")).to_have_text("kT7-example-secret")

        page.get_by_test_id("may").click()
        expect(page.get_by_test_id("confirm-yes")).to_be_disabled()
        expect(page.get_by_test_id("confirm-typed")).to_be_focused()
        page.keyboard.type("platform")
        page.keyboard.press("Enter")
        expect(page.get_by_test_id("answer")).to_have_text("yes")

        page.evaluate(TOOLTIPS)
        page.get_by_label("Copy edge/v1/cloud/push").click()
        page.wait_for_function("window.tooltips.some(text => text.includes('copied'))")
        expect(page.get_by_role("tooltip").filter(has_text="copied")).to_have_count(0)

        picker = page.get_by_test_id("picker")
        picker.click()
        picker.evaluate(TYPE, "  user0002")
        page.get_by_role("option", name="user00021").click()
        expect(page.get_by_test_id("chosen")).to_have_text("21")
        assert page.get_by_test_id("searches").inner_text().split("|")[:2] == ["", "user0002"]


def test_trees(browser: Browser, server: BlocksServer) -> None:
    with opened(browser, server, "pieces") as page:
        ticks = page.get_by_test_id("ticks")
        ticks.get_by_label("Map").click()
        expect(page.get_by_test_id("ticked")).to_have_text("Monitor Monitor.List Monitor.Map")
        ticks.get_by_role("treeitem").first.focus()
        page.keyboard.press("Space")
        expect(page.get_by_test_id("ticked")).to_have_text("")
        page.get_by_test_id("tree-search").fill("trig")
        expect(ticks.get_by_test_id("tree-node")).to_have_count(2)

        lazy = page.get_by_test_id("lazy")
        lazy.get_by_role("treeitem").first.focus()
        page.keyboard.press("ArrowRight")
        expect(lazy.get_by_text("Line B")).to_be_visible()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.get_by_test_id("selected")).to_have_text("root/a")


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
