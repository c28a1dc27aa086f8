"""Mail by SMTP (RFC 5321) with implicit TLS or STARTTLS (RFC 8314, 3207).

The Message-ID is made of the delivery's number: what is sent twice is known as the same message.
"""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import aiosmtplib

from cloud.domains.notifications.channels.base import (
    TIMEOUT_S,
    Address,
    ChannelKind,
    Message,
    MessageChannel,
    MessageRefused,
    ProviderUnreachable,
    Receipt,
)
from cloud.domains.notifications.states import DeliveryReason
from cloud.notification_settings import secret_of
from cloud.settings import Settings

NO_SUCH_MAILBOX = (550, 551, 553)
NOT_AVAILABLE = 421
"""The server itself; other answers of 4xx speak of one message (RFC 5321, 4.2.2)."""


@dataclass(frozen=True)
class Email:
    """security: tls, starttls or none."""

    host: str
    port: int
    security: str
    sender: str
    username: str = ""
    password: str = ""
    ca_file: Path | None = None

    async def send(self, message: Message, address: Address) -> Receipt:
        """Raises MessageRefused for an answer of 5xx, ProviderUnreachable for 4xx or none."""
        mail = self._mail(message, address)
        try:
            _, said = await aiosmtplib.send(
                mail, sender=self.sender, recipients=[address.text], **self._connection()
            )
        except aiosmtplib.SMTPAuthenticationError as error:
            raise MessageRefused(DeliveryReason.CREDENTIALS, f"{error.code} {error.message}") from error
        except aiosmtplib.SMTPRecipientsRefused as error:
            raise _refusal(error.recipients[0]) from error
        except aiosmtplib.SMTPResponseException as error:
            raise _refusal(error) from error
        except (aiosmtplib.SMTPException, OSError) as error:
            raise ProviderUnreachable(
                DeliveryReason.UNREACHABLE, f"{type(error).__name__}: {error}"
            ) from error
        return Receipt(said[:200])

    async def is_reachable(self) -> bool:
        """Is there a connection, encrypted and signed in as for a mail?"""
        client = aiosmtplib.SMTP(**self._connection())
        try:
            async with asyncio.timeout(TIMEOUT_S), client:
                return True
        except (aiosmtplib.SMTPException, OSError, TimeoutError):
            return False

    def _connection(self) -> dict[str, Any]:
        is_encrypted = self.security != "none"
        return {
            "hostname": self.host,
            "port": self.port,
            "use_tls": self.security == "tls",
            "start_tls": self.security == "starttls",
            "tls_context": ssl.create_default_context(cafile=self.ca_file) if is_encrypted else None,
            "username": self.username or None,
            "password": self.password or None,
            "timeout": TIMEOUT_S,
        }

    def _mail(self, message: Message, address: Address) -> EmailMessage:
        mail = EmailMessage(policy=SMTP)
        mail["Subject"] = message.subject
        mail["From"] = self.sender
        mail["To"] = address.text
        mail["Date"] = format_datetime(datetime.fromtimestamp(message.at_ms / 1000, UTC))
        mail["Message-ID"] = f"<{message.reference}@{self.sender.rpartition('@')[2]}>"
        mail["Auto-Submitted"] = "auto-generated"
        mail.set_content(message.text)
        return mail


def _refusal(error: aiosmtplib.SMTPResponseException) -> MessageRefused | ProviderUnreachable:
    said = f"{error.code} {error.message}"
    if error.code < 500:
        is_away = error.code == NOT_AVAILABLE
        return ProviderUnreachable(DeliveryReason.UNREACHABLE if is_away else DeliveryReason.DEFERRED, said)
    return MessageRefused(
        DeliveryReason.BAD_ADDRESS if error.code in NO_SUCH_MAILBOX else DeliveryReason.REFUSED, said
    )


def _make(settings: Settings) -> MessageChannel | None:
    if not settings.smtp_host:
        return None
    return Email(
        settings.smtp_host,
        settings.smtp_port,
        settings.smtp_security,
        settings.smtp_from,
        settings.smtp_username,
        secret_of(settings.smtp_password_file),
        settings.smtp_ca_file,
    )


EMAIL = ChannelKind("email", "contact", 0, _make)
