"""Two factories that know nothing of each other, each with a gateway and one of everything that goes with it.

Factory alpha has an enterprise below it, which owns the gateway; so has factory beta. Every word of alpha's
contains "alpha", so that a leak is seen in whatever reply.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from cloud.core.clock import now_ms
from cloud.db import Database
from cloud.domains.alarms.models import AlarmEvent, Suppression
from cloud.domains.commands.models import CommandPreset, CommandRow
from cloud.domains.configuration.models import ConfigurationStateRow, ConfigurationVersion, Deployment
from cloud.domains.contacts.models import Contact, ContactGroup
from cloud.domains.devices.catalog import CatalogService
from cloud.domains.devices.claims import ClaimService
from cloud.domains.devices.tunnel_session_models import TunnelSession
from cloud.domains.exchange.models import ExchangeRule
from cloud.domains.forwarding.models import ForwardingTarget
from cloud.domains.identity.models import AuthGroup, AuthRule, DictionaryEntry
from cloud.domains.identity.permissions import CODES
from cloud.domains.identity.service import IdentityService
from cloud.domains.inventory.models import DataPoint, Device, DeviceShare, OnOfflineLog, SlaveDevice
from cloud.domains.inventory.product_models import Product
from cloud.domains.inventory.project_models import Project
from cloud.domains.jobs.models import JobRecord
from cloud.domains.notifications.models import Delivery
from cloud.domains.tasks.models import HolidayCalendar, Task, TaskGateway, TaskRun
from cloud.domains.templates.models import TemplateNode, TemplateVersion
from cloud.domains.triggers.models import Trigger, TriggerGateway, TriggerRule
from edge_contract.deployment import canonical, document_hash

from ..application import PASSWORD
from ..conftest import catalog
from .parameters import parameter_plan_of
from .sim_cards import sim_card_of
from .traces import trace_of
from .world_firmware import add_firmware

NAMES = ("alpha", "beta")
OTA = ("OtaManager", "ota.Firmware", "ota.Strace")


@dataclass(frozen=True)
class Tenant:
    """A factory. ids: of everything that it has, by the name of the parameter that carries it."""

    name: str
    maker: str
    plant: str
    ids: dict[str, Any]


def document(name: str) -> dict[str, Any]:
    """A configuration of its gateway."""
    return {
        "gateway": {"id": f"gw-{name}"},
        "ports": [{"name": f"lan-{name}", "type": "NET", "host": "127.0.0.1"}],
        "slaves": [
            {"name": f"boiler-{name}", "port": f"lan-{name}", "protocol": "modbus_tcp", "address": "1"}
        ],
        "points": [],
        "scripts": [{"name": f"script-{name}", "slave": f"boiler-{name}", "text": "x = 1"}],
        "forwarders": [{"name": f"usb-{name}", "kind": "file", "options": {"folder": "/mnt/usb"}}],
    }


async def build(url: str) -> dict[str, Tenant]:
    """Fill a migrated, empty database."""
    database = Database(url)
    try:
        users = IdentityService(database)
        await users.add_user("admin", PASSWORD, 0)
        await ClaimService(database, _nobody, _nobody).claim("gw-alpha-platform", "alpha of the platform")
        async with database.session() as session:  # OTA is switched on, also for enterprises
            session.add(DictionaryEntry(key="CDCF", value={"ot": 1}, changed_ms=1, user_name="admin"))
            session.add_all(AuthRule(code=code, types="013") for code in OTA)
            await session.commit()
        return {name: await _tenant(database, users, name) for name in NAMES}
    finally:
        await database.close()


async def _nobody(*of: str) -> None:
    """There is no broker, and nobody is connected."""


async def _tenant(database: Database, users: IdentityService, name: str) -> Tenant:
    maker, plant = f"{name}-maker", f"{name}-plant"
    maker_id = await users.add_user(maker, PASSWORD, 1)
    plant_id = await users.add_user(plant, PASSWORD, 3, maker)
    guest_id = await users.add_user(f"{name}-guest", PASSWORD, 4, maker)
    gateway = f"gw-{name}"
    await ClaimService(database, _nobody, _nobody).claim(gateway, f"Boiler {name}", owner=plant)
    await CatalogService(database).apply(gateway, catalog(f"pressure-{name}", slave=f"boiler-{name}"))
    async with database.session() as session:
        device = (await session.scalars(select(Device).where(Device.gateway_id == gateway))).one()
        point = (await session.scalars(select(DataPoint).where(DataPoint.device_id == device.id))).one()
        slave = (await session.scalars(select(SlaveDevice).where(SlaveDevice.device_id == device.id))).one()
        group = AuthGroup(
            owner_id=maker_id, title=f"group {name}", user_type=3, permissions=sorted(CODES), created_ms=1
        )
        now = now_ms()
        entry = OnOfflineLog(device_id=device.id, slave_id=slave.id, offline_ms=1, online_ms=2, reason=name)
        preset = CommandPreset(
            device_id=device.id,
            title=f"Start {name}",
            writes=[{"dsid": point.id, "value": 1}],
            changed_ms=1,
            user_name=plant,
        )
        content = document(name)
        version = ConfigurationVersion(
            device_id=device.id,
            hash=document_hash(content),
            document=canonical(content).decode(),
            size=1,
            points=0,
            origin="cloud",
            author=plant,
            note=name,
            created_ms=1,
        )
        event = AlarmEvent(
            at_ms=1,
            noted_ms=now,
            alarm_type=4,
            device_id=device.id,
            slave_id=slave.id,
            title=f"Boiler {name}",
        )
        session.add_all([group, entry, preset, version, event])
        names = ("waiting_batches", "waiting_bytes", "waiting_records", "lost_batches", "delivered", "late")
        names += ("repeated", "given_up", "failed", "last_ack_ms", "next_try_ms")
        target = {"name": f"bureau-{name}", "kind": "file", "condition": "down", "reason": f"no disk {name}"}
        times = {"since_ms": 1, "reported_ms": 1, "trouble_since_ms": 1, "in_trouble": True, "rejects": []}
        session.add(ForwardingTarget(device_id=device.id, **target, **times, **dict.fromkeys(names, 0)))
        session.add(
            CommandRow(
                id=f"command-{name}", device_id=device.id, dsid=point.id, user_id=plant_id, user_name=plant,
                action="W", batch_id=f"batch-{name}", value=1, status="resp", created_ms=1, expires_ms=2,
            )
        )  # fmt: skip
        session.add(
            Deployment(
                id=f"deployment-{name}",
                device_id=device.id,
                hash=version.hash,
                state="confirmed",
                check_only=False,
                wait=False,
                confirm_s=60,
                healthy_share=0.5,
                user_id=plant_id,
                user_name=plant,
                created_ms=1,
                expires_ms=2,
                code="",
                detail="",
            )
        )
        session.add(
            ConfigurationStateRow(
                device_id=device.id, running=version.hash, accepted=version.hash, newest=version.hash
            )
        )
        lease = ("a" if name == "alpha" else "b") * 16
        session.add(
            TunnelSession(
                id=lease,
                device_id=device.id,
                kind="vcom",
                port="com1",
                user_id=plant_id,
                user_name=plant,
                address="127.0.0.1",
                opened_ms=now,
                expires_ms=now,
                ended_ms=now,
            )
        )
        rule = ExchangeRule(
            title=f"Pass on {name}",
            enabled=False,
            source_device_id=device.id,
            source_dsid=point.id,
            target_device_id=device.id,
            target_dsid=point.id,
            ratio=1,
            bias=0,
            every_s=0,
            user_id=plant_id,
            created_ms=1,
        )
        session.add(rule)
        trigger = Trigger(
            title=f"Watch {name}",
            type=1,
            mode=1,
            interval_s=0,
            enabled=False,
            user_id=plant_id,
            user_name=plant,
            created_ms=1,
            changed_ms=1,
        )
        session.add(trigger)
        await session.flush()
        session.add(TriggerGateway(trigger_id=trigger.id, device_id=device.id))
        condition = {"type": 3, "dsid": point.id, "magnitude": 1}
        alarm_rule = TriggerRule(
            trigger_id=trigger.id,
            place=0,
            version=1,
            body={"title": f"Watch {name}", "conditions": [condition]},
        )
        calendar = HolidayCalendar(
            owner_id=plant_id, title=f"Days {name}", off=[], on=[], created_ms=1, changed_ms=1
        )
        session.add(calendar)
        await session.flush()
        task = Task(
            title=f"Start {name}",
            enabled=False,
            version=1,
            schedule={"kind": "daily", "zone": "UTC", "times": ["08:00"]},
            actions=[{"kind": "preset", "preset_id": preset.id}],
            calendar_id=None,
            after_ms=1,
            user_id=plant_id,
            user_name=plant,
            granted={},
            created_ms=1,
            changed_ms=1,
        )
        session.add(task)
        await session.flush()
        session.add(TaskGateway(task_id=task.id, device_id=device.id))
        session.add(
            TaskRun(
                task_id=task.id,
                version=1,
                planned_ms=1,
                noted_ms=1,
                is_due=False,
                status=1,
                problem="missed",
                missed=1,
                user_name=plant,
                granted={},
            )
        )
        suppression = Suppression(
            kind="shelved",
            device_id=device.id,
            title=f"Watch {name}",
            reason=name,
            user_id=plant_id,
            user_name=plant,
            begin_ms=now,
            until_ms=now + 3_600_000,
        )
        session.add_all([alarm_rule, suppression])
        contact = Contact(
            owner_id=plant_id,
            name=f"Contact {name}",
            phone="",
            email=f"{name}@example.com",
            wechat="",
            language="en",
            enabled=True,
            created_ms=1,
            changed_ms=1,
        )
        contact_group = ContactGroup(
            owner_id=plant_id,
            saved_for=plant_id,
            title=f"Group {name}",
            enabled=True,
            body={},
            robots={},
            created_ms=1,
            changed_ms=1,
        )
        sim_card = sim_card_of(name, NAMES.index(name), maker_id)
        trace = trace_of(lease, device.id, plant_id, plant, now)
        session.add_all([contact, contact_group, sim_card, trace])
        await session.flush()
        delivery = Delivery(
            owner=plant_id,
            recipient=f"contact-{contact.id}",
            contact_id=contact.id,
            group_id=None,
            name=contact.name,
            channel="email",
            address=contact.email,
            is_test=False,
            state="sent",
            reason="",
            detail="",
            receipt="",
            subject=f"Alarm of {name}",
            count=1,
            attempts=1,
            charged=0,
            created_ms=1,
            due_ms=1,
            sent_ms=1,
        )
        session.add(delivery)
        firmware = await add_firmware(session, name, plant, plant_id, device.id)
        nodes = [
            TemplateNode(
                kind="template",
                category=category,
                title=f"{category} template {name}",
                owner_id=plant_id,
                newest=1,
                created_ms=1,
            )
            for category in ("point", "gateway")
        ]
        session.add_all(nodes)
        await session.flush()
        for node in nodes:
            node.path = f"/{node.id}/"
            version_of = TemplateVersion(
                template_id=node.id, number=1, hash=version.hash, document='{"points":[]}', points=0,
                slaves=0, author=plant, note=name, created_ms=1,
            )  # fmt: skip
            session.add(version_of)
        session.add(DeviceShare(device_id=device.id, user_id=guest_id, role="visitor", created_ms=1))
        project = Project(kind="project", title=f"Line {name}", owner_id=plant_id, created_ms=1)
        product = Product(code=f"product-{name}", title=name, owner_id=maker_id, created_ms=1)
        job = JobRecord(
            user_id=plant_id,
            kind="project_reboot",
            title=f"Line {name}",
            parameters={"of": name},
            state="completed",
            created_ms=now,
            folder=name,
        )
        plan = parameter_plan_of(device.id, plant_id, name, plant)
        session.add_all([project, product, job, plan])
        await session.flush()
        project.path = f"/{project.id}/"
        await session.commit()
        ids = {
            "device_id": device.id,
            "dsid": point.id,
            "dsids": str(point.id),
            "entry_id": entry.id,
            "preset_id": preset.id,
            "event_id": event.id,
            "template_id": nodes[0].id,
            "gateway_template_id": nodes[1].id,
            "gateway_temp_id": nodes[1].id,
            "rule_id": rule.id,
            "trigger_id": trigger.id,
            "task_id": task.id,
            "calendar_id": calendar.id,
            "parameter_plan_id": plan.id,
            "alarm_rule_id": alarm_rule.id,
            "parent_event_id": event.id,
            "suppression_id": suppression.id,
            "contact_id": contact.id,
            "contact_group_id": contact_group.id,
            "delivery_id": delivery.id,
            "sim_card_id": sim_card.id,
            "iccid": sim_card.iccid,
            "slave_id": slave.id,
            "project_id": project.id,
            "move_to": project.id,
            "product_id": product.id,
            "job_id": job.id,
            "id": f"command-{name}",
            "batch_id": f"batch-{name}",
            "deployment_id": f"deployment-{name}",
            **dict.fromkeys(("hash", "from", "to"), version.hash),
            **dict.fromkeys(("lease", "trace_id"), lease),
            "user_id": plant_id,
            "to_user": plant_id,
            "group_id": group.id,
            "guest_id": guest_id,
            "port_name": f"lan-{name}",
            "slave_name": f"boiler-{name}",
            "script_name": f"script-{name}",
            "forwarder_name": f"usb-{name}",
            **dict.fromkeys(("gateway", "gateway_id"), gateway),
            **firmware,
        }
    return Tenant(name, maker, plant, ids)
