"""Settings of notifications that the environment gives; of a stack's other settings it gives none."""

from __future__ import annotations

from collections.abc import Mapping

CHANNELS = ("EDGE_SMTP_", "EDGE_ALIYUN_", "EDGE_SMS_", "EDGE_VOICE_", "EDGE_WECHAT_")
OTHERS = ("EDGE_PUBLIC_URL", "EDGE_TIME_ZONE", "EDGE_WEBHOOK_PRIVATE")


def notification_env(environment: Mapping[str, str], portal: str) -> dict[str, str]:
    """What the cloud is given. portal: where links in messages lead unless EDGE_PUBLIC_URL says so."""
    given = {
        name: value for name, value in environment.items() if name.startswith(CHANNELS) or name in OTHERS
    }
    return {"EDGE_PUBLIC_URL": portal, **given}
