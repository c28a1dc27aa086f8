"""Which addresses connections to devices reach, on real sockets: the gateway's list, and what never."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from edge_agent.__main__ import main
from edge_agent.config.allowed import NETWORKS_FILE, Reach
from edge_agent.config.model import LocalPage, Port
from edge_agent.config.reach import Allowed, networks_of, plain, special
from edge_agent.errors import ConfigError, PortDown
from edge_agent.model import Seen
from edge_agent.protocols import PROTOCOLS
from edge_agent.remote.tunnel_ends import PageDoor, end_of
from edge_agent.transports import create, reach

LOOPBACK = [
    "127.0.0.1",
    "127.8.9.1",
    "::1",
    "::ffff:127.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "::127.0.0.1",
]
NEVER = [
    *LOOPBACK, "0.0.0.0", "::", "0.1.2.3", "169.254.169.254", "fe80::1", "::ffff:169.254.1.1", "224.0.0.1",
    "ff02::1", "255.255.255.255", "240.0.0.1",
]  # fmt: skip


def unseen(direction: str, data: bytes) -> None: ...


SEEN: Seen = unseen  # type: ignore[assignment]


def allowed(*networks: str, hosts: frozenset[Any] = frozenset()) -> Allowed:
    return Allowed(networks_of(networks), hosts)


@pytest.mark.clause("C-106")
@pytest.mark.parametrize("address", NEVER)
def test_what_a_tunnel_never_reaches(address: str) -> None:
    """Whatever the list and the file say."""
    parsed = ip_address(address)
    own = frozenset({plain(parsed)})
    wide = ("0.0.0.0/0", "::/0", "127.0.0.0/8", "169.254.0.0/16", "fe80::/10", address)
    for rule in (Allowed(), allowed(), allowed(*wide), allowed(*wide, hosts=own)):
        assert "another machine" in str(rule.fault(parsed, tunnel=True, own=False))
    for rule in (Allowed(), allowed(), allowed("0.0.0.0/0", "::/0", "96.0.0.0/3")):
        assert rule.fault(parsed, tunnel=False, own=False), "a wide network means no special address"
    assert allowed(str(plain(parsed))).fault(parsed, tunnel=False, own=False) is None
    assert Allowed(hosts=own).fault(parsed, tunnel=False, own=False) is None
    assert special(plain(parsed))


@pytest.mark.parametrize(
    ("address", "named"),
    [("127.0.0.1", "127.0.0.1/32"), ("::1", "::1/128"), ("169.254.0.9", "169.254.0.9/32")],
)
def test_a_refused_address_names_the_command_that_allows_it(tmp_path: Path, address: str, named: str) -> None:
    parsed = ip_address(address)
    fault = str(Allowed().fault(parsed, tunnel=False, own=False))
    command = f"edge-agent network --data DIR --add {named}"
    assert fault.endswith(f"; run {command}")
    assert main(command.replace("DIR", str(tmp_path)).split()[1:]) == 0
    rule = Reach(tmp_path, tmp_path / "gateway.toml")()
    assert rule.fault(parsed, tunnel=False, own=False) is None
    assert rule.fault(ip_address("192.168.1.9"), tunnel=False, own=False) is None, "as before"
    assert rule.fault(ip_address("192.168.1.9"), tunnel=True, own=False), "as before"
    assert rule.fault(parsed, tunnel=True, own=False)
    assert "run" not in str(Allowed().fault(ip_address("224.0.0.1"), tunnel=False, own=False))


@pytest.mark.clause("C-106", "C-107")
@pytest.mark.parametrize(
    ("networks", "address", "own", "driver", "tunnel"),
    [
        (None, "192.168.1.9", False, True, False),
        (None, "10.0.0.1", False, True, False),
        (None, "fd00::1", False, True, False),
        (None, "8.8.8.8", False, False, False),
        (None, "2001:db8::1", False, False, False),
        (None, "192.168.1.9", True, False, False),
        ([], "192.168.1.9", False, False, False),
        (["192.168.1.0/24"], "192.168.1.9", False, True, True),
        (["192.168.1.0/24"], "192.168.2.9", False, False, False),
        (["192.168.1.0/24"], "::ffff:192.168.1.9", False, True, True),
        (["192.168.1.0/24"], "192.168.1.9", True, False, False),
        (["192.168.1.9"], "192.168.1.9", True, True, False),
        (["8.8.8.8"], "8.8.8.8", False, True, True),
        (["fd00::/8"], "fd00::1", False, True, True),
        (["127.0.0.1"], "192.168.1.9", False, True, False),
        (["127.0.0.1"], "8.8.8.8", False, False, False),
        (["127.0.0.1", "10.0.0.0/8"], "192.168.1.9", False, False, False),
    ],
)
def test_rule(networks: list[str] | None, address: str, own: bool, driver: bool, tunnel: bool) -> None:
    rule = Allowed(None if networks is None else networks_of(networks))
    judged = [rule.fault(ip_address(address), tunnel=each, own=own) is None for each in (False, True)]
    assert judged == [driver, tunnel]


def test_lists() -> None:
    assert networks_of(["# plant", "", "10.0.0.0/8  # all", "10.0.0.0/8"]) == networks_of(["10.0.0.0/8"])
    for line in ("10.0.0.1/8", "plc.local", "1.2.3.4/33"):
        with pytest.raises(ConfigError) as caught:
            networks_of(["", line])
        assert caught.value.field == "networks[2]"
    with pytest.raises(ConfigError, match="at most 100"):
        networks_of([f"10.0.0.{n}" for n in range(101)])


@dataclass
class Site:
    """A gateway's folder and file, and a device on loopback that counts who comes."""

    folder: Path
    port: int
    came: list[str] = field(default_factory=list)

    def allow(self, *networks: str) -> None:
        (self.folder / NETWORKS_FILE).write_text("\n".join(networks))

    def file(self, host: str) -> None:
        (self.folder / "gateway.toml").write_text(f'[[ports]]\nname = "n"\ntype = "NET"\nhost = "{host}"\n')

    def net(self, host: str) -> Port:
        return Port(name="n", type="NET", host=host, port=self.port)

    async def driver(self, host: str, protocol: str = "modbus_tcp") -> None:
        driver = PROTOCOLS[protocol].driver(self.net(host))
        try:
            await driver.connect()
        finally:
            await driver.close()

    async def tunnel(self, host: str) -> None:
        end = end_of(self.net(host), SEEN)
        try:
            await end.open()
        finally:
            await end.close()


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    made = Site(tmp_path, 0)

    def come(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        made.came.append(writer.get_extra_info("peername")[0])
        writer.close()

    server = await asyncio.start_server(come, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    reach.use(Reach(tmp_path, tmp_path / "gateway.toml"))
    async with server:
        yield made


@pytest.mark.clause("C-107")
@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "::ffff:127.0.0.1", "127.1", "0x7f000001", "2130706433", "0.0.0.0"]
)
async def test_a_driver_does_not_reach_loopback_unless_the_gateway_says_so(site: Site, host: str) -> None:
    with pytest.raises(reach.NotAllowed, match="host must be named by the gateway's list"):
        await site.driver(host)
    with pytest.raises(PortDown):
        await create(site.net(host)).open()
    assert site.came == []
    if host not in {"localhost", "0.0.0.0"}:
        assert "must be named" in str(reach.fault_of(site.net(host)))
    site.allow("127.0.0.1/32", "0.0.0.0", "::1")
    await site.driver(host)  # it holds at once
    await create(site.net(host)).open()
    await asyncio.sleep(0.05)
    assert len(site.came) == 2
    assert reach.fault_of(site.net(host)) is None
    site.allow("no network")
    with pytest.raises(reach.NotAllowed):
        await site.driver("127.0.0.1")


@pytest.mark.clause("C-107")
async def test_what_the_gateways_own_file_names_is_allowed_for_drivers(site: Site) -> None:
    site.file("127.0.0.1")
    await site.driver("127.0.0.1")
    with pytest.raises(reach.NotAllowed):
        await site.driver("127.0.0.2")
    site.file("192.168.1.1")
    with pytest.raises(reach.NotAllowed):
        await site.driver("127.0.0.1")
    site.file("127.0.0.1")
    with pytest.raises(reach.NotAllowed) as caught:
        await site.tunnel("127.0.0.1")
    assert caught.value.code == "not_allowed"


@pytest.mark.clause("C-106")
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::ffff:127.0.0.1", "127.1", "0.0.0.0", "own"])
async def test_a_tunnel_does_not_reach_this_machine(site: Site, host: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            own = probe.getsockname()[0]
        except OSError:
            own = "127.0.0.1"
    site.allow("0.0.0.0/0", "::/0", "127.0.0.0/8", own)
    with pytest.raises(reach.NotAllowed):
        await site.tunnel(own if host == "own" else host)
    assert site.came == []


@pytest.mark.clause("C-106")
async def test_a_tunnel_reaches_what_the_list_names(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """No other machine is at hand, so loopback stands for one here."""
    monkeypatch.setattr("edge_agent.config.reach.special", lambda address: "")
    monkeypatch.setattr("edge_agent.config.reach._is_special", lambda network: False)
    monkeypatch.setattr(reach, "is_own", lambda address: False)
    with pytest.raises(reach.NotAllowed, match="which is not set"):
        await site.tunnel("127.0.0.1")
    site.allow("127.0.0.0/8")
    await site.tunnel("127.0.0.1")
    await asyncio.sleep(0.05)
    assert site.came == ["127.0.0.1"]


@pytest.mark.clause("C-106", "C-107")
async def test_a_name_is_resolved_once_and_its_address_checked(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name server that answers differently the second time gains nothing."""
    resolved: list[str] = []

    async def resolve(host: str, port: int, **words: Any) -> list[Any]:
        resolved.append(host)
        first = "10.99.99.99" if len(resolved) == 1 else "127.0.0.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (first, port))]

    async def connected(factory: Any, host: str, port: int, **words: Any) -> Any:
        raise ConnectionRefusedError(111, f"tried {host}")

    loop = asyncio.get_running_loop()
    monkeypatch.setattr(loop, "getaddrinfo", resolve)
    monkeypatch.setattr(loop, "create_connection", connected)
    site.allow("10.0.0.0/8")
    with pytest.raises(PortDown, match=r"tried 10\.99\.99\.99"):
        await site.driver("plc.example")
    assert resolved == ["plc.example"]
    for way in (site.driver, site.tunnel):
        with pytest.raises(reach.NotAllowed):
            await way("plc.example")


@pytest.mark.clause("C-106")
async def test_the_way_to_the_page_leads_to_this_machine_only(site: Site) -> None:
    end = PageDoor(LocalPage(host="0.0.0.0", port=site.port)).end()
    await end.open()
    await end.close()
    with pytest.raises(PortDown):
        await PageDoor(LocalPage(host="192.0.2.7", port=site.port)).end().open()


def test_the_command_line_keeps_and_shows_the_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "data"
    words = ["network", "--data", str(folder)]
    assert main(words) == 0 and "No list" in capsys.readouterr().out
    assert main([*words, "--allow", "10.1.0.0/16", "--allow", "127.0.0.1"]) == 0
    assert capsys.readouterr().out.split() == ["10.1.0.0/16", "127.0.0.1/32"]
    assert (folder / NETWORKS_FILE).stat().st_mode & 0o077 == 0
    assert main([*words, "--allow", "plc"]) == 2 and "networks[1]: must be" in capsys.readouterr().err
    assert main([*words, "--allow", "10.1.0.1/16"]) == 2
    assert "192.168.1.0/24, written with its first address" in capsys.readouterr().err
    assert main(words) == 0 and capsys.readouterr().out.split() == ["10.1.0.0/16", "127.0.0.1/32"]
    assert main([*words, "--default"]) == 0 and "No list" in capsys.readouterr().out


def test_the_command_line_adds_to_the_list_and_shuts_nothing_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["network", "--data", str(tmp_path)]
    assert main([*words, "--add", "8.8.8.8"]) == 2
    assert "add: must be loopback or link-local while there is no list" in capsys.readouterr().err
    assert not (tmp_path / NETWORKS_FILE).exists()
    assert main([*words, "--add", "127.0.0.1"]) == 0
    assert capsys.readouterr().out.startswith("127.0.0.1/32\nNET ports may also connect to private addresses")
    assert main([*words, "--allow", "10.1.0.0/16"]) == 0
    assert main([*words, "--add", "8.8.8.8", "--add", "127.0.0.1"]) == 0
    assert capsys.readouterr().out.split()[-3:] == ["10.1.0.0/16", "8.8.8.8/32", "127.0.0.1/32"]
    (tmp_path / NETWORKS_FILE).write_text("plc")
    assert main([*words, "--add", "127.0.0.1"]) == 2
    assert (tmp_path / NETWORKS_FILE).read_text() == "plc"


@pytest.mark.parametrize(("address", "bare"), [
    ("::1", "::1"), ("::", "::"), ("::2", "0.0.0.2"), ("::ffff:10.0.0.1", "10.0.0.1"),
    ("2002:a00:1::", "10.0.0.1"), ("64:ff9b::a00:1", "10.0.0.1"), ("fe80::1%eth0", "fe80::1"),
    ("10.0.0.1", "10.0.0.1"), ("fd00::1", "fd00::1"),
])  # fmt: skip
def test_the_address_that_another_one_leads_to(address: str, bare: str) -> None:
    assert plain(ip_address(address)) == ip_address(bare)


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("2001:0:4136:e378:8000:63bf:3fff:fdd2", "192.0.2.45"),
        ("2002:c000:22d::", "192.0.2.45"),
        ("::ffff:192.0.2.45", "192.0.2.45"),
        ("64:ff9b::c000:22d", "192.0.2.45"),
        ("64:ff9b::ffff:ffff", "255.255.255.255"),
        ("::c000:22d", "192.0.2.45"),
        ("::2", "0.0.0.2"),
        ("::1", "::1"),
        ("::", "::"),
        ("64:ff9b:1::c000:22d", "64:ff9b:1::c000:22d"),
        ("2001:db8::1", "2001:db8::1"),
    ],
)
def test_an_address_in_another_one(address: str, found: str) -> None:
    assert str(plain(ip_address(address))) == found


def test_the_words_of_a_refusal() -> None:
    assert Allowed().fault(ip_address("224.0.0.1"), tunnel=False, own=False) == (
        "must be named by the gateway's list of networks (edge-agent network): 224.0.0.1 is multicast"
    )
    assert allowed("10.0.0.0/8").fault(ip_address("8.8.8.8"), tunnel=True, own=False) == (
        "must be in the gateway's list of networks (edge-agent network): 8.8.8.8"
    )
    assert Allowed().fault(ip_address("8.8.8.8"), tunnel=True, own=False) == (
        "must be in the gateway's list of networks (edge-agent network), which is not set: 8.8.8.8"
    )
    assert Allowed().fault(ip_address("8.8.8.8"), tunnel=False, own=False) == (
        "must be private, or in the gateway's list of networks (edge-agent network): 8.8.8.8"
    )
