"""Settings from EDGE_… environment variables, validated whole at start."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterable
from difflib import get_close_matches
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, ValidationError, field_validator, model_validator
from pydantic_settings import SettingsConfigDict
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from cloud.notification_settings import NotificationSettings
from cloud.tunnels.addresses import is_loopback, port_range

SERVICE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{2,34}")
"""User name on the broker; with "-push" behind it still an identity of the contract."""


NOT_SETTINGS = (
    "EDGE_TEST_", "EDGE_BENCH_", "EDGE_CRAWL_", "EDGE_PHONE_PICTURES", "EDGE_CLOUD_URL", "EDGE_EMQX_SECRET",
    "EDGE_EMQX_COOKIE", "EDGE_EMQX_DASHBOARD_PASSWORD", "EDGE_POSTGRES_PASSWORD", "EDGE_INFLUX_PASSWORD",
    "EDGE_INFLUX_TOKEN", "EDGE_CERTIFICATES",
)  # fmt: skip
"""Variables of others, which may be in the same environment: tests, benchmarks, the portal's development
server, compose.yaml. What ends with an underscore is the beginning of many.
"""


class SettingsError(Exception):
    """A setting is wrong; the text names the variable and the rule, one a line."""


def _number(given: object) -> object:
    """A variable is text, and a Literal of numbers takes no text."""
    return int(given) if isinstance(given, str) and given.isdecimal() else given


class Settings(NotificationSettings):
    """Every setting of the cloud. Secrets come from files, never from a variable."""

    model_config = SettingsConfigDict(env_prefix="EDGE_", frozen=True, extra="ignore")

    role: Literal["full", "api"] = "full"
    full_url: str = Field(default="", pattern=r"^(|https?://[^/\s]+/?)$")
    data_dir: Path = Path("data/cloud")
    database_url: str = Field(default="", pattern=r"^(|sqlite\+aiosqlite://.*|postgresql\+asyncpg://.+)$")
    host: str = "127.0.0.1"
    port: int = Field(default=8080, ge=0, le=65535)
    portal_dir: Path | None = None
    trusted_proxies: str = "127.0.0.1,::1"
    demo_user: str = ""
    log_format: Literal["text", "json"] = "text"
    metrics_token_file: Path | None = None

    broker: Literal["embedded", "mosquitto", "emqx"] = "embedded"
    broker_host: str = "127.0.0.1"
    broker_port: int = Field(default=1883, ge=0, le=65535)
    broker_url: str | None = Field(default=None, pattern=r"^mqtts?://[^/\s]+/?$")
    gateway_url: str = Field(default="", pattern=r"^(|mqtts?://[^/\s@]+)$")
    firmware_url: str = Field(default="", pattern=r"^(|https?://[^/\s@?#]+/?)$")
    broker_username: str | None = None
    broker_password_file: Path | None = None
    broker_ca_file: Path | None = None
    dynsec_username: str | None = None
    dynsec_password_file: Path | None = None
    emqx_secret_file: Path | None = None

    vcom_host: str = "127.0.0.1"
    vcom_ports: str = "0"
    vcom_name: str = ""
    rproxy_host: str = "127.0.0.1"
    rproxy_ports: str = "0"
    rproxy_url: str = Field(default="", pattern=r"^(|https?://[^/\s]+/?)$")
    rproxy_cert_file: Path | None = None
    rproxy_key_file: Path | None = None

    timeseries: Literal["embedded", "influx"] = "embedded"
    influx_url: str | None = Field(default=None, pattern=r"^https?://\S+$")
    influx_version: Annotated[Literal[1, 2], BeforeValidator(_number)] = 2
    influx_token_file: Path | None = None
    influx_org: str | None = None
    influx_bucket: str | None = None
    influx_username: str | None = None
    influx_password_file: Path | None = None
    influx_database: str | None = None

    @field_validator("database_url")
    @classmethod
    def _is_a_url(cls, given: str) -> str:
        """The rule alone is said: the URL may hold a password."""
        if not given:
            return given
        try:
            url = make_url(given)
        except (ArgumentError, ValueError):
            text = "must be postgresql+asyncpg://user:password@host:port/name, the port a number"
            raise ValueError(text) from None
        if url.drivername.startswith("sqlite"):
            if url.database in (None, "", ":memory:") or url.query:
                raise ValueError("must be sqlite+aiosqlite:///path of a file, without options behind it")
        elif not url.database:
            raise ValueError("must name the database, postgresql+asyncpg://user:password@host:port/name")
        return given

    @field_validator("data_dir")
    @classmethod
    def _is_a_folder(cls, given: Path) -> Path:
        if given.exists() and not given.is_dir():
            raise ValueError(f"{given} is there and no folder")
        return given

    @field_validator("broker_username")
    @classmethod
    def _own_name(cls, given: str | None) -> str | None:
        """Replicas that are started alike differ in their host's name."""
        return given.replace("{hostname}", socket.gethostname().split(".")[0]) if given else given

    @model_validator(mode="after")
    def _fits_an_api_process(self) -> Self:
        """One that takes in nothing needs what it can share with the process that does."""
        if self.role == "full":
            return self
        rules = {
            "broker": (self.broker != "embedded", "mosquitto or emqx: the embedded broker is a process' own"),
            "database_url": (
                self.database.startswith("postgresql"),
                "postgresql+asyncpg://…: a SQLite file serves one process only",
            ),
            "timeseries": (self.timeseries == "influx", "influx: the embedded store is a process' own"),
            "broker_username": (
                SERVICE_NAME.fullmatch(self.broker_username or "") is not None,
                "a name of its own, 3 to 35 letters, digits, '-' or '_'; {hostname} stands for the host's",
            ),
            "full_url": (bool(self.full_url), "where the full process listens, http://host:port"),
        }
        wrong = [(name.upper(), rule) for name, (fits, rule) in rules.items() if not fits]
        if wrong:
            raise ValueError("\n".join(f"EDGE_{name}: with EDGE_ROLE=api {rule}" for name, rule in wrong))
        return self

    @model_validator(mode="after")
    def _belong_together(self) -> Self:
        needed: dict[str, object] = {}
        if self.broker != "embedded":
            needed |= {"broker_url": self.broker_url, "broker_password_file": self.broker_password_file}
        if self.broker == "emqx" and self.role == "full":  # EMQX asks the full one only
            needed["emqx_secret_file"] = self.emqx_secret_file
        if self.dynsec_username:
            needed["dynsec_password_file"] = self.dynsec_password_file
        if self.timeseries == "influx":
            names = ["influx_url"]
            names += (
                ["influx_database"]
                if self.influx_version == 1
                else ["influx_org", "influx_bucket", "influx_token_file"]
            )
            needed |= {name: getattr(self, name) for name in names}
        if not is_loopback(self.rproxy_host):
            needed["rproxy_cert_file"] = self.rproxy_cert_file
        for name in ("vcom_ports", "rproxy_ports"):
            try:
                port_range(getattr(self, name))
            except ValueError as error:
                raise ValueError(f"EDGE_{name.upper()}: {error}") from None
        for name in filter(None, self.trusted_proxies.split(",")):
            try:
                ip_network(name.strip())
            except ValueError:
                text = f"EDGE_TRUSTED_PROXIES: {name.strip()} is no address and no network"
                raise ValueError(text) from None
        for name, value in needed.items():
            if not value:
                raise ValueError(f"EDGE_{name.upper()}: needed with {self._reason(name)}")
        for name in type(self).model_fields:
            path = getattr(self, name)
            if name.endswith("_file") and path is not None and not path.is_file():
                raise ValueError(f"EDGE_{name.upper()}: {path} is no file")
        token = self.influx_token_file
        if needed.get("influx_token_file") and token is not None:
            try:
                is_empty = not token.read_text("utf-8").strip()
            except UnicodeDecodeError:
                raise ValueError(f"EDGE_INFLUX_TOKEN_FILE: {token} must be text in UTF-8") from None
            if is_empty:
                raise ValueError(f"EDGE_INFLUX_TOKEN_FILE: {token} is empty")
        return self

    def _reason(self, name: str) -> str:
        """The setting that makes another one needed."""
        if name.startswith("influx"):
            return f"EDGE_TIMESERIES=influx and EDGE_INFLUX_VERSION={self.influx_version}"
        if name.startswith("rproxy"):
            return "EDGE_RPROXY_HOST outside loopback"
        return "EDGE_DYNSEC_USERNAME" if name.startswith("dynsec") else f"EDGE_BROKER={self.broker}"

    @property
    def database(self) -> str:
        """URL of the relational database; a SQLite file in the data folder by default."""
        return self.database_url or f"sqlite+aiosqlite:///{self.data_dir.resolve() / 'cloud.db'}"


def load() -> Settings:
    """Settings of this process; SettingsError names each wrong variable, and each that is no setting."""
    lines = _misspelt(os.environ)
    try:
        settings = Settings()
    except ValidationError as error:
        for item in error.errors():
            place = f"EDGE_{str(item['loc'][0]).upper()}: " if item["loc"] else ""
            lines.append(place + item["msg"].removeprefix("Value error, "))
    if lines:
        raise SettingsError("\n".join(lines))
    return settings


def _misspelt(names: Iterable[str]) -> list[str]:
    """A line for each variable that is no setting; as pydantic reads them, their case does not matter."""
    known = [f"EDGE_{name.upper()}" for name in Settings.model_fields]
    lines = []
    for name in sorted(names):
        upper = name.upper()
        of_others = any(
            upper.startswith(other) if other.endswith("_") else upper == other for other in NOT_SETTINGS
        )
        if not upper.startswith("EDGE_") or upper in known or of_others:
            continue
        near = get_close_matches(upper, known, n=1)
        lines.append(f"{name}: there is no such setting" + (f"; is {near[0]} meant?" if near else ""))
    return lines
