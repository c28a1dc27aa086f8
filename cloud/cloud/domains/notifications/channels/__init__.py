"""The channels. One is added as a file with its ChannelKind, and in this list."""

from __future__ import annotations

from cloud.domains.notifications.channels.base import ChannelKind
from cloud.domains.notifications.channels.dingtalk import DINGTALK
from cloud.domains.notifications.channels.email import EMAIL
from cloud.domains.notifications.channels.feishu import FEISHU
from cloud.domains.notifications.channels.sms import SMS
from cloud.domains.notifications.channels.voice import VOICE
from cloud.domains.notifications.channels.webhook import WEBHOOK
from cloud.domains.notifications.channels.wechat import WECHAT

CHANNELS: tuple[ChannelKind, ...] = (EMAIL, SMS, VOICE, WECHAT, WEBHOOK, DINGTALK, FEISHU)
