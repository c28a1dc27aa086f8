"""gateway.toml to a Configuration: every fault of one run, each with its path and its rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from edge_agent.config.check import check
from edge_agent.config.defaults import with_defaults
from edge_agent.config.lenient import parse_leniently
from edge_agent.config.model import Configuration
from edge_agent.config.parameters import in_effect
from edge_agent.config.shape import shape_faults
from edge_agent.config.text import read, tables_of
from edge_agent.config.translate import translated
from edge_agent.errors import ConfigError, ConfigErrors
from edge_agent.rules import fault_of

__all__ = ["ConfigErrors", "configuration_of", "load", "parse", "stored_configuration_of"]


def load(path: Path) -> Configuration:
    """Configuration of a file; ConfigErrors lists every fault."""
    try:
        text = read(path)
    except ConfigError as error:
        raise ConfigErrors([error]) from None
    return parse(text)


def parse(text: str) -> Configuration:
    """Configuration of TOML text. Raises ConfigErrors with every fault that the text shows."""
    try:
        tables = tables_of(text)
    except ConfigError as error:
        raise ConfigErrors([error]) from None
    return configuration_of(tables)


def configuration_of(tables: dict[str, Any]) -> Configuration:
    """Configuration of its tables; ConfigErrors lists every fault."""
    try:
        configuration = msgspec.convert(with_defaults(tables), Configuration, strict=True)
    except msgspec.ValidationError as error:
        field, rule = fault_of(error)
        raise ConfigErrors(_all_faults(tables) or [ConfigError(field or "file", rule)]) from None
    faults = list(check(configuration))
    if faults:
        raise ConfigErrors(faults)
    return in_effect(configuration)


def stored_configuration_of(tables: dict[str, Any]) -> Configuration:
    """Of a document that ran on this gateway, perhaps with an earlier agent."""
    return configuration_of(translated(tables))


def _all_faults(tables: dict[str, Any]) -> list[ConfigError]:
    """Faults of shape, and what the cross-checks find in the rest."""
    rest = parse_leniently(tables)
    return [*shape_faults(tables, Configuration), *rest.meant(check(rest.configuration, rest.unjudged))]
