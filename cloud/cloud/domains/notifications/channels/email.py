"""Mail by SMTP (RFC 5321) with implicit TLS or STARTTLS (RFC 8314, 3207).

The Message-ID is made of the delivery's number: what is sent twice is known as the same message.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from pathlib import Path

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
        is_encrypted = self.security != "none"
        context = ssl.create_default_context(cafile=self.ca_file) if is_encrypted else None
        try:
            _, said = await aiosmtplib.send(
                mail,
                sender=self.sender,
                recipients=[address.text],
                hostname=self.host,
                port=self.port,
                use_tls=self.security == "tls",
                start_tls=self.security == "starttls",
                tls_context=context,
                username=self.username or None,
                password=self.password or None,
                timeout=TIMEOUT_S,
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
        return ProviderUnreachable(DeliveryReason.UNREACHABLE, said)
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
