"""Calls of Alibaba Cloud's RPC operations with its signature V3 (ACS3-HMAC-SHA256).

Source: Alibaba Cloud, "V3 request structure and signature".
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from urllib.parse import quote, urlsplit

import httpx

from cloud.core.clock import NowMs, now_ms
from cloud.domains.notifications.channels.base import (
    MessageRefused,
    ProviderUnreachable,
    answered,
    client,
    json_of,
)
from cloud.domains.notifications.states import DeliveryReason

VERSION = "2017-05-25"
"""Of SendSms and of SingleCallByTts."""

WRONG_KEY = ("InvalidAccessKeyId", "SignatureDoesNotMatch", "Forbidden", "isv.RAM_PERMISSION_DENY")
WRONG_NUMBER = ("isv.MOBILE_NUMBER_ILLEGAL", "isv.BLACK_KEY_CONTROL_LIMIT", "isv.MOBILE_IN_BLACK")
NO_BALANCE = ("isv.AMOUNT_NOT_ENOUGH", "isv.OUT_OF_SERVICE")
TEMPORARY = (
    "isv.BUSINESS_LIMIT_CONTROL",
    "isv.DAY_LIMIT_CONTROL",
    "isp.SYSTEM_ERROR",
    "isp.UNKNOWN",
    "Throttling",
)


def canonical_query(parameters: Mapping[str, str]) -> str:
    """Sorted by name, percent-encoded as RFC 3986 has it."""
    return "&".join(f"{_encoded(name)}={_encoded(parameters[name])}" for name in sorted(parameters))


def authorization(method: str, query: str, headers: Mapping[str, str], key_id: str, secret: str) -> str:
    """The header of a request to "/" without a body; headers: those that are signed, in lower case."""
    signed = ";".join(sorted(headers))
    lines = "".join(f"{name}:{headers[name].strip()}\n" for name in sorted(headers))
    request = "\n".join((method, "/", query, lines, signed, headers["x-acs-content-sha256"]))
    text = "ACS3-HMAC-SHA256\n" + hashlib.sha256(request.encode()).hexdigest()
    signature = hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()
    return f"ACS3-HMAC-SHA256 Credential={key_id},SignedHeaders={signed},Signature={signature}"


class AliyunClient:
    """nonce: a new word for each request."""

    def __init__(
        self,
        url: str,
        key_id: str,
        secret: str,
        *,
        clock: NowMs = now_ms,
        nonce: Callable[[], str] = lambda: secrets.token_hex(16),
    ) -> None:
        self._url = url.rstrip("/")
        self._key_id = key_id
        self._secret = secret
        self._clock = clock
        self._nonce = nonce
        self._http = client()

    async def call(self, action: str, parameters: Mapping[str, str]) -> dict[str, object]:
        """What it answered with code OK. Raises MessageRefused and ProviderUnreachable."""
        query = canonical_query(parameters)
        now = datetime.fromtimestamp(self._clock() / 1000, UTC)
        headers = {
            "host": urlsplit(self._url).netloc,
            "x-acs-action": action,
            "x-acs-content-sha256": hashlib.sha256(b"").hexdigest(),
            "x-acs-date": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "x-acs-signature-nonce": self._nonce(),
            "x-acs-version": VERSION,
        }
        headers["authorization"] = authorization("POST", query, headers, self._key_id, self._secret)
        request = httpx.Request("POST", f"{self._url}/?{query}", headers=headers)
        reply = json_of(await answered(self._http, request))
        code = str(reply.get("Code", ""))
        if code == "OK":
            return reply
        detail = f"{code} {reply.get('Message', '')}"
        if code.startswith(TEMPORARY):
            raise ProviderUnreachable(
                DeliveryReason.LIMIT
                if "LIMIT" in code or code.startswith("Throttling")
                else DeliveryReason.UNREACHABLE,
                detail,
            )
        if code.startswith(WRONG_KEY):
            raise MessageRefused(DeliveryReason.CREDENTIALS, detail)
        if code in WRONG_NUMBER:
            raise MessageRefused(DeliveryReason.BAD_ADDRESS, detail)
        raise MessageRefused(DeliveryReason.BALANCE if code in NO_BALANCE else DeliveryReason.REFUSED, detail)


def _encoded(text: str) -> str:
    return quote(text, safe="-_.~")
