"""Alarms of the rules at the gateway, on its own page."""

from __future__ import annotations

from typing import Any

from playwright.async_api import async_playwright, expect

from .conftest import BROWSER_PATIENCE_MS, CHROMIUM, NOW, needs_chromium


async def test_what_stands_and_what_has_happened(page: Any) -> None:
    assert (await page.client.get("/api/alarms")).status == 401
    assert await page.sign_in() == 200
    shown = await (await page.client.get("/api/alarms")).json()
    assert shown["open"] == [{"title": "过热 Too hot", "raised_ms": NOW - 9000, "value": 91.5}]
    assert [(one["kind"], one["title"], one["value"], one["code"]) for one in shown["events"]] == [
        ("linkage", "过热 Too hot", None, "mismatch"), ("raised", "过热 Too hot", 91.5, ""),
    ]  # fmt: skip


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
        await expect(made.locator("#alarms-open tbody")).to_contain_text(
            "过热 Too hot", timeout=BROWSER_PATIENCE_MS
        )
        await expect(made.locator("#alarms-events tbody tr").first).to_contain_text(
            "回读值与写入值不一致", timeout=BROWSER_PATIENCE_MS
        )
        await browser.close()
    assert problems == []
