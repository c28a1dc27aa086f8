"""A real EMQX with the committed configuration, for tests and benchmarks where one is at hand.

Only ports, paths and secrets are replaced, by EMQX's own environment variables, as broker-config/emqx says.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import time
from pathlib import Path

from _environment import ROOT, VENV

from stack.ports import free_run
from stack.program import StackError

VARIABLE = "EDGE_TEST_EMQX"
SETTINGS = ROOT / "broker-config"
UNPACKED = VENV / "emqx"
UNPACK_TIMEOUT_S = 200.0
START_TIMEOUT_S = 200.0
STOP_TIMEOUT_S = 20.0
READY = b"is running now!"


class Emqx:
    """launcher: see tests/README.md. http_port: where the cloud answers the authenticator.

    port: of gateways; service_port: of the cloud; api_port: of the management API (user admin, api_password).
    """

    def __init__(
        self, folder: Path, launcher: Path, http_port: int, more: dict[str, str] | None = None
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.port = free_run(3)
        self.service_port, self.api_port = self.port + 1, self.port + 2
        self.secret = secrets.token_hex(16)
        self.api_password = secrets.token_hex(16)
        self.service_password = secrets.token_hex(16)
        self.log = folder / "emqx.log"
        self.ca_file = folder / "ca.pem"
        self._folder = folder
        self._launcher = launcher
        self._process: subprocess.Popen[bytes] | None = None
        self._make_certificate()
        for name, text in (("secret", self.secret), ("service", self.service_password)):
            (folder / name).write_text(text)
        self._env = {key: value for key, value in os.environ.items() if not key.startswith("EMQX_")}
        self._env |= self._replaced(http_port) | (more or {})

    def _replaced(self, http_port: int) -> dict[str, str]:
        headers = {"content-type": "application/json", "X-Emqx-Secret": self.secret}
        words = {
            "DASHBOARD__DEFAULT_PASSWORD": self.api_password,
            "DASHBOARD__LISTENERS__HTTP__BIND": f"127.0.0.1:{self.api_port}",
            "AUTHENTICATION__1__URL": f"http://127.0.0.1:{http_port}/internal/emqx/auth",
            "AUTHENTICATION__1__HEADERS": json.dumps(headers).replace('": "', '"="'),
            "AUTHORIZATION__SOURCES__1__PATH": str(SETTINGS / "acl" / "emqx-acl.conf"),
        }
        for name, port in (("DEFAULT", self.port), ("CLOUD", self.service_port)):
            listener = f"LISTENERS__SSL__{name}__"
            words[f"{listener}BIND"] = f"127.0.0.1:{port}"
            for key, file in (("CACERTFILE", "ca.pem"), ("CERTFILE", "ca.pem"), ("KEYFILE", "server.key")):
                words[f"{listener}SSL_OPTIONS__{key}"] = str(self._folder / file)
        return {"EMQX_RUN": str(self._folder / "run"), **{f"EMQX_{key}": text for key, text in words.items()}}

    def _make_certificate(self) -> None:
        """For localhost, its own authority."""
        words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost"
        names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
        files = ["-keyout", str(self._folder / "server.key"), "-out", str(self.ca_file)]
        subprocess.run(["openssl", *words.split(), *names, *files], check=True, capture_output=True)

    def cloud_env(self) -> dict[str, str]:
        """Settings with which the cloud uses this broker."""
        return {
            "EDGE_BROKER": "emqx",
            "EDGE_BROKER_URL": f"mqtts://localhost:{self.service_port}",
            "EDGE_BROKER_CA_FILE": str(self.ca_file),
            "EDGE_BROKER_USERNAME": "cloud",
            "EDGE_BROKER_PASSWORD_FILE": str(self._folder / "service"),
            "EDGE_EMQX_SECRET_FILE": str(self._folder / "secret"),
        }

    @property
    def url(self) -> str:
        """For gateways, which have to trust ca_file."""
        return f"mqtts://localhost:{self.port}"

    @property
    def pid(self) -> int:
        if self._process is None:
            raise StackError("EMQX was not started")
        return self._process.pid

    def start(self) -> None:
        """Return when it listens and is ready, some five seconds later."""
        self.begin()
        self.wait_ready()

    def begin(self) -> None:
        """Start it and do not wait."""
        subprocess.run(
            [str(self._launcher), "unpack", str(UNPACKED)],
            check=True, capture_output=True, timeout=UNPACK_TIMEOUT_S, env=self._env,
        )  # fmt: skip
        self._said = self.log.stat().st_size if self.log.exists() else 0
        words = [str(self._launcher), "run", str(UNPACKED), str(SETTINGS / "emqx" / "emqx.conf")]
        with self.log.open("ab") as out:
            self._process = subprocess.Popen(
                words, env=self._env, stdout=out, stderr=out, start_new_session=True
            )

    def wait_ready(self) -> None:
        """Return when it says that it runs; StackError with the end of its log when it does not."""
        deadline = time.monotonic() + START_TIMEOUT_S
        while READY not in self.log.read_bytes()[self._said :]:
            is_over = self._process is None or self._process.poll() is not None
            if is_over or time.monotonic() > deadline:
                raise StackError(f"EMQX did not start: {self.log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.05)

    def wipe(self) -> None:
        """Forget everything, as a lost disk would; it must not run."""
        shutil.rmtree(self._folder / "run" / "data", ignore_errors=True)

    def kill(self) -> None:
        """kill -9."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def stop(self) -> None:
        """Ask it to stop; kill it when it does not."""
        if self._process is None or self._process.poll() is not None:
            return
        self._process.terminate()
        try:
            self._process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.kill()
