"""Brokers, database, domain and plant: each test gets its own."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cloud.db import Database
from cloud.link.brokers.embedded import EmbeddedBroker
from cloud.link.link import service_authenticate

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))

from .equipment import (
    ADMIN,
    ADMIN_PASSWORD,
    CATALOG,
    PLUGIN,
    SERVICE,
    SERVICE_PASSWORD,
    BrokerUnderTest,
    Domain,
    Mosquitto,
    administrator,
    authenticator,
    make_service,
)
from .real_emqx import RealEmqx
from .system import GW, SECRET, Plant, Settings


@pytest.fixture
async def embedded() -> AsyncIterator[BrokerUnderTest]:
    secrets: dict[str, str] = {}
    check = service_authenticate(SERVICE, SERVICE_PASSWORD, authenticator(secrets))
    broker = EmbeddedBroker("127.0.0.1", 0, check)
    await broker.start()

    async def put(name: str, secret: str) -> None:
        secrets[name] = secret
        await broker.disconnect(name)

    async def disable(name: str) -> None:
        secrets.pop(name, None)
        await broker.disconnect(name)

    yield BrokerUnderTest("embedded", broker.port, secrets, put, disable)
    await broker.stop()


@pytest.fixture(scope="session")
def dynsec_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `mosquitto_ctrl dynsec init` writes, and in it the cloud's own client."""
    if shutil.which("mosquitto", path="/usr/sbin:/usr/bin") is None or not PLUGIN.exists():
        pytest.skip("mosquitto with its dynamic security plugin is not installed")
    home = tmp_path_factory.mktemp("dynsec")
    template = home / "template.json"
    command = ["mosquitto_ctrl", "dynsec", "init", str(template), ADMIN, ADMIN_PASSWORD]
    subprocess.run(command, check=True, capture_output=True)
    server = Mosquitto(home)
    server.init(template)
    server.start()
    try:
        with ThreadPoolExecutor(1) as elsewhere:  # the first who needs this may be in a loop of his own
            making = elsewhere.submit(lambda: asyncio.run(make_service(server)))
            making.result()
    finally:
        server.kill()
    return home / "dynsec.json"


@pytest.fixture
async def mosquitto(tmp_path: Path, dynsec_template: Path) -> AsyncIterator[BrokerUnderTest]:
    home = tmp_path / "mosquitto"
    home.mkdir()
    server = Mosquitto(home)
    server.init(dynsec_template)
    server.start()
    dynsec = administrator(server)
    secrets: dict[str, str] = {}

    async def put(name: str, secret: str) -> None:
        await dynsec.put_gateway(name, secret)
        secrets[name] = secret

    yield BrokerUnderTest("mosquitto", server.port, secrets, put, dynsec.disable_gateway, server)
    server.kill()


@pytest.fixture(scope="session")
def real_emqx(
    real_server: Callable[[str, str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RealEmqx]:
    """Started once: it takes five seconds. What a test left there is removed after it."""
    made = RealEmqx()
    with made.running(tmp_path_factory.mktemp("emqx"), real_server("emqx", "EDGE_TEST_EMQX")):
        yield made


@pytest.fixture
async def emqx_broker(real_emqx: RealEmqx) -> AsyncIterator[BrokerUnderTest]:
    secrets: dict[str, str] = {}
    real_emqx.serve(secrets)

    async def put(name: str, secret: str) -> None:
        secrets[name] = secret
        await real_emqx.end(name)

    async def disable(name: str) -> None:
        secrets.pop(name, None)
        await real_emqx.end(name)

    broker = real_emqx.broker
    yield BrokerUnderTest("emqx_broker", broker.port, secrets, put, disable, service_port=broker.service_port)
    await real_emqx.clean("gw-alpha", "gw-beta")


@pytest.fixture(params=["embedded", "mosquitto", "emqx_broker"])
def broker(request: pytest.FixtureRequest) -> BrokerUnderTest:
    """Every broker; a test that takes this runs on each. Made by an asynchronous fixture of their own."""
    made: BrokerUnderTest = request.getfixturevalue(request.param)
    return made


@pytest.fixture
async def database(tmp_path: Path, sqlite_template: Path) -> AsyncIterator[Database]:
    shutil.copy(sqlite_template, tmp_path / "cloud.db")
    made = Database(f"sqlite+aiosqlite:///{tmp_path}/cloud.db")
    yield made
    await made.engine.dispose()


@pytest.fixture
def domain() -> Domain:
    return Domain()


@pytest.fixture(params=["embedded", "mosquitto", "emqx"])
async def plant(
    request: pytest.FixtureRequest, tmp_path: Path, database: Database, domain: Domain
) -> AsyncIterator[Plant]:
    settings = Settings("embedded")
    server: Mosquitto | None = None
    emqx: RealEmqx | None = None
    if request.param == "emqx":
        emqx = request.getfixturevalue("real_emqx")
        emqx.serve({GW: SECRET})
        (tmp_path / "service").write_text(SERVICE_PASSWORD + "\n")
        settings = Settings(
            "emqx",
            broker_url=f"mqtts://localhost:{emqx.broker.service_port}",
            broker_ca_file=emqx.broker.ca_file,
            broker_username=SERVICE,
            broker_password_file=tmp_path / "service",
        )
    if request.param == "mosquitto":
        home = tmp_path / "mosquitto"
        home.mkdir()
        server = Mosquitto(home)
        server.init(request.getfixturevalue("dynsec_template"))
        server.start()
        for name, text in (("admin", ADMIN_PASSWORD), ("service", SERVICE_PASSWORD)):
            (tmp_path / name).write_text(text + "\n")
        settings = Settings(
            "mosquitto",
            broker_url=f"mqtt://127.0.0.1:{server.port}",
            broker_username=SERVICE,
            broker_password_file=tmp_path / "service",
            dynsec_username=ADMIN,
            dynsec_password_file=tmp_path / "admin",
        )
    domain.maps[(GW, CATALOG)] = {1: 1}
    made = Plant(tmp_path, settings, database, domain)
    made.server = server if emqx is None else emqx.broker
    made.gateway_port = None if emqx is None else emqx.broker.port
    await made.store.start()
    await made.start()
    if server is not None:
        await made.link.put_gateway(GW, SECRET)
    yield made
    await made.link.stop()
    await made.store.close()
    if server is not None:
        server.kill()
    if emqx is not None:
        await emqx.clean(GW)
