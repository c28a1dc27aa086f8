"""What tunnels end in: a serial line on a pseudo terminal, a TCP device, the page's listener with TLS."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pty
import re
import ssl
import subprocess
import tty
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from edge_agent.config.model import LocalPage, Port
from edge_agent.errors import PortDown
from edge_agent.remote import tunnel_ends
from edge_agent.remote.tunnel_ends import PageDoor, SerialEnd, TcpEnd, with_line
from edge_agent.transports import serial as serial_module
from edge_contract.tunnel import Line

OVERRUN_S = 20.0


@contextlib.asynccontextmanager
async def tty_pair() -> AsyncIterator[tuple[int, str]]:
    device, master = pty.openpty()
    for end in (device, master):
        tty.setraw(end)
    yield device, os.ttyname(master)
    os.close(device)
    os.close(master)


async def test_a_serial_line_is_used_as_it_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings as the serial library gets them; a pseudo terminal itself has none."""
    seen: list[tuple[str, Any]] = []

    class Recording(serial_module.Serial):  # type: ignore[misc]
        def _reconfigure_port(self, force_update: bool = False) -> None:
            seen.append(("7E1" if self._bytesize == 7 and self._parity == "E" else "8N1", self._baudrate))

    monkeypatch.setattr(serial_module, "Serial", Recording)
    monkeypatch.setattr(serial_module, "framing", lambda port: (port.data_bits, port.parity))
    async with tty_pair() as (device, name):
        traced: list[tuple[str, bytes]] = []
        port = Port(name="com1", type="COM", device=name)
        end = SerialEnd(port, lambda direction, data: traced.append((direction, data)))
        await end.open()
        assert end.line == Line()
        await end.write(b"8N1")
        await end.set_line(Line(baud=19200, parity="E", data_bits=7))
        assert seen[-1] == ("7E1", 19200)
        assert end.line == Line(baud=19200, parity="E", data_bits=7)
        assert os.read(device, 99) == b"8N1"
        os.write(device, b"\xffanswer")
        assert await end.read() == b"\xffanswer"
        assert traced == [("request", b"8N1"), ("answer", b"\xffanswer")]
        await end.close()
        with pytest.raises(PortDown, match="not open"):
            await end.set_line(Line())
    assert with_line(port, Line(parity="O")).parity == "O"
    assert with_line(Port(name="n", type="NET", host="h"), Line(parity="O")).parity == "N"


@pytest.mark.clause("C-100")
async def test_bytes_that_came_too_fast_end_the_tunnel() -> None:
    async with tty_pair() as (device, name):
        end = SerialEnd(Port(name="com1", type="COM", device=name), lambda direction, data: None)
        await end.open()
        async with asyncio.timeout(OVERRUN_S):
            while not end._transport.dropped_bytes:
                await asyncio.to_thread(os.write, device, bytes(1024))  # waits while the line is full
        with pytest.raises(tunnel_ends.Overrun, match="faster than the tunnel carries"):
            await end.read()
        await end.close()


async def test_a_connection_is_paced_and_its_end_is_reported() -> None:
    got: asyncio.Queue[bytes] = asyncio.Queue()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        got.put_nowait(await reader.read(99))
        writer.write(b"reply")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    end = TcpEnd("127.0.0.1", server.sockets[0].getsockname()[1])
    await end.open()
    assert end.line is None
    await end.set_line(Line(baud=300))
    assert end.line == Line(baud=300), "any settings will do where there are none"
    await end.write(b"hello")
    assert await got.get() == b"hello"
    assert await end.read() == b"reply"
    assert await end.read() == b""
    await end.close()
    server.close()
    with pytest.raises(PortDown, match="Connect call failed"):
        await end.open()


def self_signed(folder: Path, name: str) -> None:
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=gw"]
    words += ["-keyout", f"{name}.key", "-out", f"{name}.crt"]
    subprocess.run(words, cwd=folder, check=True, capture_output=True)


async def test_the_door_to_the_page_trusts_its_certificate_only(tmp_path: Path) -> None:
    for name in ("page", "other"):
        self_signed(tmp_path, name)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"page")
        writer.close()

    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(tmp_path / "page.crt", tmp_path / "page.key")
    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    port = server.sockets[0].getsockname()[1]
    page = LocalPage(host="0.0.0.0", port=port, cert_file=str(tmp_path / "page.crt"))
    right = PageDoor(page).end()
    await right.open()
    assert await right.read() == b"page"
    await right.close()
    wrong = PageDoor(LocalPage(port=port, cert_file=str(tmp_path / "other.crt"))).end()
    with pytest.raises(PortDown, match=re.escape(f"127.0.0.1:{port}")):
        await wrong.open()
    with pytest.raises(PortDown, match="cert_file"):
        PageDoor(LocalPage(cert_file=str(tmp_path / "none.crt"))).end()
    server.close()
