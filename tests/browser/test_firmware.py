"""Firmware from its key to a fleet, as two people do it in the portal; a damaged file is refused."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "system"))  # the fleet's broker

from faults.firmware_rollout import KEY_ID, MODEL, RolloutSite
from firmware_files import files
from playwright.sync_api import Browser, Page, expect
from stack import Stack

from .steps import fill_sign_in, go, picture, sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

GATEWAYS = 3
URL = "/ota/firmware"
ROLLOUT_MS = 300_000
PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1366, "height": 820}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RolloutSite]:
    with RolloutSite(tmp_path_factory.mktemp("firmware"), GATEWAYS).running() as made:
        for key in made.stack.api.get("/firmware/key")["rows"]:  # here it is added in the portal
            made.stack.api.call("DELETE", f"/firmware/key/{key['id']}")
        yield made


@pytest.fixture(scope="module")
def stack(site: RolloutSite) -> Stack:
    """In place of the session's: the page and the tests' own client use this one."""
    return site.stack


@pytest.fixture
def second_page(browser: Browser, stack: Stack) -> Iterator[Page]:
    """Of another person of the platform's staff."""
    password = stack.operate("user", "add", "second", "--type", "0").split()[-1]
    context = browser.new_context(viewport=DESKTOP, base_url=stack.api.base, reduced_motion="reduce")  # type: ignore[arg-type]
    page = context.new_page()
    page.goto("/login")
    fill_sign_in(page, "second", password)
    expect(page.get_by_test_id("user-menu")).to_be_visible()
    yield page
    context.close()


def signed(site: RolloutSite, version: int) -> bytes:
    payload, file = site.folder / f"{version}.payload", site.folder / f"{version}.bin"
    payload.write_bytes(bytes([version]) * 100_000)
    release = files.Release(models=[MODEL], version=version, version_text=f"{version}.0", upgrade_type=2)
    files.sign(payload, site.folder / f"{KEY_ID}.key", file, release)
    return file.read_bytes()


def key_line(folder: Path) -> str:
    """As `scripts/firmware key` printed it."""
    name, key = files.read_key(folder / f"{KEY_ID}.key")
    return f'{name} = "{files.public_text(key)}"'


def upload(page: Page, content: bytes) -> None:
    file: Any = {"name": "two.bin", "mimeType": "application/octet-stream", "buffer": content}
    page.get_by_test_id("firmware-upload-dialog").locator("input[type=file]").set_input_files(file)
    expect(page.get_by_test_id("firmware-manifest")).to_contain_text("2.0 (2)")
    page.get_by_test_id("firmware-send").click()


def clean(page: Page, name: str) -> None:
    """No broken rule of accessibility in either scheme; with a picture of each."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        broken = violations(page)
        assert broken == [], (name, scheme, broken)
        picture(page, f"firmware-{name}-{scheme}", "zh")
    page.emulate_media(color_scheme="light")


def test_from_the_key_to_every_gateway(
    page: Page, second_page: Page, stack: Stack, site: RolloutSite
) -> None:
    content = signed(site, 2)
    sign_in(page, stack, "zh", f"{URL}?tab=keys")
    page.get_by_test_id("firmware-keys-create").first.click()
    page.get_by_test_id("key-public").fill(key_line(site.folder))
    expect(page.get_by_test_id("key-id")).to_have_value(KEY_ID)
    assert violations(page) == []
    page.keyboard.press("Control+s")
    expect(page.get_by_test_id("firmware-keys-row")).to_have_count(1)
    clean(page, "keys")

    page.get_by_test_id("firmware-files").click()
    page.get_by_test_id("firmware-upload").click()
    upload(page, content[:-1] + bytes([content[-1] ^ 1]))
    refused = page.get_by_test_id("firmware-refused")
    expect(refused).to_have_attribute("data-reason", "hash")
    expect(refused).to_contain_text("SHA-256")
    clean(page, "refused")
    upload(page, content)
    expect(page.get_by_test_id("firmware-upload-dialog")).to_be_hidden()
    expect(page.get_by_test_id("firmware-files-row")).to_have_count(1)
    clean(page, "files")

    number = make_plan(page)
    expect(page.get_by_test_id("preview-total").locator("dd")).to_have_text(str(GATEWAYS))
    expect(page.get_by_test_id("plan-start")).to_have_attribute("aria-disabled", "true")
    expect(page.get_by_test_id("plan-approve")).to_have_attribute("aria-disabled", "true")
    clean(page, "draft")
    second_page.goto(f"{URL}?plan={number}")
    second_page.get_by_test_id("plan-approve").click()
    second_page.get_by_test_id("confirm-yes").click()
    expect(second_page.get_by_test_id("plan-notice-approved")).to_contain_text("second")

    page.reload()  # the address has the plan
    page.get_by_test_id("plan-start").click()
    expect(page.get_by_test_id("confirm-dialog")).to_contain_text(str(GATEWAYS))
    clean(page, "start")
    page.get_by_test_id("confirm-yes").click()
    shown = page.get_by_test_id("plan-page")
    expect(shown).to_have_attribute("data-state", "finished", timeout=ROLLOUT_MS)  # nobody reloads it
    expect(page.get_by_test_id("plan-steps").locator("[data-step=succeeded]")).to_have_attribute(
        "data-count", str(GATEWAYS)
    )
    expect(page.get_by_test_id("plan-waves").locator("[data-place=done]")).to_have_count(2)
    expect(page.get_by_test_id("plan-gateways-row")).to_have_count(GATEWAYS)
    clean(page, "finished")
    upgrades = stack.api.get(f"/firmware/plan/{number}/upgrade?newest=true")["rows"]
    (canary,) = [row for row in upgrades if row["wave"] == 0]
    assert all(row["ordered_ms"] >= canary["ended_ms"] for row in upgrades if row["wave"] == 1)

    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    clean(page, "phone")
    page.set_viewport_size(DESKTOP)  # type: ignore[arg-type]
    see_elsewhere(page, upgrades[0]["device_id"])


def test_a_rollout_that_fails_says_what_runs_now(page: Page, stack: Stack, site: RolloutSite) -> None:
    if not stack.api.get("/firmware/key")["rows"]:
        public = key_line(site.folder).partition('"')[2].rstrip('"')
        stack.api.call("POST", "/firmware/key", {"key_id": KEY_ID, "public_key": public})
    number = site.plan(site.upload(3, "crash"), canary=1)
    url = f"{URL}?plan={number}"
    stack.api.call("POST", f"/firmware/plan/{number}/start")
    sign_in(page, stack, "zh", url)
    shown = page.get_by_test_id("plan-page")
    expect(shown).to_have_attribute("data-state", "paused", timeout=ROLLOUT_MS)
    failed = page.get_by_test_id("plan-gateways-row").first
    expect(failed).to_contain_text("新版本崩溃")
    expect(failed).to_contain_text("已恢复运行此任务之前的版本")
    expect(failed).to_contain_text("首批（灰度）")
    expect(page.get_by_test_id("plan-rollback")).to_have_attribute("aria-disabled", "true")
    expect(page.get_by_test_id("plan-hindrances")).to_contain_text("回退：没有已升级的网关")
    expect(page.get_by_test_id("plan-waves").locator("[data-place=paused]")).to_have_count(1)
    clean(page, "failed")

    page.get_by_test_id("plan-cancel").click()
    page.get_by_test_id("confirm-yes").click()
    expect(shown).to_have_attribute("data-state", "cancelled")
    waves = page.get_by_test_id("plan-waves")
    expect(waves.locator("[data-place=stopped]")).to_have_count(1)
    expect(waves.locator("[data-place=current]")).to_have_count(0)
    sign_in(page, stack, "en", url)
    expect(page.get_by_test_id("plan-gateways-row").first).to_contain_text("Runs the version from before")
    page.evaluate("scrollTo(0, 0)")
    picture(page, "firmware-cancelled", "en")
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    waves.scroll_into_view_if_needed()
    fits = "element => element.parentElement.scrollWidth <= element.parentElement.clientWidth"
    assert waves.evaluate(fits), "the table of waves is cut"
    picture(page, "firmware-waves-phone", "en")
    assert violations(page) == []
    page.set_viewport_size(DESKTOP)  # type: ignore[arg-type]


def make_plan(page: Page) -> str:
    """In the editor; its id, of the address that it opens at."""
    page.get_by_test_id("plan-for").click()
    page.get_by_test_id("plan-name").fill("12")
    page.get_by_test_id("plan-title").fill("北区")
    page.get_by_test_id("plan-range").get_by_text("按网关").click()
    page.get_by_test_id("plan-devices").click()
    page.get_by_role("option").first.click()
    page.keyboard.press("Escape")
    page.get_by_test_id("choose-matching").click()
    page.get_by_test_id("choose-all").click()
    expect(page.get_by_test_id("choose-total")).to_contain_text(f"已选 {GATEWAYS} 台")
    page.get_by_test_id("plan-watch_s").fill("2s")
    page.get_by_test_id("plan-confirm_s").fill("2m")
    page.get_by_test_id("plan-errors").fill("20")
    page.get_by_test_id("plan-approval").click()
    clean(page, "editor")
    page.keyboard.press("Control+s")
    expect(page.get_by_test_id("plan-page")).to_be_visible()
    expect(page).to_have_url(re.compile(r"plan=\d+"))
    return page.url.rpartition("plan=")[2]


def see_elsewhere(page: Page, device_id: int) -> None:
    """What the other screens say of it."""
    go(page, "/ota/log")
    expect(page.get_by_test_id("firmware-log-row")).to_have_count(GATEWAYS)
    clean(page, "log")
    go(page, "/ota/project")
    expect(page.get_by_test_id("firmware-projects-row")).to_contain_text("2.0")
    clean(page, "projects")
    go(page, "/ota/app")
    expect(page.get_by_test_id("empty-state")).to_be_visible()  # an image is no application
    clean(page, "apps")
    go(page, f"/deviceDetail/index?device_id={device_id}&tab=upgrades")
    expect(page.get_by_test_id("gateway-upgrades-row")).to_have_count(1)
    clean(page, "gateway")
