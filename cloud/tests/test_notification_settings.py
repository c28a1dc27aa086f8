"""Settings of channels: what belongs together, and what configures nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from cloud.domains.notifications.channels import CHANNELS
from cloud.settings import Settings

NEED_NOTHING = {"webhook", "dingtalk", "feishu"}


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    file = tmp_path / "secret"
    file.write_text("s3cret\n")
    return file


def configured(settings: Settings) -> set[str]:
    return {kind.name for kind in CHANNELS if kind.make(settings) is not None}


def test_without_settings_only_addresses_of_groups_are_reached() -> None:
    assert configured(Settings()) == NEED_NOTHING


def test_each_channel_is_configured_by_its_own(secret: Path) -> None:
    key = {"aliyun_key_id": "LTAI", "aliyun_key_secret_file": secret}
    assert configured(Settings(smtp_host="mail", smtp_from="a@b.c")) == NEED_NOTHING | {"email"}
    assert configured(Settings(**key)) == NEED_NOTHING
    assert configured(Settings(**key, sms_template="SMS_1", sms_sign_name="s")) == NEED_NOTHING | {"sms"}
    assert configured(Settings(**key, voice_template="TTS_1")) == NEED_NOTHING | {"voice"}
    wechat = {"wechat_app_id": "wx1", "wechat_app_secret_file": secret, "wechat_template": "T1"}
    assert configured(Settings(**wechat)) == NEED_NOTHING | {"wechat"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"smtp_host": "mail"}, "EDGE_SMTP_FROM: needed with EDGE_SMTP_HOST"),
        ({"smtp_host": "m", "smtp_from": "a@b", "smtp_username": "x"}, "EDGE_SMTP_PASSWORD_FILE: needed"),
        ({"sms_template": "SMS_1"}, "EDGE_ALIYUN_KEY_ID: needed with EDGE_SMS_TEMPLATE"),
        ({"voice_template": "TTS_1"}, "EDGE_ALIYUN_KEY_ID: needed"),
        ({"aliyun_key_id": "LTAI"}, "EDGE_ALIYUN_KEY_SECRET_FILE: needed"),
        ({"wechat_app_id": "wx1"}, "EDGE_WECHAT_APP_SECRET_FILE: needed"),
        ({"time_zone": "Mars/Olympus"}, "is no time zone"),
        ({"time_zone": "../etc/passwd"}, "is no time zone"),
        ({"public_url": "portal.example.com"}, "public_url"),
        ({"smtp_ca_file": "/nowhere"}, "EDGE_SMTP_CA_FILE: /nowhere is no file"),
    ],
)
def test_what_is_missing_is_named(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Settings(**given)


def test_a_password_does_not_go_in_the_clear(secret: Path) -> None:
    given: dict[str, Any] = {
        "smtp_from": "a@b",
        "smtp_username": "x",
        "smtp_password_file": secret,
        "smtp_security": "none",
    }
    with pytest.raises(ValidationError, match="EDGE_SMTP_SECURITY: tls or starttls"):
        Settings(smtp_host="mail.example.com", **given)
    Settings(smtp_host="127.0.0.1", **given)
