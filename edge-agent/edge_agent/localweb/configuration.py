"""The configuration on the page: what runs, a draft validated, deployed through a trial, and the way back.

GET /api/configuration: running, previous, deadline of a trial, steps, faults of gateway.toml, versions. GET
/api/configuration/text?hash&form=toml|json, /file?hash: a version as text; the bundle, whose SHA-256 is its
name. POST /api/configuration/check, /apply {text or version, base, confirm_s}: a receipt of the contract.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal, Protocol

import msgspec
from aiohttp import web

from edge_agent.config.documents import document_of
from edge_agent.config.model import Configuration
from edge_agent.config.text import MAX_BYTES
from edge_agent.config.versions import FOLDER
from edge_agent.errors import BadValue
from edge_agent.localweb.connections import in_time
from edge_agent.localweb.differences import differences
from edge_agent.localweb.guard import answer
from edge_agent.localweb.refusals import guarded, refused, who_asks
from edge_agent.localweb.toml_text import NoToml, toml_of
from edge_agent.remote.deployments import Situation
from edge_contract.deployment import Document, Receipt, Step, canonical

log = logging.getLogger(__name__)

MAX_REQUEST_BYTES = 2 * MAX_BYTES
"""A text of the greatest size with every line break and quote escaped."""
Base = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$(?!\n)")]


class Deploying(Protocol):
    """remote.deployments.Deployments, as far as the page needs it."""

    def situation(self) -> Situation: ...

    def document(self, name: str | None = None) -> Document | None: ...

    async def check_local(self, document: Document, *, base: str | None = None) -> Receipt: ...

    async def apply_local(
        self, document: Document, who: str, *, base: str | None = None, confirm_s: int = 300
    ) -> Receipt: ...


class Draft(msgspec.Struct, forbid_unknown_fields=True):
    """text: TOML or JSON; or version: the hash of a stored one.

    base: what the draft was made from; None: put it in place of whatever runs.
    """

    text: str | None = None
    version: Base | None = None
    base: Base | None = None
    confirm_s: Annotated[int, msgspec.Meta(ge=30, le=900)] = 300


class ConfigurationPages:
    """folder: of the agent's data. wall_ms: the gateway's clock."""

    def __init__(
        self, deploying: Deploying, running: Configuration, folder: Path, wall_ms: Callable[[], int]
    ) -> None:
        self._deploying = deploying
        self._running = running
        self._folder = folder
        self._wall_ms = wall_ms

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/api/configuration", self._situation),
            web.get("/api/configuration/text", self._text),
            web.get("/api/configuration/file", self._file),
            web.post("/api/configuration/check", self._check),
            web.post("/api/configuration/apply", self._apply),
        ]

    async def _situation(self, request: web.Request) -> web.Response:
        situation, running = self._deploying.situation(), self._running
        return answer(
            200,
            {
                "t_ms": self._wall_ms(),
                "running": situation.running,
                "previous": situation.previous,
                "deadline_ms": situation.deadline_ms,
                "steps": situation.steps,
                "from_cloud": bool(situation.steps) and not situation.steps[-1].id.startswith("local-"),
                "file_faults": [{"field": one.field, "rule": one.rule} for one in situation.file_faults],
                "versions": [
                    {
                        "hash": name,
                        "kept_ms": self._stored_ms(name),
                        "record": situation.records.get(name),
                    }
                    for name in situation.versions
                ],
                "ports": len(running.ports),
                "slaves": len(running.slaves),
                "points": len(running.points),
            },
        )

    def _stored_ms(self, name: str) -> int | None:
        """When a version came or was last taken into use."""
        with contextlib.suppress(OSError):
            return (self._folder / FOLDER / f"{name}.json").stat().st_mtime_ns // 1_000_000
        return None

    async def _text(self, request: web.Request) -> web.Response:
        """?hash (without: what runs) &form=toml|json. A document that TOML cannot say comes as JSON."""
        form = request.query.get("form", "toml")
        document = await self._version(request)
        if isinstance(document, web.Response):
            return document
        text, described = await asyncio.to_thread(written, document, "json" if form == "json" else "toml")
        return answer(
            200, {"text": text, "form": described, "running": self._deploying.situation().running.hash}
        )

    async def _file(self, request: web.Request) -> web.Response:
        """The bundle: the canonical JSON, whose SHA-256 is the version's name."""
        document = await self._version(request)
        if isinstance(document, web.Response):
            return document
        name = request.query.get("hash") or self._deploying.situation().running.hash
        file = f"{self._running.gateway.id}-{name[:12]}.json"
        return web.Response(
            body=await asyncio.to_thread(canonical, document),
            content_type="application/json",
            headers={"Content-Disposition": f'attachment; filename="{file}"'},
        )

    async def _version(self, request: web.Request) -> Document | web.Response:
        name = request.query.get("hash") or None
        if name is not None and name not in self._deploying.situation().versions:
            return refused(404, "hash", "must be that of a kept version")
        document = await asyncio.to_thread(self._deploying.document, name)
        return refused(503, "hash", "this version cannot be read") if document is None else document

    async def _check(self, request: web.Request) -> web.StreamResponse:
        return await self._deploy(request, apply=False)

    async def _apply(self, request: web.Request) -> web.StreamResponse:
        return await self._deploy(request, apply=True)

    async def _deploy(self, request: web.Request, *, apply: bool) -> web.StreamResponse:
        """A receipt: of a check CHECKED, UNCHANGED or REFUSED; of an apply STAGED, UNCHANGED or REFUSED."""
        body = await bounded(request)
        if body is None:
            return refused(413, "text", f"must be at most {MAX_BYTES // 2**20} MiB")
        who = who_asks(request)

        async def work(_: bytes, __: str) -> web.Response:
            draft = await asyncio.to_thread(msgspec.json.decode, body, type=Draft)
            document = await self._drafted(draft)
            if not apply:
                return await self._checked(document, draft.base)
            receipt = await self._deploying.apply_local(
                document, who, base=draft.base, confirm_s=draft.confirm_s
            )
            log.info("audit: %s applies a configuration: %s %s", who, receipt.step, receipt.code)
            return answer(200, receipt)

        return await guarded(work)(request)

    async def _checked(self, document: Document, base: str | None) -> web.Response:
        """The receipt, and what the document has otherwise than what runs."""
        receipt = await self._deploying.check_local(document, base=base)
        described = msgspec.to_builtins(receipt)
        running = await asyncio.to_thread(self._deploying.document)
        if receipt.step is Step.CHECKED and running is not None:
            rows, more = await asyncio.to_thread(differences, running, document)
            described |= {"differences": rows, "differences_more": more}
        return answer(200, described)

    async def _drafted(self, draft: Draft) -> Document:
        """ConfigErrors: it is neither TOML nor JSON. BadValue: it is neither a text nor a version."""
        if (draft.text is None) == (draft.version is None):
            raise BadValue("must be a text or a version, one of them")
        if draft.text is not None:
            return await asyncio.to_thread(document_of, draft.text)
        document = await asyncio.to_thread(self._deploying.document, draft.version)
        if document is None:
            raise BadValue("this version is not kept any more")
        return document


def written(document: Document, form: Literal["toml", "json"]) -> tuple[str, str]:
    """Text of a document and its form."""
    if form == "toml":
        with contextlib.suppress(NoToml, RecursionError):
            return toml_of(document), "toml"
    return msgspec.json.format(canonical(document), indent=2).decode(), "json"


async def bounded(request: web.Request) -> bytes | None:
    """The body up to MAX_REQUEST_BYTES, more than the server takes elsewhere; None when it is larger."""
    parts: list[bytes] = []
    size = 0
    async with in_time():
        async for part in request.content.iter_any():
            size += len(part)
            if size > MAX_REQUEST_BYTES:
                return None
            parts.append(part)
    return b"".join(parts)
