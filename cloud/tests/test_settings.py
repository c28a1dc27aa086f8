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
