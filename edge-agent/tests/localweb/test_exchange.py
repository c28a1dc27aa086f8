"""Rules of data exchange that run at the gateway, on its own page."""

from __future__ import annotations

from typing import Any

from playwright.async_api import async_playwright, expect

from .conftest import BROWSER_PATIENCE_MS, CHROMIUM, NOW, needs_chromium


async def test_what_runs_with_its_newest_value_or_problem(page: Any) -> None:
    assert (await page.client.get("/api/exchange")).status == 401
    assert await page.sign_in() == 200
    done, lost = (await (await page.client.get("/api/exchange")).json())["rules"]
    assert done == {
        "title": "设定值 Setpoint", "source": "meter.p", "target": "pump.speed", "t_ms": NOW - 2000,
        "value": 7.5, "outcome": "done", "code": "", "problem": "",
    }  # fmt: skip
    assert (lost["t_ms"], lost["outcome"], lost["problem"]) == (None, None, "no_such_point")


@needs_chromium
async def test_the_page_shows_them(page: Any) -> None:
    problems: list[str] = []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        made = await browser.new_page(locale="zh-CN")
        made.set_default_timeout(BROWSER_PATIENCE_MS)
        made.on("pageerror", lambda error: problems.append(str(error)))
        await made.goto(str(page.client.make_url("/")))
        await made.fill("#password", page.password)
        await made.click("#login .primary")
        await made.click("#tab-alarms")
        rows = made.locator("#exchange-rules tbody tr")
        await expect(rows.first).to_contain_text("pump.speed", timeout=BROWSER_PATIENCE_MS)
        await expect(rows.first).to_contain_text("7.5", timeout=BROWSER_PATIENCE_MS)
        await expect(rows.last).to_contain_text("数据点", timeout=BROWSER_PATIENCE_MS)
        await browser.close()
    assert problems == []
