"""Simulated modem on a pseudo terminal, asked by the agent."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_agent.config.model import Cellular
from edge_agent.errors import NoAnswer, PortDown
from edge_agent.system import cellular
from edge_agent.system.cellular import AtModem
from firmware_sim.devices.modem import at_modem


@pytest.fixture
def link(tmp_path: Path) -> Path:
    return tmp_path / "modem"


@pytest.fixture
async def served(link: Path) -> AsyncIterator[at_modem.AtModem]:
    modem = at_modem.AtModem(link, 17)
    modem.open()
    yield modem
    modem.close()


def test_command_by_byte_and_whole() -> None:
    words = b"AT\rAT+CSQ\rATE0\rAT+CSQ\rAT+NONE\r"
    whole = at_modem.AtCommands(lambda: 9, at_modem.ModemIdentity())
    single = at_modem.AtCommands(lambda: 9, at_modem.ModemIdentity())
    answer = whole.take(words)
    assert answer == b"".join(single.take(bytes([byte])) for byte in words)
    assert answer.startswith(b"AT\r\r\nOK\r\nAT+CSQ\r\r\n+CSQ: 9,99\r\n\r\nOK\r\n")
    assert answer.endswith(b"\r\n+CSQ: 9,99\r\n\r\nOK\r\n\r\nERROR\r\n")


@given(st.binary(max_size=600))
def test_nothing_that_is_sent_breaks_it(data: bytes) -> None:
    modem = at_modem.AtCommands(lambda: 9, at_modem.ModemIdentity())
    modem.take(data)
    assert b"+CSQ: 9" in modem.take(b"\rAT+CSQ\r")


async def test_the_agent_asks_again_and_again(link: Path, served: at_modem.AtModem) -> None:
    asker = AtModem(Cellular(device=str(link)))
    assert await asker.signal() == 17
    served.csq = 99
    assert await asker.signal() == 99


async def test_the_agent_reads_modem_and_card(link: Path, served: at_modem.AtModem) -> None:
    asker = AtModem(Cellular(device=str(link)))
    without = await asker.state(5)
    assert (without.imei, without.iccid, without.signal, without.read_ms) == ("490154203237518", "", 17, 5)
    for iccid in ("8986001234567890123", "89860012345678901234"):
        served.identity.iccid = iccid
        assert (await asker.state(6)).iccid == iccid


async def test_a_modem_that_keeps_silent(
    link: Path, served: at_modem.AtModem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cellular, "ANSWER_S", 0.1)
    monkeypatch.setattr(at_modem.AtCommands, "take", lambda self, data: b"")
    with pytest.raises(NoAnswer, match="does not answer"):
        await AtModem(Cellular(device=str(link))).signal()


async def test_no_modem(link: Path) -> None:
    with pytest.raises(PortDown):
        await AtModem(Cellular(device=str(link))).signal()


def test_as_a_program(link: Path) -> None:
    words = [sys.executable, "-m", "firmware_sim", "modem", "--link", str(link), "--csq", "23"]
    words += ["--iccid", "89860012345678901234"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline()) == {"ready": True, "link": str(link)}
        asker = AtModem(Cellular(device=str(link)))
        assert asyncio.run(asker.signal()) == 23
        assert asyncio.run(asker.state(1)).iccid == "89860012345678901234"
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
        assert not link.is_symlink()
    finally:
        process.kill()
        process.wait()
