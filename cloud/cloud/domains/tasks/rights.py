"""What somebody needs whose task runs."""

from __future__ import annotations

WRITES = "Device/cmd"
"""The permission of who writes a value, by a task too."""

MANAGES = "DeviceManage"
"""The permission of who restarts gateways."""
