"""mosquitto's dynamic security plugin, fed with the one access rule over its control topic.

Each gateway has a role and a client. Changing a client ends its connection, so the link brings its own up
to date before it connects. mosquitto shows 3.1.1 clients no refusal of a publication; at times it
disconnects them. The administrator is the same for all processes, so each of its sessions has a client id
of its own: with one, two processes that started together ended each other's.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import msgspec

from cloud.link.broker_connection import BrokerAddress, Incoming
from cloud.link.errors import BrokerRefused, LinkDown
from cloud.link.mqtt_client import MqttClient
from edge_contract.access import Action, Principal, Role, grants
from edge_contract.topics import Message, check_gateway, topic

log = logging.getLogger(__name__)

CONTROL = "$CONTROL/dynamic-security/v1"
RESPONSE = f"{CONTROL}/response"

ANSWER_TIMEOUT_S = 10.0
"""The plugin answers in milliseconds; it writes its file before."""

CONNECT_TIMEOUT_S = 10.0

_ACL_TYPES = {Action.PUBLISH: "publishClientSend", Action.SUBSCRIBE: "subscribeLiteral"}

Command = dict[str, Any]


class DynSec:
    """Administration by a client of its own, connected for each change. admin: the plugin's administrator.

    Every method raises LinkDown when the broker does not answer and BrokerRefused when it says no.
    """

    def __init__(self, admin: BrokerAddress) -> None:
        self._admin = admin
        self._one_at_a_time = asyncio.Lock()

    async def ensure_service(self, name: str, password: str) -> None:
        """Default deny, and the cloud's own client. Can be called at every start."""
        kinds = ("publishClientSend", "publishClientReceive", "subscribe", "unsubscribe")
        allowed = ("publishClientReceive", "unsubscribe")
        defaults = [{"acltype": kind, "allow": kind in allowed} for kind in kinds]
        async with self._session() as session:
            await session.run([{"command": "setDefaultACLAccess", "acls": defaults}])
            await session.put(Principal(Role.SERVICE, name), password)

    async def put_gateway(self, gateway: str, secret: str) -> None:
        """Make the gateway's role and client, or give it this secret; an open connection is ended."""
        async with self._session() as session:
            await session.disable(
                check_gateway(gateway)
            )  # a new password alone leaves the old connection open
            await session.put(Principal(Role.GATEWAY, gateway), secret)
            await session.run([{"command": "enableClient", "username": gateway}])

    async def put_gateways(self, gateways: Mapping[str, str]) -> None:
        """The same for gateways that the broker ought not to know yet, by name, over one connection.

        Two commands each instead of six, all of them in one message: the plugin writes its file after each.
        """
        for gateway in gateways:
            check_gateway(gateway)
        async with self._session() as session:
            known = await session.put_new(gateways)
        for gateway in known:
            await self.put_gateway(gateway, gateways[gateway])

    async def disable_gateway(self, gateway: str) -> None:
        """Refuse the gateway from now on and end its connection. Unknown gateways are refused anyway."""
        async with self._session() as session:
            await session.disable(gateway)

    async def enable_gateway(self, gateway: str) -> None:
        """Let a disabled gateway in again with the secret that it has."""
        async with self._session() as session:
            await session.run([{"command": "enableClient", "username": gateway}])

    @asynccontextmanager
    async def _session(self) -> AsyncIterator[_Session]:
        async with self._one_at_a_time:
            # every process has the same administrator, and one client id would end the others' sessions
            name = f"{self._admin.username}-{secrets.token_hex(4)}"
            session = _Session(replace(self._admin, client_id=name))
            await session.client.start()
            try:
                await session.client.wait_connected(CONNECT_TIMEOUT_S)
                yield session
            finally:
                await session.client.stop()


class _Session:
    """One connection of the administrator."""

    def __init__(self, admin: BrokerAddress) -> None:
        self.client = MqttClient(admin, [RESPONSE], self._deliver)
        self._mark = ""
        self._answered: asyncio.Future[list[dict[str, Any]]] = asyncio.get_running_loop().create_future()

    async def put(self, principal: Principal, password: str) -> None:
        """Role and client of a principal, made or changed."""
        role, client = _client(principal, password)
        await self.run([{"command": "createRole", "rolename": role}], tolerated="Role already exists")
        await self.run([{"command": "modifyRole", "rolename": role, "acls": _acls(principal)}])
        await self.run([{"command": "createClient", **client}], tolerated="Client already exists")
        await self.run([{"command": "modifyClient", **client}])

    async def put_new(self, gateways: Mapping[str, str]) -> list[str]:
        """Roles and clients that are not there yet; those that are, which it leaves as they are."""
        commands: list[Command] = []
        for name, password in gateways.items():
            principal = Principal(Role.GATEWAY, name)
            role, client = _client(principal, password)
            commands.append({"command": "createRole", "rolename": role, "acls": _acls(principal)})
            commands.append({"command": "createClient", **client})
        answers = await self.run(commands, tolerated=("Role already exists", "Client already exists"))
        names = [name for name in gateways for _ in range(2)]
        known = {name for name, answer in zip(names, answers, strict=True) if "error" in answer}
        return [name for name in gateways if name in known]

    async def disable(self, username: str) -> None:
        """End the connection and refuse the next."""
        await self.run([{"command": "disableClient", "username": username}], tolerated="Client not found")

    async def run(self, commands: list[Command], tolerated: str | tuple[str, ...] = ()) -> list[Command]:
        """Send commands and read their answers; BrokerRefused for one not tolerated, else LinkDown."""
        tolerances = (tolerated,) if isinstance(tolerated, str) else tolerated
        self._mark = secrets.token_hex(8)
        self._answered = asyncio.get_running_loop().create_future()
        marked = [command | {"correlationData": self._mark} for command in commands]
        await self.client.publish(CONTROL, msgspec.json.encode({"commands": marked}))
        try:
            answers = await asyncio.wait_for(self._answered, ANSWER_TIMEOUT_S)
        except TimeoutError:
            raise LinkDown("mosquitto's dynamic security plugin does not answer") from None
        for answer in answers:
            if "error" in answer and answer["error"] not in tolerances:
                raise BrokerRefused(str(answer.get("command")), str(answer["error"]))
        return answers

    def _deliver(self, incoming: Incoming) -> None:
        """Take the answer to the question that is open; others belong to other administrators."""
        incoming.acknowledge()
        try:
            answers = msgspec.json.decode(incoming.payload)["responses"]
            ours = all(item.get("correlationData") == self._mark for item in answers)
        except (msgspec.DecodeError, KeyError, TypeError, AttributeError):
            log.warning("dynamic security answered something unreadable")
            return
        if ours and not self._answered.done():
            self._answered.set_result(answers)


def _client(principal: Principal, password: str) -> tuple[str, Command]:
    """Name of its role, and what makes its client."""
    role = f"{principal.role.value}-{principal.name}"
    return role, {
        "username": principal.name,
        "password": password,
        "clientid": principal.name,
        "roles": [{"rolename": role, "priority": 0}],
    }


def _acls(principal: Principal) -> list[dict[str, Any]]:
    """The grants as the plugin's list. It compares filters literally, so each one is spelled out."""
    wanted = [(grant.action, grant.topic) for grant in grants(principal)]
    if principal.role is Role.GATEWAY:
        wanted += [
            (Action.SUBSCRIBE, topic(principal.name, message))
            for message in Message
            if not message.from_gateway
        ]
    return [
        {"acltype": _ACL_TYPES[action], "topic": item, "priority": 0, "allow": True}
        for action, item in wanted
    ]
