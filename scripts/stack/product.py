"""Cloud, plant and agent together, in one data folder."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import shutil
import string
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, ClassVar

from _environment import PYTHON, WEB

from stack.api import Api
from stack.ports import Ports
from stack.private import UMASK, make_private, write_private
from stack.program import Program, StackError

START_TIMEOUT_S = 60.0  # first start makes the databases
GATEWAY = "gw-demo-0001"


class Stack:
    """Cloud, plant and agent on one data folder. broker: settings of another than the embedded broker.

    agent_env: variables of the agent alone. cloud_url: by which it reaches the broker, in place of mqtt_port.
    """

    beginning: ClassVar[Path | None] = None
    """Data folder, prepared and never started, whose users and claim a new one begins with.

    None: they are made by the cloud's own command line, which takes longer than the cloud's start.
    """

    def __init__(
        self,
        data: Path,
        ports: Ports,
        *,
        scenario: str = "boiler_house",
        broker: dict[str, str] | None = None,
        mqtt_port: int | None = None,
        cloud_url: str | None = None,
        cloud_env: dict[str, str] | None = None,
        served_log: Path | None = None,
        commit_interval_s: float | None = None,
        agent_env: dict[str, str] | None = None,
    ) -> None:
        self.data = data.resolve()
        self.ports = ports
        self.api = Api(ports.http)
        self._scenario = scenario
        self._embedded = broker is None
        self._cloud_url = cloud_url or f"mqtt://127.0.0.1:{mqtt_port or ports.mqtt}"
        self._commit_interval_s = commit_interval_s
        self._lock: IO[str] | None = None
        self._agent_started_ms = 0.0
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("EDGE_")}
        self._env = {
            **inherited,
            "PYTHONUNBUFFERED": "1",
            "EDGE_DATA_DIR": str(self.data / "cloud"),
            "EDGE_HOST": "127.0.0.1",
            "EDGE_PORT": str(ports.http),
            "EDGE_PORTAL_DIR": str(WEB / "dist"),
            **(broker or {"EDGE_BROKER": "embedded", "EDGE_BROKER_PORT": str(ports.mqtt)}),
            **(cloud_env or {}),
        }
        plant = ["run", scenario, "--state", str(self.data / "plant"), "--modbus-port", str(ports.modbus)]
        if served_log is not None:
            plant += ["--ledger", str(served_log)]
        agent = [
            "run",
            "--config",
            str(self.data / "agent" / "gateway.toml"),
            "--data",
            str(self.data / "agent"),
        ]
        self.cloud = self._program("cloud", "cloud", ["serve"])
        self.plant = self._program("plant", "firmware_sim", plant)
        self.agent = self._program("agent", "edge_agent", agent, agent_env)

    def _program(
        self, name: str, module: str, words: list[str], more_env: dict[str, str] | None = None
    ) -> Program:
        env = {**self._env, **(more_env or {})}
        return Program(name, [str(PYTHON), "-m", module, *words], env, self.data / "logs")

    def _run(self, module: str, *words: str, text: str | None = None) -> str:
        command = [str(PYTHON), "-m", module, *words]
        done = subprocess.run(
            command, env=self._env, input=text, capture_output=True, text=True, check=False, umask=UMASK
        )
        if done.returncode:
            raise StackError(f"{module} {' '.join(words[:2])} failed: {done.stdout}{done.stderr}")
        return done.stdout.strip()

    @property
    def is_new(self) -> bool:
        """Has nothing been made in the data folder yet?"""
        return not ((self.data / "sign-in.json").exists() and (self.data / "agent" / "cloud-secret").exists())

    def prepare(self) -> None:
        """Make the folders, the sign-in, the gateway's claim and its configuration; keep what is there."""
        for name in ("", "cloud", "agent", "plant", "logs"):
            make_private(self.data / name)
        write_private(self.data / "lock", "")
        self._lock = (self.data / "lock").open("w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise StackError(f"another run uses {self.data}; stop it or choose another --data") from None
        sign_in = self.data / "sign-in.json"
        secret = self.data / "agent" / "cloud-secret"
        if self.beginning is not None and self.is_new:
            shutil.copytree(self.beginning / "cloud", self.data / "cloud", dirs_exist_ok=True)
            shutil.copy(self.beginning / sign_in.name, sign_in)
            if self._embedded:  # another broker has to be told of the claim
                shutil.copy(self.beginning / "agent" / secret.name, secret)
        if not sign_in.exists():
            alphabet = string.ascii_letters + string.digits
            password = "".join(secrets.choice(alphabet) for _ in range(16))
            self._run("cloud", "user", "add", "admin", "--type", "0", "--password-stdin", text=password)
            write_private(sign_in, json.dumps({"username": "admin", "password": password}) + "\n")
        if not secret.exists():
            words = ("gateway", "claim", GATEWAY, "--title", "锅炉房 Boiler house", "--rotate")
            write_private(secret, self._run("cloud", *words) + "\n")
        toml = self._run(
            "firmware_sim", "config", self._scenario, "--gateway", GATEWAY,
            "--cloud-url", self._cloud_url, "--plant", str(self.data / "plant"),
            "--modbus-port", str(self.ports.modbus), "--local-port", str(self.ports.local_page),
        )  # fmt: skip
        if self._commit_interval_s is not None:
            toml += f"\n[storage]\ncommit_interval_s = {self._commit_interval_s}\n"
        write_private(self.data / "agent" / "gateway.toml", toml + "\n")

    def operate(self, *words: str) -> str:
        """What an operator's `edge-cloud` says beside the running cloud."""
        return self._run("cloud", *words)

    def sign_in(self) -> tuple[str, str]:
        """User name and password that prepare() made."""
        kept = json.loads((self.data / "sign-in.json").read_text())
        return kept["username"], kept["password"]

    def start_cloud(self) -> None:
        self.cloud.start()
        self.wait(self.api.healthy, "the cloud answers /healthz", self.cloud)

    def start_plant(self) -> None:
        ready = self.plant.log.stat().st_size if self.plant.log.exists() else 0
        self.plant.start()
        self.wait(lambda: b'"ready"' in self.plant.log.read_bytes()[ready:], "the plant is ready", self.plant)

    def start_agent(self) -> None:
        self._agent_started_ms = time.time() * 1000
        self.agent.start()

    def wait(self, done: Any, what: str, *programs: Program, timeout_s: float = START_TIMEOUT_S) -> Any:
        """Poll until done() is true and return its answer; StackError at the time-out or a program's end."""
        deadline = time.monotonic() + timeout_s
        while True:
            answer = done()
            if answer:
                return answer
            for program in programs:
                program.check()
            if time.monotonic() > deadline:
                raise StackError(f"waited {timeout_s:.0f} s in vain until {what}; logs: {self.data / 'logs'}")
            time.sleep(0.1)

    def first_value(self) -> dict[str, Any] | None:
        """A good value collected since the agent's start, as the REST API answers it; None before."""
        for device in self.api.get("/device?page=1&limit=20")["rows"]:
            sources = {
                row["dsid"]: row for row in self.api.get(f"/device/dss?device_id={device['id']}")["rows"]
            }
            for row in self.api.get(f"/device/lastdps?device_id={device['id']}")["rows"]:
                fresh = row["dsid"] in sources and row["t_ms"] >= self._agent_started_ms
                if fresh and row["quality"] == 0 and row["value"] is not None:
                    return {**sources[row["dsid"]], **row, "device_title": device["device_title"]}
        return None

    @contextlib.contextmanager
    def running(self) -> Iterator[Stack]:
        """Everything prepared, started and signed in, with a first value; stopped at the end."""
        try:
            self.prepare()
            self.start_cloud()
            self.start_plant()
            self.start_agent()
            self.api.login(*self.sign_in())
            self.wait(self.first_value, "a first value", self.cloud, self.plant, self.agent)
            yield self
        finally:
            self.stop()

    def stop(self) -> None:
        """Stop in the order in which nothing is lost: agent, plant, cloud."""
        for program in (self.agent, self.plant, self.cloud):
            program.stop()
        if self._lock is not None:
            self._lock.close()
            self._lock = None
