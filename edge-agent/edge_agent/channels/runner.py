"""Every channel of a configuration."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from edge_agent.channels.channel import OFF, ChannelState, LineLocker, NetworkChannel
from edge_agent.channels.packets import registration_of
from edge_agent.config.model import Configuration
from edge_agent.system.clock import Clock


class NetworkChannels:
    """run() until cancelled; a channel that is off only has a state."""

    def __init__(self, configuration: Configuration, locker: LineLocker, clock: Clock) -> None:
        ports = {port.name: port for port in configuration.ports}
        polled = {slave.port for slave in configuration.slaves if slave.enable}
        registration = registration_of(configuration)
        self._channels = [
            NetworkChannel(
                channel, ports[channel.port], registration, locker, clock, is_polled=channel.port in polled
            )
            for channel in configuration.channels
        ]
        self._running: list[NetworkChannel] = []
        for channel, made in zip(configuration.channels, self._channels, strict=True):
            reason = _off(configuration, channel.enable, ports[channel.port].enable)
            if reason:
                made.state.condition, made.state.reason = OFF, reason
            else:
                self._running.append(made)

    @property
    def any(self) -> bool:
        """Is there anything to run?"""
        return bool(self._running)

    def states(self) -> Sequence[ChannelState]:
        """In the order of the configuration."""
        return [channel.state for channel in self._channels]

    async def run(self) -> None:
        """Each by itself."""
        async with asyncio.TaskGroup() as group:
            for channel in self._running:
                group.create_task(channel.run(), name=f"channel {channel.state.name}")


def _off(configuration: Configuration, is_enabled: bool, port_enabled: bool) -> str:
    """Why a channel does not run; empty when it does."""
    if not is_enabled:
        return "disabled"
    if not configuration.tunnels.enable:
        return "tunnels are switched off on this gateway"
    return "" if port_enabled else "its port is disabled"
