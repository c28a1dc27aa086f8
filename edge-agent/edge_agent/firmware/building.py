"""Puts the parts of upgrades together, on a gateway that takes firmware."""

from __future__ import annotations

import logging
import os
import ssl
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from edge_agent.config.model import Configuration
from edge_agent.errors import ConfigError
from edge_agent.firmware.launcher import FOLDER, running_slot
from edge_agent.firmware.settings import FirmwareSettings, read_settings
from edge_agent.firmware.trial import UpgradableGateway
from edge_agent.system.battery import read_battery
from edge_agent.system.clock import Clock

if TYPE_CHECKING:
    from edge_agent.firmware.upgrades import Upgrades

log = logging.getLogger(__name__)


class ConfiguredGateway(UpgradableGateway, Protocol):
    """What runs, with its configuration."""

    @property
    def configuration(self) -> Configuration:
        """The one that runs."""


def upgrades_of(
    folder: Path,
    version: str,
    gateway: ConfiguredGateway,
    obstacle: Callable[[], str],
    restart: Callable[[], Awaitable[None]],
    clock: Clock,
) -> Upgrades | None:
    """None on a gateway that takes no firmware: without settings, or started without the launcher.

    folder: of the agent's data; version: of the agent.
    """
    slot = running_slot()
    try:
        settings = read_settings(folder)
    except ConfigError as error:
        log.error("this gateway takes no firmware: %s", error)
        return None
    if settings is None or slot is None:
        if settings is not None:
            log.warning("this gateway takes no firmware: the agent was not started by its launcher")
        return None
    return _build(folder / FOLDER, slot, settings, version, gateway, obstacle, restart, clock)


def _build(
    folder: Path,
    slot: str,
    settings: FirmwareSettings,
    version: str,
    gateway: ConfiguredGateway,
    obstacle: Callable[[], str],
    restart: Callable[[], Awaitable[None]],
    clock: Clock,
) -> Upgrades:
    from edge_agent.firmware.download import HttpSource  # cryptography is loaded where it is used
    from edge_agent.firmware.installers import PackageInstaller
    from edge_agent.firmware.preparation import Preparation, UpgradeMachine
    from edge_agent.firmware.slots import Slots
    from edge_agent.firmware.upgrade_log import UpgradeLog
    from edge_agent.firmware.upgrades import Upgrades

    slots, installer = Slots(folder, slot), PackageInstaller()
    machine = UpgradeMachine(
        free_bytes=lambda: free_bytes(folder),
        battery=read_battery,
        obstacle=obstacle,
        cloud_host=lambda: _cloud_host(gateway.configuration),
        restart=restart,
    )
    upgrade_log = UpgradeLog(slots, settings, installer.upgrade_type, version, clock)
    source = HttpSource(lambda: _tls(gateway.configuration))
    preparation = Preparation(slots, settings, installer, source, machine, upgrade_log, clock)
    return Upgrades(slots, upgrade_log, preparation, gateway, machine, clock)


def free_bytes(folder: Path) -> int:
    """On the medium of a folder that need not be there yet."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    status = os.statvfs(folder)
    return status.f_bavail * status.f_frsize


def _cloud_host(configuration: Configuration) -> str:
    cloud = configuration.cloud
    return (urlsplit(cloud.url).hostname or "") if cloud is not None else ""


def _tls(configuration: Configuration) -> ssl.SSLContext:
    """The system's authorities, and that of the cloud's broker."""
    context = ssl.create_default_context()
    if configuration.cloud is not None and configuration.cloud.ca_file:
        context.load_verify_locations(configuration.cloud.ca_file)
    return context
