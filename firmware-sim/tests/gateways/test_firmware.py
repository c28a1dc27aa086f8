"""Boards of a fleet: what an image does on which gateway, and what goes over the link."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from edge_agent.firmware.settings import read_settings
from edge_contract.firmware import Manifest, UpgradeType, write_header
from edge_contract.payloads import Ack, Hello, Pulse, Welcome, encode
from edge_contract.topics import Message, parse, topic
from edge_contract.upgrade import FirmwareReport, Upgrade, UpgradeStep
from firmware_sim.errors import StartError
from firmware_sim.gateways.board import StartedImage
from firmware_sim.gateways.firmware import Boards, FasterClock
from firmware_sim.gateways.gateway import Gateway
from firmware_sim.gateways.signals import Signals

NAME, STREAM, T0 = "gw-1", "00000000000000aa", 1_790_000_000_000
FAR_MS = 2**52
SPEED = 200.0
TIMEOUT_S = 60.0


class FileSource:
    """One file, as if it were loaded over HTTP."""

    content = b""

    @asynccontextmanager
    async def open(self, url: str, offset: int, size: int) -> AsyncIterator[tuple[int, AsyncIterator[bytes]]]:
        async def parts() -> AsyncIterator[bytes]:
            yield self.content[offset:]

        yield offset, parts()


class Bench:
    """A gateway with a board, a cloud that accepts it, and what it has said."""

    def __init__(self, folder: Path) -> None:
        self.key = Ed25519PrivateKey.generate()
        public = base64.b64encode(self.key.public_key().public_bytes_raw()).decode()
        (folder / "firmware.toml").write_text(f'model = "m"\n[keys]\nk = "{public}"\n')
        self.said: list[tuple[Message, bytes]] = []
        self.gateway = Gateway(
            NAME, Signals(1, NAME, 10), STREAM, period_ms=1000, clock_s=lambda: 0.0, now_ms=lambda: T0
        )
        self.source = FileSource()
        self.boards = Boards(folder, "127.0.0.1", points=10, speed=SPEED, source=self.source)
        self.firmware = self.boards.add(self.gateway)

    def reports(self) -> list[FirmwareReport]:
        return [
            msgspec.json.decode(payload, type=FirmwareReport)
            for message, payload in self.said
            if message is Message.FIRMWARE
        ]

    def hear(self, message: Message, content: msgspec.Struct) -> None:
        self.gateway.take(topic(NAME, message).encode(), encode(content))  # type: ignore[arg-type]

    async def linked(self) -> None:
        """The fleet connects a gateway whenever its board works."""
        while True:
            await self.firmware.works.wait()
            if not self.gateway.served:
                self.gateway.begin(lambda name, payload: self.said.append((parse(name.decode())[1], payload)))
                self.hear(Message.WELCOME, Welcome(accepted=True, version=1, t_ms=T0, firmware=True))
            await asyncio.sleep(0.01)

    def order(self, behaviour: str, version: int = 2) -> Upgrade:
        """An order for an image that does so, which the source then has."""
        payload = (f"behaviour={behaviour}\n" if behaviour else "").encode() + b"image"
        manifest = Manifest(
            name="edge-agent", models=["m"], version=version, version_text=f"{version}.0", security_version=0,
            upgrade_type=UpgradeType.IMAGE, size=len(payload), sha256=hashlib.sha256(payload).hexdigest(),
            min_agent="0", key_id="k",
        )  # fmt: skip
        content = write_header(manifest, self.key.sign) + payload
        self.source.content = content
        return Upgrade(
            id=f"upgrade-{version}", url="http://127.0.0.1/f", size=len(content),
            sha256=hashlib.sha256(content).hexdigest(), version=version, expires_ms=FAR_MS, confirm_s=60,
        )  # fmt: skip

    async def until(self, done: Callable[[], object]) -> None:
        async with asyncio.timeout(TIMEOUT_S):
            while not done():  # noqa: ASYNC110 - what is waited for is another object's
                await asyncio.sleep(0.01)


@asynccontextmanager
async def running(bench: Bench) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(work) for work in (bench.firmware.run(), bench.linked())]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def finals(bench: Bench) -> list[FirmwareReport]:
    final = (UpgradeStep.CONFIRMED, UpgradeStep.ROLLED_BACK, UpgradeStep.REFUSED)
    return [report for report in bench.reports() if report.step in final]


def hellos(bench: Bench) -> list[Hello]:
    return [decoded(payload, Hello) for message, payload in bench.said if message is Message.HELLO]


def runs(bench: Bench) -> int | None:
    """By its newest hello: it was away while it started anew."""
    state = hellos(bench)[-1].firmware
    return None if state is None else state.version


@pytest.mark.parametrize(
    ("behaviour", "step", "code", "version"),
    [
        ("", UpgradeStep.CONFIRMED, "", 2),
        ("crash", UpgradeStep.ROLLED_BACK, "crash", 0),
        ("hang", UpgradeStep.ROLLED_BACK, "hang", 0),
        ("lose", UpgradeStep.ROLLED_BACK, "points", 0),
        ("fade", UpgradeStep.CONFIRMED, "", 2),
        ("crash share=0.0", UpgradeStep.CONFIRMED, "", 2),
    ],
)
async def test_what_comes_of_an_order(
    tmp_path: Path, behaviour: str, step: UpgradeStep, code: str, version: int
) -> None:
    bench = Bench(tmp_path)
    order = bench.order(behaviour)
    async with running(bench):
        await bench.until(lambda: bench.gateway.served)
        bench.hear(Message.UPGRADE, order)
        bench.hear(Message.UPGRADE, order)
        await bench.until(lambda: finals(bench) and len(hellos(bench)) > 1)
        await bench.until(lambda: bench.gateway.served and runs(bench) == version)
        bench.gateway.pulse()
    report = finals(bench)[-1]
    assert (report.id, report.step, report.code) == (order.id, step, code)
    assert bench.boards.summary() == {
        "loaded_bytes": order.size,
        "versions": {str(version): 1},
        "installs": 1,
        "installed_again": {},
    }
    pulse = decoded([payload for message, payload in bench.said if message is Message.PULSE][-1], Pulse)
    assert pulse.slaves[0].online is (behaviour != "fade")


async def test_how_it_ended_is_said_until_the_cloud_holds_it(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    order = bench.order("")
    async with running(bench):
        await bench.until(lambda: bench.gateway.served)
        bench.hear(Message.UPGRADE, order)
        await bench.until(lambda: finals(bench))
        said = len(finals(bench))
        bench.firmware.welcomed()
        await bench.until(lambda: len(finals(bench)) > said)
        bench.hear(Message.ACK, Ack(upgrades=[order.id]))
        upgrades = bench.firmware.board.upgrades
        assert upgrades is not None
        await bench.until(lambda: upgrades.idle)
        said = len(finals(bench))
        bench.firmware.welcomed()
        bench.hear(Message.UPGRADE, order)  # a cloud that has lost its database says it once more
        await bench.until(lambda: len(finals(bench)) > said)
    assert bench.boards.summary()["installs"] == 1


def decoded(payload: bytes, kind: type[msgspec.Struct]):  # type: ignore[no-untyped-def]
    return msgspec.json.decode(payload, type=kind)


@pytest.mark.parametrize(
    ("line", "lot", "behaviour"),
    [
        (b"behaviour=crash\n", 0.99, "crash"),
        (b"behaviour=crash share=0.5\n", 0.49, "crash"),
        (b"behaviour=crash share=0.5\n", 0.5, ""),
        (b"behaviour=crash", 0.0, ""),
        (b"good\nbehaviour=crash\n", 0.0, ""),
    ],
)
def test_on_which_gateways_an_image_is_bad(line: bytes, lot: float, behaviour: str) -> None:
    assert StartedImage("a", line, 0.0, lot).behaviour == behaviour


async def test_a_faster_clock_leaves_the_time_of_day_alone() -> None:
    faster, plain = FasterClock(1000), FasterClock()
    first_s, first_ms = faster.monotonic(), faster.now_ms()
    await faster.sleep(20)
    assert faster.monotonic() - first_s >= 20
    assert abs(plain.now_ms() - first_ms) < 20_000


def test_a_folder_without_settings_is_named(tmp_path: Path) -> None:
    with pytest.raises(StartError, match=r"firmware\.toml"):
        Boards(tmp_path, "127.0.0.1", 1, 1.0)


def test_the_settings_that_the_readme_shows_are_a_fleets(tmp_path: Path) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    _, _, after = readme.partition("FOLDER/firmware.toml")
    shown = [line.strip() for line in after.splitlines()[1:] if line.startswith(" " * 8)]
    public = base64.b64encode(bytes(32)).decode()
    (tmp_path / "firmware.toml").write_text("\n".join(shown).replace("44 LETTERS", public))
    settings = read_settings(tmp_path)
    assert settings is not None and (settings.model, settings.keys) == ("gw-200", {"release": public})
    assert Boards(tmp_path, "127.0.0.1", points=10, speed=SPEED).all == {}
