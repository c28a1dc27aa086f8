"""Every wrong setting is named with its rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from cloud.settings import SettingsError, load


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
    ("version", "needs"),
    [
        ("1", {"EDGE_INFLUX_DATABASE": "edge"}),
        ("2", {"EDGE_INFLUX_ORG": "site", "EDGE_INFLUX_BUCKET": "edge"}),
    ],
)
def test_both_influx_versions_can_be_chosen(
    version: str, needs: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = {"TIMESERIES": "influx", "INFLUX_URL": "http://127.0.0.1:8086", "INFLUX_VERSION": version}
    for name, value in ({f"EDGE_{key}": value for key, value in chosen.items()} | needs).items():
        monkeypatch.setenv(name, value)
    assert load().influx_version == int(version)
    monkeypatch.setenv("EDGE_INFLUX_VERSION", "3")
    with pytest.raises(SettingsError, match="EDGE_INFLUX_VERSION"):
        load()
