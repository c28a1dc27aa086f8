"""A real mosquitto with dynamic security on a free port, to be killed and started again."""

from __future__ import annotations

import contextlib
import json
import secrets
import socket
import subprocess
import time
from pathlib import Path

from authority import Certificate
from stack import free_run

PLUGIN = "mosquitto_dynamic_security.so"
START_TIMEOUT_S = 30.0


class Mosquitto:
    """Persistence is on, as a site would have it; the guarantees do not need it."""

    def __init__(self, folder: Path, certificate: Certificate | None = None) -> None:
        """certificate: of a second listener, which speaks TLS on tls_port."""
        folder.mkdir(parents=True, exist_ok=True)
        self.port = free_run()
        self.tls_port = free_run()
        self.log = folder / "mosquitto.log"
        self.admin_password = secrets.token_urlsafe(24)
        self.service_password = secrets.token_urlsafe(24)
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        plugin = next(Path("/usr/lib").rglob(PLUGIN))
        self._accounts = accounts = folder / "dynsec.json"
        subprocess.run(
            ["mosquitto_ctrl", "dynsec", "init", str(accounts), "admin", self.admin_password],
            check=True, capture_output=True,
        )  # fmt: skip
        for name, secret in (("admin", self.admin_password), ("service", self.service_password)):
            (folder / f"{name}-password").write_text(secret)
        (folder / "mosquitto.conf").write_text(
            f"listener {self.port} 127.0.0.1\n"
            "allow_anonymous false\n"
            f"plugin {plugin}\n"
            f"plugin_opt_config_file {accounts}\n"
            f"persistence true\npersistence_location {folder}/\nautosave_interval 1\n"
            "max_queued_messages 0\n"
            "log_type all\n"  # refused publications are logged there only
            "user root\n" + ("" if certificate is None else self._tls_listener(certificate))
        )

    def _tls_listener(self, certificate: Certificate) -> str:
        return f"listener {self.tls_port} 127.0.0.1\ncertfile {certificate.file}\nkeyfile {certificate.key}\n"

    def cloud_env(self) -> dict[str, str]:
        """Settings with which the cloud uses this broker."""
        return {
            "EDGE_BROKER": "mosquitto",
            "EDGE_BROKER_URL": f"mqtt://127.0.0.1:{self.port}",
            "EDGE_BROKER_USERNAME": "edge-cloud",
            "EDGE_BROKER_PASSWORD_FILE": str(self._folder / "service-password"),
            "EDGE_DYNSEC_USERNAME": "admin",
            "EDGE_DYNSEC_PASSWORD_FILE": str(self._folder / "admin-password"),
        }

    def start(self) -> None:
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                ["mosquitto", "-c", str(self._folder / "mosquitto.conf")],
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise RuntimeError(f"mosquitto did not start: {(self._folder / 'mosquitto.log').read_text()}")

    def wipe(self) -> None:
        """Forget every session and queue, as a lost disk would; it must not run. Accounts are kept."""
        for kept in self._folder.glob("mosquitto.db*"):
            kept.unlink()

    def kill(self) -> None:
        """kill -9. Accounts are kept: this version writes their file over itself, and half of it is none."""
        if self._process is not None:
            before = self._read_accounts()
            self._process.kill()
            self._process.wait()
            self._process = None
            if not self._read_accounts():
                self._accounts.write_text(before)

    def _read_accounts(self) -> str:
        """Empty while they are being written."""
        for _ in range(1000):
            text = self._accounts.read_text()
            with contextlib.suppress(ValueError):
                json.loads(text)
                return text
            if self._process is None:
                break
            time.sleep(0.01)
        return ""
