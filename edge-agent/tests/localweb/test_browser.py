"""The tools of the page in a real Chromium: what stays, what is asked before a write, what fits a phone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from libmodbus_slave import LibmodbusSlave
from playwright.async_api import async_playwright, expect

CHROMIUM = "/usr/bin/chromium"
PHONE = {"width": 390, "height": 844}

pytestmark = pytest.mark.skipif(not Path(CHROMIUM).exists(), reason=f"{CHROMIUM} is not installed")


@pytest.fixture
async def screen(page: Any) -> AsyncIterator[Any]:
    """The tools, signed in, on a phone in Chinese, and the slave behind port lan. The page has no errors."""
    memory = LibmodbusSlave()
    problems: list[str] = []
    with memory.tcp() as port:
        page.bus.tcp_port = port
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            made = await browser.new_page(viewport=PHONE, locale="zh-CN")
            made.set_default_timeout(5000)
            made.on("pageerror", lambda error: problems.append(str(error)))
            await made.goto(str(page.client.make_url("/")))
            await made.fill("#password", page.password)
            await made.click("#login .primary")
            await made.click("#tab-tools")
            await expect(made.locator("#device-at input").first).to_be_visible()
            yield made, memory
            await browser.close()
    assert problems == []


async def test_an_error_of_a_scan_stays_and_the_old_result_bears_its_name(screen: Any) -> None:
    page, _ = screen
    await page.select_option("#scan-port", "lan")
    await page.fill("#scan-addresses", "1")
    await page.click("#scan-go")
    await expect(page.locator("#scan-last")).to_have_text("上次搜索：lan，modbus_tcp")
    await page.select_option("#scan-port", "line")
    await page.fill("#scan-addresses", "9-1")
    await page.click("#scan-go")
    refused = "addresses：9-1：应由小到大，最多 1000 个地址"
    await expect(page.locator("#scan-state")).to_have_text(refused)
    await page.wait_for_timeout(1600)  # the page asks for the state each second
    await expect(page.locator("#scan-state")).to_have_text(refused)
    await expect(page.locator("#scan-last")).to_have_text("上次搜索：lan，modbus_tcp")
    await page.select_option("#scan-port", "lan")
    await page.fill("#scan-addresses", "1")
    await page.click("#scan-go")
    await expect(page.locator("#scan-state")).to_have_text("")


async def test_options_and_addresses_belong_to_their_protocol(screen: Any) -> None:
    page, _ = screen
    await page.select_option("#device-slave", "boiler")
    await page.locator("#device-at label", has_text="长度").locator("input").fill("5")
    await page.select_option("#device-slave", "press")
    assert await page.evaluate("addressFields.find((one) => one.name === 'length').input.value") == ""
    assert await page.evaluate("addressFields.every(({ input }) => input.selectedIndex !== -1)")
    await page.select_option("#device-slave", "boiler")
    assert await page.evaluate("addressFields.find((one) => one.name === 'length').input.value") == "5"
    await page.select_option("#scan-port", "lan")
    await page.select_option("#scan-protocol", "s7")
    model = page.locator("#scan-options select").first
    await expect(model).to_be_visible()
    assert await model.input_value() == "1200", "one that nobody configured must be chosen: no blank"
    await page.select_option("#scan-port", "plc")
    await expect(page.locator("#scan-options-hint")).to_have_text("全部留空则与已配置的“press”相同")


async def test_a_write_is_confirmed_with_its_whole_address(screen: Any) -> None:
    page, memory = screen
    await page.select_option("#device-slave", "boiler")
    await page.evaluate("addressFields[0].input.value = '4X'; addressFields[1].input.value = '9'")
    await page.fill("#once-value", "77")
    await page.click("#once-write")
    for word in ("锅炉 Boiler", "modbus_tcp", "4X", "9", "77"):
        await expect(page.locator("#sure-facts").get_by_text(word, exact=True)).to_be_visible()
    await page.click("#sure-cancel")
    await expect(page.locator("#once-state")).to_have_text("未写入")
    assert memory.holding[9] == 0
    await page.click("#once-write")
    await page.click("#sure-go")
    await expect(page.locator("#once-state")).to_contain_text("77 · 原始值 77")
    assert memory.holding[9] == 77


async def test_it_fits_a_phone_and_says_when_the_gateway_is_gone(screen: Any) -> None:
    page, _ = screen
    assert await page.evaluate("document.querySelector('header').offsetHeight") <= 56
    assert await page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    await page.route("**/api/**", lambda route: route.abort())
    await expect(page.locator("#chip")).to_have_text("网关无响应")
    await expect(page.locator("#chip")).to_have_class("chip is-gone")
    await expect(page.locator("#lost")).to_be_visible()
