"""Arguments of `edge-agent firmware`."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def declare(verbs: Any) -> None:
    """Declare the subcommand."""
    firmware = verbs.add_parser("firmware", help="look at a file of firmware")
    actions = firmware.add_subparsers(dest="firmware_action", required=True)
    look = actions.add_parser("inspect", help="manifest, hashes, signature, and what would be refused")
    look.add_argument("file", type=Path, metavar="FILE")
    look.add_argument("--data", type=Path, help="of the gateway: its keys, its model, what is installed")
    look.add_argument("--json", action="store_true", help="one JSON document")
