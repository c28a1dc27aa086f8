"""What is done with a verified payload: unpacked into a slot, durable, and tried before it may start."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Protocol

from edge_agent.errors import AgentError
from edge_agent.firmware.inspection import PART_BYTES, payload_parts
from edge_agent.firmware.launcher import LIBRARY
from edge_agent.firmware.medium import Medium
from edge_contract.firmware import FirmwareHeader, UpgradeType

IMAGE_FILE = "image.bin"
MAX_WHEELS = 64
MAX_FILES = 20_000
MAX_UNPACKED_BYTES = 512 * 1024 * 1024
COMPILE_S = 600.0
TRY_S = 120.0
"""The agent of a slot says its version within this time, on a slow medium too."""

WHEEL = re.compile(r"[\w.]+-[\w.+!]+(?:-\d\w*)?-([\w.]+)-([\w.]+)-([\w.]+)\.whl")
"""Binary distribution format: {distribution}-{version}(-{build})?-{python}-{abi}-{platform}.whl."""


class UnusableFirmware(AgentError):
    """A payload that is what was signed, and cannot be installed here."""

    code = "unusable"


class Installer(Protocol):
    """One way of filling a slot."""

    upgrade_type: UpgradeType

    def unpacked_bytes(self, file: Path, header: FirmwareHeader) -> int:
        """What the slot will need. Raises UnusableFirmware and OSError."""

    def install(self, file: Path, header: FirmwareHeader, slot: Path, medium: Medium) -> None:
        """Fill an empty slot; durable when it returns. Raises UnusableFirmware and OSError."""


class ImageInstaller:
    """The payload is the content of the slot, as one file."""

    upgrade_type = UpgradeType.IMAGE

    def unpacked_bytes(self, file: Path, header: FirmwareHeader) -> int:
        """As many as it has."""
        return header.manifest.size

    def install(self, file: Path, header: FirmwareHeader, slot: Path, medium: Medium) -> None:
        """Raises OSError."""
        _write(slot / IMAGE_FILE, payload_parts(file, header), medium)
        medium.sync_folder(slot)


class PackageInstaller:
    """The payload is a zip of wheels; they are unpacked beside each other, without pip or a network."""

    upgrade_type = UpgradeType.PACKAGE

    def __init__(self, python: str = sys.executable) -> None:
        self._python = python

    def unpacked_bytes(self, file: Path, header: FirmwareHeader) -> int:
        """Of all wheels. Raises UnusableFirmware and OSError."""
        return sum(info.file_size for _, _, info in _members(file))

    def install(self, file: Path, header: FirmwareHeader, slot: Path, medium: Medium) -> None:
        """Raises UnusableFirmware and OSError."""
        library = slot / LIBRARY
        folders = {slot, library}
        written: dict[str, str] = {}
        medium.make_folder(library)
        for wheel, archive, info in _members(file):
            target = _target(wheel, info)
            if target is None:
                continue
            if (other := written.setdefault(target, wheel)) != wheel:
                raise UnusableFirmware(f"{target} is in {other} and in {wheel}")
            path = library / target
            if path.parent not in folders:
                medium.make_folder(path.parent)
                folders |= {path.parent, *(up for up in path.parents if up.is_relative_to(library))}
            with archive.open(info) as content:
                _write(path, _read(content), medium)
        self._compile(library, medium)
        for folder in sorted(folders):
            medium.sync_folder(folder)
        self._try(library, header.manifest.version_text)

    def _compile(self, library: Path, medium: Medium) -> None:
        """Byte code is made here and durable as all else: the launcher lets a slot write none later."""
        words = ["-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", str(library)]
        ended = self._run(words, {}, COMPILE_S)
        if ended.returncode:
            raise UnusableFirmware(f"it does not compile: {_last_line(ended.stdout + ended.stderr)}")
        for cache in library.rglob("__pycache__"):
            for path in cache.iterdir():
                medium.sync(path)
            medium.sync_folder(cache)

    def _try(self, library: Path, version: str) -> None:
        """The agent in the slot starts, and says that it has the version of the manifest."""
        if not (library / "edge_agent" / "__main__.py").is_file():
            raise UnusableFirmware("no wheel has the package edge_agent")
        path = os.pathsep.join(filter(None, [str(library), os.environ.get("PYTHONPATH")]))
        variables = {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        ended = self._run(["-P", "-m", "edge_agent", "version"], variables, TRY_S)
        said = ended.stdout.strip()
        if ended.returncode or said != version:
            words = _last_line(ended.stderr) if ended.returncode else f"it says version {said[:40]!r}"
            raise UnusableFirmware(f"the manifest says {version}; {words}")

    def _run(
        self, words: list[str], variables: dict[str, str], timeout_s: float
    ) -> subprocess.CompletedProcess[str]:
        environment = {name: text for name, text in os.environ.items() if name != "PYTHONPYCACHEPREFIX"}
        try:
            return subprocess.run(  # noqa: S603 - its own interpreter, without a shell
                [self._python, *words],
                env=environment | variables,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=timeout_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise UnusableFirmware(f"{words[-1]} did not end within {timeout_s:.0f} s") from None


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no word"])[-1][:150]


def _members(file: Path) -> Iterator[tuple[str, zipfile.ZipFile, zipfile.ZipInfo]]:
    """Every file of every wheel: the wheel's name, its open archive, the file. Raises UnusableFirmware.

    A zip archive may have other bytes before it: here the header.
    """
    try:
        with zipfile.ZipFile(file) as outer:
            wheels = outer.infolist()
            if not 1 <= len(wheels) <= MAX_WHEELS:
                raise UnusableFirmware(f"a package has 1 to {MAX_WHEELS} wheels, not {len(wheels)}")
            files = size = 0
            for entry in wheels:
                _check_wheel(entry.filename)
                with outer.open(entry) as content, zipfile.ZipFile(content) as archive:
                    for info in archive.infolist():
                        files, size = files + 1, size + info.file_size
                        if files > MAX_FILES or size > MAX_UNPACKED_BYTES:
                            rule = f"at most {MAX_FILES} files of {MAX_UNPACKED_BYTES} bytes together"
                            raise UnusableFirmware(f"a package has {rule}")
                        if not info.is_dir():
                            yield entry.filename, archive, info
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise UnusableFirmware(f"the payload is no zip of wheels: {error}") from None


def _check_wheel(name: str) -> None:
    match = WHEEL.fullmatch(name)
    if match is None:
        raise UnusableFirmware(f"{name[:100]!r} is not the name of a wheel")
    pythons, platforms = match[1].split("."), match[3].split(".")
    machine = os.uname().machine
    if not any(_fits_python(tag, match[2]) for tag in pythons):
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise UnusableFirmware(f"{name} is not for Python {version}")
    if not any(tag == "any" or ("linux" in tag and tag.endswith(f"_{machine}")) for tag in platforms):
        raise UnusableFirmware(f"{name} is not for {machine}")


def _fits_python(tag: str, abi: str) -> bool:
    """py3 and older minor versions are for any later one; a compiled wheel for its own, unless it is abi3."""
    match = re.fullmatch(r"(py|cp)3(\d*)", tag)
    if match is None:
        return False
    minor = int(match[2] or 0)
    if match[1] == "py" or "abi3" in abi.split("."):
        return minor <= sys.version_info.minor
    return minor == sys.version_info.minor


def _target(wheel: str, info: zipfile.ZipInfo) -> str | None:
    """Where a file of a wheel goes below the library; None for scripts and headers.

    Raises UnusableFirmware.
    """
    name = info.filename
    parts = PurePosixPath(name).parts
    if (
        not parts
        or PurePosixPath(name).is_absolute()
        or ".." in parts
        or "\\" in name
        or "\0" in name
        or stat.S_ISLNK(info.external_attr >> 16)
    ):
        raise UnusableFirmware(f"{wheel} has a file {name[:100]!r}, which is not below its folder")
    if parts[0].endswith(".data"):
        return "/".join(parts[2:]) if len(parts) > 2 and parts[1] in ("purelib", "platlib") else None
    return "/".join(parts)


def _read(content: IO[bytes]) -> Iterator[bytes]:
    try:
        while part := content.read(PART_BYTES):
            yield part
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise UnusableFirmware(f"a wheel is damaged: {error}") from None


def _write(path: Path, parts: Iterator[bytes], medium: Medium) -> None:
    offset = 0
    medium.write_at(path, 0, b"")
    for part in parts:
        medium.write_at(path, offset, part)
        offset += len(part)
    medium.sync(path)
