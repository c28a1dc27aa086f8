"""Group robots of DingTalk (custom robot, security setting "sign"): text messages.

The signature is Base64 of HMAC-SHA256 of "timestamp\\nsecret" under the secret, timestamp in milliseconds.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from dataclasses import dataclass, field
from urllib.parse import quote

import httpx

from cloud.core.clock import NowMs, now_ms
from cloud.domains.notifications.channels.base import (
    Address,
    ChannelKind,
    Message,
    MessageChannel,
    MessageRefused,
    ProviderUnreachable,
    Receipt,
    answered,
    client,
    json_of,
)
from cloud.domains.notifications.states import DeliveryReason
from cloud.settings import Settings

WRONG_SIGN, WRONG_TOKEN = 310000, 300001
TEMPORARY = (-1, 130101, 130103, 410100)


@dataclass
class Dingtalk:
    """The address is the robot's own, with its access_token."""

    clock: NowMs = now_ms
    _http: httpx.AsyncClient = field(default_factory=client)

    async def send(self, message: Message, address: Address) -> Receipt:
        """Raises MessageRefused and ProviderUnreachable."""
        url = address.text
        if address.secret:
            timestamp = str(self.clock())
            url += f"&timestamp={timestamp}&sign={quote(sign(address.secret, timestamp), safe='')}"
        body = {"msgtype": "text", "text": {"content": f"{message.subject}\n{message.text}"}}
        reply = json_of(await answered(self._http, httpx.Request("POST", url, json=body)))
        code = reply.get("errcode")
        if code == 0:
            return Receipt()
        detail = f"{code} {reply.get('errmsg', '')}"
        if code in TEMPORARY:
            raise ProviderUnreachable(DeliveryReason.LIMIT, detail)
        raise MessageRefused(
            DeliveryReason.CREDENTIALS if code in (WRONG_SIGN, WRONG_TOKEN) else DeliveryReason.REFUSED,
            detail,
        )


def sign(secret: str, timestamp: str) -> str:
    """Of a request at a time in milliseconds."""
    text = f"{timestamp}\n{secret}".encode()
    return base64.b64encode(hmac.new(secret.encode(), text, hashlib.sha256).digest()).decode()


def _make(settings: Settings) -> MessageChannel | None:
    return Dingtalk()


DINGTALK = ChannelKind("dingtalk", "group", 0, _make)
