"""Upgrades of the firmware on the link: orders come in, and how they stand goes out."""

from __future__ import annotations

from collections.abc import Sequence

from edge_agent.forwarding.services import FirmwareService
from edge_agent.system.clock import Clock, wait
from edge_agent.transports.mqtt import MqttClient
from edge_contract.errors import PayloadError
from edge_contract.limits import RESEND_AFTER_S
from edge_contract.payloads import decode, encode
from edge_contract.topics import Message, topic
from edge_contract.upgrade import FirmwareState, Upgrade


class FirmwareLink:
    """firmware: None on a gateway that takes none."""

    def __init__(
        self, gateway: str, firmware: FirmwareService | None, client: MqttClient, clock: Clock
    ) -> None:
        self._topic = topic(gateway, Message.FIRMWARE)
        self._firmware = firmware
        self._client = client
        self._clock = clock

    @property
    def idle(self) -> bool:
        """Nothing is under way, and nothing waits for the cloud."""
        return self._firmware is None or self._firmware.idle

    def state(self) -> FirmwareState | None:
        """For a hello."""
        return None if self._firmware is None else self._firmware.state()

    def take(self, payload: bytes) -> None:
        """An order. Raises PayloadError."""
        if self._firmware is None:
            raise PayloadError("topic", "this gateway takes no firmware")
        self._firmware.take(decode(Upgrade, payload))

    async def acknowledged(self, upgrades: Sequence[str]) -> None:
        """The cloud holds how these upgrades ended. Raises StoreFull."""
        if upgrades and self._firmware is not None:
            await self._firmware.acknowledged(upgrades)

    async def run(self) -> None:
        """Steps once; how an upgrade ended again after RESEND_AFTER_S. Until cancelled. Raises LinkDown."""
        while self._firmware is not None:
            for report in self._firmware.unsent():
                await self._client.publish(self._topic, encode(report))
            await wait(self._clock, self._firmware.changed, RESEND_AFTER_S)
