"""The support bundle: what somebody far away needs to see, and no secret of this gateway."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
import io
import platform
import shutil
import sys
import zipfile
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from edge_agent.bus.trace import TracedFrame
from edge_agent.errors import BadValue
from edge_agent.localweb.configuration import Deploying
from edge_agent.localweb.differences import redacted
from edge_agent.localweb.logbook import LogBook, LogLine
from edge_agent.localweb.view import GatewayView
from edge_agent.system.hiding import hiding
from edge_agent.trace.secrets import own_secrets
from edge_contract.document.masking import secrets_in

LIBRARIES = ("aiohttp", "aiosqlite", "argon2-cffi", "msgspec", "paho-mqtt", "pymodbus", "pyserial")
MAX_FILES = 200


class Support:
    """trace: of a port, as Bus.trace; history: LocalHistory.state, None where nothing is stored."""

    def __init__(
        self,
        folder: Path,
        plant: GatewayView,
        deploying: Deploying,
        book: LogBook,
        trace: Callable[[str], list[TracedFrame]],
        history: Callable[[], Awaitable[dict[str, Any]]] | None,
    ) -> None:
        self._folder = folder
        self._plant = plant
        self._deploying = deploying
        self._book = book
        self._trace = trace
        self._history = history

    async def bundle(self) -> tuple[str, bytes]:
        """Name and content of a zip file."""
        now_ms = self._plant.clock.now_ms()
        members = {
            "about.json": self._about(now_ms),
            "status.json": self._plant.status(),
            "deployments.json": self._deployments(),
            "traces.json": self._traces(),
            "history.json": await self._history() if self._history else None,
        }
        log = "\n".join(line_of(line) for line in self._book.lines())
        body = await asyncio.to_thread(self._packed, members, log)
        moment = datetime.fromtimestamp(now_ms / 1000, UTC).strftime("%Y%m%dT%H%M%SZ")
        return f"support-{self._plant.gateway}-{moment}.zip", body

    def _packed(self, members: dict[str, Any], log: str) -> bytes:
        """Beside the loop: a large configuration takes a while."""
        documents = [self._deploying.document(name) for name in [None, *self._deploying.situation().versions]]
        texts = {name: as_json(value) for name, value in members.items()}
        texts["configuration.json"] = as_json(redacted(documents[0]))
        texts["store.json"] = as_json(stored(self._folder))
        texts["log.txt"] = log + "\n"
        known = {word for document in documents for word in secrets_in(document)}
        veil = hiding([*known, *own_secrets(self._folder)])
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
            for name, text in texts.items():
                file.writestr(name, veil(text))
        return buffer.getvalue()

    def _about(self, now_ms: int) -> dict[str, Any]:
        return {
            "gateway": self._plant.gateway,
            "agent": self._plant.agent,
            "made_ms": now_ms,
            "python": sys.version,
            "machine": platform.platform(),
            "libraries": {name: version_of(name) for name in LIBRARIES},
        }

    def _deployments(self) -> dict[str, Any]:
        situation = self._deploying.situation()
        return {
            "running": situation.running,
            "previous": situation.previous,
            "deadline_ms": situation.deadline_ms,
            "steps": situation.steps,
            "versions": situation.versions,
            "file_faults": [str(one) for one in situation.file_faults],
        }

    def _traces(self) -> dict[str, Any]:
        """How many frames of what size and when; never their bytes, in which a meter's password travels."""
        counters: dict[str, Any] = {}
        for port in self._plant.ports():
            with contextlib.suppress(BadValue):
                frames = self._trace(port.name)
                counters[port.name] = {
                    "frames": len(frames),
                    "first_ms": frames[0].t_ms if frames else None,
                    "last_ms": frames[-1].t_ms if frames else None,
                    "sizes": [[one.t_ms, one.direction, len(one.data) + one.cut] for one in frames],
                }
        return counters


def stored(folder: Path) -> dict[str, Any]:
    """Files of the data folder with their sizes, and the space that is left."""
    files: dict[str, int] = {}
    for path in sorted(folder.rglob("*"))[:MAX_FILES]:
        with contextlib.suppress(OSError):
            if path.is_file():
                files[str(path.relative_to(folder))] = path.stat().st_size
    usage = shutil.disk_usage(folder)
    return {"files": files, "disk_total_bytes": usage.total, "disk_free_bytes": usage.free}


def line_of(line: LogLine) -> str:
    moment = datetime.fromtimestamp(line.t_ms / 1000, UTC).isoformat(timespec="milliseconds")
    return f"{moment} {line.level.upper()} {line.logger}: {line.text}"


def as_json(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value, enc_hook=_plainly), indent=1).decode()


def _plainly(value: Any) -> Any:
    return asdict(value) if hasattr(value, "__dataclass_fields__") else str(value)


def version_of(name: str) -> str | None:
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        return importlib.metadata.version(name)
    return None
