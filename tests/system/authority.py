"""A certificate authority of the test's own, and servers' certificates signed by it."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
DAYS = "2"


@dataclass(frozen=True)
class Certificate:
    """PEM files."""

    file: Path
    key: Path


class Authority:
    """ca_file: what a client has to trust."""

    def __init__(self, folder: Path, name: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._own = Certificate(folder / f"{name}.pem", folder / f"{name}.key")
        self.ca_file = self._own.file
        openssl(
            "req", "-x509", *KEY, "-keyout", self._own.key, "-out", self._own.file, "-days", DAYS,
            "-subj", f"/CN={name}", "-addext", "keyUsage=critical,keyCertSign",
        )  # fmt: skip

    def server(self, host: str) -> Certificate:
        """A certificate for one host name."""
        made = Certificate(self._folder / f"{host}.pem", self._folder / f"{host}.key")
        asked, names = self._folder / f"{host}.csr", self._folder / f"{host}.names"
        names.write_text(f"subjectAltName=DNS:{host}\nextendedKeyUsage=serverAuth\n")
        openssl("req", *KEY, "-keyout", made.key, "-out", asked, "-subj", f"/CN={host}")
        openssl(
            "x509", "-req", "-in", asked, "-CA", self._own.file, "-CAkey", self._own.key, "-CAcreateserial",
            "-out", made.file, "-days", DAYS, "-extfile", names,
        )  # fmt: skip
        return made


def openssl(*words: str | Path) -> None:
    subprocess.run(["openssl", *words], check=True, capture_output=True)
