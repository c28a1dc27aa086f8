"""The network drops while a new gateway gets its slaves: named, kept over a reload, made by another try."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Route, expect
from stack import Stack

from .steps import choose_language, picture, sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

GATEWAY = "gw-wizard-again"
SLAVE_CALL = "**/api/v1/device/*/slavedevice"
PHONE = {"width": 390, "height": 844}


@pytest.fixture(autouse=True)
def gone_after(stack: Stack) -> Iterator[None]:
    yield
    for row in stack.api.get(f"/device?search={GATEWAY}")["rows"]:
        stack.api.call("DELETE", f"/device/{row['id']}")


def add_slave(page: Page, at: int, protocol: str, host: str) -> None:
    page.get_by_test_id("wizard-add-slave").click()
    card = page.get_by_test_id("wizard-slave-card").nth(at)
    card.get_by_test_id("wizard-protocol").click()
    page.get_by_role("option", name=protocol).first.click()
    card.get_by_test_id("wizard-host").fill(host)


def test_what_the_network_has_cut_off_is_named_and_made_by_another_try(page: Page, stack: Stack) -> None:
    sign_in(page, stack, "en", "/device/addDevice")
    forth = page.get_by_test_id("wizard-next")
    page.get_by_test_id("device-gateway").fill(GATEWAY)
    page.get_by_test_id("device-device_title").fill("Boiler house")
    forth.click()
    add_slave(page, 0, "Modbus TCP", "127.0.0.1; rm -rf")
    add_slave(page, 1, "Modbus TCP", "10.0.0.8")
    forth.click()
    host = page.get_by_test_id("wizard-host").first
    expect(host).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("no spaces")).to_be_visible()
    host.fill("10.0.0.7")
    forth.click()
    forth.click()

    asked: list[str] = []

    def answer_lost(route: Route) -> None:
        """The first slave comes to the cloud, its answer not back; the next request does not get out."""
        if route.request.method != "POST":
            route.continue_()
            return
        asked.append(str(route.request.post_data_json["name"]))
        if len(asked) == 1:
            route.fetch()
        route.abort()

    page.route(SLAVE_CALL, answer_lost)
    forth.click()
    missing = page.get_by_test_id("wizard-missing")
    expect(missing).to_contain_text("Slave slave1")
    expect(missing).to_contain_text("Slave slave2")
    assert asked == ["slave1"]
    page.unroute(SLAVE_CALL)
    expect(page.get_by_text("asks for the secret above")).to_be_visible()

    page.reload()
    expect(missing).to_contain_text("Slave slave2")
    expect(page.get_by_text("asks for the secret above")).to_have_count(0)
    expect(page.get_by_text("renew the secret in the device details")).to_be_visible()
    assert violations(page) == []
    picture(page, "wizard-missing", "en")
    choose_language(page, "zh")
    page.set_viewport_size(PHONE)
    picture(page, "wizard-missing-phone", "zh")
    again = page.get_by_test_id("wizard-try")
    again.click()
    expect(missing).to_have_count(0)
    expect(page.get_by_test_id("wizard-add-points")).to_have_count(2)
    device = stack.api.get(f"/device?search={GATEWAY}")["rows"][0]["id"]
    named = [
        [row["fields"]["name"] for row in stack.api.get(f"/device/{device}/{kind}")["rows"]]
        for kind in ("port", "slavedevice")
    ]
    assert named == [["net1", "net2"], ["slave1", "slave2"]]
    page.reload()
    expect(page.get_by_test_id("wizard-add-points")).to_have_count(2)
