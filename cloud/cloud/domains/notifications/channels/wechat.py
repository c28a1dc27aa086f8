"""Template messages of a WeChat official account (message/template/send).

The template has the data first, title, device, level, time and count. The access token of the account is
fetched by stable_token, which gives every process the same one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import httpx

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
from cloud.notification_settings import secret_of
from cloud.settings import Settings

MAX_TITLE = 100
OLD_TOKEN = (40001, 40014, 42001)
TEMPORARY = (-1, 45009, 45011)
WRONG_OPENID = (40003, 43004)
WRONG_ACCOUNT = (40013, 40125, 40164, 48001, 50002)


@dataclass
class Wechat:
    """One official account."""

    url: str
    app_id: str
    secret: str
    template: str
    _token: str = ""
    _http: httpx.AsyncClient = field(default_factory=client)

    async def send(self, message: Message, address: Address) -> Receipt:
        """Raises MessageRefused and ProviderUnreachable. The receipt is the provider's msgid."""
        reply = await self._sent(message, address)
        if reply.get("errcode") in OLD_TOKEN:
            self._token = ""
            reply = await self._sent(message, address)
        _check(reply)
        return Receipt(str(reply.get("msgid", "")))

    async def _sent(self, message: Message, address: Address) -> dict[str, object]:
        if not self._token:
            asked = {"grant_type": "client_credential", "appid": self.app_id, "secret": self.secret}
            reply = await self._post("/cgi-bin/stable_token", asked)
            _check(reply)
            self._token = str(reply.get("access_token", ""))
        data = {
            "first": message.subject,
            "title": message.headline(MAX_TITLE),
            "device": message.device,
            "level": message.level,
            "time": message.at,
            "count": str(message.count),
        }
        body: dict[str, object] = {
            "touser": address.text,
            "template_id": self.template,
            "client_msg_id": message.reference,
            "data": {name: {"value": text} for name, text in data.items()},
        }
        if message.link:
            body["url"] = message.link
        return await self._post(f"/cgi-bin/message/template/send?access_token={self._token}", body)

    async def _post(self, path: str, body: object) -> dict[str, object]:
        request = httpx.Request("POST", self.url.rstrip("/") + path, json=body)
        return json_of(await answered(self._http, request))


def _check(reply: dict[str, object]) -> None:
    code = reply.get("errcode", 0)
    if code == 0:
        return
    detail = f"{code} {reply.get('errmsg', '')}"
    if code in TEMPORARY or code in OLD_TOKEN:
        raise ProviderUnreachable(DeliveryReason.UNREACHABLE if code == -1 else DeliveryReason.LIMIT, detail)
    if code in WRONG_OPENID:
        raise MessageRefused(DeliveryReason.BAD_ADDRESS, detail)
    raise MessageRefused(
        DeliveryReason.CREDENTIALS if code in WRONG_ACCOUNT else DeliveryReason.REFUSED, detail
    )


def _make(settings: Settings) -> MessageChannel | None:
    if not settings.wechat_app_id:
        return None
    secret = secret_of(settings.wechat_app_secret_file)
    return Wechat(settings.wechat_url, settings.wechat_app_id, secret, settings.wechat_template)


WECHAT = ChannelKind("wechat", "contact", 0, _make)
