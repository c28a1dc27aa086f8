"""Switches and named values between catalog and command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cloud.core.scope import Scope
from cloud.domains.commands.schemas import CommandBody, PresetBody
from cloud.domains.devices.values import POSITIONS, value_text
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import ParameterError
from edge_contract.payloads import Catalog, PointEntry, SlaveEntry, catalog_hash

from ..conftest import GATEWAY, SYSTEM, DomainServices, hello

USER = CurrentUser(7, "operator", 0, frozenset({"Device/cmd"}), "sign-in", Scope.system())
LOCALES = Path(__file__).parents[3] / "web/src/i18n/locales"
SELECTOR = {"0": "Stop", "2": "Run", "2.5": "Boost"}


def catalog() -> Catalog:
    slaves = [SlaveEntry(name="s", title="S", protocol="modbus_tcp", port="lan", address="1")]
    common = {"slave": "s", "rw": "readwrite", "data_type": "uint16"}
    points = [
        PointEntry(
            id=1, name="brake", title="Brake", kind="swh", on_value=0, off_value=1, on_text="Alarm",
            off_text="Normal", **common,
        ),
        PointEntry(id=2, name="mode", title="Mode", kind="num", selector=SELECTOR, **common),
    ]  # fmt: skip
    return Catalog(hash=catalog_hash(slaves, points), t_ms=1, slaves=slaves, points=points)


@pytest.fixture
async def online(services: DomainServices) -> DomainServices:
    points = catalog()
    await services.presence.hello(GATEWAY, hello(points.hash))
    await services.catalogs.apply(GATEWAY, points)
    return services


async def write(services: DomainServices, name: str, value: object) -> None:
    (dsid,) = [each.dsid for each in await services.devices.sources(SYSTEM, 1) if each.ds_name == name]
    await services.commands.request(USER, CommandBody.model_validate({"dsid": dsid, "value": value}))


@pytest.mark.clause("C-122")
async def test_words_and_names_come_with_the_catalog(online: DomainServices) -> None:
    brake, mode = await online.devices.sources(SYSTEM, 1)
    assert (brake.on_text, brake.off_text, brake.selector) == ("Alarm", "Normal", None)
    assert (mode.on_text, mode.selector) == ("", SELECTOR)
    assert not {"on_value", "off_value"} & set(brake.model_dump()), "nobody else may command or show by them"
    assert value_text(True, brake, "en") == "Alarm"
    assert [value_text(each, mode, "zh") for each in (2.0, 2.5, 3, True)] == ["Run", "Boost", 3, "开"]


@pytest.mark.clause("C-120")
@pytest.mark.parametrize("position", [True, False])
async def test_the_position_goes_out_whatever_the_device_holds(
    online: DomainServices, position: bool
) -> None:
    await write(online, "brake", position)
    ((_, command),) = online.sent
    assert command.value is position


@pytest.mark.clause("C-121")
async def test_a_value_without_a_name_is_refused_with_those_that_have_one(online: DomainServices) -> None:
    for value in (0, 2, 2.5):
        await write(online, "mode", value)
    assert [command.value for _, command in online.sent] == [0, 2, 2.5]
    for value in (1, 2.4, -2):
        with pytest.raises(ParameterError) as error:
            await write(online, "mode", value)
        assert (error.value.field, error.value.rule) == ("value", "one of 0 (Stop), 2 (Run), 2.5 (Boost)")
    assert len(online.sent) == 3


async def test_presets_hold_positions_and_named_values_alone(online: DomainServices) -> None:
    brake, mode = [each.dsid for each in await online.devices.sources(SYSTEM, 1)]
    for dsid, value, rule in (
        (brake, 1, "true or false"),
        (mode, 1, "one of 0 (Stop), 2 (Run), 2.5 (Boost)"),
    ):
        body = PresetBody.model_validate({"title": "Night", "writes": [{"dsid": dsid, "value": value}]})
        with pytest.raises(ParameterError) as error:
            await online.commands.presets.add(USER, 1, body)
        assert (error.value.field, error.value.rule) == ("writes.0.value", rule)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_file_calls_positions_as_the_portal_does(language: str) -> None:
    words = json.loads((LOCALES / f"{language}.json").read_text())["value"]
    assert POSITIONS[language] == {True: words["on"], False: words["off"]}  # type: ignore[index]
