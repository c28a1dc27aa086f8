"""No password is in a trace, wherever it travels (C-244)."""

from __future__ import annotations

from typing import Any

import pytest

from edge_agent.forwarding.hj212.packet import Packet
from edge_agent.signals import Signal
from edge_agent.system.private_files import SECRET_FILE, write_private
from edge_contract.payloads import encode
from edge_contract.trace import TraceDirection, TraceKind

pytestmark = pytest.mark.clause("C-244")

CLOUD_SECRET = "cloud/secret+8841"
METER_PASSWORD = "271828"


def meter_frame(password: str) -> tuple[bytes, bytes]:
    """A write with a password to a meter (DL/T 645-2007, 14H), and the password's bytes in it."""
    secret = bytes(byte + 0x33 & 0xFF for byte in bytes.fromhex(password)[::-1])
    data = bytes(byte + 0x33 & 0xFF for byte in bytes.fromhex("0105000402"))
    data += secret + bytes(byte + 0x33 & 0xFF for byte in bytes.fromhex("78563412" + "000015"))
    frame = bytes.fromhex("6801000000000068") + b"\x14" + bytes((len(data),)) + data
    return frame + bytes((sum(frame) & 0xFF, 0x16)), secret


def text_of(gateway: Any) -> str:
    """Everything that was sent."""
    return "".join(encode(report).decode() for report in gateway.reports)


def test_a_meters_password_is_not_in_a_frame_nor_in_its_damaged_echo(gateway: Any) -> None:
    gateway.ask()
    request, secret = meter_frame(METER_PASSWORD)
    meters = gateway.ports["meters"]
    meters.seen("request", request)
    meters.seen("answer", request + b"\x00")
    gateway.entries()
    meters.seen("answer", secret)  # a part of it alone, which no earlier frame announces
    gateway.entries()
    sent, echo, part = [entry for report in gateway.reports for entry in report.entries]
    assert (sent.hidden, sent.data, sent.size) == (True, "", len(request))
    assert sent.fields["command"] == "write"
    assert sent.fields["password"] == "***"
    assert (echo.hidden, echo.data, echo.fields) == (True, "", {})
    assert (part.hidden, part.data, part.size) == (True, "", 3)
    assert secret.hex().upper() not in text_of(gateway)
    assert "value_bytes" not in sent.fields, "what is written may be another password"


def test_frames_without_a_password_on_the_same_port_are_seen(gateway: Any) -> None:
    gateway.ask()
    read = bytes.fromhex("6801000000000068110433333433")
    read += bytes((sum(read) & 0xFF, 0x16))
    gateway.ports["meters"].seen("request", read)
    (entry,) = gateway.entries()
    assert (entry.hidden, entry.data) == (False, read.hex().upper())


def test_bytes_of_a_tunnel_or_tool_come_by_their_size(gateway: Any) -> None:
    gateway.ask()
    seen = gateway.ports["line"].seen_locked(is_brief=False)
    seen("request", b"plc password 4711")
    gateway.ports["line"].seen_locked(is_brief=True)("request", b"loop write")
    foreign, own = gateway.entries()
    assert (foreign.hidden, foreign.data, foreign.size, foreign.fields) == (True, "", 17, {})
    assert (own.hidden, own.data) == (False, b"loop write".hex().upper())


def test_what_the_gateway_knows_as_a_secret_is_in_no_text_and_no_frame(gateway: Any) -> None:
    write_private(gateway.folder / SECRET_FILE, CLOUD_SECRET)
    gateway.ask()
    gateway.trace.signal(Signal(TraceKind.LOG, "error", "link"), f"refused: {CLOUD_SECRET}")
    gateway.trace.signal(Signal(TraceKind.LOG, "error", "bus"), f"meter says {METER_PASSWORD}.")
    publication = f'up/gw\n{{"token": "{CLOUD_SECRET}"}}'
    gateway.trace.packet("broker", TraceDirection.SENT, lambda: publication)
    gateway.ports["line"].seen("request", b"AT " + CLOUD_SECRET.encode() + b"\r")
    entries = gateway.entries()
    assert len(entries) == 4
    assert CLOUD_SECRET not in text_of(gateway)
    assert CLOUD_SECRET.encode().hex().upper() not in text_of(gateway)
    assert METER_PASSWORD not in text_of(gateway)


def test_a_packet_of_hj_212_is_written_without_its_passwords() -> None:
    packet = Packet(
        st="31",
        cn="1072",
        qn="20260102030405006",
        pw="654321",
        mn="MN0001",
        flag=5,
        area=((("NewPW", "123457"),), (("a01001-Rtd", "5.1"), ("a01001-Flag", "N"))),
    )
    text = packet.safe_text()
    assert text == (
        "QN=20260102030405006;ST=31;CN=1072;PW=***;MN=MN0001;Flag=5;"
        "CP=&&NewPW=***;a01001-Rtd=5.1,a01001-Flag=N&&"
    )
