"""Text messages by Alibaba Cloud's SendSms (API version 2017-05-25).

The template has the variables title (with value, limit and how long), device, level, time and count;
carriers allow no links in them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from cloud.domains.notifications.channels.aliyun import AliyunClient
from cloud.domains.notifications.channels.base import Address, ChannelKind, Message, MessageChannel, Receipt
from cloud.notification_settings import secret_of
from cloud.settings import Settings

MAX_VARIABLE = 35
"""Characters of a variable (Alibaba Cloud, rules of variables)."""


@dataclass(frozen=True)
class Sms:
    """sign_name, template: as the provider has approved them."""

    aliyun: AliyunClient
    sign_name: str
    template: str

    async def send(self, message: Message, address: Address) -> Receipt:
        """Raises MessageRefused and ProviderUnreachable. The receipt is the provider's BizId."""
        reply = await self.aliyun.call(
            "SendSms",
            {
                "PhoneNumbers": address.text.removeprefix("+"),
                "SignName": self.sign_name,
                "TemplateCode": self.template,
                "TemplateParam": variables(message),
                "OutId": message.reference,
            },
        )
        return Receipt(str(reply.get("BizId", "")))


def variables(message: Message) -> str:
    """JSON of the template's variables."""
    given = {
        "title": message.headline(MAX_VARIABLE),
        "device": message.device,
        "level": message.level,
        "time": message.at,
        "count": str(message.count),
    }
    return json.dumps({name: text[:MAX_VARIABLE] for name, text in given.items()}, ensure_ascii=False)


def aliyun(settings: Settings, url: str) -> AliyunClient:
    """With the installation's key."""
    return AliyunClient(url, settings.aliyun_key_id, secret_of(settings.aliyun_key_secret_file))


def _make(settings: Settings) -> MessageChannel | None:
    if not settings.sms_template:
        return None
    return Sms(aliyun(settings, settings.sms_url), settings.sms_sign_name, settings.sms_template)


SMS = ChannelKind("sms", "contact", 1, _make)
