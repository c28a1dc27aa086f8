"""From a request to rows: whom a command is for, whether it may be sent, and its message."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cloud.core.scope import Scope
from cloud.domains.commands.checks import check
from cloud.domains.commands.models import CommandRow
from cloud.domains.commands.presets import PresetService
from cloud.domains.commands.schemas import CommandBody, CommandOrigin, CommandStatus, CommandTarget, Write
from cloud.domains.devices.schemas import DeviceRow
from cloud.domains.devices.service import DeviceService
from cloud.domains.devices.targets import Target
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import display_title
from cloud.errors import NotFound, ParameterError
from edge_contract.limits import MAX_USER
from edge_contract.model import Value
from edge_contract.payloads import ONLY_LOOK, Command, CommandAction

NO_POINT = "a data point that is there"


@dataclass(frozen=True)
class Addressee:
    """Whom a command is for. slave and point: of a write or read both. named: for who reads of it later."""

    device_id: int
    gateway: str
    online: bool
    named: CommandTarget
    slave: str | None = None
    point: str | None = None
    asleep: bool = False


@dataclass(frozen=True)
class PointRequest:
    """One read or write that has passed its checks."""

    to: Addressee
    dsid: int
    action: str
    value: Value


class Intake:
    """Reads everything that a command needs before anything is stored or sent."""

    def __init__(self, devices: DeviceService, presets: PresetService) -> None:
        self._devices = devices
        self._presets = presets

    async def point_requests(self, user: CurrentUser, body: CommandBody) -> list[PointRequest]:
        """Every read or write of a body, in order. Raises ParameterError that names the one which breaks a
        rule, NotFound for a point or preset that is not there, NoPermission when one of the gateways is
        shared read only.
        """
        if body.dsid is not None:
            targets = {body.dsid: await self._devices.target(user.scope, body.dsid)}
            await self._devices.refuse_read_only(user, [targets[body.dsid].device_id])
            return [_point_request(targets[body.dsid], body.dsid, body.action, body.value)]
        if body.preset_id is not None:
            writes = await self._presets.writes(user.scope, body.preset_id)
            return await self._writes(user, f"preset {body.preset_id} writes", writes)
        return await self._writes(user, "batch", body.batch or [])

    async def problems(
        self, user: CurrentUser, point_requests: Sequence[PointRequest], body: CommandBody
    ) -> dict[int, str]:
        """Gateways to which this user may not write with the passwords that he gives, and why."""
        written = dict.fromkeys(request.to.device_id for request in point_requests if request.action == "W")
        passwords = self._devices.access_passwords
        problems = {gateway: await passwords.problem(user, gateway, body.password) for gateway in written}
        return {gateway: problem for gateway, problem in problems.items() if problem}

    async def addressee(self, row: CommandRow) -> Addressee:
        """Whom a stored command is for, as things are now. Raises NotFound when its point is gone."""
        if row.dsid is None:
            return _gateway_addressee(await self._devices.row(Scope.system(), row.device_id), row.slave)
        return _to(await self._devices.target(Scope.system(), row.dsid))

    async def gateway_addressee(
        self, user: CurrentUser, device_id: int, slave: str | None, action: CommandAction
    ) -> Addressee:
        """A gateway, or one slave of it. Raises NotFound; NoPermission when it is shared read only, and
        without its access password for what does more than look.
        """
        authorised = self._devices.changeable if action in ONLY_LOOK else self._devices.commandable
        return _gateway_addressee(await authorised(user, device_id), slave)

    async def _writes(self, user: CurrentUser, where: str, writes: Sequence[Write]) -> list[PointRequest]:
        targets: dict[int, Target] = {}
        for index, write in enumerate(writes):
            try:
                if write.dsid not in targets:
                    targets[write.dsid] = await self._devices.target(user.scope, write.dsid)
            except NotFound:
                raise ParameterError(f"{where}.{index}.dsid", NO_POINT) from None
        await self._devices.refuse_read_only(user, {target.device_id for target in targets.values()})
        point_requests = []
        for index, write in enumerate(writes):
            try:
                point_requests.append(_point_request(targets[write.dsid], write.dsid, "W", write.value))
            except ParameterError as error:
                raise ParameterError(f"{where}.{index}.{error.field}", error.rule) from None
        return point_requests


def new_id() -> str:
    """Nobody can guess it."""
    return secrets.token_urlsafe(16)


def ids_of(batch_id: str, count: int) -> list[str]:
    """One for each command of a batch, in its order when sorted."""
    return [f"{batch_id}-{index:03d}" for index in range(count)]


def message(row: CommandRow, to: Addressee) -> Command:
    """The message to the gateway; without a user for what the cloud requests itself."""
    return Command(
        id=row.id,
        slave=to.slave,
        point=to.point,
        action=CommandAction(row.action),
        expires_ms=row.expires_ms,
        value=row.value,
        arguments=row.arguments or {},
        by=row.user_name[:MAX_USER] if row.user_id else "",
    )


def origin_columns(origin: CommandOrigin | None) -> dict[str, Any]:
    """Of a CommandRow; none of a command that no rule or task requested."""
    if origin is None:
        return {}
    return {"origin_kind": origin.kind, "origin_id": origin.id, "origin_title": origin.title}


def status_of(row: CommandRow) -> CommandStatus:
    """A row as others see it."""
    return CommandStatus(
        id=row.id,
        status=row.status,
        device_id=row.device_id,
        dsid=row.dsid,
        action=row.action,
        slave=row.slave,
        arguments=row.arguments,
        value=row.value,
        result_value=row.result_value,
        result_values=row.result_values,
        quality=row.quality,
        latency_ms=row.latency_ms,
        code=row.code,
        detail=row.detail,
        created_ms=row.created_ms,
        sent_ms=row.sent_ms,
        finished_ms=row.finished_ms,
        user=row.user_name,
        address=row.address,
        batch_id=row.batch_id,
        preset_id=row.preset_id,
        outcome=row.outcome,
        seen_ms=row.seen_ms,
        target=None if row.target is None else CommandTarget(**row.target),
        origin=_origin_of(row),
    )


def _origin_of(row: CommandRow) -> CommandOrigin | None:
    if row.origin_kind is None:
        return None
    return CommandOrigin.model_validate(
        {"kind": row.origin_kind, "id": row.origin_id, "title": row.origin_title}
    )


def _point_request(target: Target, dsid: int, action: str, value: Value) -> PointRequest:
    check(target, action, value)
    return PointRequest(_to(target), dsid, action, value)


def _to(target: Target) -> Addressee:
    named = CommandTarget(
        gateway_id=target.gateway,
        device_title=target.device_title,
        slave=target.slave,
        slave_title=target.slave_title,
        point=target.point,
        ds_title=target.title,
        unit=target.unit,
    )
    return Addressee(
        target.device_id, target.gateway, target.online, named, target.slave, target.point, target.asleep
    )


def _gateway_addressee(device: DeviceRow, slave: str | None) -> Addressee:
    title = display_title(device.device_title, device.binder_devtitle)
    named = CommandTarget(gateway_id=device.gateway_id, device_title=title, slave=slave)
    return Addressee(
        device.id, device.gateway_id, device.link.online, named, slave, asleep=device.link.back_ms is not None
    )
