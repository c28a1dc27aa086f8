"""An alarm of the plant becomes a mail: a real SMTP server, the cloud killed before it is sent, the mail
server gone when the end is to be told.
"""

from __future__ import annotations

import email
import socket
from collections.abc import Iterator
from email.message import EmailMessage
from email.policy import default
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import Envelope
from evidence import device_of, sources
from stack import GATEWAY, Ports, Stack

pytestmark = [pytest.mark.system, pytest.mark.timeout(400)]

LOW, HIGH, LIMIT = 0.8, 1.5, 1.4
PATIENCE_S = 60.0
MAIL_S = 120.0
"""A message waits at most a minute for the one before, and half a minute after an attempt that failed."""

PORTAL = "https://portal.example.com"
TITLE = "Boiler pressure too high"


class MailServer:
    """On one port, however often it is stopped; mails that it has acknowledged."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.mails: list[EmailMessage] = []
        self.start()

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Envelope) -> str:
        assert envelope.content is not None
        content = envelope.content
        raw = content if isinstance(content, bytes) else content.encode()
        self.mails.append(email.message_from_bytes(raw, policy=default))
        return "250 queued"

    def start(self) -> None:
        self._controller = Controller(self, "127.0.0.1", self.port)
        self._controller.start()

    def stop(self) -> None:
        """Nothing when it is stopped."""
        if self._controller.server is not None:
            self._controller.stop()


@pytest.fixture
def server() -> Iterator[MailServer]:
    made = MailServer()
    yield made
    made.stop()


@pytest.fixture
def stack(tmp_path_factory: pytest.TempPathFactory, server: MailServer) -> Iterator[Stack]:
    mail = {
        "EDGE_SMTP_HOST": "127.0.0.1",
        "EDGE_SMTP_PORT": str(server.port),
        "EDGE_SMTP_SECURITY": "none",
        "EDGE_SMTP_FROM": "alarm@example.com",
        "EDGE_PUBLIC_URL": PORTAL,
    }
    made = Stack(tmp_path_factory.mktemp("stack"), Ports.free(), commit_interval_s=0.2, cloud_env=mail)
    with made.running():
        yield made


def deliveries(stack: Stack) -> list[dict[str, Any]]:
    """The newest first."""
    rows: list[dict[str, Any]] = stack.api.get("/notification?page=1&limit=20")["rows"]
    return rows


def is_written(stack: Stack, point: int, value: float) -> bool:
    """Not while the gateway comes back to a cloud that was killed."""
    command = stack.api.call("POST", "/device/cmd", {"dsid": point, "value": value})["id"]

    def finished() -> dict[str, Any] | None:
        row: dict[str, Any] = stack.api.get(f"/device/cmdStatus?id={command}")
        return row if row["finished_ms"] else None

    return bool(stack.wait(finished, "a write ends", stack.cloud, timeout_s=PATIENCE_S)["status"] == "resp")


def test_an_alarm_and_its_end_are_mailed_once_whatever_is_killed(stack: Stack, server: MailServer) -> None:
    point = sources(stack, GATEWAY)["boiler.pressure_setpoint"]
    contact = stack.api.call("POST", "/contact", {"name": "Li", "email": "li@example.com", "language": "en"})
    shift = {"title": "Shift", "channels": ["email"], "contact_ids": [contact["id"]]}
    stack.api.call("POST", "/contact-group", shift)
    condition = {"type": 1, "dsid": point, "trigger_optype": 1, "trigger_threshold": LIMIT}
    rule = {"title": TITLE, "conditions": [condition]}
    stack.api.call("POST", "/trigger", {"title": "pressure", "rules": [rule]})

    assert is_written(stack, point, HIGH)
    stack.wait(lambda: deliveries(stack), "a message waits", stack.cloud, timeout_s=PATIENCE_S)
    stack.cloud.kill()
    stack.start_cloud()
    stack.wait(lambda: server.mails, "the alarm is mailed", stack.cloud, timeout_s=MAIL_S)
    server.stop()
    stack.wait(lambda: is_written(stack, point, LOW), "the value is low again", timeout_s=PATIENCE_S)
    stack.wait(
        lambda: deliveries(stack)[0]["reason"] == "unreachable",
        "the mail server is missed", stack.cloud, timeout_s=MAIL_S,
    )  # fmt: skip
    server.start()
    stack.wait(lambda: len(server.mails) > 1, "the end is mailed", stack.cloud, timeout_s=MAIL_S)

    raised, over = server.mails
    device = device_of(stack, GATEWAY)["device_title"]
    assert (raised["subject"], over["subject"]) == (
        f"[Alarm] {TITLE} - {device}", f"[Recovered] {TITLE} - {device}",
    )  # fmt: skip
    assert raised["to"] == over["to"] == "li@example.com"
    body = raised.get_body(("plain",))
    assert body is not None
    text = body.get_content()
    assert str(HIGH) in text and PORTAL in text
    assert [row["state"] for row in deliveries(stack)] == ["sent", "sent"]
