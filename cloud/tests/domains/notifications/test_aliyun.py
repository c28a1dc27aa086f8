"""SendSms and SingleCallByTts against a recorded contract: signature V3, fields, error codes."""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import pytest

from cloud.domains.notifications.channels.aliyun import AliyunClient, authorization, canonical_query
from cloud.domains.notifications.channels.base import (
    Address,
    ChannelError,
    Message,
    MessageRefused,
    ProviderUnreachable,
)
from cloud.domains.notifications.channels.sms import Sms
from cloud.domains.notifications.channels.voice import Voice
from cloud.domains.notifications.states import DeliveryReason

from .messages import MESSAGE
from .provider import Answer, Asked, serving

KEY, SECRET = "LTAI5tKey", "s3cret"
NOW_MS = 1_790_000_000_000


def test_the_signature_is_that_of_the_provider_s_example() -> None:
    """Alibaba Cloud, "V3 request structure and signature", example of RunInstances."""
    query = {"ImageId": "win2019_1809_x64_dtc_zh-cn_40G_alibase_20230811.vhd", "RegionId": "cn-shanghai"}
    headers = {
        "host": "ecs.cn-shanghai.aliyuncs.com",
        "x-acs-action": "RunInstances",
        "x-acs-content-sha256": hashlib.sha256(b"").hexdigest(),
        "x-acs-date": "2023-10-26T10:22:32Z",
        "x-acs-signature-nonce": "3156853299f313e23d1673dc12e1703d",
        "x-acs-version": "2014-05-26",
    }
    made = authorization("POST", canonical_query(query), headers, "YourAccessKeyId", "YourAccessKeySecret")
    assert made == (
        "ACS3-HMAC-SHA256 Credential=YourAccessKeyId,SignedHeaders=host;x-acs-action;x-acs-content-sha256;"
        "x-acs-date;x-acs-signature-nonce;x-acs-version,"
        "Signature=06563a9e1b43f5dfe96b81484da74bceab24a1d853912eee15083a6f0f3283c0"
    )


def test_a_query_is_sorted_and_encoded_as_rfc_3986_has_it() -> None:
    assert canonical_query({"b": "a b*~/", "A": "报警"}) == "A=%E6%8A%A5%E8%AD%A6&b=a%20b%2A~%2F"


def checked(asked: Asked) -> Answer:
    """As the provider: the signature of what came, computed here from the request itself."""
    fields = dict(part.split("=", 1) for part in asked.headers["authorization"].split(" ", 1)[1].split(","))
    names = fields["SignedHeaders"].split(";")
    needed = {
        "host",
        "x-acs-action",
        "x-acs-content-sha256",
        "x-acs-date",
        "x-acs-signature-nonce",
        "x-acs-version",
    }
    if not needed <= set(names):
        return 400, {"Code": "MissingParameter", "Message": "a header is not signed"}
    query = "&".join(
        f"{quote(k, safe='-_.~')}={quote(v, safe='-_.~')}" for k, v in sorted(asked.query.items())
    )
    lines = "".join(f"{name}:{asked.headers[name]}\n" for name in names)
    digest = hashlib.sha256(asked.body).hexdigest()
    text = f"{asked.method}\n{asked.path}\n{query}\n{lines}\n{';'.join(names)}\n{digest}"
    to_sign = f"ACS3-HMAC-SHA256\n{hashlib.sha256(text.encode()).hexdigest()}"
    right = hmac.new(SECRET.encode(), to_sign.encode(), hashlib.sha256).hexdigest()
    if fields["Credential"] != KEY:
        return 404, {"Code": "InvalidAccessKeyId.NotFound", "Message": "no such key"}
    if fields["Signature"] != right:
        return 400, {"Code": "SignatureDoesNotMatch", "Message": "signature"}
    if asked.headers["x-acs-version"] != "2017-05-25":
        return 404, {"Code": "InvalidAction.NotFound", "Message": "version"}
    if asked.headers["x-acs-action"] == "SendSms":
        is_whole = {"PhoneNumbers", "SignName", "TemplateCode"} <= set(asked.query)
        good = {"Code": "OK", "Message": "OK", "BizId": "900619746936498440^0", "RequestId": "F655A8D5"}
    else:
        is_whole = {"CalledNumber", "TtsCode"} <= set(asked.query)
        good = {
            "Code": "OK",
            "Message": "OK",
            "CallId": "116012854210^10281427*****",
            "RequestId": "D9CB3933",
        }
    return (200, good) if is_whole else (400, {"Code": "isv.INVALID_PARAMETERS", "Message": "fields"})


def aliyun(url: str, secret: str = SECRET, key: str = KEY) -> AliyunClient:
    return AliyunClient(url, key, secret, clock=lambda: NOW_MS, nonce=lambda: "nonce-1")


async def test_a_text_message_has_the_documented_fields() -> None:
    async with serving(checked) as provider:
        receipt = await Sms(aliyun(provider.url), "工业监控", "SMS_1").send(
            MESSAGE, Address("+8613800000000")
        )
    assert receipt.reference == "900619746936498440^0"
    [asked] = provider.asked
    assert asked.query["PhoneNumbers"] == "8613800000000"
    assert (asked.query["SignName"], asked.query["TemplateCode"]) == ("工业监控", "SMS_1")
    assert json.loads(asked.query["TemplateParam"])["title"] == f"{MESSAGE.title} {MESSAGE.facts}"
    assert asked.headers["x-acs-date"] == "2026-09-21T14:13:20Z"


async def test_variables_are_as_short_as_the_provider_asks() -> None:
    long: Message = replace(MESSAGE, title="报" * 80)
    async with serving(checked) as provider:
        await Sms(aliyun(provider.url), "s", "SMS_1").send(long, Address("13800000000"))
    title = json.loads(provider.asked[0].query["TemplateParam"])["title"]
    assert title == "报" * (34 - len(MESSAGE.facts)) + " " + MESSAGE.facts
    assert replace(long, facts="").headline(35) == "报" * 35
    assert replace(long, facts="9" * 50).headline(35) == "9" * 35


async def test_a_call_has_the_documented_fields() -> None:
    async with serving(checked) as provider:
        receipt = await Voice(aliyun(provider.url), "TTS_1", "05710000").send(MESSAGE, Address("13800000000"))
    assert receipt.reference.startswith("116012854210")
    [asked] = provider.asked
    assert asked.headers["x-acs-action"] == "SingleCallByTts"
    assert (asked.query["CalledNumber"], asked.query["CalledShowNumber"]) == ("13800000000", "05710000")


@pytest.mark.parametrize(("key", "secret"), [(KEY, "other"), ("LTAIother", SECRET)])
async def test_a_wrong_key_is_said(key: str, secret: str) -> None:
    async with serving(checked) as provider:
        with pytest.raises(MessageRefused) as caught:
            await Sms(aliyun(provider.url, secret, key), "s", "SMS_1").send(MESSAGE, Address("13800000000"))
    assert caught.value.reason is DeliveryReason.CREDENTIALS
    assert secret not in str(caught.value)


@pytest.mark.parametrize(
    ("code", "kind", "reason"),
    [
        ("isv.MOBILE_NUMBER_ILLEGAL", MessageRefused, DeliveryReason.BAD_ADDRESS),
        ("isv.AMOUNT_NOT_ENOUGH", MessageRefused, DeliveryReason.BALANCE),
        ("isv.SMS_TEMPLATE_ILLEGAL", MessageRefused, DeliveryReason.REFUSED),
        ("isv.BUSINESS_LIMIT_CONTROL", ProviderUnreachable, DeliveryReason.LIMIT),
        ("isv.DAY_LIMIT_CONTROL", ProviderUnreachable, DeliveryReason.LIMIT),
        ("isp.SYSTEM_ERROR", ProviderUnreachable, DeliveryReason.UNREACHABLE),
        ("Throttling.User", ProviderUnreachable, DeliveryReason.LIMIT),
    ],
)
async def test_codes_of_the_provider(code: str, kind: type[ChannelError], reason: DeliveryReason) -> None:
    async with serving(lambda _: (200, {"Code": code, "Message": "said"})) as provider:
        with pytest.raises(kind) as caught:
            await Sms(aliyun(provider.url), "s", "SMS_1").send(MESSAGE, Address("13800000000"))
    assert (caught.value.reason, caught.value.detail) == (reason, f"{code} said")


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (503, {}, ProviderUnreachable),
        (429, {}, ProviderUnreachable),
        (200, b"<html>", MessageRefused),
        (200, [1], MessageRefused),
        (200, b"x" * 20_000, MessageRefused),
    ],
)
async def test_what_is_no_answer_of_the_provider(status: int, body: Any, kind: type[ChannelError]) -> None:
    async with serving(lambda _: (status, body)) as provider:
        with pytest.raises(kind):
            await Sms(aliyun(provider.url), "s", "SMS_1").send(MESSAGE, Address("13800000000"))


async def test_nobody_listens() -> None:
    with pytest.raises(ProviderUnreachable):
        await Sms(aliyun("http://127.0.0.1:9"), "s", "SMS_1").send(MESSAGE, Address("13800000000"))
