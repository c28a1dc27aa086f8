"""Hosts and broker addresses are judged before anything is opened, and secrets in them are not repeated."""

from __future__ import annotations

import pytest

from edge_agent.config.load import ConfigErrors, parse

HEAD = '[gateway]\nid = "gw-1"\n'


def fault(text: str) -> str:
    with pytest.raises(ConfigErrors) as caught:
        parse(HEAD + text)
    (one,) = caught.value.errors
    return str(one)


@pytest.mark.parametrize(
    "url",
    ["mqtt://localhost", "mqtts://broker.example:8883", "mqtt://127.0.0.1:1", "mqtts://[2001:db8::1]",
     "mqtts://[::1]:65535"],
)  # fmt: skip
def test_good_urls(url: str) -> None:
    assert parse(f'{HEAD}[cloud]\nurl = "{url}"').cloud is not None


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("mqtts://[::1", "an IPv6 address stands in brackets"),
        ("mqtts://::1]", "an IPv6 address stands in brackets"),
        ("mqtts://[::1]x", "must "),
        ("mqtts://[::1]:", "port from 1 to 65535"),
        ("mqtts://[broker]", "IPv6 address"),
        ("mqtts://[]", "IPv6 address"),
        ("mqtts://2001:db8::1", "port from 1 to 65535"),
        ("mqtts://broker:0", "port from 1 to 65535"),
        ("mqtts://broker:65536", "port from 1 to 65535"),
        ("mqtts://broker:mqtt", "port from 1 to 65535"),
        ("mqtts://broker:", "port from 1 to 65535"),
        ("mqtts://", "1 to 253 characters"),
        ("mqtts://:8883", "1 to 253 characters"),
        ("mqtts:broker", "must begin with mqtt:// or mqtts://"),
        ("http://broker", "must begin with mqtt:// or mqtts://"),
        ("broker", "must begin with mqtt:// or mqtts://"),
        ("", "must begin with mqtt:// or mqtts://"),
        ("mqtt://broker", "must begin with mqtts:// outside loopback"),
        ("mqtt://192.168.1.5:1883", "must begin with mqtts:// outside loopback"),
        ("mqtts://169.254.169.254", "must not lead to an address that is link-local"),
        ("mqtts://[::ffff:169.254.169.254]", "must not lead to an address that is link-local"),
        ("mqtts://0.0.0.0", "must not lead to an address that is unspecified"),
        ("mqtts://gw:hunter2@broker", "no user and no password"),
        ("mqtts://hunter2@broker", "no user and no password"),
        ("mqtts://broker/", "must end after host and port"),
        ("mqtts://broker?secret=hunter2", "must end after host and port"),
        ("mqtts://broker#", "must end after host and port"),
        ("mqtts://bro ker", "no blanks"),
        ("mqtts://broker\\n", "no blanks"),
        ("mqtts://bro\\u0000ker", "no blanks"),
        ("mqtts://bro..ker", "host name"),
    ],
)
def test_bad_urls(url: str, rule: str) -> None:
    found = fault(f'[cloud]\nurl = "{url}"')
    assert found.startswith("cloud.url: must ") and rule in found, found
    assert "hunter2" not in found


@pytest.mark.parametrize(
    "host",
    ["a b", "a\\u0000b", "a\\n", " ", "a" * 64, "a." * 127 + "a", "a..b", "http://a", "me@a", "[::1]"],
)
def test_bad_hosts(host: str) -> None:
    net = f'[[ports]]\nname = "lan"\ntype = "NET"\nhost = "{host}"\n'
    assert fault(net).startswith("ports[0].host: must ")
    assert fault(f'[local_page]\nhost = "{host}"').startswith("local_page.host: must ")


@pytest.mark.parametrize("host", ["192.0.2.1", "plc-1.plant.example", "2001:db8::1", "fe80::1%eth0", "plc_1"])
def test_good_hosts(host: str) -> None:
    parse(f'{HEAD}[[ports]]\nname = "lan"\ntype = "NET"\nhost = "{host}"\n')


def test_paths_hold_no_nul() -> None:
    com = '[[ports]]\nname = "line"\ntype = "COM"\ndevice = "/dev/tty\\u0000"\n'
    assert fault(com) == "ports[0].device: must have no NUL character"
    assert fault('[cloud]\nurl = "mqtts://b"\nca_file = "\\u0000"').startswith("cloud.ca_file: ")


@pytest.mark.parametrize("host", ["１２７.0.0.1", "1e999", "300.1.1.1", "10.0.0.1.", "路由"])
def test_the_local_page_listens_on_an_address_or_a_plain_name(host: str) -> None:
    assert fault(f'[local_page]\nhost = "{host}"').startswith("local_page.host: must be an address, or ")


@pytest.mark.parametrize("host", ["localhost", "::1", "127.0.0.2"])
def test_the_local_page_on_loopback_needs_no_certificate(host: str) -> None:
    parse(f'{HEAD}[local_page]\nhost = "{host}"')


@pytest.mark.parametrize("host", ["10.0.0.1", "0.0.0.0", "::", "fe80::1%eth0", "4g-router.plant"])
def test_the_local_page_beyond_loopback_needs_a_certificate(host: str) -> None:
    page = f'[local_page]\nhost = "{host}"\n'
    assert fault(page) == "local_page.cert_file: must be given when local_page.host is not loopback"
    parse(f"{HEAD}{page}enable = false")
    parse(f'{HEAD}{page}cert_file = "both.pem"')


def test_a_key_needs_its_certificate() -> None:
    page = '[local_page]\nkey_file = "page.key"'
    assert fault(page) == "local_page.cert_file: must be given with local_page.key_file"
