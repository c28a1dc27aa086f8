"""Every wrong setting is named with its rule."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from cloud.settings import NOT_SETTINGS, SettingsError, load


def test_settings_name_variable_and_rule(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value, text in (
        ("EDGE_PORT", "70000", "EDGE_PORT"),
        ("EDGE_BROKER", "rabbit", "EDGE_BROKER"),
        ("EDGE_BROKER", "mosquitto", "EDGE_BROKER_URL: needed with EDGE_BROKER=mosquitto"),
        ("EDGE_BROKER_URL", "http://x", "EDGE_BROKER_URL"),
        ("EDGE_TIMESERIES", "influx", "EDGE_INFLUX_URL: needed with EDGE_TIMESERIES=influx"),
        ("EDGE_DYNSEC_USERNAME", "admin", "EDGE_DYNSEC_PASSWORD_FILE: needed with EDGE_DYNSEC_USERNAME"),
        ("EDGE_METRICS_TOKEN_FILE", str(tmp_path / "none"), "EDGE_METRICS_TOKEN_FILE"),
    ):
        monkeypatch.setenv(name, value)
        with pytest.raises(SettingsError, match=text):
            load()
        monkeypatch.delenv(name)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("EDGE_BORKER", "EDGE_BORKER: there is no such setting; is EDGE_BROKER meant?"),
        ("EDGE_DATABSE_URL", "EDGE_DATABSE_URL: there is no such setting; is EDGE_DATABASE_URL meant?"),
        ("EDGE_QQQQQQQQQQQQ", "EDGE_QQQQQQQQQQQQ: there is no such setting"),
    ],
)
def test_a_misspelt_variable_is_refused(name: str, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "emqx")
    with pytest.raises(SettingsError) as caught:
        load()
    assert str(caught.value) == line
    monkeypatch.setenv("EDGE_PORT", "70000")
    with pytest.raises(SettingsError) as caught:
        load()
    assert [text.partition(":")[0] for text in str(caught.value).splitlines()] == [name, "EDGE_PORT"]


def test_variables_of_others_are_no_misspelt_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NOT_SETTINGS:
        monkeypatch.setenv(name + "ANY" if name.endswith("_") else name, "x")
    monkeypatch.setenv("edge_port", "8081")
    assert load().port == 8081


@pytest.mark.parametrize(
    ("version", "needs"),
    [
        ("1", {"EDGE_INFLUX_DATABASE": "edge"}),
        ("2", {"EDGE_INFLUX_ORG": "site", "EDGE_INFLUX_BUCKET": "edge"}),
    ],
)
def test_both_influx_versions_can_be_chosen(
    version: str, needs: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "token").write_text("a token")
    monkeypatch.setenv("EDGE_INFLUX_TOKEN_FILE", str(tmp_path / "token"))
    chosen = {"TIMESERIES": "influx", "INFLUX_URL": "http://127.0.0.1:8086", "INFLUX_VERSION": version}
    for name, value in ({f"EDGE_{key}": value for key, value in chosen.items()} | needs).items():
        monkeypatch.setenv(name, value)
    assert load().influx_version == int(version)
    monkeypatch.setenv("EDGE_INFLUX_VERSION", "3")
    with pytest.raises(SettingsError, match="EDGE_INFLUX_VERSION"):
        load()


API = {
    "ROLE": "api",
    "BROKER": "mosquitto",
    "BROKER_URL": "mqtt://broker",
    "BROKER_USERNAME": "cloud-api-1",
    "DATABASE_URL": "postgresql+asyncpg://edge@db/edge",
    "TIMESERIES": "influx",
    "INFLUX_URL": "http://series:8086",
    "INFLUX_VERSION": "1",
    "INFLUX_DATABASE": "edge",
    "FULL_URL": "http://cloud:8080",
}


@pytest.fixture
def api_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "password").write_text("p")
    for name, value in (API | {"BROKER_PASSWORD_FILE": str(tmp_path / "password")}).items():
        monkeypatch.setenv(f"EDGE_{name}", value)


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("ROLE", "jobs", "EDGE_ROLE"),
        ("BROKER", "embedded", "EDGE_BROKER: with EDGE_ROLE=api mosquitto or emqx"),
        ("DATABASE_URL", "", "EDGE_DATABASE_URL: with EDGE_ROLE=api .*SQLite file serves one process only"),
        ("DATABASE_URL", "sqlite+aiosqlite:////srv/cloud.db", "EDGE_DATABASE_URL: with EDGE_ROLE=api"),
        ("TIMESERIES", "embedded", "EDGE_TIMESERIES: with EDGE_ROLE=api influx"),
        ("BROKER_USERNAME", "", "EDGE_BROKER_USERNAME: with EDGE_ROLE=api a name of its own"),
        ("BROKER_USERNAME", "api.1", "EDGE_BROKER_USERNAME: with EDGE_ROLE=api a name of its own"),
        ("BROKER_USERNAME", "a" * 36, "EDGE_BROKER_USERNAME: with EDGE_ROLE=api a name of its own"),
        ("FULL_URL", "", "EDGE_FULL_URL: with EDGE_ROLE=api where the full process listens"),
        ("FULL_URL", "cloud:8080", "EDGE_FULL_URL"),
    ],
)
def test_what_an_api_process_needs(
    name: str, value: str, text: str, monkeypatch: pytest.MonkeyPatch, api_process: None
) -> None:
    assert load().role == "api"
    monkeypatch.setenv(f"EDGE_{name}", value)
    with pytest.raises(SettingsError, match=text):
        load()


def test_every_lack_of_an_api_process_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDGE_ROLE", "api")
    with pytest.raises(SettingsError) as caught:
        load()
    named = [line.partition(":")[0] for line in str(caught.value).splitlines()]
    assert named == [
        f"EDGE_{name}" for name in ("BROKER", "DATABASE_URL", "TIMESERIES", "BROKER_USERNAME", "FULL_URL")
    ]


def test_replicas_are_called_after_their_hosts(monkeypatch: pytest.MonkeyPatch, api_process: None) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "0a1b2c3d4e5f.site.example")
    monkeypatch.setenv("EDGE_BROKER_USERNAME", "cloud-{hostname}")
    assert load().broker_username == "cloud-0a1b2c3d4e5f"


def test_emqx_asks_the_full_process_only(monkeypatch: pytest.MonkeyPatch, api_process: None) -> None:
    monkeypatch.setenv("EDGE_BROKER", "emqx")
    assert load().emqx_secret_file is None
    monkeypatch.setenv("EDGE_ROLE", "full")
    with pytest.raises(SettingsError, match="EDGE_EMQX_SECRET_FILE: needed with EDGE_BROKER=emqx"):
        load()


@pytest.mark.parametrize(
    ("service", "role", "name"), [("cloud", "full", "cloud"), ("api", "api", "cloud-host")]
)
def test_what_compose_sets_is_accepted(
    service: str, role: str, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = yaml.safe_load((Path(__file__).parents[1] / "deploy" / "compose.yaml").read_text())
    described = found["services"][service]
    monkeypatch.setattr("socket.gethostname", lambda: "host")
    for secret in described["secrets"]:
        (tmp_path / secret).write_text("a-secret-of-thirty-two-characters")
    for key, value in described["environment"].items():
        monkeypatch.setenv(key, value.replace("/run/secrets", str(tmp_path)))
    settings = load()
    assert (settings.role, settings.broker_username) == (role, name)
    subnets = [config["subnet"] for net in found["networks"].values() for config in net["ipam"]["config"]]
    assert all(subnet.removesuffix(".0/24") in settings.trusted_proxies for subnet in subnets)


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("postgresql+asyncpg://a:hidden@h:port/x", "the port a number"),
        ("postgresql+asyncpg://[", "must name the database"),
        ("postgresql+asyncpg://a:hidden@h", "must name the database"),
        ("sqlite+aiosqlite://", "path of a file"),
        ("sqlite+aiosqlite:///:memory:", "path of a file"),
        ("sqlite+aiosqlite:///x?foo=bar", "without options"),
    ],
)
def test_a_wrong_database_is_named_without_its_password(
    url: str, rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDGE_DATABASE_URL", url)
    with pytest.raises(SettingsError) as caught:
        load()
    (line,) = str(caught.value).splitlines()
    assert line.startswith("EDGE_DATABASE_URL: ") and rule in line and "hidden" not in line


def test_files_of_the_wrong_kind_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    given = tmp_path / "given"
    given.write_bytes(b"\xff\xfe\x00")
    monkeypatch.setenv("EDGE_DATA_DIR", str(given))
    with pytest.raises(SettingsError, match=f"^EDGE_DATA_DIR: {given} is there and no folder$"):
        load()
    monkeypatch.delenv("EDGE_DATA_DIR")
    words = {"TIMESERIES": "influx", "INFLUX_URL": "http://x", "INFLUX_ORG": "o", "INFLUX_BUCKET": "b"}
    for name, value in (words | {"INFLUX_TOKEN_FILE": str(given)}).items():
        monkeypatch.setenv(f"EDGE_{name}", value)
    with pytest.raises(SettingsError, match=f"^EDGE_INFLUX_TOKEN_FILE: {given} must be text in UTF-8$"):
        load()
