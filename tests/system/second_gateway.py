"""One more gateway on a stack's cloud, with a plant of its own: what befalls it must not touch the others."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from statistics import median

from _environment import PYTHON
from evidence import Stops, all_stored, awaited, count, drained, history, served, sources
from local_page import LocalPage
from stack import Ports, Program, Stack

VERB_TIMEOUT_S = 30.0
UP_TIMEOUT_S = 60.0
SENT_TIMEOUT_S = 60.0
RESPONSE_TIMEOUT_MS = 30_000  # of the scenario's devices
MAX_LATE_MS = 1000
UNREAD_MS = 1000
"""What left so shortly before either end was to stop may lie unread, and is thrown away."""


class SecondGateway:
    """folder: of plant and logs; data: of the agent, folder/agent when not given."""

    def __init__(
        self, stack: Stack, folder: Path, gateway: str, secret: str, data: Path | None = None
    ) -> None:
        self.gateway = gateway
        self.secret = secret
        self.data = data or folder / "agent"
        self.config = folder / "gateway.toml"
        self._stack = stack
        self._folder = folder
        self._ports = Ports.free()
        self._served_log = folder / "served.jsonl"
        self._stops_ms: Stops = []
        self.page = LocalPage(self._ports.local_page)
        plant = ["run", "counter", "--state", str(folder / "plant"), "--modbus-port", str(self._ports.modbus)]
        self.plant = self._program("firmware_sim", *plant, "--ledger", str(self._served_log))
        self.agent = self._program(
            "edge_agent", "run", "--config", str(self.config), "--data", str(self.data)
        )
        (folder / "plant").mkdir(parents=True, exist_ok=True)

    def _program(self, module: str, *words: str) -> Program:
        env = self._stack._env
        return Program(f"{self.gateway}-{module}", [str(PYTHON), "-m", module, *words], env, self._folder)

    def keep_secret(self, secret: str) -> None:
        """As the engineer does; a running agent takes it with its next attempt."""
        run(self._stack, "edge_agent", "secret", "--set", "--data", str(self.data), text=f"{secret}\n")

    def configure(self, cloud_url: str, cloud_lines: str = "") -> None:
        """Write gateway.toml. cloud_lines: more settings of [cloud]."""
        toml = run(
            self._stack, "firmware_sim", "config", "counter", "--gateway", self.gateway,
            "--cloud-url", cloud_url, "--plant", str(self._folder / "plant"),
            "--modbus-port", str(self._ports.modbus), "--local-port", str(self._ports.local_page),
        )  # fmt: skip
        toml = toml.replace("[cloud]\n", f"[cloud]\n{cloud_lines}")
        self.config.write_text(f"{toml}\n[storage]\ncommit_interval_s = 0.2\n")

    def start_plant(self) -> None:
        self.plant.start()
        self.wait(lambda: '"ready"' in self.plant.log.read_text(), "its plant is ready")

    def start_agent(self) -> None:
        """Return when the local page is there and this client is signed in to it."""
        log_size = len(self.log())
        self.agent.start()
        self.wait(lambda: "local page on" in self.log()[log_size:], "its local page listens")
        password = (self.data / "local-admin.txt").read_text().strip()
        status, answer = self.page.sign_in(password)
        assert status == 200, answer

    def stop_agent(self) -> None:
        """What its devices answer meanwhile, it may not read any more."""
        self._stop(self.agent)

    def _stop(self, end: Program) -> None:
        begun_ms = time.time() * 1000
        end.stop()
        self._stops_ms.append((begun_ms - UNREAD_MS, time.time() * 1000))

    def log(self) -> str:
        return self.agent.log.read_text() if self.agent.log.exists() else ""

    def collected(self) -> int:
        """Samples that the agent has committed and not yet been allowed to forget."""
        return count(self.data / "outbox.sqlite", "SELECT coalesce(sum(samples), 0) FROM batch")

    def accepted(self) -> bool:
        return bool(self.page.status()["link"]["accepted"])

    def wait(self, done: object, what: str, timeout_s: float = UP_TIMEOUT_S) -> None:
        programs = [one for one in (self._stack.cloud, self.plant, self.agent) if one.alive()]
        self._stack.wait(done, f"{self.gateway}: {what}", *programs, timeout_s=timeout_s)

    def check_all_arrived(self, least: int) -> None:
        """End collecting, let everything be sent, and compare with what the plant served.

        By value: none is left out but what left while the agent was being stopped, none stands twice.
        By time: each has that of its answer, and most are read at once.
        """
        self._stop(self.plant)
        self.wait(self._all_sent, "everything is sent", SENT_TIMEOUT_S)
        self.agent.stop()
        # What the end brought has no value; a stopping agent sends it, or keeps it for its next start.
        self.wait(lambda: all_stored(self._stack, self.gateway), "what came is stored")
        plant, numbers = served(self._served_log), sources(self._stack, self.gateway)
        assert plant.keys() == numbers.keys()
        for name, rows in plant.items():
            samples = [row for row in history(self._stack, numbers[name]) if row["quality"] == 0]
            arrived = {sample["value"] for sample in samples}
            rows = awaited(rows, arrived, self._stops_ms)
            assert len(rows) >= least, name
            assert [sample["value"] for sample in samples] == [row.value for row in rows], name
            late = [sample["t_ms"] - row.t_ms for sample, row in zip(samples, rows, strict=True)]
            assert min(late) >= 0 and max(late) <= RESPONSE_TIMEOUT_MS, (name, late)
            assert median(late) <= MAX_LATE_MS, (name, late)

    def _all_sent(self) -> bool:
        waits = self.page.status()["outbox"]["pending_samples"]
        return waits == 0 and drained(self._stack, self.data, self.gateway)

    def stop(self) -> None:
        self.agent.stop()
        self.plant.stop()


def claim(stack: Stack, gateway: str) -> str:
    """Make a gateway known to the cloud; its secret."""
    return run(stack, "cloud", "gateway", "claim", gateway, "--title", gateway)


def run(stack: Stack, module: str, *words: str, text: str = "") -> str:
    """What a program prints, in the stack's environment."""
    done = subprocess.run(
        [str(PYTHON), "-m", module, *words],
        env=stack._env, input=text, capture_output=True, text=True, check=False, timeout=VERB_TIMEOUT_S,
    )  # fmt: skip
    assert done.returncode == 0, json.dumps([words, done.stdout, done.stderr])
    return done.stdout.strip()
