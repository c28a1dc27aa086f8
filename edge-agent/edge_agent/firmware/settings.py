"""What a gateway takes firmware by: `firmware.toml` in the data folder, which no cloud can change."""

from __future__ import annotations

import base64
import binascii
import tomllib
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import msgspec

from edge_agent.config.section import Section
from edge_agent.errors import ConfigError
from edge_contract.firmware import ReleaseName

SETTINGS_FILE = "firmware.toml"
MAX_BYTES = 64 * 1024
KEY_BYTES = 32


class FirmwareSettings(Section, frozen=True, kw_only=True):
    """model: of this gateway. keys: Ed25519 public keys by id, base64 of 32 bytes.

    hosts: beside the cloud's own, name or name:port, from which firmware may be loaded. allow_http: without
    TLS, also from other hosts than loopback ones.
    """

    model: ReleaseName
    keys: dict[ReleaseName, str]
    name: ReleaseName = "edge-agent"
    hosts: Annotated[tuple[str, ...], msgspec.Meta(max_length=20)] = ()
    allow_http: bool = False
    min_battery_percent: Annotated[int, msgspec.Meta(ge=0, le=100)] = 30

    @property
    def public_keys(self) -> Mapping[str, bytes]:
        """Raw bytes by id."""
        return {key_id: _key(key_id, text) for key_id, text in self.keys.items()}


def read_settings(folder: Path) -> FirmwareSettings | None:
    """None when the gateway has none: it takes no firmware. folder: of the agent's data.

    Raises ConfigError.
    """
    path = folder / SETTINGS_FILE
    try:
        with path.open("rb") as file:
            text = file.read(MAX_BYTES).decode()
        settings = msgspec.convert(tomllib.loads(text), type=FirmwareSettings)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(SETTINGS_FILE, f"cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(SETTINGS_FILE, f"not TOML: {error}") from None
    except msgspec.ValidationError as error:
        rule, _, where = str(error).partition(" - at `$.")
        raise ConfigError(f"{SETTINGS_FILE} {where.rstrip('`')}".strip(), rule) from None
    _ = settings.public_keys
    return settings


def url_fault(url: str, settings: FirmwareSettings, cloud_host: str) -> str | None:
    """Why firmware is not loaded from url. cloud_host: of the running configuration, empty for none."""
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        return "is no URL"
    if parts.username is not None or parts.password is not None:
        return "must not name a user"
    allowed = {entry.lower() for entry in (cloud_host, *settings.hosts) if entry}
    if host not in allowed and f"{host}:{port}" not in allowed:
        return f"must be of the cloud's host or one of {SETTINGS_FILE} hosts, not {host}"
    if parts.scheme != "https" and not (settings.allow_http or _is_loopback(host)):
        return "must be https outside loopback"
    return None


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _key(key_id: str, text: str) -> bytes:
    try:
        key = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != KEY_BYTES:
        raise ConfigError(f"{SETTINGS_FILE} keys.{key_id}", f"must be {KEY_BYTES} bytes in base64")
    return key
