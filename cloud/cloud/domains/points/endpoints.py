"""Ports and slave devices of a gateway, and what the protocols offer."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response

from cloud.core.envelope import Envelope, Rows, ok
from cloud.core.services import service
from cloud.core.xlsx import MEDIA_TYPE
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.points.export import Language
from cloud.domains.points.forms import ProtocolForm, forms
from cloud.domains.points.schemas import PortBody, Ports, Saved, SlaveBatchBody, SlaveBody, Slaves
from cloud.domains.points.service import PortService

router = APIRouter(tags=["points"])


Service = Annotated[PortService, service(PortService)]
DeviceId = Annotated[int, Path(ge=1, le=2**31 - 1)]
PortName = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
SlaveName = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
NameFilter = Annotated[str | None, Query(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
Watcher = Annotated[CurrentUser, requires("Monitor.DeviceMonitor")]
Editor = Annotated[CurrentUser, requires("DeviceManage")]

FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The rows",
        "content": {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}},
    }
}

PORT = "/device/{device_id:int}/port"
SLAVE = "/device/{device_id:int}/slavedevice"


@router.get("/device/protocol", operation_id="listProtocols")
async def list_protocols(user: Watcher) -> Envelope[Rows[ProtocolForm]]:
    """Field protocols with their options, addresses, memory areas by model and data items."""
    return ok(Rows(rows=list(forms().values())))


@router.get(PORT, operation_id="listPorts")
async def list_ports(service: Service, user: Watcher, device_id: DeviceId) -> Envelope[Ports]:
    """Ports of a gateway's newest configuration, deployed or not."""
    return ok(await service.ports(user, device_id))


@router.post(PORT, operation_id="addPort")
async def add_port(service: Service, user: Editor, device_id: DeviceId, body: PortBody) -> Envelope[Saved]:
    """Add a port to the draft."""
    return ok(await service.add_port(user, device_id, body))


@router.put(PORT + "/{port_name}", operation_id="changePort")
async def change_port(
    service: Service, user: Editor, device_id: DeviceId, port_name: PortName, body: PortBody
) -> Envelope[Saved]:
    """Change a port in the draft; its slaves follow another name."""
    return ok(await service.change_port(user, device_id, port_name, body))


@router.delete(PORT + "/{port_name}", operation_id="deletePort")
async def delete_port(
    service: Service, user: Editor, device_id: DeviceId, port_name: PortName, cascade: bool = False
) -> Envelope[Saved]:
    """Take a port out of the draft; refused while slaves hang on it, unless cascade takes them too."""
    return ok(await service.delete_port(user, device_id, port_name, cascade))


@router.get(SLAVE, operation_id="listSlaves")
async def list_slaves(service: Service, user: Watcher, device_id: DeviceId) -> Envelope[Slaves]:
    """Slave devices of a gateway's newest configuration, deployed or not."""
    return ok(await service.slaves(user, device_id))


@router.post(SLAVE, operation_id="addSlave")
async def add_slave(service: Service, user: Editor, device_id: DeviceId, body: SlaveBody) -> Envelope[Saved]:
    """Add a slave device to the draft, with the points of another one when points_of names it."""
    return ok(await service.add_slave(user, device_id, body))


@router.put(SLAVE + "/{slave_name}", operation_id="changeSlave")
async def change_slave(
    service: Service, user: Editor, device_id: DeviceId, slave_name: SlaveName, body: SlaveBody
) -> Envelope[Saved]:
    """Change a slave device in the draft; its points follow another name."""
    return ok(await service.change_slave(user, device_id, slave_name, body))


@router.delete(SLAVE + "/{slave_name}", operation_id="deleteSlave")
async def delete_slave(
    service: Service, user: Editor, device_id: DeviceId, slave_name: SlaveName, cascade: bool = False
) -> Envelope[Saved]:
    """Take a slave device out of the draft; refused while it has points, unless cascade takes them too."""
    return ok(await service.delete_slave(user, device_id, slave_name, cascade))


@router.post(SLAVE + "/batch", operation_id="saveSlaves")
async def save_slaves(
    service: Service, user: Editor, device_id: DeviceId, body: SlaveBatchBody
) -> Envelope[Saved]:
    """New slave devices (save) or changes of some (update): all of them or none."""
    return ok(await service.slave_batch(user, device_id, body))


@router.get(SLAVE + "/export", operation_id="exportSlaves", response_class=Response, responses=FILE)
async def export_slaves(
    service: Service,
    user: Editor,
    device_id: DeviceId,
    gateway_temp_id: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    port_id: NameFilter = None,
    language: Language = "zh",
) -> Response:
    """Slave devices and their points as a workbook. port_id: name of a port, for only what hangs on it."""
    book = await service.workbook(user, device_id, gateway_temp_id, port_id, language)
    headers = {"Content-Disposition": 'attachment; filename="slaves.xlsx"'}
    return Response(book, media_type=MEDIA_TYPE, headers=headers)
