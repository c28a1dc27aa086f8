"""Mail to a real SMTP server (aiosmtpd), in the clear and with STARTTLS and a password."""

from __future__ import annotations

import asyncio
import email
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from email.policy import default
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword

from cloud.domains.notifications.channels.base import Address, MessageRefused, ProviderUnreachable
from cloud.domains.notifications.channels.email import Email
from cloud.domains.notifications.states import DeliveryReason

from .messages import MESSAGE


class Mailboxes:
    """Takes mail for everybody but nobody@."""

    def __init__(self) -> None:
        self.taken: list[Envelope] = []
        self.answer = "250 queued as 42"

    async def handle_RCPT(
        self, _server: Any, _session: Any, envelope: Envelope, address: str, _options: Any
    ) -> str:
        if address.startswith("nobody@"):
            return "550 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Envelope) -> str:
        self.taken.append(envelope)
        return self.answer


def right(_server: Any, _session: Any, _envelope: Any, _mechanism: str, given: LoginPassword) -> AuthResult:
    return AuthResult(success=given.password == b"s3cret", handled=False)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("smtp")
    cert, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "2",
         "-keyout", key, "-out", cert],
        check=True, capture_output=True,
    )  # fmt: skip
    return cert, key


@pytest.fixture
def mailboxes() -> Mailboxes:
    return Mailboxes()


@asynccontextmanager
async def listening(mailboxes: Mailboxes, **options: Any) -> AsyncIterator[int]:
    """Port of a server on this machine."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(mailboxes, **options), "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


@pytest.fixture
async def plain(mailboxes: Mailboxes) -> AsyncIterator[Email]:
    async with listening(mailboxes) as port:
        yield Email("127.0.0.1", port, "none", "alarm@example.com")


@pytest.fixture
async def encrypted(mailboxes: Mailboxes, certificate: tuple[Path, Path]) -> AsyncIterator[Email]:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*certificate)
    options = {
        "tls_context": context,
        "require_starttls": True,
        "auth_required": True,
        "authenticator": right,
    }
    async with listening(mailboxes, **options) as port:
        yield Email("localhost", port, "starttls", "alarm@example.com", "alarm", "s3cret", certificate[0])


async def test_mail_is_readable_and_names_its_delivery(plain: Email, mailboxes: Mailboxes) -> None:
    receipt = await plain.send(MESSAGE, Address("li@example.com"))
    assert receipt.reference == "queued as 42"
    [taken] = mailboxes.taken
    assert (taken.mail_from, taken.rcpt_tos) == ("alarm@example.com", ["li@example.com"])
    mail = email.message_from_bytes(taken.content or b"", policy=default)  # type: ignore[arg-type]
    assert mail["Subject"] == MESSAGE.subject
    assert mail["Message-ID"] == "<notification-7@example.com>"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail.get_content().replace("\r\n", "\n").strip() == MESSAGE.text  # type: ignore[attr-defined]


async def test_starttls_and_a_password(encrypted: Email, mailboxes: Mailboxes) -> None:
    await encrypted.send(MESSAGE, Address("li@example.com"))
    assert len(mailboxes.taken) == 1


async def test_a_wrong_password_is_said_and_not_shown(encrypted: Email) -> None:
    with pytest.raises(MessageRefused) as caught:
        await replace(encrypted, password="other-word").send(MESSAGE, Address("li@example.com"))
    assert caught.value.reason is DeliveryReason.CREDENTIALS
    assert "other-word" not in str(caught.value)


async def test_a_server_that_nobody_vouches_for_gets_no_password(
    encrypted: Email, mailboxes: Mailboxes
) -> None:
    with pytest.raises(ProviderUnreachable):
        await replace(encrypted, ca_file=None).send(MESSAGE, Address("li@example.com"))
    assert mailboxes.taken == []


async def test_a_server_without_starttls_gets_nothing(plain: Email, mailboxes: Mailboxes) -> None:
    with pytest.raises(ProviderUnreachable):
        await replace(plain, security="starttls").send(MESSAGE, Address("li@example.com"))
    assert mailboxes.taken == []


async def test_a_mailbox_that_there_is_not(plain: Email) -> None:
    with pytest.raises(MessageRefused) as caught:
        await plain.send(MESSAGE, Address("nobody@example.com"))
    assert caught.value.reason is DeliveryReason.BAD_ADDRESS


async def test_what_the_server_says_of_the_mail(plain: Email, mailboxes: Mailboxes) -> None:
    mailboxes.answer = "451 try again"
    with pytest.raises(ProviderUnreachable):
        await plain.send(MESSAGE, Address("li@example.com"))
    mailboxes.answer = "554 spam"
    with pytest.raises(MessageRefused) as caught:
        await plain.send(MESSAGE, Address("li@example.com"))
    assert caught.value.reason is DeliveryReason.REFUSED


async def test_a_subject_cannot_add_a_header(plain: Email, mailboxes: Mailboxes) -> None:
    """Rendering leaves no line ends; mail itself refuses them."""
    with pytest.raises(ValueError, match="Header"):
        await plain.send(replace(MESSAGE, subject="a\r\nBcc: x@example.com"), Address("li@example.com"))
    assert mailboxes.taken == []


async def test_nobody_listens(plain: Email) -> None:
    with pytest.raises(ProviderUnreachable):
        await replace(plain, port=9).send(MESSAGE, Address("li@example.com"))


async def test_whether_the_server_takes_mail_again(encrypted: Email, mailboxes: Mailboxes) -> None:
    assert await encrypted.is_reachable()
    assert not await replace(encrypted, password="other-word").is_reachable()
    assert not await replace(encrypted, ca_file=None).is_reachable()
    async with listening(mailboxes) as port:
        again = Email("127.0.0.1", port, "none", "alarm@example.com")
        assert await again.is_reachable()
    assert not await again.is_reachable()
    assert mailboxes.taken == []


@pytest.mark.parametrize(
    ("answer", "reason"),
    [("421 going down", DeliveryReason.UNREACHABLE), ("451 try again later", DeliveryReason.DEFERRED)],
)
async def test_a_server_that_is_away_is_not_one_that_puts_a_message_off(
    plain: Email, mailboxes: Mailboxes, answer: str, reason: DeliveryReason
) -> None:
    mailboxes.answer = answer
    with pytest.raises(ProviderUnreachable) as caught:
        await plain.send(MESSAGE, Address("li@example.com"))
    assert caught.value.reason is reason
