"""A gateway that is deleted and added again with its serial number: nothing of the first meets the second."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from inspect import ismethod
from types import FunctionType
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from cloud.core.log_once import LogOnce
from cloud.core.services import Services
from cloud.link import Link
from edge_contract.deployment import document_hash
from edge_contract.payloads import Pulse, Running, Welcome
from edge_contract.topics import Message, topic

from ...application import token
from ...conftest import BOOT, STREAM, catalog, hello
from ...link.equipment import batch, eventually
from .conftest import document
from .test_broker import Gateway as Deploying

GATEWAY = "gw-again"
FOUND = document("Ua", gateway=GATEWAY)
HASH = document_hash(FOUND)
CATALOG = catalog("Ua")
PULSE = Pulse(
    t_ms=1,
    boot=BOOT,
    stream=STREAM,
    next_seq=2,
    outbox_batches=0,
    outbox_bytes=0,
    hours_left=None,
    evicted_batches=0,
    configuration=Running(hash=HASH),
    slaves=[],
)


REMEMBERED = {
    ".DeviceService._ids[]",
    ".CatalogService._known[][]",
    ".DeployService._progress._last_running[]",
    ".Link._catalogs._maps[][]",
}
"""Some places in which it is while it is there."""


def holders(root: object, name: str) -> Iterator[str]:
    """Where a name is remembered below an object of the cloud, but for complaints that are made once."""
    seen: set[int] = set()
    left: deque[tuple[str, Any]] = deque([("", root)])
    while left:
        where, one = left.popleft()
        if isinstance(one, str) and one == name:
            yield where
        if id(one) in seen or isinstance(one, str | bytes | int | float | LogOnce | None):
            continue
        seen.add(id(one))
        if isinstance(one, Services):
            left.extend((f".{kind.__name__}", built) for kind, built in one._built.items())
        elif isinstance(one, Mapping):
            left.extend((f"{where}[]", each) for pair in list(one.items()) for each in pair)
        elif isinstance(one, list | tuple | set | frozenset | deque):
            left.extend((f"{where}[]", each) for each in list(one))
        elif ismethod(one):
            left.append((where, one.__self__))
        elif isinstance(one, FunctionType):
            left.extend((where, cell.cell_contents) for cell in one.__closure__ or ())
        elif type(one).__module__.startswith("cloud."):
            left.extend((f"{where}.{field}", value) for field, value in list(vars_of(one).items()))


def vars_of(one: object) -> dict[str, Any]:
    slots = [name for kind in type(one).__mro__ for name in getattr(kind, "__slots__", ())]
    return {**{name: getattr(one, name, None) for name in slots}, **getattr(one, "__dict__", {})}


class Gateway(Deploying):
    """A gateway that tells all there is to remember of it."""

    async def first_contact(self, seq: int) -> None:
        assert await self.connect()
        assert await self.subscribe(f"v1/{self.name}/down/+")
        await self.say(Message.HELLO, hello(CATALOG.hash, next_seq=2, configuration=Running(hash=HASH)))
        await self.asked(Message.WELCOME, Welcome)
        await self.say(Message.CATALOG, CATALOG)
        payload = batch(seq, stream=STREAM, catalog=CATALOG.hash)
        await self.publish(topic(self.name, Message.LIVE), payload)
        await self.say(Message.PULSE, PULSE)
        await self.report()


@pytest.mark.clause("C-090")
async def test_what_is_remembered_by_serial_number_goes_with_the_gateway(
    app: FastAPI, client: TestClient
) -> None:
    headers = {"X-Token": token(client)}

    def call(verb: str, path: str, **more: Any) -> Any:
        reply = client.request(verb, f"/api/v1/device{path}", headers=headers, **more)
        assert reply.status_code == 200, reply.text
        return reply.json()["data"]

    def values_of(number: int) -> list[float]:
        return [row["value"] for row in call("GET", f"/lastdps?device_id={number}")["rows"]]

    async def added(seq: int) -> tuple[int, Gateway]:
        """A gateway at its first contact, with its configuration and the value of its point."""
        made = call("POST", "", json={"gateway_id": GATEWAY})
        number = int(made["device"]["id"])
        gateway = Gateway(app.state.services[Link].port, made["secret"], FOUND, GATEWAY)
        await gateway.first_contact(seq)
        await eventually(lambda: call("GET", f"/{number}/configuration")["newest"])
        state = call("GET", f"/{number}/configuration")
        assert (state["running"]["known"], state["accepted"], state["total"]) == (True, HASH, 1)
        await eventually(lambda: values_of(number) == [float(seq)])
        return number, gateway

    first, gateway = await added(1)
    known = set(holders(app.state.services, GATEWAY))
    assert known >= REMEMBERED
    call("DELETE", f"/{first}")
    await gateway.close()
    await eventually(lambda: not list(holders(app.state.services, GATEWAY)))
    second, gateway = await added(2)
    assert second != first
    call("DELETE", f"/{second}")
    await gateway.close()
