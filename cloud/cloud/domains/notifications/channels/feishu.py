"""Group robots of Feishu and Lark (custom bot, signature verification): text messages.

The signature is Base64 of HMAC-SHA256 of nothing under the key "timestamp\\nsecret", timestamp in seconds.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from dataclasses import dataclass, field

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

WRONG_SIGN, WRONG_HOOK = 19021, 19001
TEMPORARY = (11232,)


@dataclass
class Feishu:
    """The address is the robot's own."""

    clock: NowMs = now_ms
    _http: httpx.AsyncClient = field(default_factory=client)

    async def send(self, message: Message, address: Address) -> Receipt:
        """Raises MessageRefused and ProviderUnreachable."""
        body: dict[str, object] = {
            "msg_type": "text",
            "content": {"text": f"{message.subject}\n{message.text}"},
        }
        if address.secret:
            timestamp = str(self.clock() // 1000)
            body |= {"timestamp": timestamp, "sign": sign(address.secret, timestamp)}
        reply = json_of(await answered(self._http, httpx.Request("POST", address.text, json=body)))
        code = reply.get("code")
        if code == 0:
            return Receipt()
        detail = f"{code} {reply.get('msg', '')}"
        if code in TEMPORARY:
            raise ProviderUnreachable(DeliveryReason.LIMIT, detail)
        raise MessageRefused(
            DeliveryReason.CREDENTIALS if code in (WRONG_SIGN, WRONG_HOOK) else DeliveryReason.REFUSED, detail
        )


def sign(secret: str, timestamp: str) -> str:
    """Of a request at a time in seconds."""
    key = f"{timestamp}\n{secret}".encode()
    return base64.b64encode(hmac.new(key, b"", hashlib.sha256).digest()).decode()


def _make(settings: Settings) -> MessageChannel | None:
    return Feishu()


FEISHU = ChannelKind("feishu", "group", 0, _make)
