"""Scripts of a gateway's newest configuration, and trying out a formula or script."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from cloud.core.envelope import Envelope, ok
from cloud.core.services import service
from cloud.domains.commands.endpoints import Address
from cloud.domains.commands.schemas import CommandStatus
from cloud.domains.points.endpoints import DeviceId, Editor, Watcher
from cloud.domains.points.schemas import Saved
from cloud.domains.points.scripts import ScriptBody, Scripts, ScriptService, TryBody

router = APIRouter(tags=["points"])


Service = Annotated[ScriptService, service(ScriptService)]
ScriptName = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$")]

SCRIPT = "/device/{device_id:int}/script"


@router.get(SCRIPT, operation_id="listScripts")
async def list_scripts(service: Service, user: Watcher, device_id: DeviceId) -> Envelope[Scripts]:
    """Scripts, each with the calculated points that are its outputs."""
    return ok(await service.scripts(user, device_id))


@router.post(SCRIPT, operation_id="addScript")
async def add_script(
    service: Service, user: Editor, device_id: DeviceId, body: ScriptBody
) -> Envelope[Saved]:
    """Add a script to the draft."""
    return ok(await service.save(user, device_id, None, body))


@router.put(SCRIPT + "/{script_name}", operation_id="changeScript")
async def change_script(
    service: Service, user: Editor, device_id: DeviceId, script_name: ScriptName, body: ScriptBody
) -> Envelope[Saved]:
    """Replace a script in the draft; points that name it follow another name."""
    return ok(await service.save(user, device_id, script_name, body))


@router.delete(SCRIPT + "/{script_name}", operation_id="deleteScript")
async def delete_script(
    service: Service, user: Editor, device_id: DeviceId, script_name: ScriptName
) -> Envelope[Saved]:
    """Take a script out of the draft."""
    return ok(await service.delete(user, device_id, script_name))


@router.post(SCRIPT + "/try", operation_id="tryScript")
async def try_script(
    service: Service, user: Editor, address: Address, device_id: DeviceId, body: TryBody
) -> Envelope[CommandStatus]:
    """Run a formula or script once on the gateway, on the values given; nothing there changes."""
    return ok(await service.try_out(user, device_id, body, address))
