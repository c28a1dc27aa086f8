"""The permission matrix in a browser: real users of three types at every address, and what their menus offer.

All types and all positions of the switches are tried with the router's own guard in
web/test/permissions.test.ts and, for the API, in cloud/tests/domains/access/test_matrix.py. Here it is seen
that a page follows: it is drawn or it is /401, and the menu has exactly what can be opened.
"""

from __future__ import annotations

import csv
import re
import secrets
from collections.abc import Iterator
from typing import Any

import pytest
from _environment import ROOT
from playwright.sync_api import Browser, Locator, Page, expect
from stack import Stack

from .manifest import LINKS, OUTSIDE_OTA, address, routes, switched
from .steps import fill_sign_in

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

TABLE = ROOT / "cloud" / "cloud" / "domains" / "identity" / "permissions.csv"
DESKTOP = {"width": 1366, "height": 820}

LANDING = "/dashboard/index"
LISTED = "Monitor.DeviceMonitor"
SHOWN_MS = 30_000
VISIT = """async ([visits, landing, patienceMs]) => {
  const shown = path => [...document.querySelectorAll('[data-screen]')].some(
    page => page.dataset.screen === path && page.checkVisibility());
  const outcome = ([address, path]) => {
    const { pathname, searchParams } = new URL(location.href);
    if (pathname === landing && path !== landing) return 'landed';
    if (pathname === '/401') return searchParams.get('from') === path ? 'refused' : null;
    return pathname === address.split('?')[0] && shown(path) ? 'shown' : null;
  };
  const found = {};
  for (const visit of visits) {
    const end = performance.now() + patienceMs;
    history.pushState({}, '', visit[0]);
    while ((found[visit[0]] = outcome(visit)) === null && performance.now() < end)
      await new Promise(requestAnimationFrame);
  }
  return found;
}"""
"""Goes to each [address, path of its screen]: shown, refused, landed, or null when none came in time."""


def given(user_type: int, *, ot: bool, rl: bool, announced: bool = False) -> set[str]:
    """Permissions of a type, out of the cloud's table. announced: takes no permission away."""
    rows = csv.DictReader(TABLE.read_text("utf-8").splitlines())
    mine = {row["code"] for row in rows if str(user_type) in row["types"]}
    if not ot:
        mine = {code for code in mine if code != "OtaManager" and not code.startswith("ota.")}
    return mine if rl else mine - {"auth.Rule"}


def allowed(row: dict[str, Any], user_type: int, mine: set[str], on: dict[str, bool]) -> bool:
    """May the type open the screen, by its record?"""
    if row["path"] == OUTSIDE_OTA:
        return "OtaManager" not in mine
    of_type = row.get("userTypes")
    flag = row.get("cloudFlag")
    is_on = (flag is None or on[flag]) and (not row.get("pending") or on["announced"])
    return is_on and (of_type is None or user_type in of_type) and set(row["permissions"]) <= mine


def outcome(row: dict[str, Any], user_type: int, mine: set[str], on: dict[str, bool]) -> str:
    """What an address leads to; one that is announced only, and concealed, leads where unknown ones do."""
    if row.get("pending") and not on["announced"]:
        return "landed"
    return "shown" if allowed(row, user_type, mine, on) else "refused"


def inside() -> list[dict[str, Any]]:
    return [row for row in routes() if row["layout"] != "public"]


@pytest.fixture
def switches(stack: Stack, request: pytest.FixtureRequest) -> Iterator[dict[str, bool]]:
    """The cloud configuration as asked for, and an address for every way out; afterwards as it was."""
    on = {name: name in request.param for name in ("ot", "rl", "announced")}
    with switched(stack, **on):
        yield on


@pytest.fixture
def user(stack: Stack) -> Iterator[Any]:
    """Makes users of a type; they are gone afterwards."""
    made: list[int] = []

    def make(user_type: int) -> tuple[str, str]:
        name, password = f"matrix_{user_type}_{secrets.token_hex(3)}", secrets.token_hex(8)
        body = {"user_name": name, "user_type": user_type, "password": password}
        made.append(stack.api.call("POST", "/auth/user", body)["user_id"])
        return name, password

    yield make
    for number in made:
        stack.api.call("DELETE", f"/auth/user/{number}")


def signed_in(browser: Browser, stack: Stack, name: str, password: str) -> Page:
    context = browser.new_context(viewport=DESKTOP, base_url=stack.api.base, reduced_motion="reduce")
    page = context.new_page()
    page.goto("/login")
    fill_sign_in(page, name, password)
    expect(page.get_by_test_id("user-menu")).to_be_visible()
    return page


def offered(page: Page) -> set[str]:
    """Addresses of the screens in the sidebar and in the menus of the top bar."""
    found: set[str] = set()
    sidebar = page.get_by_test_id("sidebar")
    for section in sidebar.locator("button[aria-expanded]").all():
        if section.get_attribute("aria-expanded") == "false":
            section.click()
        expect(section).to_have_attribute("aria-expanded", "true")
        found |= links_of(sidebar.locator("a"))
    found |= links_of(sidebar.locator("a"))
    for menu in page.locator("[data-testid^=top-]").all():
        menu.click()
        expect(page.get_by_role("menuitem").first).to_be_visible()
        found |= links_of(page.get_by_role("menuitem"))
        page.keyboard.press("Escape")
        expect(page.get_by_role("menuitem")).to_have_count(0)
    return found


def links_of(links: Locator) -> set[str]:
    """All at one moment: one after the other, a section that closes takes some away meanwhile."""
    found = links.evaluate_all("all => all.map(link => link.getAttribute('href'))")
    return {href for href in found if href}


@pytest.mark.parametrize(
    ("user_type", "switches"),
    [(1, "ot announced"), (3, ""), (6, "rl")], ids=["factory", "enterprise", "registered"],
    indirect=["switches"],
)  # fmt: skip
def test_every_address_is_shown_or_refused(
    browser: Browser, stack: Stack, user: Any, user_type: int, switches: dict[str, bool]
) -> None:
    mine = given(user_type, **switches)
    expected = {
        address(path): outcome(row, user_type, mine, switches)
        for row in inside()
        for path in (row["path"], *row["aliases"])
    }
    assert set(expected.values()) >= {"shown", "refused"}
    assert ("landed" in expected.values()) == (not switches["announced"])
    visits = [[address(path), row["path"]] for row in inside() for path in (row["path"], *row["aliases"])]
    page = signed_in(browser, stack, *user(user_type))
    menu = offered(page)
    found = page.evaluate(VISIT, [visits, LANDING, SHOWN_MS])
    page.context.close()
    assert {path: said for path, said in found.items() if said != expected[path]} == {}
    assert menu == {
        LINKS[row["external"]] if row.get("external") else row["path"]
        for row in inside()
        if row.get("section") and not row.get("hidden")
        if allowed(row, user_type, mine, switches)
    }


@pytest.fixture
def cut(stack: Stack, user: Any) -> Iterator[tuple[str, str]]:
    """A user of type 3 in a group that has the device list and nothing else."""
    name, password = user(3)
    url = f"/auth/user/{stack.api.get(f'/auth/user?search={name}')['rows'][0]['user_id']}"
    body = {"title": name, "user_type": 3, "permissions": ["Monitor", LISTED]}
    group = stack.api.call("POST", "/auth/group", body)["group_id"]
    stack.api.call("PUT", url, {"group_id": group})
    yield name, password
    stack.api.call("PUT", url, {"group_id": None})
    stack.api.call("DELETE", f"/auth/group/{group}")


@pytest.mark.parametrize("switches", [""], indirect=True)
@pytest.mark.usefixtures("switches")
def test_a_group_closes_what_it_does_not_have(browser: Browser, stack: Stack, cut: tuple[str, str]) -> None:
    page = signed_in(browser, stack, *cut)
    rows = [
        row for row in inside()
        if row.get("section") and not row.get("hidden") and 3 in row.get("userTypes", [3])
    ]  # fmt: skip
    outside_ota = {LINKS["ota"]}  # for who has no OTA here
    assert offered(page) == outside_ota | {row["path"] for row in rows if row["permissions"] == [LISTED]}
    page.goto("/alarm/alarmlog")
    expect(page).to_have_url(re.compile("/401"))
    page.goto("/monitor/device")
    expect(page.locator('[data-screen="/monitor/device"]')).to_be_visible()
    page.context.close()


def test_an_app_user_stays_outside(page: Page, stack: Stack, user: Any) -> None:
    page.goto("/login")
    fill_sign_in(page, *user(5))
    expect(page.get_by_test_id("login-error")).not_to_be_empty()
    page.goto("/monitor/device")
    expect(page).to_have_url(re.compile("/login"))
