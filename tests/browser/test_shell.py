"""What stands around a screen: sign-in, menus, opened pages, palette, error log, wall screens."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Route, expect
from stack import Stack

from .steps import fill_sign_in, picture, settle, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

NOT_BUILT = "/monitor/list"
WALL = "/monitorScreen/deviceDetail?device_id=1"


@pytest.fixture(scope="module", autouse=True)
def announced(stack: Stack, signed_in: None) -> Iterator[None]:
    """Pages that are not built are opened here: there are enough of them, and they load nothing."""
    flags = stack.api.get("/dict?key=CDCF")
    stack.api.call("PUT", "/dict", {"key": "CDCF", "value": {**flags, "announced": 1}})
    yield
    stack.api.call("PUT", "/dict", {"key": "CDCF", "value": flags})


def handed_over(user: str, password: str) -> str:
    text = json.dumps({"username": user, "password": password}).encode()
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


def open_screens(page: Page, *paths: str) -> None:
    for path in paths:
        page.evaluate("path => history.pushState({}, '', path)", path)
        expect(page.locator(f'[data-screen="{path}"] h1')).to_be_visible()


def expect_titles(page: Page, *titles: str) -> None:
    expect(page.get_by_test_id("tab-strip").get_by_role("link")).to_have_text(titles)


def test_credential_of_the_address(page: Page, stack: Stack) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url + json.dumps(request.headers)))
    user, password = stack.sign_in()
    credential = handed_over(user, password)
    page.goto(f"/login?redirect=%2Ffee%2Foverview&u={credential}")
    expect(page).to_have_url(re.compile("/fee/overview$"))
    assert [url for url in asked[1:] if credential in url] == []
    page.go_back()
    assert credential not in page.url
    page.goto("/login?redirect=%2Ffee%2Foverview&u=broken")
    expect(page).to_have_url(re.compile("/login$"))
    expect(page.get_by_test_id("login-error")).to_be_empty()


def test_a_link_makes_nobody_somebody_else_unasked(page: Page, stack: Stack) -> None:
    name, word = "elsewhere_user", "kw7Tq2mbXd"
    made = stack.api.call("POST", "/auth/user", {"user_name": name, "user_type": 3, "password": word})
    admin = stack.sign_in()[0]
    sign_in(page, stack, "en")
    page.goto(f"/?u={handed_over(*stack.sign_in())}")
    expect(page.get_by_test_id("overview-states")).to_be_visible()
    page.goto(f"/user/me?u={handed_over(name, word)}")
    expect(page.get_by_test_id("change-user")).to_contain_text(f"signed in as {admin}")
    page.get_by_test_id("change-refuse").click()
    expect(page.locator('[data-screen="/user/me"]')).to_contain_text(admin)
    token = page.evaluate("JSON.parse(localStorage.getItem('edge.session')).token")
    page.goto(f"/user/me?u={handed_over(name, word)}")
    page.get_by_test_id("change-accept").click()
    expect(page.locator('[data-screen="/user/me"]')).to_contain_text(name)
    asked = page.request.get("/api/v1/auth/user/info", headers={"X-Token": token})
    assert asked.status == 401  # the session that was there has ended
    stack.api.call("DELETE", f"/auth/user/{made['user_id']}")


def test_the_typed_password_does_not_leave_the_browser(page: Page, stack: Stack) -> None:
    bodies: list[str] = []
    page.on("request", lambda request: bodies.append(request.post_data or ""))
    page.goto("/login")
    fill_sign_in(page, *stack.sign_in())
    expect(page.get_by_test_id("overview-states")).to_be_visible()
    sent = [body for body in bodies if "password" in body]
    assert re.fullmatch(r"s1\$[0-9a-f]{64}", json.loads(sent[0])["password"])
    assert stack.sign_in()[1] not in "".join(bodies)


def test_opened_pages(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "en")
    open_screens(page, "/fee/overview", "/fee/orderList", NOT_BUILT)
    expect_titles(page, "Device monitor", "Account overview", "Order list", "List monitor")
    page.get_by_test_id("tab-strip").get_by_role("link", name="Order list").focus()
    page.keyboard.press("Delete")
    expect(page.get_by_test_id("tab-strip").get_by_role("link")).to_have_count(3)
    page.get_by_test_id("tab-strip").get_by_role("link", name="Account overview").click(button="right")
    page.get_by_test_id("tab-close-others").click()
    expect_titles(page, "Account overview")
    page.get_by_test_id("tab-actions").click()
    page.get_by_test_id("tab-close-all").click()
    expect(page).to_have_url(re.compile("/dashboard/index$"))
    expect_titles(page, "Overview")


def test_strip_shows_the_active_page(page: Page, stack: Stack) -> None:
    page.set_viewport_size({"width": 800, "height": 700})
    sign_in(page, stack, "en")
    many = (
        "/fee/overview",
        "/fee/orderList",
        NOT_BUILT,
        "/scada/app",
        "/scada/template",
        "/camera/index",
        "/group/index",
    )
    open_screens(page, *many)
    strip = page.get_by_test_id("tab-strip")
    settle(page)
    assert strip.evaluate("list => list.scrollLeft + list.clientWidth >= list.scrollWidth - 1")
    before = strip.evaluate("list => list.scrollLeft")
    strip.hover()
    page.mouse.wheel(0, -100)
    page.wait_for_function(
        "before => document.querySelector('[data-testid=tab-strip]').scrollLeft < before", arg=before
    )
    assert strip.evaluate("list => list.scrollLeft") == pytest.approx(before - 25, abs=1)
    open_screens(page, "/fee/overview")
    page.evaluate("history.pushState({}, '', '/monitor/device')")
    page.wait_for_function("() => document.querySelector('[data-testid=tab-strip]').scrollLeft === 0")


def test_palette_and_menus(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "zh")
    page.get_by_test_id("section-dataCenter").click()
    expect(page.get_by_test_id("section-dataCenter")).to_have_attribute("aria-expanded", "true")
    expect(page.get_by_test_id("section-monitor")).to_have_attribute("aria-expanded", "false")
    picture(page, "menu", "zh")
    page.keyboard.press("Control+k")
    page.get_by_test_id("palette-input").fill("orderlist")
    expect(page.get_by_role("option")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/fee/orderList$"))
    picture(page, "not-yet", "zh")
    page.set_viewport_size({"width": 1000, "height": 700})
    expect(page.locator('[data-rail="true"]')).to_be_visible()
    page.get_by_test_id("section-device").click()
    expect(page.get_by_role("menuitem").first).to_be_visible()


def test_error_log(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "en")
    expect(page.get_by_test_id("error-log")).to_have_count(0)
    page.evaluate("window.dispatchEvent(new ErrorEvent('error', { error: new Error('made by a test') }))")
    page.get_by_test_id("error-log").click()
    entry = page.get_by_test_id("error-entry")
    for text in ("made by a test", "window", "/monitor/device", "Error: made by a test"):
        expect(entry).to_contain_text(text)
    picture(page, "error-log", "en")


def test_wall_screen(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "en", WALL)
    expect(page.get_by_test_id("live-table")).to_be_visible()
    clock = page.get_by_test_id("wall-clock")
    before = clock.inner_text()
    expect(clock).not_to_have_text(before)
    page.get_by_test_id("wall-full").click()
    page.wait_for_function("() => document.fullscreenElement !== null")
    page.get_by_test_id("wall-full").click()
    page.wait_for_function("() => document.fullscreenElement === null")
    page.get_by_test_id("wall-device").click()
    expect(page.get_by_role("dialog").get_by_role("button")).to_have_count(1)
    picture(page, "wall", "en")
    page.keyboard.press("Escape")
    page.get_by_test_id("wall-exit").click()
    expect(page).to_have_url(re.compile("/dashboard/index$"))


@pytest.fixture
def quick(stack: Stack) -> Iterator[None]:
    entries = [
        {"url": "/fee/overview", "text": "Bills", "icon": "report", "newWindow": False, "position": 1},
        {"url": "https://example.invalid/", "text": "Wiki", "icon": "link", "newWindow": True, "position": 0},
    ]
    stack.api.call("PUT", "/user/option", {"name": "user_config", "value": entries})
    yield
    stack.api.call("PUT", "/user/option", {"name": "user_config", "value": []})


@pytest.mark.usefixtures("quick")
def test_quick_entries(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "zh")
    links = page.get_by_test_id("quick-entries").get_by_role("link")
    expect(links).to_have_text(["Wiki", "Bills"])
    expect(links.first).to_have_attribute("target", "_blank")
    expect(links.first).to_have_attribute("rel", "noopener noreferrer")
    links.last.click()
    expect(page).to_have_url(re.compile("/fee/overview$"))


def test_a_cloud_that_does_not_answer_is_told_once(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "en")
    held: list[Route] = []
    page.route("**/api/v1/auth/user/info", lambda route: held.append(route))
    page.goto("/device/deviceManage")
    expect(page.get_by_test_id("first-load")).to_be_visible()
    assert page.get_by_role("navigation").count() == 0
    stack.wait(lambda: page.title() is not None and held, "the page asks who is signed in")
    with page.expect_event("requestfailed"):
        held[0].abort()
    expect(page.get_by_role("heading")).to_have_text(["The platform is not responding"])
    expect(page.get_by_role("alert")).to_have_count(1)
    expect(page.get_by_test_id("first-load")).to_have_count(0)
    page.unroute("**/api/v1/auth/user/info")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_test_id("sidebar")).to_be_visible()


def test_expired_session(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "en")
    page.route(
        "**/api/v1/device?*",
        lambda route: route.fulfill(status=401, json={"code": 10010, "msg": "", "data": None}),
    )
    page.get_by_role("textbox").first.fill("x")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Your session has expired, please log in again")
    page.get_by_test_id("session-expired-ok").click()
    expect(page).to_have_url(re.compile("/login"))
