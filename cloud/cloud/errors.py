"""The cloud's one error tree, with the codes of the portal's error catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Literal

Thing = Literal[
    "alarm", "batch", "bind code", "calendar", "command", "configuration", "contact", "contact group",
    "data point", "deployment", "device", "draft", "entry", "file", "firmware", "firmware key",
    "firmware plan", "forwarding target", "gateway", "group", "host name", "import", "job", "lease",
    "map file", "move_to", "parameter plan", "parent_id", "permission", "port", "preset", "product",
    "project", "rule", "script", "share", "SIM card", "slave device",
    "suppression", "task", "template", "to", "trace", "trigger", "user", "value", "version",
]  # fmt: skip
"""What may be missing: the portal has words for each."""


class Code(IntEnum):
    """Codes of the envelope. 0 is success."""

    OK = 0
    NO_PERMISSION = 10001
    PARAMETER = 10002
    WRONG_CREDENTIALS = 10009
    SESSION_EXPIRED = 10010
    MESSAGE = 20000
    BUSY = 20001  # the portal has words for it in its user's language


class CloudError(Exception):
    """Base. status: HTTP status; field and rule: what of the input is wrong, when it is the input.

    reason: a code such as user.has_below for which the portal has words, with its arguments; "" for none.
    """

    code = Code.MESSAGE
    status = 400

    def __init__(
        self,
        message: str,
        *,
        field: str = "",
        rule: str = "",
        reason: str = "",
        arguments: Mapping[str, int | str] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.rule = rule
        self.reason = reason
        self.arguments = dict(arguments or {})


class ParameterError(CloudError):
    """Input breaks a rule."""

    code = Code.PARAMETER

    def __init__(
        self, field: str, rule: str, *, reason: str = "", arguments: Mapping[str, int | str] | None = None
    ) -> None:
        super().__init__(f"{field}: {rule}", field=field, rule=rule, reason=reason, arguments=arguments)


class WrongCredentials(CloudError):
    """User name or password is wrong, or the account is locked: the same answer for all."""

    code = Code.WRONG_CREDENTIALS
    status = 401

    def __init__(self) -> None:
        super().__init__("wrong user name or password")


class SessionExpired(CloudError):
    """No valid token."""

    code = Code.SESSION_EXPIRED
    status = 401

    def __init__(self) -> None:
        super().__init__("session expired")


class NoPermission(CloudError):
    """The user may not do this."""

    code = Code.NO_PERMISSION
    status = 403

    def __init__(
        self, permission: str = "", *, reason: str = "", arguments: Mapping[str, int | str] | None = None
    ) -> None:
        super().__init__(
            "no permission", field="permission", rule=permission, reason=reason, arguments=arguments
        )


class NotFound(CloudError):
    """No such thing, or not one that the user may see: both in the same words.

    named: what an operator called it by, where he may know that it is not there.
    """

    status = 404

    def __init__(self, what: Thing, named: str = "") -> None:
        said = f"{what} {named}" if named else what
        super().__init__(f"{said} not found", reason=f"not_found.{what.replace(' ', '_').lower()}")


class TranslatedError(CloudError):
    """Base of what the portal tells an operator in his language: its reason has words there."""

    def __init__(
        self,
        message: str,
        *,
        reason: str,
        field: str = "",
        rule: str = "",
        arguments: Mapping[str, int | str] | None = None,
    ) -> None:
        super().__init__(message, field=field, rule=rule, reason=reason, arguments=arguments)


class Conflict(TranslatedError):
    """It is there already, or in a state that forbids this."""

    status = 409


class Busy(CloudError):
    """Too much of this at once; the same call may succeed later."""

    code = Code.BUSY
    status = 429


class Unavailable(TranslatedError):
    """A part that is needed cannot serve now."""

    status = 503
