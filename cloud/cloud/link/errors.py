"""Errors that the link raises to its callers."""

from __future__ import annotations


class LinkError(Exception):
    """Base of everything that the link raises on purpose."""


class LinkDown(LinkError):
    """The broker is not connected, or did not acknowledge in time. Nothing is sent later by itself.

    may_have_sent: the broker may have taken what was to be sent.
    """

    def __init__(self, message: str, *, may_have_sent: bool = False) -> None:
        super().__init__(message)
        self.may_have_sent = may_have_sent


class BrokerRefused(LinkError):
    """The broker's administration refused a change. command: what was asked; rule: its reason."""

    def __init__(self, command: str, rule: str) -> None:
        super().__init__(f"{command}: {rule}")
        self.command = command
        self.rule = rule
