"""Timed tasks that run at the gateway, on its own page."""

from __future__ import annotations

from typing import Any

from playwright.async_api import async_playwright, expect

from .conftest import BROWSER_PATIENCE_MS, CHROMIUM, NOW, needs_chromium


async def test_tasks_with_their_next_run_and_newest_result(page: Any) -> None:
    assert (await page.client.get("/api/tasks")).status == 401
    assert await page.sign_in() == 200
    done, missed, lost = (await (await page.client.get("/api/tasks")).json())["tasks"]
    assert done == {
        "title": "白班 Day shift", "next_ms": NOW + 60_000, "t_ms": NOW - 2000, "status": "done", "code": "",
        "missed": 0, "problem": "",
    }  # fmt: skip
    assert (missed["status"], missed["code"], missed["missed"]) == ("failed", "missed", 2)
    assert (lost["status"], lost["t_ms"], lost["problem"]) == (None, None, "no_such_point")


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
        rows = made.locator("#tasks-list tbody tr")
        await expect(rows.first).to_contain_text("白班", timeout=BROWSER_PATIENCE_MS)
        await expect(rows.first).to_contain_text("已写入", timeout=BROWSER_PATIENCE_MS)
        await expect(rows.last).to_contain_text("数据点", timeout=BROWSER_PATIENCE_MS)
        await browser.close()
    assert problems == []
