"""Hosts and broker addresses of a configuration. What is refused is not repeated: it may hold a secret."""

from __future__ import annotations

from ipaddress import AddressValueError, IPv6Address
from urllib.parse import SplitResult, urlsplit

from edge_agent.config.model import History, LocalPage
from edge_agent.config.reach import literal, plain, special
from edge_contract import hosts

SCHEMES = ("mqtt", "mqtts")


def host_fault(host: str) -> str | None:
    """Rule that a host name or address breaks."""
    fault = hosts.host_fault(host)
    return None if fault is None else hosts.HOST_RULES[fault]


def page_faults(page: LocalPage) -> dict[str, str]:
    """Rules that the local page's address and files break, by field; files are not looked at."""
    rules = {
        "host": host_fault(page.host) or own_host_fault(page.host),
        "cert_file": file_fault(page.cert_file),
        "key_file": file_fault(page.key_file),
    }
    if page.enable and page.cert_file is None and not rules["host"]:
        if not is_loopback(page.host):
            rules["cert_file"] = "must be given when local_page.host is not loopback"
        elif page.key_file is not None:
            rules["cert_file"] = "must be given with local_page.key_file"
    return {field: rule for field, rule in rules.items() if rule is not None}


def own_host_fault(host: str) -> str | None:
    """Of a host to listen on. An address mistyped is a name that nobody has: the last label of a name
    begins with a letter.
    """
    last = host.rstrip(".").rpartition(".")[2]
    if literal(host) is not None or (host.isascii() and last[:1].isalpha()):
        return None
    return "must be an address, or a host name in ASCII whose last part begins with a letter"


def is_loopback(host: str) -> bool:
    """Whether nobody but this machine reaches a host that is listened on."""
    address = literal(host)
    return address.is_loopback if address else host == "localhost"


def file_fault(path: str | None) -> str | None:
    """Rule that the path of a file or a device breaks."""
    return "must have no NUL character" if path is not None and "\0" in path else None


def history_path_fault(history: History) -> str | None:
    """Rule that the place of the local history breaks."""
    if history.type == "disk" and history.medium == "external":
        if not history.path.startswith("/"):
            return "must be the absolute path at which the external medium is mounted"
        return file_fault(history.path)
    return "must be empty unless type is disk and medium is external" if history.path else None


def url_fault(url: str) -> str | None:
    """Rule that a broker's url breaks: mqtt://host[:port] or mqtts://host[:port], nothing else."""
    if any(character.isspace() or not character.isprintable() for character in url):
        return "must have no blanks and no control characters"
    try:
        parts = urlsplit(url)
    except ValueError:
        return "must be a url: an IPv6 address stands in brackets"
    if parts.scheme not in SCHEMES or not url.startswith(f"{parts.scheme}://"):
        return "must begin with mqtt:// or mqtts://"
    if "@" in url:
        return "must have no user and no password: the secret lies in the data folder"
    if parts.path or "?" in url or "#" in url:
        return "must end after host and port"
    return _place_fault(parts) or _way_fault(parts)


def _way_fault(parts: SplitResult) -> str | None:
    """The gateway's secret goes to whoever answers there: in clear on this machine only."""
    host = parts.hostname or ""
    address = literal(host)
    kind = special(plain(address)) if address else "loopback" if host == "localhost" else ""
    if kind and kind != "loopback":
        return f"must not lead to an address that is {kind}"
    return "must begin with mqtts:// outside loopback" if parts.scheme == "mqtt" and not kind else None


def _place_fault(parts: SplitResult) -> str | None:
    try:
        port = parts.port
    except ValueError:
        port = 0
    if port == 0 or parts.netloc.endswith(":"):
        return "must have a port from 1 to 65535, or none"
    if not parts.netloc.startswith("["):
        return host_fault(parts.hostname or "")
    try:
        IPv6Address(parts.hostname or "")
    except AddressValueError:
        return "must have an IPv6 address in the brackets"
    rest = parts.netloc.partition("]")[2]
    return None if not rest or rest.startswith(":") else "must end after host and port"
