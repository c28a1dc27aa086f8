"""An import through the portal: file, columns, preview, what is wrong, and the secrets of new gateways."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from openpyxl import load_workbook
from playwright.sync_api import Page, ViewportSize, expect
from stack import Stack

from cloud.core.xlsx import Cell, Column, Sheet, write_workbook

from .conftest import OUTPUT
from .steps import settle, sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

GATEWAY = "gw-imported"
JOB_MS = 60_000
PHONE = ViewportSize(width=390, height=844)


def workbook() -> bytes:
    """A gateway with two points, one of them wrong."""
    point = ["SN", "slave", "dsName", "regtype", "addroffset", "倍率"]
    sheets: dict[str, tuple[list[str], list[list[Cell]]]] = {
        "设备": (["序列号", "设备名称"], [[GATEWAY, "导入的网关"]]),
        "端口": (["SN", "name", "type", "ip"], [[GATEWAY, "lan", "NET", "127.0.0.1"]]),
        "从机": (["SN", "name", "port", "protocol", "address"], [[GATEWAY, "plc", "lan", "modbus_tcp", 1]]),
        "数据点": (point, [[GATEWAY, "plc", "good", "4X", 1, 0.1], [GATEWAY, "plc", "bad", "4X", 2, "many"]]),
    }
    file = io.BytesIO()
    write_workbook(file, [Sheet(n, [Column(h) for h in heads], rows) for n, (heads, rows) in sheets.items()])
    return file.getvalue()


def test_a_gateway_with_its_points_is_imported(page: Page, stack: Stack, tmp_path: Path) -> None:
    sign_in(page, stack, "zh", "/device/deviceManage")
    page.get_by_test_id("import-open").click()
    choose = page.locator("[data-testid=import-dialog] input[type=file]")
    choose.set_input_files({"name": "notes.txt", "mimeType": "text/plain", "buffer": b"x"})
    expect(page.get_by_test_id("import-fault")).to_contain_text(".xls")
    sheet = {"name": "gateways.xlsx", "mimeType": "application/octet-stream", "buffer": workbook()}
    choose.set_input_files(sheet)  # type: ignore[arg-type]
    expect(page.get_by_test_id("import-sheet")).to_have_count(4)
    page.reload()  # the address has the import
    expect(page.get_by_test_id("import-sheet")).to_have_count(4)
    assert violations(page) == []
    page.screenshot(path=OUTPUT / "import-columns.png")
    page.get_by_test_id("import-preview").click()
    expect(page.get_by_test_id("import-kind-added").locator("b")).to_have_text("4")
    expect(page.get_by_test_id("import-kind-wrong")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_test_id("import-row")).to_have_count(1)
    expect(page.get_by_test_id("import-row")).to_contain_text("应为数值")
    expect(page.get_by_test_id("import-apply")).to_be_disabled()
    assert violations(page) == []
    page.screenshot(path=OUTPUT / "import-preview.png")
    with page.expect_download() as loaded:
        page.get_by_test_id("import-errors").click()
    loaded.value.save_as(tmp_path / "errors.xlsx")
    rows = [[cell.value for cell in row] for row in load_workbook(tmp_path / "errors.xlsx")["数据点"].rows]
    assert rows[1][:4] == ["倍率: 应为数值", 3, GATEWAY, "plc"]
    page.get_by_test_id("import-skip").check()
    page.set_viewport_size(PHONE)
    settle(page)
    page.screenshot(path=OUTPUT / "import-preview-phone.png")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.get_by_test_id("import-apply").click()
    result = page.get_by_test_id("import-result")
    expect(result).to_have_attribute("data-state", "completed", timeout=JOB_MS)
    page.set_viewport_size({"width": 1366, "height": 820})
    with page.expect_download() as loaded:
        page.get_by_test_id("job-download").click()
    loaded.value.save_as(tmp_path / "secrets.xlsx")
    (_, row) = load_workbook(tmp_path / "secrets.xlsx").active.rows  # type: ignore[union-attr]
    assert row[0].value == GATEWAY and len(str(row[2].value)) > 30
    page.screenshot(path=OUTPUT / "import-result.png")
    page.get_by_test_id("import-close").click()
    shown = page.get_by_test_id("devices-row").filter(has_text=GATEWAY)
    expect(shown).to_be_visible()
    (device,) = stack.api.get(f"/device?search={GATEWAY}")["rows"]
    stack.api.call("DELETE", f"/device/{device['id']}")
