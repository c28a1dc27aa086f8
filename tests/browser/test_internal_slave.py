"""The gateway becomes a slave of another master and sends messages in an interval, from the portal alone."""

from __future__ import annotations

import socket
import struct

import pytest
from playwright.sync_api import Page, expect
from stack import Stack
from stack.ports import free_run

from .steps import DEPLOY_TIMEOUT_MS, deploy_draft, go, picture, settle, sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(420)]

DETAIL = "/deviceDetail/index?device_id=1&tab="
SLAVE, TASKS = f"{DETAIL}internalSlave", f"{DETAIL}loopWrites"
SLAVE_ID = 7
POINT, OTHER = "boiler.pressure_setpoint", "boiler.level_setpoint"
COIL = 1
"""alarm_reset of the boiler; writing 0 to it does nothing."""
FRAME = "01 05 00 01 00 00"
REPORT_TIMEOUT_MS = 120_000
"""A pulse each 30 s, and what a busy machine adds."""
ANSWER_TIMEOUT_S = 30.0
READ, WRITE = 3, 16


def ask(port: int, pdu: bytes) -> bytes:
    """The PDU of the internal slave's answer (MODBUS Messaging on TCP/IP V1.0b, 3.1.3)."""
    with socket.create_connection(("127.0.0.1", port), timeout=ANSWER_TIMEOUT_S) as master:
        master.sendall(struct.pack(">HHHB", 1, 0, len(pdu) + 1, SLAVE_ID) + pdu)
        stream = master.makefile("rb")
        _, _, length, _ = struct.unpack(">HHHB", stream.read(7))
        return stream.read(length - 1)


def save(page: Page) -> None:
    page.get_by_test_id("form-save").click()
    expect(page.get_by_test_id("form-drawer")).to_have_count(0, timeout=DEPLOY_TIMEOUT_MS)


def map_points(page: Page, port: int) -> None:
    """The slave, two points, and an overlap on the way."""
    page.get_by_test_id("slave-set-up").click()
    page.get_by_test_id("field-id").fill(str(SLAVE_ID))
    page.get_by_test_id("field-port").fill(str(port))
    save(page)
    page.get_by_test_id("points-add").click()
    for point in (POINT, OTHER):
        page.get_by_test_id("field-points").click()
        page.keyboard.type(point)
        page.get_by_role("option", name=point).click()
    page.keyboard.press("Escape")
    page.get_by_test_id("field-writable").check(force=True)
    save(page)
    page.get_by_test_id("cell-0").focus()
    page.keyboard.press("Enter")
    page.get_by_test_id("field-offset").fill("1")
    expect(page.get_by_test_id("overlap-note")).to_contain_text(OTHER)
    save(page)
    expect(page.get_by_test_id("section-refused")).to_contain_text("Shares addresses with")
    expect(page.get_by_test_id("map-overlaps")).to_be_visible()
    page.get_by_test_id("cell-1").click()
    page.get_by_test_id("field-offset").fill("0")
    save(page)
    expect(page.get_by_test_id("map-overlaps")).to_have_count(0)


def test_a_master_reads_and_writes_what_was_mapped_and_a_task_sends_its_message(
    page: Page, stack: Stack, tidy: None
) -> None:
    port = free_run()
    sign_in(page, stack, "en", SLAVE)
    map_points(page, port)
    assert violations(page) == []
    picture(page, "internal-slave", "en")
    deploy_draft(page, SLAVE)

    figures = page.get_by_test_id("slave-figures")
    expect(figures).to_contain_text(f"127.0.0.1:{port}", timeout=REPORT_TIMEOUT_MS)
    read = stack.wait(
        lambda: answer if (answer := ask(port, struct.pack(">BHH", READ, 0, 2)))[0] == READ else None,
        "the set point is read",
        stack.agent,
    )
    held = read[2:]
    assert ask(port, struct.pack(">BHHB", WRITE, 0, 2, 4) + held)[0] == WRITE
    assert ask(port, struct.pack(">BHH", READ, 900, 1)) == bytes((READ | 0x80, 2))
    expect(figures.get_by_text("not all of it is mapped")).to_be_visible(timeout=REPORT_TIMEOUT_MS)
    written = stack.api.get("/device/1/fieldbus")["internal_slave"]
    assert (written["values_written"], written["id"]) == (1, SLAVE_ID)

    go(page, TASKS)
    page.get_by_test_id("task-add").click()
    page.get_by_test_id("field-name").fill("watchdog")
    page.get_by_test_id("field-interval_s").fill("1")
    page.get_by_test_id("field-reg_type").click()
    page.get_by_role("option", name="0X coils").click()
    page.get_by_test_id("field-offset").fill(str(COIL))
    page.get_by_test_id("field-value").fill("0")
    expect(page.get_by_test_id("preview")).to_contain_text(FRAME)
    settle(page)
    picture(page, "loop-write", "en")
    save(page)
    assert violations(page) == []
    deploy_draft(page, TASKS)
    row = page.get_by_test_id("loop-writes-row").filter(has_text="watchdog")
    expect(row).to_contain_text("Carried out", timeout=REPORT_TIMEOUT_MS)
    expect(row).to_contain_text(FRAME)
