"""Configuration versions, drafts and deployments of gateways, as they are stored."""

from __future__ import annotations

from cloud.domains.base import Domain

DOMAIN = Domain("configuration", ())
