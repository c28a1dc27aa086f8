"""The import services on a database, with jobs that are run by hand, and workbooks for them."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from cloud.core.xlsx import Cell, Column, Sheet, write_workbook
from cloud.domains.configuration.document import read, written
from cloud.domains.configuration.drafts import Drafts, NewDraft
from cloud.domains.devices.registry import Registry
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.importing.applying import Applier
from cloud.domains.importing.exporting import ExportService
from cloud.domains.importing.previewing import Previewer
from cloud.domains.importing.removal import Removals
from cloud.domains.importing.schemas import ApplyImportBody, ImportState, PreviewImportBody, SheetMapping
from cloud.domains.importing.service import APPLY, PREVIEW, ImportService
from cloud.domains.inventory.models import Device
from cloud.domains.jobs.run import Run
from cloud.domains.jobs.service import JobService
from cloud.errors import Unavailable
from cloud.link import LinkDown

from ...conftest import DomainServices
from ..tenants import tree

DEVICES = ["网关编号", "设备名称"]
POINTS = ["网关编号", "从机标识", "标识", "寄存器类型", "寄存器地址"]
PORT: dict[str, Any] = {"name": "lan", "type": "NET", "host": "10.0.0.1"}
SLAVE: dict[str, Any] = {"name": "plc", "port": "lan", "protocol": "modbus_tcp", "address": "1"}


def book(**sheets: tuple[list[str], list[list[Cell]]]) -> bytes:
    file = io.BytesIO()
    write_workbook(file, [Sheet(n, [Column(h) for h in heads], rows) for n, (heads, rows) in sheets.items()])
    return file.getvalue()


def confirmed(state: ImportState, **more: Any) -> ApplyImportBody:
    return ApplyImportBody(preview="0" * 32 if state.preview is None else state.preview.id, **more)


@dataclass
class ImportServices:
    """The import services around one database, with jobs that are run by hand."""

    services: DomainServices
    folder: Path
    users: dict[str, CurrentUser]
    told: list[int] = field(default_factory=list)
    disabled: list[str] = field(default_factory=list)
    stubborn: set[str] = field(default_factory=set)
    noted: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        async def somebody(user_id: int) -> CurrentUser | None:
            return next((user for user in self.users.values() if user.id == user_id), None)

        self.jobs = JobService(
            self.services.database,
            self.folder / "exports",
            somebody,
            lambda user, piece: None,
            clock=self.services.clock,
        )
        self.removals = Removals(self.services.database, self._remove)
        self.imports = ImportService(
            self.folder / "imports",
            self.jobs,
            self.services.devices,
            self.removals,
            clock=self.services.clock,
        )
        self.exports = ExportService(self.services.database, self.jobs, clock=self.services.clock)
        self.previewer = Previewer(self.services.database, self.imports.work_of, self.removals)
        self.applier = Applier(
            self.services.database, self.imports.work_of, self.services.presence, self._put, self._disable,
            self._changed, self.removals, self.services.alarms.follow, clock=self.services.clock,
        )  # fmt: skip
        self.jobs.register(PREVIEW, self.previewer.run, needs="Device/save")
        self.jobs.register(APPLY, self.applier.run, needs="Device/save")

    async def _put(self, gateways: Mapping[str, str]) -> None:
        if self.services.link_down:
            raise LinkDown("broker is away")
        self.services.broker |= gateways

    async def _remove(self, user: CurrentUser, device_id: int) -> None:
        async with self.services.database.session() as session:
            device = await session.get(Device, device_id)
            assert device is not None
            if device.gateway_id in self.stubborn:
                raise Unavailable("the broker does not answer", reason="device.broker_away")
            await Registry(session, user).remove(device)
            await session.commit()

    async def _disable(self, gateway: str) -> None:
        self.disabled.append(gateway)

    async def _changed(self, device_id: int) -> None:
        self.told.append(device_id)

    def run(self, user: CurrentUser, parameters: Mapping[str, Any]) -> Run:
        async def progress(done: int, total: int) -> None:
            assert 0 <= done <= total

        async def note(summary: Mapping[str, Any]) -> None:
            self.noted.append(dict(summary))

        return Run(user, parameters, self.folder / "run", progress, note)

    async def preview(
        self,
        name: str,
        content: bytes,
        mode: str = "merge",
        *,
        only: int | None = None,
        remove: dict[str, Any] | None = None,
    ) -> ImportState:
        user = self.users[name]
        gateway = None if only is None else await self.imports.single(user, only)
        state = await self.imports.upload(user, content, "a.xlsx", gateway)
        sheets = [SheetMapping(kind=s.kind, fields=s.fields) for s in state.sheets]
        asked = {"sheets": [s.model_dump() for s in sheets], "mode": mode, "remove_devices": remove}
        job = await self.imports.preview(user, state.id, PreviewImportBody.model_validate(asked))
        await self.previewer.run(self.run(user, {"import_id": state.id, **asked}))
        await self.jobs.delete(user, job.id)
        return await self.imports.state(user, state.id)

    async def apply(
        self, name: str, state: ImportState, *, skip_wrong: bool = False, removed: int = 0
    ) -> dict[str, Any]:
        body = confirmed(state, skip_wrong=skip_wrong, remove_devices=removed)
        job = await self.imports.apply(self.users[name], state.id, body)
        run = self.run(self.users[name], {"import_id": state.id})
        try:
            return dict(await self.applier.run(run))
        finally:
            await self.jobs.delete(self.users[name], job.id)

    async def device(self, gateway: str) -> Device | None:
        async with self.services.database.reading() as session:
            found = await session.scalars(select(Device).where(Device.gateway_id == gateway))
            return found.one_or_none()

    async def document(self, gateway: str) -> dict[str, Any]:
        device = await self.device(gateway)
        assert device is not None
        async with self.services.database.reading() as session:
            _, text = await Drafts(session, self.users["platform-x"], 0).newest(device.id)
        return read(text or "{}")

    async def edit(self, gateway: str, *points: dict[str, Any]) -> None:
        """Somebody else's draft."""
        device = await self.device(gateway)
        assert device is not None
        document = {"gateway": {"id": gateway}, "ports": [PORT], "slaves": [SLAVE], "points": list(points)}
        async with self.services.database.session() as session:
            drafts = Drafts(session, self.users["platform-x"], 0)
            base, _ = await drafts.newest(device.id)
            await drafts.keep(device.id, NewDraft(document, written(document, gateway), base))
            await session.commit()


@pytest.fixture
async def importing(services: DomainServices, tmp_path: Path) -> ImportServices:
    return ImportServices(services, tmp_path, await tree(services.database))


def whole(gateway: str = "gw-new", ratio: Cell = 0.5) -> bytes:
    return book(
        设备=(DEVICES, [[gateway, "New"]]),
        端口=(["SN", "name", "type", "ip"], [[gateway, "lan", "NET", "10.0.0.1"]]),
        slaves=(["SN", "name", "port", "protocol", "address"], [[gateway, "plc", "lan", "modbus_tcp", 1]]),
        points=(["SN", "slave", "dsName", "ratio", *POINTS[3:], "曲线颜色"],
                [[gateway, "plc", "t", ratio, "4X", 1, "#ff0000"], [gateway, "plc", "u", 1, "4X", 2, None]]),
    )  # fmt: skip
