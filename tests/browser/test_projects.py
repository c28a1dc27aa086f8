"""Projects, products and jobs on the real stack: arranged, assigned, restarted as a whole; then put back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from stack import Stack

from .steps import go, picture, settle, sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

PHONE = {"width": 390, "height": 844}
SCREENS = ("/group/index", "/group/assignment")


@pytest.fixture
def cleared(stack: Stack) -> Iterator[None]:
    """Without nodes afterwards, whatever a test has left."""
    yield
    api = stack.api
    nodes: list[Any] = api.call("GET", "/project")["nodes"]
    for node in reversed(nodes):
        api.call("DELETE", f"/project/{node['id']}?move_to=0")


def add(page: Page, kind: str, title: str, *, below: bool = False) -> None:
    page.get_by_test_id("node-add" if below else "project-add").click()
    if kind == "group":
        page.get_by_test_id("node-kind").locator("label").last.click()
    page.get_by_test_id("node-title").fill(title)
    page.keyboard.press("Control+s")
    expect(page.get_by_test_id("form-drawer")).to_have_count(0)
    expect(page.get_by_test_id("node-head").get_by_role("heading")).to_have_text(title)


def choose(page: Page, tree: str, title: str) -> None:
    """The page follows the address a moment later, and its buttons are those of what was chosen before."""
    page.get_by_test_id(tree).get_by_test_id("tree-node").filter(has_text=title).click()
    expect(page.get_by_test_id(tree).get_by_role("treeitem", selected=True)).to_contain_text(title)
    settle(page)


def test_from_a_tree_to_a_restart_of_all(page: Page, stack: Stack, cleared: None) -> None:
    sign_in(page, stack, "zh", "/group/index")
    add(page, "group", "华东")
    add(page, "project", "一号锅炉房", below=True)
    choose(page, "project-tree", "华东")
    add(page, "project", "二号锅炉房", below=True)

    second = page.get_by_test_id("tree-node").filter(has_text="二号锅炉房")
    second.drag_to(
        page.get_by_test_id("tree-node").filter(has_text="一号锅炉房"), target_position={"x": 60, "y": 4}
    )
    expect(page.get_by_test_id("tree-node").nth(1)).to_contain_text("二号锅炉房")

    go(page, "/group/assignment")
    page.locator('[data-screen="/group/assignment"]').wait_for()
    choose(page, "assign-tree", "一号锅炉房")
    page.get_by_test_id("assignment-row").first.get_by_role("checkbox").check()
    page.get_by_test_id("bulk-assign").click()
    expect(page.get_by_test_id("undo")).to_be_visible()
    expect(page.get_by_test_id("assignment-row")).to_have_count(0)
    page.get_by_test_id("undo").click()
    row = page.get_by_test_id("assignment-row").first
    row.get_by_role("checkbox").check()
    page.get_by_test_id("bulk-assign").click()
    expect(page.get_by_test_id("assignment-row")).to_have_count(0)

    go(page, "/group/index")
    choose(page, "project-tree", "华东")
    expect(page.get_by_test_id("project-devices-row")).to_have_count(1)
    picture(page, "projects", "zh")
    page.get_by_test_id("node-deploy").click()
    expect(page.get_by_test_id("campaign-start")).to_be_disabled()  # there is no draft
    page.keyboard.press("Escape")
    page.get_by_test_id("node-reboot").click()
    page.get_by_test_id("campaign-start").click()
    expect(page.get_by_test_id("job")).to_have_attribute("data-state", "completed", timeout=60_000)
    expect(page.get_by_test_id("campaign-result").locator('[data-tone="ok"]').first).to_be_visible()
    picture(page, "project-reboot", "zh")
    assert "job=" in page.url
    page.keyboard.press("Escape")

    choose(page, "project-tree", "一号锅炉房")
    page.get_by_test_id("node-remove").click()
    page.get_by_test_id("heir-to").click()
    page.get_by_role("option").last.click()
    page.get_by_test_id("heir-confirm").click()
    tree = page.get_by_test_id("project-tree")
    expect(tree.get_by_test_id("tree-node").filter(has_text="一号锅炉房")).to_have_count(0)
    choose(page, "project-tree", "二号锅炉房")
    expect(page.get_by_test_id("project-devices-row")).to_have_count(1)

    go(page, "/dataCenter/fileDownload")
    row = page.get_by_test_id("files-row").filter(has_text="华东")
    expect(row).to_have_count(1)
    row.get_by_test_id("row-remove").click()
    page.get_by_test_id("confirm-yes").click()
    expect(row).to_have_count(0)


def test_the_key_of_a_product_is_shown_once(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "en", "/other/product")
    page.get_by_test_id("products-create").click()
    page.get_by_test_id("product-name").fill("Boiler controller")
    page.get_by_test_id("product-code").fill("BC-200")
    page.keyboard.press("Control+s")
    key = page.get_by_test_id("product-key-text").inner_text()
    assert len(key) > 30
    page.get_by_test_id("product-key-close").click()
    expect(page.get_by_test_id("product-key-text")).to_have_count(0)
    assert key not in page.content()
    row = page.get_by_test_id("products-row").filter(has_text="BC-200")
    row.get_by_test_id("product-rotate").click()
    page.get_by_test_id("confirm-yes").click()
    assert page.get_by_test_id("product-key-text").inner_text() != key
    page.get_by_test_id("product-key-close").click()
    row.get_by_test_id("row-remove").click()
    page.get_by_test_id("confirm-yes").click()
    expect(row).to_have_count(0)


def test_a_tree_is_accessible_and_fits_a_phone(page: Page, stack: Stack, cleared: None) -> None:
    group = stack.api.call("POST", "/project", {"kind": "group", "title": "华东"})
    body = {"kind": "project", "title": "一号锅炉房", "parent_id": group["id"]}
    where = f"?node={stack.api.call('POST', '/project', body)['id']}"
    sign_in(page, stack, "zh", f"/group/index{where}")
    expect(page.get_by_test_id("node-head")).to_be_visible()
    for path in SCREENS:
        go(page, path + where)
        assert violations(page) == [], path
        page.set_viewport_size(PHONE)
        settle(page)
        assert page.evaluate("document.scrollingElement.scrollWidth") <= PHONE["width"], path
        picture(page, f"{path.strip('/').replace('/', '-')}-phone", "zh")
        page.set_viewport_size({"width": 1366, "height": 820})
    page.emulate_media(color_scheme="dark")
    go(page, f"/group/index{where}")
    assert violations(page) == []
    picture(page, "projects-dark", "zh")
