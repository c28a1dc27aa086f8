"""Bring the relational database to the newest schema, with Alembic."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config

FOLDER = Path(__file__).resolve().parent / "alembic"


def configuration(url: str) -> Config:
    """Alembic's configuration for a database URL; there is no ini file."""
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    config.attributes["url"] = url
    return config


def upgrade(url: str) -> None:
    """Run every migration that has not run; blocks."""
    command.upgrade(configuration(url), "head")


def downgrade(url: str) -> None:
    """Undo every migration: an empty database; blocks."""
    command.downgrade(configuration(url), "base")
