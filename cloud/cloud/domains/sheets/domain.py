"""Workbooks of gateways, ports, slaves and points: their columns, and values in their cells."""

from __future__ import annotations

from cloud.domains.base import Domain

DOMAIN = Domain("sheets", ())
