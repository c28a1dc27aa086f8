"""Every way that writes asks for the gateway's access password; every other one is known to write nothing.

Generated from the OpenAPI document: a new operation must be put into one of the two lists.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from cloud.db import Database
from cloud.domains.commands.service import CommandService
from cloud.domains.configuration.models import ConfigurationStateRow
from cloud.domains.deploy.service import DeployService
from cloud.domains.devices.presence import PresenceService
from cloud.domains.identity.access import same_site
from cloud.domains.inventory.models import Device
from cloud.domains.tunnels.service import TunnelService
from edge_contract.deployment import Deploy
from edge_contract.payloads import ONLY_LOOK, Command

from ..application import make_app
from ..conftest import hello
from ..databases import migrated_settings
from ..test_app import routes_of
from .conftest import World
from .operations import Operation, body_of, operations
from .world import build

PASSWORD = "geheim 密码&1"

WRITES = {
    "sendCommand", "reloadDevice", "rebootDevice", "reallocateDevice", "upgradeDevice",
    "deploy", "deployDraft", "revertDeployment", "deployProject", "rebootProject",
    "openVirtualPort", "gatewayPage", "startTrace", "createExchangeRule", "changeExchangeRule",
    "createTask", "changeTask", "runTask",
}  # fmt: skip
"""Refused without the password of the gateway that they reach."""

WRITE_NOT = {
    "what the gateway reads, sends or judges": {
        "refreshDevice", "forwardDevice", "getSignalStrength", "readPoints", "checkConfiguration",
        "tryScript", "tryTrigger", "renewTrace",
    },
    "the draft, which a deployment takes to the gateway": {
        "saveDraft", "discardDraft", "addPort", "changePort", "deletePort", "addSlave", "changeSlave",
        "deleteSlave", "saveSlaves", "savePoints", "applyTemplate", "instantiateTemplate", "putPointTemplate",
        "detachTemplate", "attachTemplate", "previewTemplate", "previewTemplateRows", "uploadImport",
        "previewImport", "applyImport", "deleteImport", "addScript", "changeScript", "deleteScript",
        "saveForwarder", "deleteForwarder", "saveParameters", "putInternalSlave", "putLoopWrites",
    },
    "what ends or takes back something": {
        "cancelDeployment", "closeVirtualPort", "stopTrace", "deleteExchangeRule", "deleteShare",
        "leaveDevice",
        "deleteJob", "deleteTrigger", "deleteTask", "deleteFirmwarePlan", "pauseFirmwarePlan",
        "cancelFirmwarePlan", "deleteParameterPlan",
    },
    "gateways of a plan, each with a test in domains/firmware and domains/parameters": {
        "startFirmwarePlan", "resumeFirmwarePlan", "retryFirmwarePlan", "rollBackFirmwarePlan",
        "runParameterPlan",
    },
    "what is kept, and asks when it is carried out": {
        "createFirmwarePlan", "changeFirmwarePlan", "approveFirmwarePlan",
        "addPreset", "changePreset", "deletePreset", "createTrigger", "changeTrigger", "enableTrigger",
        "enableTask", "createParameterPlan", "changeParameterPlan",
    },
    "whom the gateway is for: who gets it has to give the password himself": {
        "putShare", "changeOwner", "getBindCode", "bindDevice", "putAccessPassword",
    },
    "what the cloud knows of the gateway": {
        "createDevice", "changeDevice", "changeDevices", "deleteDevice", "renewSecret", "resetDeviceStatus",
        "putPosition", "deleteOnOfflineEntry", "handleAlarm", "noteAlarm", "deleteAlarm", "readEvents",
        "putRetention", "putPointRetention", "exportHistory", "beginDeviceExport", "assignDevices",
        "acknowledgeAlarms", "suppressAlarms", "suppressRule", "beginMaintenance", "endSuppression",
    },
    "no gateway": {
        "addFirmwareKey", "deleteFirmwareKey", "uploadFirmware", "deleteFirmware",
        "createHolidayCalendar", "changeHolidayCalendar", "deleteHolidayCalendar",
        "createContact", "changeContact", "deleteContact", "createContactGroup", "changeContactGroup",
        "deleteContactGroup", "testContact", "testContactGroup",
        "createSimCard", "addSimCardRange", "previewSimCardRange", "changeSimCard", "bindSimCard",
        "deleteSimCard", "previewSimCardImport", "importSimCards",
        "login", "loginDemo", "refreshToken", "logout", "createUser", "changeProfile", "changeOwnPassword",
        "changeUser", "deleteUser", "resetPassword", "setUserStatus", "createGroup", "changeGroup",
        "deleteGroup", "changeRule", "createTemplate", "importTemplate", "changeTemplate", "deleteTemplate",
        "moveTemplate", "copyTemplate", "saveTemplateVersion", "compareTemplateSheets", "putOption",
        "putDictionary", "putUserOption", "uploadFile", "putCustomize", "deleteCustomize", "addProduct",
        "changeProduct", "deleteProduct", "rotateProductKey", "addProject", "changeProject", "deleteProject",
        "moveProject",
    },
}  # fmt: skip
"""By what they touch instead."""

LAST = ("changeOwner", "deleteDevice", "leaveDevice", "logout")
"""After these there is nobody or nothing to ask for."""


class Site(World):
    """A world of its own, whose gateway is online and has an access password; sent: what it was told."""

    sent: list[Any]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Iterator[Site]:
    settings = migrated_settings(tmp_path_factory.mktemp("protected"), sqlite_template)
    tenants = asyncio.run(build(settings.database))
    asyncio.run(prepare(settings.database, tenants["alpha"].ids))
    app = make_app(settings)
    services = app.state.services
    with TestClient(app, base_url="http://testserver") as client:
        made = Site(app, client, tenants)
        made.sent = []
        spy(services, made.sent)
        client.portal.call(services[PresenceService].hello, "gw-alpha", hello())  # type: ignore[union-attr]
        path = f"/api/v1/device/{made.alpha.ids['device_id']}/accesspassword"
        reply = made.ask("alpha-plant", {"method": "PUT", "url": path, "json": {"password": PASSWORD}})
        assert reply.is_success
        yield made


async def prepare(url: str, ids: dict[str, Any]) -> None:
    """The gateway lies in the project and has a draft, so that a campaign finds it."""
    database = Database(url)
    async with database.session() as session:
        device = update(Device).where(Device.id == ids["device_id"])
        await session.execute(device.values(project_id=ids["project_id"]))
        standing = update(ConfigurationStateRow).where(ConfigurationStateRow.device_id == ids["device_id"])
        await session.execute(standing.values(draft=ids["hash"], running="0" * 64, accepted="0" * 64))
        await session.commit()
    await database.close()


def spy(services: Any, sent: list[Any]) -> None:
    """Note what would go to the gateway, and send none of it."""

    async def send(gateway: str, message: Any) -> None:
        sent.append(message)

    async def tunnel(gateway: str, opening: Any) -> Any:
        sent.append(opening)
        raise AssertionError("a tunnel was opened")

    services[CommandService]._sender._send = send
    services[DeployService]._send = send
    services[TunnelService]._switchboard.open = tunnel


def changing(site: Site) -> list[Operation]:
    """Every operation that changes something, what ends the session or the gateway last."""
    gets = {
        path.replace(":int", "")
        for path, route in routes_of(site.app)
        if any(each.call is same_site for each in route.dependant.dependencies)
    }
    found = [
        each for each in operations(site.app.openapi()["paths"]) if each.verb != "GET" or each.path in gets
    ]
    return sorted(found, key=lambda each: LAST.index(each.name) if each.name in LAST else -1)


def request(site: Site, operation: Operation) -> dict[str, Any]:
    ids = site.alpha.ids
    body = body_of(operation.name, site.alpha)
    if operation.name == "sendCommand":
        body = {"dsid": ids["dsid"], "action": "W", "value": 1}
    asked = operation.request(ids, body)
    if operation.name == "gatewayPage":
        asked["params"] = {"mode": "open"}
    if operation.name == "checkConfiguration":
        asked["json"] = {"hash": "f" * 64}  # a check waits for its answer; the version is looked for first
    return asked


def given(site: Site, password: str) -> dict[str, str]:
    number = site.alpha.ids["device_id"]
    return site.headers("alpha-plant") | {"X-Access-Password": f"{number}={quote(password)}"}


def acts(message: Any) -> bool:
    """Whether the gateway would do more than look. The cloud asks by itself what runs."""
    if isinstance(message, Command):
        return message.action not in ONLY_LOOK
    return not (isinstance(message, Deploy) and message.check_only)


def refusal(reply: Any) -> str:
    """Why the gateway was not written to; empty when that was not the reason."""
    body = reply.json()
    if body["code"] == 0 and (body["data"] or {}).get("status") == "notAuthorized":
        return "access_password.needed"
    reason = (body["data"] or {}).get("reason", "") if body["code"] else ""
    return str(reason) if reason.startswith("access_password.") else ""


def test_every_changing_operation_is_decided_upon(site: Site) -> None:
    known = WRITES.union(*WRITE_NOT.values())
    assert {each.name for each in changing(site)} == known
    assert sum(map(len, WRITE_NOT.values())) + len(WRITES) == len(known), "one is in two lists"


def test_every_way_that_writes_asks_for_the_password(site: Site) -> None:
    """Of whom the gateway belongs to, too."""
    number = site.alpha.ids["device_id"]
    for operation in changing(site):
        if operation.name not in WRITES:
            continue
        asked = request(site, operation)
        without = site.ask("alpha-plant", asked)
        assert refusal(without) == "access_password.needed", (operation.name, without.text)
        if without.status_code == 403:
            assert without.json()["data"]["arguments"] == {"device_id": number, "device": "Boiler alpha"}
    assert not any(map(acts, site.sent))


def test_a_wrong_password_is_refused_and_the_right_one_is_taken(site: Site) -> None:
    for operation in changing(site):
        if operation.name not in WRITES or operation.name in ("openVirtualPort", "gatewayPage", "runTask"):
            continue  # those wait for the gateway, or write later, in the next test
        asked = request(site, operation)
        right = site.client.request(**asked, headers=given(site, PASSWORD))
        assert refusal(right) == "", (operation.name, right.text)
    assert any(map(acts, site.sent))
    reload = next(each for each in changing(site) if each.name == "reloadDevice")
    wrong = site.client.request(**request(site, reload), headers=given(site, "wrong one"))
    assert refusal(wrong) == "access_password.wrong"
    unreadable = site.headers("alpha-plant") | {"X-Access-Password": "no pairs"}
    assert site.client.request(**request(site, reload), headers=unreadable).json()["code"] == 10002


def test_whatever_asks_for_none_writes_nothing(site: Site) -> None:
    """Each is carried out by whom the gateway belongs to: the gateway is asked to look, and nothing else."""
    site.sent.clear()
    done = 0
    for operation in changing(site):
        if operation.name in WRITES:
            continue
        reply = site.ask("alpha-plant", request(site, operation))
        assert refusal(reply) == "", (operation.name, reply.text)
        done += reply.is_success
        assert not any(map(acts, site.sent)), (operation.name, site.sent)
    assert done > 30


def test_only_whom_it_belongs_to_sets_clears_and_reads_it(world: World) -> None:
    number = world.alpha.ids["device_id"]
    path = f"/api/v1/device/{number}/accesspassword"

    def put(who: str, password: str | None) -> int:
        return world.ask(who, {"method": "PUT", "url": path, "json": {"password": password}}).status_code

    def state(who: str) -> dict[str, Any]:
        found: dict[str, Any] = world.ask(who, {"method": "GET", "url": path}).json()["data"]
        return found

    shared = {"user_name": "beta-plant", "role": "owner", "writes": True}
    url = f"/api/v1/device/{number}/share"
    given_to = world.ask("alpha-plant", {"method": "POST", "url": url, "json": shared}).json()["data"]
    try:
        assert put("alpha-plant", PASSWORD) == 200
        assert [put("beta-plant", word) for word in (None, "another one")] == [403, 403]
        seen = {"is_set": True, "changeable": False, "changed_ms": None, "user": ""}
        assert state("beta-plant") == seen
        assert state("alpha-plant")["user"] == state("alpha-maker")["user"] == "alpha-plant"
        assert put("alpha-maker", None) == 200, "who administers the owner"
        assert state("beta-plant")["is_set"] is False
    finally:
        put("alpha-plant", None)
        world.ask("alpha-plant", {"method": "DELETE", "url": f"{url}/{given_to['user_id']}"})
