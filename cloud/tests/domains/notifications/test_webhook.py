"""JSON by POST: signed, bounded, and to nobody inside."""

from __future__ import annotations

import hashlib
import hmac

import pytest

from cloud.domains.notifications.channels.base import Address, MessageRefused, ProviderUnreachable
from cloud.domains.notifications.channels.webhook import Webhook, is_public
from cloud.domains.notifications.states import DeliveryReason

from .messages import MESSAGE
from .provider import serving

NOW_MS = 1_790_000_000_000


async def test_the_body_is_signed_with_the_time() -> None:
    async with serving(lambda _: (204, b"")) as provider:
        await Webhook(True, lambda: NOW_MS).send(MESSAGE, Address(f"{provider.url}/hook?a=1", "s3cret"))
    [asked] = provider.asked
    assert (asked.method, asked.path, asked.query) == ("POST", "/hook", {"a": "1"})
    assert asked.headers["x-edge-timestamp"] == str(NOW_MS // 1000)
    text = asked.headers["x-edge-timestamp"].encode() + b"." + asked.body
    right = hmac.new(b"s3cret", text, hashlib.sha256).hexdigest()
    assert asked.headers["x-edge-signature"] == f"sha256={right}"
    assert asked.headers["x-edge-delivery"] == "notification-7"
    assert asked.headers["host"] == provider.url.removeprefix("http://")
    assert asked.json["events"] == [5, 6] and asked.json["count"] == 2
    first = asked.json["alarms"][0]
    assert (first["value"], first["limit"], first["lasted_ms"]) == (98.5, "> 80 °C", 60_000)


async def test_without_a_secret_nothing_is_signed() -> None:
    async with serving(lambda _: (200, b"")) as provider:
        await Webhook(True).send(MESSAGE, Address(provider.url))
    assert "x-edge-signature" not in provider.asked[0].headers


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.0.0.1", "192.168.1.1", "172.16.0.1", "169.254.169.254", "0.0.0.0", "224.0.0.1",
     "100.64.0.1", "::1", "fe80::1%eth0", "fd00::1", "::ffff:127.0.0.1", "2002:7f00:1::", "255.255.255.255",
     "192.0.0.192", "64:ff9b::7f00:1", "64:ff9b:1::7f00:1", "::7f00:1", "fec0::1", "2001:0:1::1"],
)  # fmt: skip
def test_addresses_inside_are_known(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "2001:4860:4860::8888", "203.119.0.1", "64:ff9b::808:808"])
def test_addresses_outside_are_known(address: str) -> None:
    assert is_public(address)


async def test_no_address_inside_is_asked() -> None:
    async with serving(lambda _: (200, b"")) as provider:
        for url in (provider.url, provider.url.replace("127.0.0.1", "localhost")):
            with pytest.raises(MessageRefused) as caught:
                await Webhook().send(MESSAGE, Address(url))
            assert caught.value.reason is DeliveryReason.PRIVATE_ADDRESS
    assert provider.asked == []


async def test_a_host_with_one_address_inside_is_not_asked() -> None:
    async def both(host: str, port: int) -> list[str]:
        return ["8.8.8.8", "10.0.0.1"]

    with pytest.raises(MessageRefused) as caught:
        await Webhook(resolve=both).send(MESSAGE, Address("https://example.com/"))
    assert caught.value.reason is DeliveryReason.PRIVATE_ADDRESS


async def test_the_connection_goes_to_the_address_that_was_looked_at() -> None:
    """A name that says something else a moment later gains nothing."""
    answers = [["127.0.0.1"], ["10.0.0.1"]]

    async def turning(host: str, port: int) -> list[str]:
        return answers.pop(0)

    async with serving(lambda _: (200, b"")) as provider:
        port = provider.url.rpartition(":")[2]
        await Webhook(True, resolve=turning).send(MESSAGE, Address(f"http://rebinding.example:{port}/"))
    assert len(answers) == 1
    assert provider.asked[0].headers["host"] == f"rebinding.example:{port}"


@pytest.mark.parametrize(
    ("status", "kind"),
    [(404, MessageRefused), (302, MessageRefused), (500, ProviderUnreachable), (429, ProviderUnreachable)],
)
async def test_what_the_receiver_answers(status: int, kind: type[Exception]) -> None:
    async with serving(lambda _: (status, b"")) as provider:
        with pytest.raises(kind):
            await Webhook(True).send(MESSAGE, Address(provider.url))
    assert len(provider.asked) == 1


async def test_what_is_no_address_is_refused() -> None:
    """As an older version stored it."""
    with pytest.raises(MessageRefused) as caught:
        await Webhook(True).send(MESSAGE, Address("http://x:y:z/"))
    assert caught.value.reason is DeliveryReason.BAD_ADDRESS


async def test_a_host_that_there_is_not() -> None:
    with pytest.raises(ProviderUnreachable):
        await Webhook(True).send(MESSAGE, Address("http://nobody.invalid/"))
