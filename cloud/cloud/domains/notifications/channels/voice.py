"""Calls that read a text, by Alibaba Cloud's SingleCallByTts (API version 2017-05-25).

The template has the variables of the text message.
"""

from __future__ import annotations

from dataclasses import dataclass

from cloud.domains.notifications.channels.aliyun import AliyunClient
from cloud.domains.notifications.channels.base import Address, ChannelKind, Message, MessageChannel, Receipt
from cloud.domains.notifications.channels.sms import aliyun, variables
from cloud.settings import Settings


@dataclass(frozen=True)
class Voice:
    """number: who calls, empty for one of the provider's."""

    aliyun: AliyunClient
    template: str
    number: str = ""

    async def send(self, message: Message, address: Address) -> Receipt:
        """Raises MessageRefused and ProviderUnreachable. The receipt is the CallId: the call was begun."""
        parameters = {
            "CalledNumber": address.text.removeprefix("+"),
            "TtsCode": self.template,
            "TtsParam": variables(message),
            "PlayTimes": "2",
            "OutId": message.reference,
        }
        if self.number:
            parameters["CalledShowNumber"] = self.number
        reply = await self.aliyun.call("SingleCallByTts", parameters)
        return Receipt(str(reply.get("CallId", "")))


def _make(settings: Settings) -> MessageChannel | None:
    if not settings.voice_template:
        return None
    return Voice(aliyun(settings, settings.voice_url), settings.voice_template, settings.voice_number)


VOICE = ChannelKind("voice", "contact", 1, _make)
