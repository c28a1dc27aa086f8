"""Password and key of a station that were set on the gateway, and what is said while they are missing."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from edge_agent.config.model import Configuration, ForwarderEntry
from edge_agent.forwarding.base import Condition
from edge_agent.forwarding.passwords import keep

from ..ports import free_port
from .hj212_platform import Platform
from .hj212_station import (
    BEGIN_MS,
    NAME,
    OPTIONS,
    Station,
    SteppedClock,
    opened,
    pass_time,
    running,
    steps,
    until,
)

pytestmark = pytest.mark.timeout(240)


def set_secret(folder: Path, secret: str, text: str, port: int, **more: Any) -> None:
    options = {**OPTIONS, "pw": "", "port": port, **more}
    entry = ForwarderEntry(name=NAME, kind="hj212", options=options)
    keep(folder, cast("Configuration", SimpleNamespace(forwarders=[entry])), NAME, text, secret)


async def test_a_password_of_the_gateway_is_sent_and_what_is_missing_is_said(
    tmp_path: Path, platform: Platform
) -> None:
    async with opened(tmp_path / "store") as store:
        station = Station(store, SteppedClock(BEGIN_MS), platform.port, folder=tmp_path, pw="")
        set_secret(tmp_path, "pw", "other", platform.port, mn="B2")
        platform.refusal = 3
        async with running(station):
            await until(lambda: platform.is_connected)
            await steps(station)
            said = "PW is wrong (QnRtn=3); the pw was set for another server, port or MN"
            await pass_time(station, lambda: said in station.forwarder.condition()[2])
            (reject,) = station.forwarder.deliveries().rejects[-1:]
            assert reject.record.startswith("CN=") and said in reject.reason
            set_secret(tmp_path, "pw", "abc123", platform.port)
            await pass_time(station, lambda: platform.arrived[-1].header["PW"] == "abc123")
            platform.refusal = None
            await pass_time(station, lambda: station.forwarder.deliveries().delivered)
            assert station.forwarder.condition()[0] is Condition.UP


async def test_nothing_is_sent_without_its_key(tmp_path: Path) -> None:
    key, port = "0123456789abcdef", free_port()
    options = {"version": "2025", "cipher": "raw", "cipher_secret": ""}
    came: list[bytes] = []

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        came.append(await reader.readuntil(b"&&"))
        writer.close()

    async with await asyncio.start_server(take, "127.0.0.1", port), opened(tmp_path / "store") as store:
        station = Station(store, SteppedClock(BEGIN_MS), port, folder=tmp_path, **options)
        async with running(station):
            await steps(station)
            await until(lambda: "no cipher_secret is set for this target" in station.forwarder.condition()[2])
            assert not came
            set_secret(tmp_path, "cipher_secret", key, port, **{**options, "pw": "123456"})
            await pass_time(station, lambda: came)
    assert b"PW=123456" in came[0]
