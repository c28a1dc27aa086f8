"""Robots of DingTalk and Feishu and the official account of WeChat, as their providers document them."""

from __future__ import annotations

import base64
import hashlib
import hmac

import pytest

from cloud.domains.notifications.channels.base import (
    Address,
    ChannelError,
    MessageRefused,
    ProviderUnreachable,
)
from cloud.domains.notifications.channels.dingtalk import Dingtalk
from cloud.domains.notifications.channels.feishu import Feishu
from cloud.domains.notifications.channels.wechat import Wechat
from cloud.domains.notifications.states import DeliveryReason

from .messages import MESSAGE
from .provider import Answer, Asked, serving

NOW_MS = 1_790_000_000_000
SECRET = "SECabc"


def dingtalk(asked: Asked) -> Answer:
    """DingTalk, "custom robot access" and "security settings": sign of timestamp and secret."""
    timestamp = asked.query.get("timestamp", "")
    text = f"{timestamp}\n{SECRET}".encode()
    right = base64.b64encode(hmac.new(SECRET.encode(), text, hashlib.sha256).digest()).decode()
    if asked.query.get("access_token") != "abc":
        return 200, {"errcode": 300001, "errmsg": "token is not exist"}
    if timestamp != str(NOW_MS) or asked.query.get("sign") != right:
        return 200, {"errcode": 310000, "errmsg": "sign not match"}
    if asked.json["msgtype"] != "text" or not asked.json["text"]["content"]:
        return 200, {"errcode": 400101, "errmsg": "content"}
    return 200, {"errcode": 0, "errmsg": "ok"}


async def test_dingtalk_takes_a_signed_text() -> None:
    async with serving(dingtalk) as provider:
        url = f"{provider.url}/robot/send?access_token=abc"
        await Dingtalk(clock=lambda: NOW_MS).send(MESSAGE, Address(url, SECRET))
    assert provider.asked[0].json["text"]["content"] == f"{MESSAGE.subject}\n{MESSAGE.text}"


@pytest.mark.parametrize(("token", "secret"), [("abc", "other"), ("abc", ""), ("nobody", SECRET)])
async def test_dingtalk_says_that_token_or_secret_is_wrong(token: str, secret: str) -> None:
    async with serving(dingtalk) as provider:
        with pytest.raises(MessageRefused) as caught:
            url = f"{provider.url}/robot/send?access_token={token}"
            await Dingtalk(clock=lambda: NOW_MS).send(MESSAGE, Address(url, secret))
    assert caught.value.reason is DeliveryReason.CREDENTIALS


async def test_dingtalk_is_asked_too_often() -> None:
    async with serving(lambda _: (200, {"errcode": 130101, "errmsg": "send too fast"})) as provider:
        with pytest.raises(ProviderUnreachable) as caught:
            await Dingtalk().send(MESSAGE, Address(f"{provider.url}/robot/send?access_token=abc"))
    assert (caught.value.reason, caught.value.detail) == (DeliveryReason.LIMIT, "130101 send too fast")


def feishu(asked: Asked) -> Answer:
    """Feishu, "custom bot usage guide": the secret is part of the key, nothing is signed."""
    body = asked.json
    key = f"{body.get('timestamp')}\n{SECRET}".encode()
    right = base64.b64encode(hmac.new(key, b"", hashlib.sha256).digest()).decode()
    if body.get("timestamp") != str(NOW_MS // 1000) or body.get("sign") != right:
        return 200, {"code": 19021, "msg": "sign match fail or timestamp is not within one hour"}
    if body["msg_type"] != "text" or not body["content"]["text"]:
        return 400, {"code": 9499, "msg": "Bad Request"}
    return 200, {"code": 0, "msg": "success", "data": {}}


async def test_feishu_takes_a_signed_text() -> None:
    async with serving(feishu) as provider:
        address = Address(f"{provider.url}/open-apis/bot/v2/hook/x", SECRET)
        await Feishu(clock=lambda: NOW_MS).send(MESSAGE, address)
        with pytest.raises(MessageRefused) as caught:
            await Feishu(clock=lambda: NOW_MS).send(MESSAGE, Address(address.text))
    assert caught.value.reason is DeliveryReason.CREDENTIALS


async def test_feishu_is_asked_too_often() -> None:
    async with serving(lambda _: (200, {"code": 11232, "msg": "frequency limited"})) as provider:
        with pytest.raises(ProviderUnreachable):
            await Feishu().send(MESSAGE, Address(provider.url))


class OfficialAccount:
    """WeChat: stable_token and message/template/send; the token that it gave last is good."""

    def __init__(self) -> None:
        self.given = 0
        self.code: int | None = None

    def __call__(self, asked: Asked) -> Answer:
        body = asked.json
        if asked.path == "/cgi-bin/stable_token":
            if body != {"grant_type": "client_credential", "appid": "wx1", "secret": "s3cret"}:
                return 200, {"errcode": 40013, "errmsg": "invalid appid"}
            self.given += 1
            return 200, {"access_token": f"token-{self.given}", "expires_in": 7200}
        if asked.path != "/cgi-bin/message/template/send":
            return 404, {}
        if asked.query["access_token"] != f"token-{self.given}":
            return 200, {"errcode": 42001, "errmsg": "access_token expired"}
        if self.code is not None:
            return 200, {"errcode": self.code, "errmsg": "said"}
        if body["template_id"] != "T1" or not all("value" in each for each in body["data"].values()):
            return 200, {"errcode": 40037, "errmsg": "invalid template_id"}
        return 200, {"errcode": 0, "errmsg": "ok", "msgid": 200228332}


async def test_wechat_sends_a_template_message_with_one_token_for_many() -> None:
    account = OfficialAccount()
    async with serving(account) as provider:
        wechat = Wechat(provider.url, "wx1", "s3cret", "T1")
        receipt = await wechat.send(MESSAGE, Address("oABC"))
        await wechat.send(MESSAGE, Address("oABC"))
    assert receipt.reference == "200228332"
    assert account.given == 1
    sent = provider.asked[1].json
    assert (sent["touser"], sent["url"]) == ("oABC", MESSAGE.link)
    assert sent["data"]["title"] == {"value": f"{MESSAGE.title} {MESSAGE.facts}"}


async def test_wechat_gets_a_new_token_when_the_old_one_has_expired() -> None:
    account = OfficialAccount()
    async with serving(account) as provider:
        wechat = Wechat(provider.url, "wx1", "s3cret", "T1", _token="old")
        await wechat.send(MESSAGE, Address("oABC"))
    assert account.given == 1


@pytest.mark.parametrize(
    ("code", "kind", "reason"),
    [
        (40003, MessageRefused, DeliveryReason.BAD_ADDRESS),
        (43004, MessageRefused, DeliveryReason.BAD_ADDRESS),
        (40037, MessageRefused, DeliveryReason.REFUSED),
        (45009, ProviderUnreachable, DeliveryReason.LIMIT),
        (-1, ProviderUnreachable, DeliveryReason.UNREACHABLE),
    ],
)
async def test_codes_of_wechat(code: int, kind: type[ChannelError], reason: DeliveryReason) -> None:
    account = OfficialAccount()
    account.code = code
    async with serving(account) as provider:
        with pytest.raises(kind) as caught:
            await Wechat(provider.url, "wx1", "s3cret", "T1").send(MESSAGE, Address("oABC"))
    assert caught.value.reason is reason


async def test_wechat_says_that_the_account_is_wrong() -> None:
    async with serving(OfficialAccount()) as provider:
        with pytest.raises(MessageRefused) as caught:
            await Wechat(provider.url, "wx1", "other", "T1").send(MESSAGE, Address("oABC"))
    assert caught.value.reason is DeliveryReason.CREDENTIALS
    assert "other" not in str(caught.value)
