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


def function(request: str, item: str = "", point: str = "site.set", factor: str = "w01018") -> str:
    row = {"request": request, "factor": factor, "point": point, "item": item}
    return "[[forwarders.options.functions]]\n" + "".join(f"{name} = '{row[name]}'\n" for name in row)


PUMP = "[[forwarders.options.equipment]]\ncode = 'SB1'\npoint = 'site.mode'\n"
SETPOINT = POINT.format("set", 6, "rw = 'readwrite'") + POINT.format("order", 8, "rw = 'writeonly'")


@pytest.mark.parametrize(
    ("version", "rows"),
    [
        ("2005", [function("3011"), function("3013"), function("3012", factor="060")]),
        (
            "2017",
            [function("3016", "Ctime"), function("3017", "CstartTime"), function("3019", "", "site.cod")],
        ),
        (
            "2025",
            [function("3011", "0"), function("3011", "1"), function("3021", "i13004"), function("3024")],
        ),
    ],
)
def test_sound_functions(version: str, rows: list[str]) -> None:
    options = f"version = '{version}'\n" + "".join(rows)
    assert len(parse(text(options) + SETPOINT).forwarders[0].options["functions"]) == len(rows)


@pytest.mark.parametrize(
    ("version", "rows", "field", "rule"),
    [
        ("2017", function("2051"), "functions[0].request", "one of"),
        ("2017", function("3024"), "functions[0].request", "version 2017"),
        ("2025", function("3016", "Ctime"), "functions[0].request", "version 2025"),
        ("2005", function("3014"), "functions[0].request", "version 2005"),
        ("2017", function("3012") * 2, "functions[1].request", "named once for w01018"),
        ("2017", function("3011", "0"), "functions[0].item", "empty for 3011"),
        ("2025", function("3011", "2"), "functions[0].item", "one of 0, 1 for 3011"),
        ("2017", function("3016"), "functions[0].item", "one of CstartTime, Ctime for 3016"),
        ("2017", function("3020", "w01018"), "functions[0].item", "such as i13004"),
        ("2017", function("3012", "i13004"), "functions[0].item", "empty for 3012"),
        ("2017", function("3012", "", "site.none"), "functions[0].point", "there is no site.none"),
        ("2017", function("3012", "", "site.cod"), "functions[0].point", "writable"),
        ("2017", function("3019", "", "site.order"), "functions[0].point", "readable"),
        ("2017", PUMP.replace("mode", "none"), "equipment[0].point", "there is no site.none"),
        ("2017", PUMP * 2, "equipment[1].code", "named once"),
        ("2017", "[forwarders.options.equipment_states]\n1 = '6'\n", "equipment_states.1", "one of"),
    ],
)  # fmt: skip
def test_faults_of_functions_and_equipment(version: str, rows: str, field: str, rule: str) -> None:
    found = faults(text(f"version = '{version}'\n{rows}") + SETPOINT)
    words = [each for name, each in found.items() if name.startswith(f"{OPTIONS}.{field.split('.1')[0]}")]
    assert any(rule in each for each in words), found


@pytest.mark.parametrize(
    ("point", "rule"), [("record = 0", "record = 0"), ("collect_mode = 'on_demand'", "on demand")]
)
def test_states_that_are_not_stored(point: str, rule: str) -> None:
    rows = "[[forwarders.options.equipment]]\ncode = 'SB1'\npoint = 'site.pump'\n"
    found = faults(text(rows) + POINT.format("pump", 6, point))
    assert rule in found[f"{OPTIONS}.equipment[0].point"], found
