"""A whole link on a real broker, and a gateway that keeps its side of the contract."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from edge_contract.limits import WINDOW
from edge_contract.topics import Message, gateway_filter, topic

from .conftest import Device, batch


@dataclass
class Settings:
    """The attributes that Link reads."""

    broker: str
    broker_host: str = "127.0.0.1"
    broker_port: int = 0
    broker_url: str | None = None
    broker_username: str | None = None
    broker_password_file: Path | None = None
    broker_ca_file: Path | None = None
    dynsec_username: str | None = None
    dynsec_password_file: Path | None = None


@dataclass
class Gateway:
    """Sends batches in a window and again until they are acknowledged, over any number of connections."""

    name: str
    secret: str
    port: int
    resend_s: float = 0.5
    acknowledged: set[int] = field(default_factory=set)
    connections: int = 0

    async def deliver(self, seqs: Iterable[int], timeout_s: float = 25.0) -> None:
        """Return when all are acknowledged."""
        wanted = set(seqs)
        deadline = time.monotonic() + timeout_s
        while not wanted <= self.acknowledged:
            assert time.monotonic() < deadline, f"not acknowledged: {sorted(wanted - self.acknowledged)[:10]}"
            device = Device(self.port, self.name, self.secret)
            with contextlib.suppress(OSError):
                if await device.connect():
                    self.connections += 1
                    await self._session(device, wanted, deadline)
            await device.close()
            await asyncio.sleep(0.05)

    async def _session(self, device: Device, wanted: set[int], deadline: float) -> None:
        await device.subscribe(gateway_filter().format(gateway=self.name))
        sent: dict[int, float] = {}
        while not device.lost.is_set() and time.monotonic() < deadline:
            self.acknowledged |= device.acknowledged()
            open_ones = sorted(wanted - self.acknowledged)[:WINDOW]
            if not open_ones:
                return
            for seq in open_ones:
                if time.monotonic() - sent.get(seq, 0) > self.resend_s:
                    device.client.publish(topic(self.name, Message.LIVE), batch(seq), 1)
                    sent[seq] = time.monotonic()
            await asyncio.sleep(0.01)
