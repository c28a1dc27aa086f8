"""Options of kind hj212: every fault with field and rule, also those that show beside the points only."""

from __future__ import annotations

import pytest

from edge_agent.config.load import ConfigErrors, parse

FORWARDER = """[gateway]
id = "gw-1"
[[forwarders]]
name = "bureau"
kind = "hj212"
[forwarders.options]
server = "platform.example"
port = 9001
mn = "010000A8900016F000169DC0"
pw = "123456"
{options}
[[forwarders.options.mapping]]
factor = "w01018"
point = "site.cod"
{mapping}
[[ports]]
name = "lan"
type = "NET"
host = "10.0.0.1"
[[slaves]]
name = "site"
port = "lan"
protocol = "modbus_tcp"
address = "1"
{slave}
"""
POINT = """[[points]]
slave = "site"
name = "{}"
data_type = "float"
address = {{ reg_type = "4X", offset = {} }}
{}
"""
OPTIONS = "forwarders[0].options"
MAPPING = f"{OPTIONS}.mapping[0]"


def text(options: str = "", mapping: str = "", point: str = "", slave: str = "") -> str:
    points = (
        POINT.format("cod", 0, point) + POINT.format("flow", 2, "") + POINT.format("mode", 4, "record = 2")
    )
    return FORWARDER.format(options=options, mapping=mapping, slave=slave) + points


def faults(file: str) -> dict[str, str]:
    with pytest.raises(ConfigErrors) as caught:
        parse(file)
    return {error.field: error.rule for error in caught.value.errors}


def test_a_sound_target() -> None:
    made = parse(
        text("version = '2025'", "types = ['rtd', 'avg', 'cou']\nflow = 'site.flow'\nstate = 'site.mode'")
    )
    assert made.forwarders[0].kind == "hj212"


@pytest.mark.parametrize(
    ("options", "field", "rule"),
    [
        ("rtd_interval_s = 10", "rtd_interval_s", "0 or 30 to 3600"),
        ("report_interval_min = 7", "report_interval_min", "one of"),
        ("flag = 4", "flag", "one of"),
        ("version = '2031'", "version", "one of"),
        ("retry_times = 100", "retry_times", "at most 99"),
        ("timeout_s = 0", "timeout_s", "at least 1"),
        ("cache_limit = 0", "cache_limit", "at least 1"),
        ("random_min_ms = 600", "random_min_ms", "at most options.random_max_ms"),
        ("random_max_ms = 0", "supplementary", "needs options.random_max_ms"),
        (
            "supplementary = false\nsupplementary_rtd = true",
            "supplementary_rtd",
            "needs options.supplementary",
        ),
        ("time_zone = '+15:00'", "time_zone", "-14:00 to +14:00"),
        ("heartbeat_s = 30", "heartbeat_s", "before 2025"),
        ("cipher = 'raw'\ncipher_secret = '0123456789abcdef'", "cipher", "before 2025"),
        ("version = '2025'\ncipher = 'raw'\ncipher_secret = 'short'", "cipher_secret", "16 printable"),
        ("version = '2005'\n[forwarders.options.states]\n1 = 'B'", "states.1", "one of P, F, C"),
    ],
)
def test_faults_of_options(options: str, field: str, rule: str) -> None:
    found = faults(text(options))
    assert rule in found[f"{OPTIONS}.{field}"], found


def test_faults_of_server_and_secrets_are_not_quoted() -> None:
    found = faults(text().replace("platform.example", "a b"))
    assert f"{OPTIONS}.server" in found
    found = faults(text().replace('pw = "123456"', 'pw = "geheim7"'))
    assert "geheim7" not in str(found)
    assert f"{OPTIONS}.pw" in found


@pytest.mark.parametrize(
    ("mapping", "field", "rule"),
    [
        ("types = ['cou']", "types", "needs a flow point"),
        ("types = ['sum']", "types", ""),
        ("units = []", "units", "m, h or d"),
        ("flow = 'site.none'", "flow", "there is no site.none"),
        ("state = 'site.none'", "state", "there is no site.none"),
        ("flow = 'site.mode'", "flow", "stored at each reading"),
        ("[[forwarders.options.mapping]]\nfactor = 'w01018'\npoint = 'site.flow'", "factor", "named once"),
    ],
)
def test_faults_of_the_mapping(mapping: str, field: str, rule: str) -> None:
    found = faults(text("", mapping))
    rules = [words for name, words in found.items() if name.partition("].")[2].endswith(f".{field}")]
    rules += [words for name, words in found.items() if f"].{field}[" in name]
    assert any(rule in words for words in rules), found


@pytest.mark.parametrize(
    ("point", "slave", "rule"),
    [
        ("record = 0", "", "record = 0"),
        ("record = 2", "", "stored at each reading"),
        ("deadband = 0.5", "", "stored at each reading"),
        ("collect_mode = 'on_demand'", "", "on demand"),
        ("", "capture_cycle_ms = 61000", "once a minute"),
        ("type = 'swh'", "", "must be a number"),
    ],
)
def test_points_of_which_no_means_can_be_made(point: str, slave: str, rule: str) -> None:
    found = faults(text("", "", point, slave))
    assert rule in found[f"{MAPPING}.point"], found
