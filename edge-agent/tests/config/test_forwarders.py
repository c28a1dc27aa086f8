"""[[forwarders]]: every fault with field and rule."""

from __future__ import annotations

import pytest

from edge_agent.config.load import ConfigErrors, parse
from edge_agent.forwarding.running import bounds_of

GATEWAY = '[gateway]\nid = "gw-1"\n[storage]\nmax_mb = 100\n'
FILE = '[[forwarders]]\nname = "{}"\nkind = "file"\n{}\n[forwarders.options]\nfolder = "/media/usb"\n{}\n'


def faults(text: str) -> list[str]:
    with pytest.raises(ConfigErrors) as caught:
        parse(GATEWAY + text)
    return [str(error) for error in caught.value.errors]


def test_any_number_of_one_kind_with_bounds_of_their_own() -> None:
    text = FILE.format("a", "max_mb = 40\nmax_age_h = 2", "") + FILE.format("b", 'start = "oldest"', "")
    first, second = bounds_of(parse(GATEWAY + text))
    assert (first.name, first.max_bytes, first.max_age_s, first.start) == ("a", 40 << 20, 7200, "end")
    assert (second.name, second.max_bytes, second.max_age_s, second.start) == ("b", 25 << 20, 0, "oldest")


@pytest.mark.parametrize(
    ("text", "field", "rule"),
    [
        (FILE.format("a", "", "") * 2, "forwarders[1].name", "unique"),
        (FILE.format("cloud", "", ""), "forwarders[0].name", "must not be cloud"),
        (FILE.format("a", "max_mb = 51", ""), "forwarders[0].max_mb", "at most half of storage.max_mb, 50"),
        (FILE.format("a", "", "rotate = 1"), "forwarders[0].options", "rotate"),
        (FILE.format("a", "", "rotate_mb = 0"), "forwarders[0].options.rotate_mb", "at least 1"),
        (FILE.format("a", "", 'format = "xml"'), "forwarders[0].options.format", "csv"),
        (FILE.format("a", "", "max_total_mb = 20"), "forwarders[0].options.max_total_mb", "twice"),
        ('[[forwarders]]\nname = "a"\nkind = "cloud"', "forwarders[0].kind", "one of file, hj212, mqtt"),
        ('[[forwarders]]\nname = "a"\nkind = "fax"', "forwarders[0].kind", "one of file, hj212, mqtt"),
        ('[[forwarders]]\nname = "a"\nkind = "file"', "forwarders[0].options", "folder"),
        ('[[forwarders]]\nkind = "file"', "forwarders[0]", "name"),
    ],
)
def test_faults_name_field_and_rule(text: str, field: str, rule: str) -> None:
    found = [fault for fault in faults(text) if fault.startswith(f"{field}:")]
    assert found, faults(text)
    assert rule in found[0]


def test_a_relative_folder_is_refused() -> None:
    [fault] = faults(FILE.format("a", "", "").replace("/media/usb", "usb"))
    assert fault == "forwarders[0].options.folder: must be an absolute path"


POINTS = """
[[ports]]
name = "lan"
type = "NET"
host = "10.0.0.9"
[[slaves]]
name = "boiler"
port = "lan"
protocol = "modbus_tcp"
address = "1"
[[points]]
slave = "boiler"
name = "t"
address = { reg_type = "4X", offset = 0 }
[[points]]
slave = "boiler"
name = "sp"
rw = "readwrite"
address = { reg_type = "4X", offset = 1 }
"""
MQTT = """
[[forwarders]]
name = "third"
kind = "mqtt"
[forwarders.options]
server = "broker.example"
up_topic = "up/{slave}"
"""
SP = '[[forwarders.options.variables]]\nname = "sp"\npoint = "boiler.sp"\nwrite = true\n'


@pytest.mark.parametrize(
    "more",
    [
        "",
        'server = "192.168.1.9"\nport = 1884\ntls = "none"\nusername = "{gateway}"',
        'down_topic = "set/{slave}"\nresult_topic = "{gateway}/result"\n' + SP,
        '[[forwarders.options.variables]]\nname = "T 1"\npoint = "boiler.t"\n' + SP.replace("true", "false"),
    ],
)
def test_mqtt_targets(more: str) -> None:
    text = MQTT.replace('server = "broker.example"\n', "") if "server" in more else MQTT
    assert parse(GATEWAY + POINTS + text + more).forwarders[0].kind == "mqtt"


@pytest.mark.parametrize(
    ("more", "field", "rule"),
    [
        ('password = "s3cret"', "options.password", "must not be in a configuration"),
        ('api_token = "s3cret"', "options.api_token", "edge-agent target-password"),
        ("qos = 0", "options.qos", "must be one of"),
        ("retain = true", "options", "retain"),
        ('tls = "insecure"', "options.tls", "must be one of verify, none"),
        ('tls = "none"\nca_file = "/ca.pem"', "options.ca_file", "without TLS"),
        ("keep_alive_s = 0", "options.keep_alive_s", "at least 10"),
        ('format = "JSON"', "options.format", "NV, KV"),
        ('client_id = "{slave}"', "options.client_id", "{gateway}, {target}"),
        ('down_topic = "set/{unit}"\n' + SP, "options.down_topic", "{point}"),
        ('down_topic = "set"', "options.down_topic", "write = true"),
        (SP, "options.down_topic", "must be given"),
        ('down_topic = "up/x"\n' + SP, "options.down_topic", "own values"),
        ('down_topic = "a/{slave}"\nresult_topic = "a/b"\n' + SP, "options.result_topic", "own results"),
        ('result_topic = "a/b"', "options.result_topic", "without down_topic"),
        (
            'down_topic = "set"\n' + SP.replace("boiler.sp", "boiler.t"),
            "options.variables[0].write",
            "boiler.t is readonly",
        ),
        (
            'down_topic = "set"\n' + SP + SP.replace('"sp"', '"other"'),
            "options.variables[1].point",
            "unique",
        ),
        (
            'down_topic = "set"\n' + SP + SP.replace("boiler.sp", "boiler.t"),
            "options.variables[1].name",
            "unique in the topic",
        ),
        ('down_topic = "set"\n' + SP.replace("boiler.sp", "gone.x"), "options.variables[0].point", "is none"),
        (SP.replace("write", "writes"), "options.variables[0]", "is 'write' meant?"),
        (SP.replace("true", '"yes"'), "options.variables[0].write", "true or false"),
    ],
)
def test_faults_of_mqtt_targets(more: str, field: str, rule: str) -> None:
    all_faults = faults(POINTS + MQTT + more)
    assert "s3cret" not in "".join(all_faults)
    found = [fault for fault in all_faults if fault.startswith(f"forwarders[0].{field}:")]
    assert found, all_faults
    assert rule in found[0]


@pytest.mark.parametrize(
    "server", ["169.254.169.254", "0.0.0.0", "224.0.0.1", "::ffff:169.254.1.1", "a b", ""]
)
def test_servers_that_are_none(server: str) -> None:
    [fault] = faults(MQTT.replace("broker.example", server))
    assert fault.startswith("forwarders[0].options.server: must ")
