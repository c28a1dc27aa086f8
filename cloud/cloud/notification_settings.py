"""Settings of notifications: where messages go out, and what they say of this installation."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, field_validator, model_validator
from pydantic_settings import BaseSettings

URL = r"^https?://[^/\s@]+/?$"


class NotificationSettings(BaseSettings):
    """A channel is configured when its first setting is given; the others that it needs are named then."""

    public_url: str = Field(default="", pattern=r"^(|https?://[^\s@?#]+)$")
    time_zone: str = "Asia/Shanghai"

    smtp_host: str = Field(default="", pattern=r"^[^\s/]*$")
    smtp_port: int = Field(default=465, ge=1, le=65535)
    smtp_security: Literal["tls", "starttls", "none"] = "tls"
    smtp_from: str = Field(default="", pattern=r"^(|[^\s@<>]+@[^\s@<>]+)$")
    smtp_username: str = ""
    smtp_password_file: Path | None = None
    smtp_ca_file: Path | None = None

    aliyun_key_id: str = Field(default="", pattern=r"^[A-Za-z0-9]*$")
    aliyun_key_secret_file: Path | None = None
    sms_sign_name: str = Field(default="", max_length=60)
    sms_template: str = Field(default="", pattern=r"^[A-Za-z0-9_]*$")
    sms_url: str = Field(default="https://dysmsapi.aliyuncs.com", pattern=URL)
    voice_template: str = Field(default="", pattern=r"^[A-Za-z0-9_]*$")
    voice_number: str = Field(default="", pattern=r"^[0-9]*$")
    voice_url: str = Field(default="https://dyvmsapi.aliyuncs.com", pattern=URL)

    wechat_app_id: str = Field(default="", pattern=r"^[A-Za-z0-9]*$")
    wechat_app_secret_file: Path | None = None
    wechat_template: str = Field(default="", pattern=r"^[A-Za-z0-9_-]*$")
    wechat_url: str = Field(default="https://api.weixin.qq.com", pattern=URL)

    webhook_private: bool = False

    @field_validator("time_zone")
    @classmethod
    def _is_a_zone(cls, given: str) -> str:
        try:
            ZoneInfo(given)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ValueError(f"{given} is no time zone; such as Asia/Shanghai") from None
        return given

    @model_validator(mode="after")
    def _channels_are_complete(self) -> Self:
        needed: dict[str, tuple[str, ...]] = {
            "smtp_host": ("smtp_from",),
            "smtp_username": ("smtp_host", "smtp_password_file"),
            "smtp_password_file": ("smtp_username",),
            "sms_template": ("aliyun_key_id", "sms_sign_name"),
            "voice_template": ("aliyun_key_id",),
            "aliyun_key_id": ("aliyun_key_secret_file",),
            "wechat_app_id": ("wechat_app_secret_file", "wechat_template"),
        }
        for name, others in needed.items():
            missing = [other for other in others if getattr(self, name) and not getattr(self, other)]
            if missing:
                raise ValueError(f"EDGE_{missing[0].upper()}: needed with EDGE_{name.upper()}")
        if self.smtp_username and self.smtp_security == "none" and self.smtp_host not in _LOOPBACK:
            raise ValueError("EDGE_SMTP_SECURITY: tls or starttls, a password would go in the clear")
        return self


_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def secret_of(path: Path | None) -> str:
    """The text of a secret's file without the end of its line."""
    return "" if path is None else path.read_text("utf-8").strip()
