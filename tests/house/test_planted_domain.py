"""A domain is one folder and one line: one that is planted into a copy of the cloud works."""

from __future__ import annotations

import filecmp
import os
import shutil
import subprocess
import sys
from pathlib import Path

import rules

PACKAGE = rules.ROOT / "cloud" / "cloud"
LINE = '    "system",\n'

ENDPOINTS = '''"""One operation."""

from typing import Annotated

from fastapi import APIRouter

from cloud.core.envelope import Envelope, ok
from cloud.core.services import service
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.planted.service import PlantedService

router = APIRouter(tags=["planted"])
User = Annotated[CurrentUser, requires("SystemSetting")]
Planted = Annotated[PlantedService, service(PlantedService)]


@router.get("/planted", operation_id="getPlanted")
async def get_planted(user: User, service: Planted) -> Envelope[list[str]]:
    """What the service has heard."""
    return ok(service.heard)
'''

SERVICE = '''"""Remembers what it was told."""


class PlantedService:
    def __init__(self) -> None:
        self.heard: list[str] = []

    async def tick(self) -> None:
        self.heard.append("tick")
'''

MODELS = '''"""A table of its own."""

from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import Base


class Planted(Base):
    __tablename__ = "planted"

    id: Mapped[int] = mapped_column(primary_key=True)
'''

DOMAIN = '''"""A planted domain."""

from collections.abc import Sequence

from cloud.core.bus import EventBus
from cloud.core.events import DeviceChanged
from cloud.core.services import Services
from cloud.domains.base import Build, Domain, Job, Periodic
from cloud.domains.devices.service import DeviceService
from cloud.domains.planted import endpoints, models
from cloud.domains.planted.service import PlantedService

TABLES = (models.Planted,)


def build(build: Build) -> None:
    assert build.services[DeviceService]
    build.services.add(PlantedService())


def periodic(services: Services) -> Sequence[Job]:
    return (Periodic(0.05, services[PlantedService].tick),)


def handlers(bus: EventBus, services: Services) -> None:
    async def changed(event: DeviceChanged) -> None:
        services[PlantedService].heard.append(f"device {event.device_id}")

    bus.handle(DeviceChanged, changed)


DOMAIN = Domain(
    "planted",
    (endpoints.router,),
    build,
    periodic=periodic,
    handlers=handlers,
    leader_only=frozenset({"getPlanted"}),
    permissions=frozenset({"SystemSetting"}),
)
'''

RUN = """
import asyncio, sys, time
from pathlib import Path

import httpx
from fastapi.testclient import TestClient

from cloud import leader_proxy, migrations
from cloud.core.bus import EventBus
from cloud.core.events import DeviceChanged
from cloud.db import Base
from cloud.domains.all import DOMAINS
from cloud.domains.identity.service import IdentityService
from cloud.domains.planted.service import PlantedService
from cloud.main import Cloud, create_app
from cloud.settings import Settings

folder = Path(sys.argv[1])
settings = Settings(data_dir=folder, broker_port=0)
migrations.upgrade(settings.database)
assert "planted" in Base.metadata.tables
buses = []
EventBus.__init__ = (lambda old: lambda self: (old(self), buses.append(self))[0])(EventBus.__init__)
app = create_app(settings)
with TestClient(app, base_url="http://testserver") as client:
    assert client.get("/api/v1/planted").status_code == 401
    for name, user_type in (("admin", 0), ("viewer", 4)):
        client.portal.call(app.state.services[IdentityService].add_user, name, "correct!horse1", user_type)
    heads = {}
    for name in ("admin", "viewer"):
        body = {"username": name, "password": "correct!horse1"}
        reply = client.post("/api/v1/login/login", json=body)
        heads[name] = {"X-Token": reply.json()["data"]["token"]}
    assert client.get("/api/v1/planted", headers=heads["viewer"]).status_code == 403
    client.portal.call(buses[0].publish, DeviceChanged(7))
    end = time.monotonic() + 20
    while True:
        heard = client.get("/api/v1/planted", headers=heads["admin"]).json()["data"]
        if {"tick", "device 7"} <= set(heard):
            break
        assert time.monotonic() < end, heard
        time.sleep(0.05)
    document = client.get("/api/v1/openapi.json", headers=heads["admin"]).json()
    assert document["paths"]["/api/v1/planted"]["get"]["operationId"] == "getPlanted"
asked = [route for route in leader_proxy.routes(DOMAINS) if route.path.match("/api/v1/planted")]
assert len(asked) == 1 and "GET" in asked[0].methods
print("works")
"""


def plant(folder: Path) -> Path:
    """A copy of the cloud's package with one folder and one line more."""
    copy = folder / "cloud"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    planted = copy / "domains" / "planted"
    planted.mkdir()
    for name, text in {
        "__init__": "", "endpoints": ENDPOINTS, "service": SERVICE, "models": MODELS, "domain": DOMAIN
    }.items():  # fmt: skip
        (planted / f"{name}.py").write_text(text)
    listed = copy / "domains" / "names.py"
    text = listed.read_text()
    assert text.count(LINE) == 1
    listed.write_text(text.replace(LINE, f'{LINE}    "planted",\n'))
    return copy


def changed(compared: filecmp.dircmp[str]) -> list[str]:
    """Files and folders that differ, or are on one side only."""
    found = compared.diff_files + compared.left_only + compared.right_only
    return found + [name for below in compared.subdirs.values() for name in changed(below)]


def test_a_planted_domain_works(tmp_path: Path) -> None:
    copy = plant(tmp_path / "source")
    assert sorted(changed(filecmp.dircmp(PACKAGE, copy, ignore=["__pycache__"]))) == ["names.py", "planted"]
    data = tmp_path / "data"
    data.mkdir()
    path = os.pathsep.join([str(copy.parent), str(rules.ROOT / "broker-config" / "contract")])
    words = [sys.executable, "-c", RUN, str(data)]
    done = subprocess.run(
        words, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout.strip()) == (0, "works"), done.stderr
