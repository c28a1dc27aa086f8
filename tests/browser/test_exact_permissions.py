"""A user with exactly the permissions of a screen's record opens it, and no call of its page is refused."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Response, expect
from stack import Stack

from .manifest import OUTSIDE_OTA, address, routes, switched
from .steps import COUNT_CALLS, QUIET, QUIET_FRAMES, fill_sign_in

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]

DESKTOP = {"width": 1366, "height": 820}
FACTORY, PERSONAL = 1, 4
QUIET_MS = 40_000
OF_THE_PLATFORM = {"Customize/index", "Options", "SystemSetting", "auth.Customize", "auth.Rule"}
"""No other type may be given these; the crawl opens their screens as a platform user."""


def screens(user_type: int) -> list[dict[str, Any]]:
    """Built screens inside, whose record names permissions and is for this type; each for one of the two."""
    return [
        row
        for row in routes()
        if row["layout"] != "public" and not row.get("pending") and row["path"] != OUTSIDE_OTA
        if not row.get("external") and row["permissions"] and not OF_THE_PLATFORM & set(row["permissions"])
        if (PERSONAL if FACTORY not in row.get("userTypes", [FACTORY]) else FACTORY) == user_type
    ]


class Member:
    """A user who has the plant's gateway; his group changes with each screen."""

    def __init__(self, stack: Stack, user_type: int) -> None:
        self.user_type = user_type
        self.name, self.password = f"exact_{secrets.token_hex(3)}", secrets.token_hex(8)
        self._api = stack.api
        body = {"user_name": self.name, "user_type": user_type, "password": self.password}
        self.number = self._api.call("POST", "/auth/user", body)["user_id"]
        self.group = self._api.call("POST", "/auth/group", self._group(["Event"]))["group_id"]
        self._api.call("PUT", f"/auth/user/{self.number}", {"group_id": self.group})
        share = {"user_name": self.name, "role": "owner", "writes": True}
        self._api.call("POST", "/device/1/share", share)

    def _group(self, codes: list[str]) -> dict[str, Any]:
        return {"title": self.name, "user_type": self.user_type, "permissions": codes}

    def may(self, page: Page, codes: list[str]) -> None:
        """From now on exactly this; the page is left before, or what it shows asks again and is refused."""
        page.goto("about:blank")
        self._api.call("PUT", f"/auth/group/{self.group}", self._group(codes))

    def leave(self) -> None:
        self._api.call("DELETE", f"/device/1/share/{self.number}")
        self._api.call("DELETE", f"/auth/user/{self.number}")
        self._api.call("DELETE", f"/auth/group/{self.group}")


@pytest.fixture
def member(stack: Stack, request: pytest.FixtureRequest) -> Iterator[Member]:
    made = Member(stack, getattr(request, "param", FACTORY))
    yield made
    made.leave()


@pytest.fixture
def own_page(browser: Browser, stack: Stack, member: Member) -> Iterator[Page]:
    context = browser.new_context(viewport=DESKTOP, base_url=stack.api.base, reduced_motion="reduce")
    page = context.new_page()
    page.add_init_script(COUNT_CALLS)
    page.goto("/login")
    fill_sign_in(page, member.name, member.password)
    expect(page.get_by_test_id("user-menu")).to_be_visible()
    yield page
    context.close()


@pytest.mark.parametrize("member", [FACTORY, PERSONAL], ids=["factory", "personal"], indirect=True)
def test_no_call_of_a_page_is_refused(stack: Stack, member: Member, own_page: Page) -> None:
    refused: dict[str, set[str]] = {}
    path = ""

    def note(response: Response) -> None:
        if response.status == 403:
            refused.setdefault(path, set()).add(response.url.partition("/api/v1")[2])

    own_page.on("response", note)
    assert screens(member.user_type)
    with switched(stack, ot=True, rl=True):
        for row in screens(member.user_type):
            path = row["path"]
            member.may(own_page, row["permissions"])
            own_page.goto(address(path))
            expect(own_page.locator(f'[data-screen="{path}"]')).to_be_visible()
            own_page.wait_for_function(QUIET, arg=QUIET_FRAMES, timeout=QUIET_MS)
    assert refused == {}


def test_the_device_button_of_the_gis_screen_leads_to_the_device_on_the_map(
    stack: Stack, member: Member, own_page: Page
) -> None:
    stack.api.call(
        "PUT", "/device/1", {"longitude": 121.5, "latitude": 31.2, "gis_show": True, "device_mst": 1000}
    )
    (gis,) = [row for row in routes() if row["path"] == "/gisScreen/screen"]
    member.may(own_page, gis["permissions"])
    refused: list[str] = []
    own_page.on("response", lambda said: refused.append(said.url) if said.status == 403 else None)
    own_page.goto("/gisScreen/screen")
    own_page.get_by_test_id("wall-device").click()
    own_page.get_by_test_id("wall-found").first.click()
    expect(own_page).to_have_url(re.compile(r"/gisScreen/screen\?.*device_id=1"))
    expect(own_page.get_by_test_id("device-card")).to_be_visible()
    assert refused == []
