"""The tools of the page in a real Chromium: what stays, what is asked before a write, what fits a phone."""

# ruff: noqa: E501 - pieces of script for the page
from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from libmodbus_slave import LibmodbusSlave
from playwright.async_api import async_playwright, expect

from .conftest import BROWSER_PATIENCE_MS, CHROMIUM, LONG_REASON, needs_chromium

PHONE = {"width": 390, "height": 844}

expect.set_options(timeout=BROWSER_PATIENCE_MS)

pytestmark = needs_chromium


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
            made.set_default_timeout(BROWSER_PATIENCE_MS)
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


async def test_a_write_is_confirmed_with_its_full_address(screen: Any) -> None:
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


async def test_a_forwarder_that_is_down_says_why(screen: Any) -> None:
    page, _ = screen
    await page.click("#tab-link")
    card = page.locator("#forwarders")
    await expect(card.locator("h2")).to_have_text(["转发：usb", "转发：third"])
    usb, third = card.locator("dl").nth(0), card.locator("dl").nth(1)
    for text in (
        "文件", "中断", "no such folder", "4.1 kB", "24 秒后", "待送达", "7（其中补传 2）", "已放弃",
        "batch 9：cannot be read（×1，不再发送）", f"2051：{LONG_REASON}（×4，等待重发）",
    ):  # fmt: skip
        await expect(usb.get_by_text(text, exact=True)).to_be_visible()
    await expect(third.get_by_text("已连接，尚无应答", exact=True)).to_be_visible()
    assert await page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    await page.click("#language")
    for text in (
        "Down",
        "in 24 s",
        "Failed attempts",
        "7 (2 of them later)",
        "batch 9: cannot be read (×1, never sent)",
    ):
        await expect(usb.get_by_text(text, exact=True)).to_be_visible()
    await expect(third.get_by_text("Connected, nothing acknowledged yet", exact=True)).to_be_visible()
    assert await page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


async def test_the_password_of_a_target_is_set(screen: Any) -> None:
    page, _ = screen
    await page.click("#tab-link")
    await expect(page.locator("#forwarders").get_by_text("为其他服务器或用户设置，不会使用")).to_be_visible()
    assert await page.locator("#target option").all_inner_texts() == ["third: 密码"]
    await page.fill("#target-password", "new")
    await page.click("#target-form button")
    await expect(page.locator("#target-state")).to_have_text("已保存，下次连接时使用。")
    await expect(page.locator("#target-password")).to_have_value("")


async def test_it_fits_a_phone_and_says_when_the_gateway_is_gone(screen: Any) -> None:
    page, _ = screen
    assert await page.evaluate("document.querySelector('header').offsetHeight") <= 56
    assert await page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    await page.route("**/api/**", lambda route: route.abort())
    await expect(page.locator("#chip")).to_have_text("网关无响应")
    await expect(page.locator("#chip")).to_have_class("chip is-gone")
    await expect(page.locator("#lost")).to_be_visible()


async def test_a_phone_shows_every_tab_and_integers(screen: Any) -> None:
    page, _ = screen
    await page.wait_for_function("status")
    await page.evaluate(  # an answer that is on its way is not drawn over it
        """() => { const told = status.slaves[0]; clearTimeout(timer); refresh = () => {};
                   told.bus = { requests: 7263100, failures: 10631, mean_ms: 12.5, max_ms: 1234.5, faults: [] }; choose('bus'); draw = () => {}; }"""
    )
    cells = page.locator("#ports .slaves").first.get_by_role("cell")
    await expect(cells.nth(4)).to_have_text("10631 / 7263100")
    cut = """() => [...document.querySelectorAll('nav button, .slaves td')].filter((one) => {
      const at = one.getBoundingClientRect();
      return at.left < 0 || at.right > innerWidth || one.scrollWidth > one.clientWidth; }).map((one) => one.textContent)"""
    assert await page.evaluate(cut) == []


async def test_the_share_of_reads_stands_with_its_reason_and_no_share_is_no_hundred(
    screen: Any,
) -> None:
    page, _ = screen
    await page.wait_for_function("status")
    await page.evaluate("choose('bus')")
    cell = page.locator("#ports .slaves td").nth(6)
    await expect(cell).to_contain_text("75.00 %")
    await expect(cell).to_contain_text("10")
    shown = """(reads) => { clearTimeout(timer); refresh = () => {};
        status.collection.slaves = [{ slave: status.slaves[0].slave, missed: {}, ...reads }]; drawBus(); drawLink(); }"""
    await page.evaluate(shown, {"expected": 0, "good": 0})
    await expect(cell).to_have_text("–")
    await page.evaluate(shown, {"expected": 1_000_000, "good": 999_999})
    await expect(cell).to_have_text("99.99 %")
    await page.evaluate(shown, {"expected": 8, "good": 8})
    await expect(cell).to_have_text("100 %")


async def test_without_a_history_the_way_leads_to_where_it_is_set(screen: Any) -> None:
    page, _ = screen
    await page.click("#tab-history")
    await expect(page.locator("#history-none pre")).to_contain_text("storage_cycle_s = 60")
    await expect(page.locator("#history-none p")).to_contain_text("本地存储周期")
    await page.click("#history-configure")
    await expect(page.locator("#draft-text")).to_be_focused()
    chosen = "$('draft-text').value.slice($('draft-text').selectionStart, $('draft-text').selectionEnd)"
    await page.wait_for_function(chosen + " === 'name = \"boiler\"'")


READ = {"direction": "answer", "unit": 1, "function": 3, "name": "read holding registers", "byte_count": 4,
        "data": "00010002", "registers": [1, 2]}  # fmt: skip
METER = {
    "direction": "answer",
    "command": "read",
    "refused": True,
    "unit": "kWh",
    "meaning": "other error, toString",
}
FRAMES = [
    ("zh", READ, "站号 1 · 功能码 3 (读保持寄存器) · 字节数 4 · 寄存器 1 2"),
    ("en", READ, "unit 1 · function 3 (read holding registers) · byte count 4 · registers 1 2"),
    ("zh", METER, "命令 读 · 拒绝 是 · 单位 kWh · 含义 other error, toString"),
]


async def test_a_frame_is_described_in_words_and_its_bytes_not_again(screen: Any) -> None:
    page, _ = screen
    script = "([to, fields]) => { language = to; return frameWords(fields); }"
    assert [await page.evaluate(script, [to, fields]) for to, fields, _ in FRAMES] == [
        row[2] for row in FRAMES
    ]


SAID = [
    ("zh", "3 of 55 points that were good are not: boiler (21: no_answer), pump (2)",
     "原本正常的 55 个数据点中有 3 个未恢复：boiler (21 点: 从机无应答), pump (2 点)"),
    ("en", "3 of 55 points that were good are not: boiler (21: no_answer), pump (2)",
     "3 of 55 points that were good are not: boiler (21 points: the slave does not respond), pump (2 points)"),
    ("zh", "silent: boiler (port_lent) and 3 more slaves",
     "无应答的从机：boiler (端口被调试工具或远程访问占用) 等，另有 3 台从机"),
    ("zh", "must be a whole number or nothing, not a text", "类型应为整数或空，而不是文本"),
    ("zh", "must not have 'nmae': there is no such field", "没有名为 nmae 的字段"),
    ("zh", "3 to 40 letters, digits, '-' or '_', starting with a letter or digit",
     "3 到 40 个字母、数字、- 或 _，以字母或数字开头"),
    ("zh", "must be an address or a network such as 192.168.1.0/24, written with its first address",
     "须为 IP 地址或网段，例如 192.168.1.0/24"),
    ("zh", "must have 'name'", "缺少必填项 name"),
    ("zh", "must be one of N, E, not 'X'", "必须是以下之一：N, E，而不是 'X'"),
    ("zh", "must have at most 200 characters", "长度不得超过 200"),
]  # fmt: skip
"""Language, what the gateway says, what the page says."""


async def test_what_the_gateway_says_is_said_in_words(screen: Any) -> None:
    page, _ = screen
    shown = [
        (
            language,
            said,
            await page.evaluate("([to, said]) => { language = to; return inWords(said); }", [language, said]),
        )
        for language, said, _ in SAID
    ]
    assert shown == SAID


async def test_the_usual_point_is_a_measured_number_and_titles_do_not_repeat_the_slave(screen: Any) -> None:
    page, _ = screen
    usual = """() => {
      slaves = [{ name: 'a' }, { name: 'b' }];
      const point = (slave, name, kind, rw) => ({ slave, name, kind, rw, title: name, slaveTitle: slave + '!' });
      points = [point('b', 'x', 'num', 'readonly'), point('a', 'run', 'swh', 'readonly'), point('a', 'sp', 'num', 'readwrite'), point('a', 't', 'num', 'readonly')];
      storedPoints = ['b.x', 'a.run', 'a.sp', 'a.t'].map((name) => ({ slave: name[0], point: name.slice(2) }));
      const one = storedPoints[3];
      return [usualPoint(), titleOf(one), titleOf(one, [one])];
    }"""
    assert await page.evaluate(usual) == ["a.t", "a! · t", "t"]


async def test_on_and_off_are_steps_over_their_own_range(screen: Any) -> None:
    page, _ = screen
    drawn = """async () => {
      const values = [[0, true, 0], [60000, false, 0], [3000000, true, 0]], numbers = values.map(([ms]) => [ms, ms / 1000, 0]);
      const series = [{ title: 'run', point: { kind: 'swh' }, values, reduced: false }, { title: 't', point: { kind: 'num', unit: 'K' }, values: numbers, reduced: false }];
      document.querySelector('#history').hidden = false; $('history-body').hidden = false;
      await drawChart(series, 0, 3600000, () => {});
      const scale = plot.series[1].scale;
      return [plot.scales[scale].min, plot.scales[scale].max, plot.series[3].scale !== scale,
              plot.axes[1].values(), plot.data[1].filter((one) => one !== undefined)];
    }"""
    low, high, own, words, data = await page.evaluate(drawn)
    assert (low, high, own, words) == (-0.2, 1.2, True, ["关", "开"])
    assert data == [1, 0, 1], "no gap between two changes"


async def test_the_draft_shows_every_setting_and_a_version_that_did_not_hold(screen: Any) -> None:
    page, _ = screen
    await page.evaluate("choose('config')")
    await expect(page.locator("#draft-text")).not_to_have_value("")
    await page.evaluate("$('draft-text').value = $('draft-text').value.replace('offset = 2', 'offset = 4')")
    await page.click("#draft-check")
    row = page.locator("#draft-change .differences tbody tr").nth(1)
    await expect(row).to_contain_text("offset")
    await expect(row.locator("td")).to_have_text(["address.offset", "2", "4"])
    await page.evaluate(
        """() => { clearTimeout(situationTimer); drawSituation = () => {};
                   situation.versions[0].record = { origin: 'file', failed: 'slaves', detail: 'silent: boiler (no_answer)' };
                   $('versions').dataset.of = ''; drawVersions(); }"""
    )
    await expect(page.locator(".version .is-bad")).to_have_text("已回退")
    await expect(page.locator(".version .note")).to_have_text(
        "有从机无应答: 无应答的从机：boiler (从机无应答)"
    )


@pytest.mark.parametrize(
    ("language", "typed", "said"),
    [
        ("en", "9", "Must be at most 1.6"),
        ("zh", "9", "不能大于 1.6"),
        ("en", "0,1", "Must be at least 0.4"),
        ("zh", "0.1", "不能小于 0.4"),
        (
            "en",
            "1.1.1",
            "Not a valid number: only a minus sign, digits and one decimal point (or comma) are allowed",
        ),
        ("zh", "x", "不是有效的数：只能有负号、数字和一个小数点（也可用逗号）"),
        ("en", "", "Enter a new value"),
        ("en", "1,1", "Write 1.1 bar to the device?"),
    ],
)
async def test_a_value_that_is_not_written_says_why(
    screen: Any, language: str, typed: str, said: str
) -> None:
    page, _ = screen
    await page.evaluate(
        """(to) => { language = to;
             openWrite({ id: 99, slave: 'a', name: 'sp', title: 'sp', kind: 'num', unit: 'bar', min: 0.4, max: 1.6 }); }""",
        language,
    )
    await page.fill("#write-input input", typed)
    await page.click("#write-go")
    await expect(page.locator("#write-state")).to_have_text(said)


async def test_what_is_counted_since_the_start_says_since_when(screen: Any) -> None:
    page, _ = screen
    await page.wait_for_function("status")
    begun = """([to, days]) => { clearTimeout(timer); refresh = () => {}; language = to; serverMs = new Date(2026, 10, 27, 12, 0, 0).getTime();
        status.collection.since_ms = new Date(2026, 10, 27 - days, 4, 4, 18).getTime(); choose('bus'); drawBus(); drawLink(); }"""
    for language, since in (("en", " (since 04:04:18)"), ("zh", "（自 04:04:18 起）")):
        await page.evaluate(begun, [language, 0])
        for name in ("requests", "failures", "missed"):
            wanted = await page.evaluate("(name) => t(name)", name) + since
            await expect(page.locator("#ports dt").get_by_text(wanted, exact=True).first).to_be_attached()
        completeness = await page.evaluate("t('collected')") + since
        await expect(page.locator("#ports .slaves th").nth(6)).to_have_text(completeness)
        await expect(page.locator("#outbox dt").first).to_have_text(completeness)
    await page.evaluate(begun, ["zh", 1])
    await expect(page.locator("#outbox dt").first).to_have_text("采集完整率（自 2026/11/26 04:04:18 起）")
