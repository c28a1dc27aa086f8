"""Who may have presets carried out by a rule."""

from __future__ import annotations

from collections.abc import Iterable

from cloud.domains.commands.service import CommandService
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.triggers.schemas import LinkageBody
from cloud.errors import NoPermission

WRITES = "Device/cmd"
"""The permission of who carries out presets, by a trigger too."""


async def refuse_linkages(
    user: CurrentUser, linkages: Iterable[LinkageBody], commands: CommandService, devices: DeviceService
) -> None:
    """Raises NoPermission when the user may not carry them out, NotFound for a preset he does not see."""
    presets = {linkage.preset_id for linkage in linkages}
    if presets and not user.may(WRITES):
        raise NoPermission(WRITES)
    for preset_id in sorted(presets):
        writes = await commands.presets.writes(user.scope, preset_id)
        owners = await devices.owners(user.scope, [write.dsid for write in writes])
        await devices.refuse_read_only(user, sorted(set(owners.values())))
