"""Rollouts of firmware to a fleet of simulated gateways, through a real broker and a real cloud.

The gateways run the agent's own upgrade code with images (firmware_sim/gateways/board.py), of which one may
be bad. Broker and cloud may be killed at any moment.
"""

from __future__ import annotations

import json
import subprocess
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from _environment import PYTHON
from firmware_files import files
from mosquitto import Mosquitto
from stack import Emqx, Ports, Stack, StackError

from faults.chaos_site import emqx_launcher

MODEL, KEY_ID = "gw-200", "release"
SPEED = 10
"""Trials and pauses on the gateways pass so many times as fast, if nothing else is said."""
FLEET = "fleet"
"""What the serial numbers of its gateways begin with."""
POINTS = 10
INTERVAL_S = 10.0
ROLLOUT_TIMEOUT_S = 600.0
FLEET_TIMEOUT_S = 180.0
CONNECTING_S = 0.3
"""Of a gateway: one process makes the TLS of all of them."""
DURATION_S = 86_400
UPLOAD_TIMEOUT_S = 60.0
LOOK_S = 0.5
PAYLOAD_BYTES = 200_000
CONFIRM_S = 120


@dataclass
class RolloutSite:
    """Cloud, broker, and a fleet of so many gateways that take firmware. folder: of everything. is_emqx: it
    asks the cloud who a gateway is; mosquitto is told of each, which takes it long for thousands. speed: of
    time on the gateways; the cloud's work takes what it takes.
    """

    folder: Path
    count: int
    is_emqx: bool = False
    speed: int = SPEED
    fleet: subprocess.Popen[str] | None = None
    devices: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        ports, folder = Ports.free(), self.folder / "broker"
        self.broker: Mosquitto | Emqx
        host = "127.0.0.1"
        if self.is_emqx:
            self.broker = Emqx(folder, emqx_launcher(), ports.http)
            host = "localhost"  # as its certificate has it: gateways load firmware from their cloud's host
        else:
            self.broker = Mosquitto(folder)
        self.stack = Stack(
            self.folder / "stack",
            ports,
            broker=self.broker.cloud_env(),
            mqtt_port=self.broker.port,
            cloud_env={"EDGE_FIRMWARE_URL": f"http://{host}:{ports.http}"},
        )
        self._fleet_folder = self.folder / "fleet"
        self._fleet_output: IO[str] | None = None

    @contextmanager
    def running(self) -> Iterator[RolloutSite]:
        """With a trusted key and the fleet's gateways served."""
        self.broker.start()
        try:
            self.stack.prepare()
            self.stack.start_cloud()
            self.stack.api.login(*self.stack.sign_in())
            self.stack.api.call("PUT", "/dict", {"key": "CDCF", "value": {"ot": 1}})
            key = files.make_key(KEY_ID, self.folder)
            public = key.partition('"')[2].rstrip('"')
            self.stack.api.call("POST", "/firmware/key", {"key_id": KEY_ID, "public_key": public})
            self._start_fleet(key)
            self.devices = self._numbers()
            yield self
        finally:
            if self.fleet is not None:
                self.fleet.kill()
                self.fleet.wait()
            self.stack.stop()
            self.broker.kill()

    def upload(self, version: int, behaviour: str = "") -> int:
        """Sign and upload an image. behaviour: as its first line has it."""
        payload, file = self.folder / f"{version}.payload", self.folder / f"{version}.bin"
        head = f"behaviour={behaviour}\n" if behaviour else ""
        payload.write_bytes(head.encode() + bytes([version]) * PAYLOAD_BYTES)
        release = files.Release(models=[MODEL], version=version, version_text=f"{version}.0", upgrade_type=2)
        files.sign(payload, self.folder / f"{KEY_ID}.key", file, release)
        request = urllib.request.Request(
            f"{self.stack.api.base}/api/v1/firmware/file?file_name={file.name}",
            data=file.read_bytes(),
            headers={"Content-Type": "application/octet-stream", "X-Token": self.stack.api.token},
        )
        with urllib.request.urlopen(request, timeout=UPLOAD_TIMEOUT_S) as reply:
            return int(json.load(reply)["data"]["id"])

    def plan(self, firmware_id: int, *, canary: int, **rules: Any) -> int:
        """A plan for all gateways of the fleet, in waves."""
        body = {
            "name": firmware_id,
            "range": "device",
            "device_ids": self.devices,
            "scope": 2,
            "plan_control_count": canary,
            "firmware_id": firmware_id,
            "upgrade_type": 2,
            "rules": {"confirm_s": CONFIRM_S, **rules},
        }
        return int(self.stack.api.call("POST", "/firmware/plan", body)["id"])

    def start(self, plan: int) -> None:
        self.stack.api.call("POST", f"/firmware/plan/{plan}/start")

    def detail(self, plan: int) -> dict[str, Any]:
        """The plan, {} while the cloud is away."""
        try:
            detail: dict[str, Any] = self.stack.api.get(f"/firmware/plan/{plan}")
        except StackError:
            return {}
        return detail

    def wait_until(self, plan: int, *states: str, timeout_s: float = ROLLOUT_TIMEOUT_S) -> dict[str, Any]:
        """The plan when it is in one of these states."""
        detail: dict[str, Any] = self.stack.wait(
            lambda: (found := self.detail(plan)).get("state") in states and found,
            f"the rollout is {' or '.join(states)}",
            timeout_s=timeout_s,
        )
        return detail

    def wait_for(self, plan: int, name: str, count: int) -> None:
        """Until so many gateways of a plan are counted so."""
        self.stack.wait(
            lambda: self.detail(plan).get("counts", {}).get(name, 0) >= count,
            f"{count} gateways are {name}",
            timeout_s=ROLLOUT_TIMEOUT_S,
        )

    def runs_until(self, plan: int, ordered: int) -> bool:
        """Until so many gateways got an order; False when the plan ends or pauses before."""

        def look() -> str:
            detail = self.detail(plan)
            if not detail:
                return ""
            counts = detail["counts"]
            if detail["state"] != "running":
                return "ended"
            return "ordered" if counts["total"] - counts["waiting"] >= ordered else ""

        what = f"{ordered} gateways got an order"
        return bool(self.stack.wait(look, what, timeout_s=ROLLOUT_TIMEOUT_S) == "ordered")

    def kill_broker(self, seconds: float = 1.0) -> None:
        self.broker.kill()
        time.sleep(seconds)
        self.broker.start()

    def kill_cloud(self, seconds: float = 1.0) -> None:
        self.stack.cloud.kill()
        time.sleep(seconds)
        self.stack.start_cloud()

    def end_fleet(self) -> dict[str, Any]:
        """What the gateways run in the end, by their own word."""
        assert self.fleet is not None and self.fleet.stdin is not None
        self.fleet.stdin.close()
        self.fleet.wait(FLEET_TIMEOUT_S)
        lines = (self.folder / "fleet.out").read_text().splitlines()
        summary: dict[str, Any] = json.loads(lines[-1])["firmware"]
        return summary

    def _numbers(self) -> list[int]:
        numbers: list[int] = []
        while len(numbers) < self.count:
            page = self.stack.api.get(
                f"/firmware/gateway?page={len(numbers) // 100 + 1}&limit=100&takes_firmware=true"
            )
            numbers += [row["device_id"] for row in page["rows"]]
            if not page["rows"]:
                raise StackError(f"{len(numbers)} gateways take firmware, {self.count} were started")
        return numbers

    def _start_fleet(self, key: str) -> None:
        secrets = self.folder / "secrets.json"
        words = ("gateway", "claim", FLEET, "--count", str(self.count))
        secrets.write_text(self.stack.operate(*words))
        self._fleet_folder.mkdir()
        (self._fleet_folder / "firmware.toml").write_text(f'model = "{MODEL}"\n[keys]\n{key}\n')
        url = self.broker.url if isinstance(self.broker, Emqx) else f"mqtt://127.0.0.1:{self.broker.port}"
        command = [
            str(PYTHON), "-m", "firmware_sim", "fleet", "--url", url,
            "--secrets", str(secrets), "--points", str(POINTS), "--interval", str(INTERVAL_S),
            "--duration", str(DURATION_S), "--firmware", str(self._fleet_folder), "--speed", str(self.speed),
        ]  # fmt: skip
        output, env = self.folder / "fleet.out", dict(self.stack._env)
        if isinstance(self.broker, Emqx):
            env["SSL_CERT_FILE"] = str(self.broker.ca_file)
        with output.open("w") as out, (self.folder / "fleet.log").open("w") as log:
            self.fleet = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=out, stderr=log, text=True, env=env
            )
        self.stack.wait(
            lambda: '"ready"' in output.read_text(),
            "the fleet is served",
            timeout_s=FLEET_TIMEOUT_S + CONNECTING_S * self.count,
        )
        self._wait_for_catalogs()

    def _wait_for_catalogs(self) -> None:
        """Trials pass faster than time, the cloud's work does not: none may wait behind first contacts."""
        page = 1

        def are_known() -> bool:
            nonlocal page
            while rows := self.stack.api.get(f"/device?page={page}&limit=100")["rows"]:
                if not all(row["points"] for row in rows if row["gateway_id"].startswith(FLEET)):
                    return False
                page += 1
            return True

        self.stack.wait(
            are_known,
            "the cloud knows the points of all",
            timeout_s=FLEET_TIMEOUT_S + CONNECTING_S * self.count,
        )


@dataclass(frozen=True)
class RolloutFigures:
    """What a rollout came to. reached: gateways that got an order; codes: why up to 100 of them failed;
    versions: in the end, by their word; loaded_bytes: of the new version's file_bytes, by all gateways.
    """

    state: str
    reason: str
    seconds: float
    reached: int
    counts: dict[str, int]
    codes: dict[str, int]
    versions: dict[str, int]
    installed_again: dict[str, Any]
    file_bytes: int
    loaded_bytes: int


def rollout(
    folder: Path,
    count: int,
    *,
    canary: int,
    behaviour: str,
    kills: int,
    rules: dict[str, Any],
    is_emqx: bool,
    speed: int = SPEED,
) -> RolloutFigures:
    """Bring version 2 to so many gateways; kills: of broker and cloud in turn, on the way."""
    with RolloutSite(folder, count, is_emqx, speed).running() as site:
        plan = site.plan(site.upload(2, behaviour), canary=canary, **rules)
        begun = time.monotonic()
        site.start(plan)
        for number in range(kills):
            if not site.runs_until(plan, max(1, count * number // kills)):
                break
            (site.kill_cloud if number % 2 else site.kill_broker)()
        detail = site.wait_until(plan, "finished", "paused", timeout_s=ROLLOUT_TIMEOUT_S + count)
        seconds = time.monotonic() - begun
        while (detail := site.detail(plan))["counts"]["under_way"]:
            time.sleep(LOOK_S)
        counts = detail["counts"]
        reached = counts["total"] - counts["waiting"] - counts["skipped"] - counts["missed"]
        failed = site.stack.api.get(f"/firmware/plan/{plan}/upgrade?limit=100&upgrade_state=failed")["rows"]
        summary = site.end_fleet()
        file_bytes = (site.folder / "2.bin").stat().st_size
    return RolloutFigures(
        state=detail["state"],
        reason=detail["reason"],
        seconds=round(seconds, 1),
        reached=reached,
        counts=counts,
        codes=dict(Counter(row["code"] for row in failed)),
        versions=summary["versions"],
        installed_again=summary["installed_again"],
        file_bytes=file_bytes,
        loaded_bytes=summary["loaded_bytes"],
    )
