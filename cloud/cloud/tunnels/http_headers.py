"""What of a request and a reply passes between a browser and a gateway's page. Pure.

A browser sends the cookies of a host to all its ports, and several gateways may be behind one host: cookies
of a gateway carry its tunnel's prefix in the browser, and go back to this gateway only.
"""

from __future__ import annotations

from collections.abc import Iterable

Header = tuple[bytes, bytes]

HOP_BY_HOP = frozenset(
    {b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"te", b"trailer",
     b"transfer-encoding", b"upgrade", b"proxy-connection", b"expect"}
)  # fmt: skip
NOT_FOR_THE_GATEWAY = HOP_BY_HOP | {b"host", b"cookie", b"x-token", b"authorization", b"origin", b"referer",
                                    b"forwarded", b"content-length"}  # fmt: skip
NOT_FOR_THE_BROWSER = HOP_BY_HOP | {b"set-cookie", b"strict-transport-security", b"alt-svc", b"cache-control",
                                    b"service-worker-allowed", b"clear-site-data"}  # fmt: skip


def to_gateway(headers: Iterable[Header], prefix: str, length: int | None) -> list[Header]:
    """Request headers as the gateway sees them. length: of the body, None without one."""
    forwarded: list[Header] = []
    cookies: list[str] = []
    given = list(headers)
    named = _named_in_connection(given)
    for name, value in given:
        if name == b"cookie":
            cookies += _own(value.decode("latin-1"), prefix)
        elif name not in NOT_FOR_THE_GATEWAY | named and not name.startswith(b"x-forwarded-"):
            forwarded.append((name, value))
    if cookies:
        forwarded.append((b"Cookie", "; ".join(cookies).encode("latin-1")))
    if length is not None:
        forwarded.append((b"Content-Length", str(length).encode()))
    return [(b"Host", b"localhost"), *forwarded]


def to_browser(headers: Iterable[Header], prefix: str, *, tls: bool) -> list[Header]:
    """Reply headers as the browser sees them. Nothing is stored: the address may get another gateway."""
    given = list(headers)
    named = _named_in_connection(given)
    forwarded = [(name, value) for name, value in given if name not in NOT_FOR_THE_BROWSER | named]
    for name, value in given:
        if name == b"set-cookie":
            forwarded.append(
                (b"Set-Cookie", _renamed(value.decode("latin-1"), prefix, tls).encode("latin-1"))
            )
    return [*forwarded, (b"Cache-Control", b"no-store")]


def cookie(headers: Iterable[Header], name: str) -> str:
    """Value of a cookie, empty when it is not there."""
    for header, value in headers:
        if header == b"cookie":
            for part in value.decode("latin-1").split(";"):
                key, _, text = part.strip().partition("=")
                if key == name:
                    return text
    return ""


def value_of(headers: Iterable[Header], name: bytes) -> bytes:
    """The first value of a header, empty when it is not there."""
    return next((value for key, value in headers if key == name), b"")


def _named_in_connection(headers: list[Header]) -> frozenset[bytes]:
    """Headers that Connection names are for one hop as well."""
    values = [value for name, value in headers if name == b"connection"]
    return frozenset(part.strip().lower() for value in values for part in value.split(b","))


def _own(text: str, prefix: str) -> list[str]:
    parts = (part.strip() for part in text.split(";"))
    return [part.removeprefix(prefix) for part in parts if part.startswith(prefix)]


def _renamed(text: str, prefix: str, tls: bool) -> str:
    first, *attributes = (part.strip() for part in text.split(";"))
    forwarded = [
        one for one in attributes if one.partition("=")[0].strip().lower() not in ("domain", "secure")
    ]
    return "; ".join([prefix + first, *forwarded, *(["Secure"] if tls else [])])
