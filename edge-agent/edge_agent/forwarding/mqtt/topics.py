"""Topics of a target: templates with placeholders, and their filter (MQTT 3.1.1, section 4.7). Pure."""

from __future__ import annotations

import re

GATEWAY, SLAVE, POINT, TARGET = "gateway", "slave", "point", "target"
OF_TOPICS = (GATEWAY, SLAVE, POINT)
OF_IDENTITY = (GATEWAY, TARGET)
MAX_LENGTH = 300
"""Of a template; with the longest names in it a topic is far below the 65,535 bytes of section 1.5.3."""

_PLACEHOLDER = re.compile(r"\{(\w*)\}")


def topic_fault(template: str, allowed: tuple[str, ...] = OF_TOPICS) -> str | None:
    """Rule that a template breaks. allowed: its placeholders."""
    if not 1 <= len(template) <= MAX_LENGTH:
        return f"must have 1 to {MAX_LENGTH} characters"
    if not template.isprintable():
        return "must have no control characters"
    if "+" in template or "#" in template:
        return "must be one topic, without the wildcards + and #"
    unknown = next((name for name in _PLACEHOLDER.findall(template) if name not in allowed), None)
    if unknown is not None or set(_PLACEHOLDER.sub("", template)) & {"{", "}"}:
        return f"must have no braces but {', '.join(f'{{{name}}}' for name in allowed)}"
    return None


def uses(template: str, name: str) -> bool:
    """Does a template have this placeholder?"""
    return f"{{{name}}}" in template


def expanded(template: str, *, gateway: str, slave: str = "", point: str = "", target: str = "") -> str:
    """The topic of a point, or any other text with placeholders."""
    values = {GATEWAY: gateway, SLAVE: slave, POINT: point, TARGET: target}
    return _PLACEHOLDER.sub(lambda match: values[match[1]], template)


def filter_of(template: str, gateway: str) -> str:
    """What to subscribe to: + in place of each level in which slave or point stands."""
    return "/".join(
        "+" if _varies(level) else expanded(level, gateway=gateway) for level in template.split("/")
    )


def may_meet(one: str, other: str) -> bool:
    """May a topic of one template be matched by the filter of the other?"""
    pairs = one.split("/"), other.split("/")
    return len(pairs[0]) == len(pairs[1]) and all(
        a == b or _varies(a) or _varies(b) for a, b in zip(*pairs, strict=True)
    )


def _varies(level: str) -> bool:
    return uses(level, SLAVE) or uses(level, POINT)
