"""Addresses of groups: what is stored of them, what is shown, what a change keeps. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from cloud.domains.contacts.schemas import RobotBody, RobotRow
from cloud.errors import ParameterError

PREFIXES: Mapping[str, tuple[str, ...]] = {
    "dingtalk": ("https://oapi.dingtalk.com/robot/send?access_token=",),
    "feishu": (
        "https://open.feishu.cn/open-apis/bot/v2/hook/",
        "https://open.larksuite.com/open-apis/bot/v2/hook/",
    ),
}
"""How the addresses of robots begin, as their providers give them out."""


@dataclass(frozen=True)
class RobotAddress:
    """Where a group's robot listens, with the secret by which messages are signed, empty for none."""

    url: str
    secret: str = ""


def stored(robots: Mapping[str, Any]) -> dict[str, RobotAddress]:
    """Of a column, by kind."""
    return {kind: RobotAddress(**address) for kind, address in robots.items()}


def changed(before: Mapping[str, Any], bodies: Sequence[RobotBody]) -> dict[str, Any]:
    """The column after a change. Raises ParameterError for a new robot without an address, or for one that is
    not the provider's.
    """
    known = stored(before)
    after: dict[str, Any] = {}
    for place, body in enumerate(bodies):
        there = known.get(body.kind)
        if body.url is None and there is None:
            raise ParameterError(f"robots.{place}.url", "needed for a new robot", reason="contact.robot_url")
        url = there.url if body.url is None and there is not None else str(body.url)
        beginnings = PREFIXES.get(body.kind, ())
        if beginnings and not url.startswith(beginnings):
            raise ParameterError(
                f"robots.{place}.url",
                f"begins with {beginnings[0]}",
                reason="contact.robot_prefix",
                arguments={"prefix": beginnings[0]},
            )
        if body.url is not None and host_of(url) is None:
            raise ParameterError(
                f"robots.{place}.url",
                "names no host, such as https://example.com/alarms",
                reason="contact.robot_host",
            )
        secret = (there.secret if there is not None else "") if body.secret is None else str(body.secret)
        if body.url is not None and body.secret is None and there is not None and url != there.url:
            secret = ""  # a secret is not told to another address than it was given for
        after[body.kind] = asdict(RobotAddress(url, secret))
    return after


def host_of(url: str) -> str | None:
    """Host of an address, with its port when it names one; None for what is no address."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        if ":" in host or host.rpartition(".")[2].isdigit():
            ip_address(host)
        host.encode("idna")
    except ValueError:
        return None
    if not host or any(char < "!" or char in "%\x7f" for char in host):
        return None
    return host[:200] if port is None else f"{host[:200]}:{port}"


def rows(robots: Mapping[str, Any]) -> list[RobotRow]:
    """What is shown."""
    return [
        RobotRow.model_validate(
            {"kind": kind, "host": host_of(robot.url) or "", "has_secret": bool(robot.secret)}
        )
        for kind, robot in sorted(stored(robots).items())
    ]
