"""A domain is one folder and one line: one that is planted into a copy of the cloud works."""

from __future__ import annotations

import filecmp
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import rules

PACKAGE = rules.ROOT / "cloud" / "cloud"
LINE = '    "system",\n'

ENDPOINTS = '''"""One operation."""

import os
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


@router.get("/planted/leader", operation_id="getPlantedLeader")
async def get_planted_leader(user: User, service: Planted) -> Envelope[tuple[int, list[str]]]:
    """The process that answers, and what its service has heard."""
    return ok((os.getpid(), service.heard))


@router.get("/planted/process", operation_id="getPlantedProcess")
async def get_planted_process(user: User, service: Planted) -> Envelope[tuple[int, list[str]]]:
    """The same of whatever process is asked."""
    return ok((os.getpid(), service.heard))
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
    leader_only=frozenset({"getPlantedLeader"}),
    permissions=frozenset({"SystemSetting"}),
)
'''

RUN = """
import asyncio, sys, time
from pathlib import Path

import httpx
from fastapi.testclient import TestClient

from cloud import migrations
from cloud.core.bus import EventBus
from cloud.core.events import DeviceChanged
from cloud.db import Base
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
print("works")
"""

API_PROCESS = '''"""An api process of the planted cloud beside a full one."""

import asyncio

import pytest

from cloud import migrations
from cloud.db import Base, Database

from .test_roles import Site, dynsec_template, influxd, site

FIXTURES = (dynsec_template, influxd, site)


@pytest.fixture(scope="session")
def migrated_postgres(postgres: str) -> str:
    """With the planted table, in place of a migration that a real domain would bring."""
    migrations.upgrade(postgres)
    asyncio.run(create(postgres))
    return postgres


async def create(url: str) -> None:
    database = Database(url)
    async with database.engine.begin() as connection:
        await connection.run_sync(Base.metadata.tables["planted"].create)
    await database.close()


async def test_the_full_process_answers_what_is_leader_only(site: Site) -> None:
    token = await site.api.sign_in()
    full, api = site.full.running.pid, site.api.running.pid
    for process in (site.api, site.full):
        async with asyncio.timeout(20):
            while True:
                answered, heard = await process.call("GET", "/planted/leader", token)
                assert answered == full
                if "tick" in heard:
                    break
                await asyncio.sleep(0.05)
    assert await site.api.call("GET", "/planted/process", token) == [api, []]
    assert (await site.full.call("GET", "/planted/process", token))[0] == full
'''


SKIPPED = re.compile(r"^SKIPPED .*?: (.*is not installed)$", re.MULTILINE)


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


@pytest.mark.system
def test_a_planted_operation_of_the_leader_runs_through_an_api_process(tmp_path: Path) -> None:
    """The tests of the cloud's roles start both: here with the package that has one domain more."""
    copy = plant(tmp_path / "cloud")
    tests = tmp_path / "cloud" / "tests"
    shutil.copytree(rules.ROOT / "cloud" / "tests", tests, ignore=shutil.ignore_patterns("__pycache__"))
    (tests / "realtime" / "test_planted.py").write_text(API_PROCESS)
    (tmp_path / "scripts").symlink_to(rules.ROOT / "scripts")
    for name in ("pyproject.toml", "conftest.py"):
        shutil.copy(rules.ROOT / name, tmp_path)
    path = os.pathsep.join([str(copy.parent), str(rules.ROOT / "broker-config" / "contract")])
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    words.append("cloud/tests/realtime/test_planted.py")
    done = subprocess.run(
        words, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True,
        timeout=240, check=False,
    )  # fmt: skip
    if missing := SKIPPED.search(done.stdout):
        pytest.skip(missing[1])
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
