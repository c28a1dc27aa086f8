"""Hellos that were said again before the first one was answered: after an outage thousands wait at once."""

from __future__ import annotations

import asyncio
import contextlib

from cloud.link.broker_connection import Incoming
from cloud.link.control import Control, ControlArrival
from cloud.link.hooks import HookRunner
from edge_contract.fields import ControlMessage
from edge_contract.payloads import Hello, State, Welcome, encode
from edge_contract.topics import Message, topic

from .equipment import CATALOG, STREAM, T0, Domain, eventually

BOOT = "00000000000000bb"


def arrival(gateway: str, kind: Message, message: ControlMessage, done: list[str]) -> ControlArrival:
    incoming = Incoming(topic(gateway, kind), encode(message), False, lambda: done.append(gateway))
    return ControlArrival(gateway, kind, incoming)


def hello(next_seq: int) -> Hello:
    return Hello(
        version_min=1, version_max=1, agent="1.0", boot=BOOT, stream=STREAM, first_seq=1, next_seq=next_seq,
        catalog=CATALOG, clock_set=True, t_ms=T0,
    )  # fmt: skip


async def test_of_several_that_wait_the_newest_is_answered() -> None:
    domain, posted, done = Domain(), list[tuple[str, ControlMessage]](), list[str]()

    async def arrived(_gateway: str, _catalog: str) -> None: ...

    control = Control(
        domain.hooks(), HookRunner(), lambda gateway, message: posted.append((gateway, message)), arrived,
        lambda *_: None, lambda *_: None,
    )  # fmt: skip
    online = State(online=True, boot=BOOT, t_ms=T0)
    control.put(arrival("gw-1", Message.HELLO, hello(1), done))
    control.put(arrival("gw-2", Message.HELLO, hello(1), done))
    control.put(arrival("gw-1", Message.STATE, online, done))
    control.put(arrival("gw-1", Message.HELLO, hello(2), done))
    control.put(arrival("gw-1", Message.HELLO, hello(3), done))
    serving = asyncio.create_task(control.run())
    await eventually(lambda: len(done) == 5)  # the broker has its word for each
    control.put(arrival("gw-1", Message.HELLO, hello(4), done))
    await eventually(lambda: len(done) == 6)
    serving.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await serving
    said = [(gateway, message) for gateway, message in domain.heard if isinstance(message, Hello)]
    assert sorted((gateway, message.next_seq) for gateway, message in said) == [
        ("gw-1", 3), ("gw-1", 4), ("gw-2", 1),
    ]  # fmt: skip
    assert sorted(gateway for gateway, message in posted if isinstance(message, Welcome)) == [
        "gw-1", "gw-1", "gw-2",
    ]  # fmt: skip
