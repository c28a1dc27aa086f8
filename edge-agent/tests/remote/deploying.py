"""A gateway for deployments: a plant of a few lines, and a clock that runs as it is slept on."""

from __future__ import annotations

import asyncio
import contextlib
import copy
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from edge_agent.bus.budget import budget
from edge_agent.config.model import Configuration
from edge_agent.config.start import Start, choose
from edge_agent.config.state import ConfigurationState
from edge_agent.config.state_store import StateStore
from edge_agent.model import PointKey
from edge_agent.remote.deployments import Deployments
from edge_agent.remote.validation import Validation
from edge_agent.runtime_reload import SwitchFailed
from edge_agent.system.appliers import Applier, MachineParameters
from edge_contract.deployment import Deploy, Document, Receipt, Step, document_hash

NOW = 1_800_000_000_000
T, P = PointKey("boiler", "t"), PointKey("boiler", "p")
FILE = """
[gateway]
id = "gw-test-1"
[cloud]
url = "mqtts://cloud.example"
[[ports]]
name = "lan"
type = "NET"
host = "10.0.0.1"
[[slaves]]
name = "boiler"
port = "lan"
protocol = "modbus_tcp"
address = "1"
[[points]]
slave = "boiler"
name = "t"
address = { reg_type = "4X", offset = 0 }
[[points]]
slave = "boiler"
name = "p"
address = { reg_type = "4X", offset = 1 }
"""


class QuickClock:
    """Sleeping is what makes time pass."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.stands_still_after: float | None = None

    def now_ms(self) -> int:
        return NOW + round(self.seconds * 1000)

    def monotonic(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        if self.stands_still_after is not None and self.seconds >= self.stands_still_after:
            await asyncio.Event().wait()
        self.seconds += seconds
        await asyncio.sleep(0)


class FakePlant:
    """Good are the points that the slave at address 1 has; the link is up with the right url."""

    def __init__(self, configuration: Configuration, machine: MachineParameters) -> None:
        self.configuration = configuration
        self.machine = machine
        self.failure = ""
        self.switches: list[tuple[Configuration, bool]] = []
        self.watches_ended = 0
        self.cannot: Callable[[Configuration], bool] = lambda configuration: False
        self.crashes: Callable[[Configuration], bool] = lambda configuration: False

    def good(self) -> set[PointKey]:
        right = {slave.name for slave in self.configuration.slaves if slave.address == "1"}
        keys = {PointKey(point.slave, point.name) for point in self.configuration.points}
        return {key for key in keys if key.slave in right}

    def answering(self) -> set[str]:
        return {slave.name for slave in self.configuration.slaves if slave.address in ("1", "2")}

    def answered(self) -> set[str]:
        return self.answering()

    def linked(self) -> bool:
        cloud = self.configuration.cloud
        return cloud is not None and cloud.url == "mqtts://cloud.example"

    def reasons(self) -> dict[str, str]:
        return {"boiler": "no answer", "": "connection refused"}

    async def switch(self, configuration: Configuration, *, watched: bool) -> None:
        self.switches.append((configuration, watched))
        self.configuration = configuration
        await self.machine.apply(lambda group: getattr(configuration, group))
        self.failure = "RuntimeError: broken" if self.crashes(configuration) else ""
        if self.cannot(configuration):
            raise SwitchFailed("cannot be put together")

    def end_watch(self) -> None:
        self.watches_ended += 1


class Site:
    """A gateway without anything around it."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "gateway.toml"
        self.data = folder / "data"
        self.file.write_text(FILE)
        self.clock = QuickClock()
        self.dead_man: list[float] = []
        self.appliers: list[Applier] = []
        self.power_on()

    def power_on(self) -> None:
        self.state_store = StateStore(self.data)
        start = self.choose()
        machine = MachineParameters(self.data, self.appliers)
        self.plant = FakePlant(start.configuration, machine)
        self.deployments = Deployments(
            self.state_store,
            self.plant,
            self.clock,
            Validation(budget, lambda configuration: None, lambda port: None),
            lambda: self.choose(restart=False),
            self.dead_man.append,
            start.faults,
            machine,
        )

    def choose(self, *, restart: bool = True) -> Start:
        return choose(
            self.file, self.state_store, self.clock.now_ms(), lambda configuration: None, restart=restart
        )

    @property
    def state(self) -> ConfigurationState:
        return self.state_store.state

    @property
    def document(self) -> Document:
        found = self.deployments.document()
        assert found is not None
        return found

    def changed(self, **boiler: object) -> Document:
        """The running document with another boiler."""
        document = copy.deepcopy(self.document)
        document["slaves"][0] |= boiler
        return document

    def deploy(self, document: Document, name: str = "deploy-01", **settings: object) -> Deploy:
        values = {
            "id": name,
            "hash": document_hash(document),
            "base": self.state.running.hash,
            "expires_ms": self.clock.now_ms() + 60_000,
            "document": document,
            "confirm_s": 30,
            **settings,
        }
        return Deploy(**values)  # type: ignore[arg-type]

    async def until(self, done: Callable[[], object]) -> None:
        async with asyncio.timeout(20):
            while not done():  # noqa: ASYNC110 - conditions of many parts
                await asyncio.sleep(0.005)

    async def end(self, deploy: Deploy) -> list[Receipt]:
        """Receipts of a deployment that the cloud sees, until the last."""
        self.deployments.take(deploy)
        return await self.receipts_of(deploy.id)

    async def receipts_of(self, name: str) -> list[Receipt]:
        seen: list[Receipt] = []

        def over() -> bool:
            seen.extend(one for one in self.deployments.unsent() if one.id == name and one not in seen)
            return bool(seen) and seen[-1].step not in (Step.RECEIVED, Step.STAGED, Step.SWITCHED)

        await self.until(over)
        await self.until(lambda: self.deployments._job is None)
        return seen

    @contextlib.asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.deployments.run())
        await asyncio.sleep(0)
        yield
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled(), task.exception()


def steps(receipts: list[Receipt]) -> list[Step]:
    return [one.step for one in receipts]
