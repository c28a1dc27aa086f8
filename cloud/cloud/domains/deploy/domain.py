"""Configurations of gateways and bringing them there."""

from __future__ import annotations

from collections.abc import Sequence

from cloud.core.bus import EventBus
from cloud.core.events import (
    AccessTaken,
    ConfigurationChanged,
    ConfigurationReported,
    ConfigurationRunning,
    GatewayConnected,
    GatewayDeleted,
    OwnerLeft,
    ReceiptCame,
)
from cloud.core.services import Services
from cloud.domains.base import Build, Domain, Job, Periodic
from cloud.domains.commands.service import CLOUD, CommandService
from cloud.domains.deploy import endpoints
from cloud.domains.deploy.configurations import ASK_S, ConfigurationService
from cloud.domains.deploy.events import DocumentRenamed
from cloud.domains.deploy.schemas import DeploymentStatus
from cloud.domains.deploy.service import CHECK_S, DeployService
from cloud.domains.devices.service import DeviceService
from cloud.link import Link
from edge_contract.payloads import CommandAction


def build(build: Build) -> None:
    bus, hub, services = build.bus, build.hub, build.services
    devices, commands = services[DeviceService], services[CommandService]
    changed = bus.publisher(ConfigurationChanged)

    async def push(device_id: int, deployment: DeploymentStatus) -> None:
        hub.push_deployment(device_id, deployment.model_dump())

    async def ask(device_id: int) -> None:
        await commands.act(CLOUD, device_id, CommandAction.CONFIGURATION)

    services.add(DeployService(build.database, devices, services[Link].send, push, changed))
    follow = (bus.publisher(DocumentRenamed),)
    services.add(ConfigurationService(build.database, devices, ask, changed, follow=follow))


def periodic(services: Services) -> Sequence[Job]:
    deploy, configurations = services[DeployService], services[ConfigurationService]
    return (
        Periodic(CHECK_S, deploy.expire),
        Periodic(CHECK_S, deploy.send_waiting),
        Periodic(ASK_S, configurations.ask_unexplained),
        Periodic(ASK_S, configurations.rebase_drafts),
    )


def handlers(bus: EventBus, services: Services) -> None:
    deploy, configurations = services[DeployService], services[ConfigurationService]

    async def connected(event: GatewayConnected) -> None:
        deploy.came(event.gateway, event.configuration)
        if event.configuration is not None:
            await deploy.running(event.gateway, event.configuration)

    async def running(event: ConfigurationRunning) -> None:
        await deploy.running(event.gateway, event.configuration)

    async def receipt(event: ReceiptCame) -> None:
        await deploy.receipt(event.gateway, event.receipt)

    async def reported(event: ConfigurationReported) -> None:
        await configurations.report(event.gateway, event.report)

    async def access_taken(event: AccessTaken) -> None:
        await deploy.access_taken(event.device_id, event.user_id)

    async def owner_left(event: OwnerLeft) -> None:
        await configurations.drop_draft(event.device_id)

    bus.handle(GatewayConnected, connected)
    bus.handle(ConfigurationRunning, running)
    bus.handle(ReceiptCame, receipt)
    bus.handle(ConfigurationReported, reported)
    bus.handle(AccessTaken, access_taken)
    bus.handle(OwnerLeft, owner_left)
    bus.handle_now(GatewayDeleted, lambda event: deploy.forget(event.gateway))


DOMAIN = Domain(
    "deploy",
    (endpoints.router,),
    build,
    periodic=periodic,
    handlers=handlers,
    # what its gateway has of it is remembered; the answer of a check waits for a receipt, which comes to
    # the full process
    leader_only=frozenset({"deploy", "deployDraft", "checkConfiguration"}),
    permissions=frozenset({"DeviceManage", "Monitor.DeviceMonitor"}),
)
