"""Push messages to browsers about gateways."""

from __future__ import annotations

from contextlib import suppress

from cloud.core.events import AccessTaken, ConfigurationChanged, DeviceChanged, GatewayChanged
from cloud.core.scope import Scope
from cloud.domains.devices.schemas import READERS
from cloud.domains.devices.service import DeviceService
from cloud.errors import NotFound
from cloud.realtime.hub import Hub


class DevicePushes:
    """Handlers of events."""

    def __init__(self, hub: Hub, devices: DeviceService) -> None:
        self._hub = hub
        self._devices = devices

    async def device_changed(self, event: DeviceChanged) -> None:
        if self._hub.listened:
            with suppress(NotFound):  # deleted meanwhile
                row = await self._devices.row(Scope.system(), event.device_id)
                self._hub.push_device(event.device_id, row.model_dump(exclude=set(READERS)))

    async def gateway_changed(self, event: GatewayChanged) -> None:
        device_id = await self._devices.id_of(event.gateway)
        if device_id is not None:
            await self.device_changed(DeviceChanged(device_id))

    async def configuration_changed(self, event: ConfigurationChanged) -> None:
        self._hub.push_configuration(event.device_id)

    async def access_taken(self, event: AccessTaken) -> None:
        self._hub.invalidate(event.device_id, event.user_id)
