"""The size of a change."""

from __future__ import annotations

import sys

from edge_agent.config.difference import change_of
from edge_agent.config.load import configuration_of
from edge_contract.deployment import Document, PortLoad


def document(points: list[str], **settings: object) -> Document:
    port = {"name": "lan", "type": "NET", "host": "10.0.0.1", **settings}
    slaves = [
        {"name": name, "port": "lan", "protocol": "modbus_tcp", "address": str(at)}
        for at, name in enumerate("ab", 1)
    ]
    return {
        "gateway": {"id": "gw-test-1"},
        "ports": [port],
        "slaves": slaves,
        "points": [
            {"slave": name[0], "name": name, "address": {"reg_type": "4X", "offset": at}}
            for at, name in enumerate(points)
        ],
    }


def test_points_are_counted_by_name() -> None:
    one, other = configuration_of(document(["a1", "a2"])), configuration_of(document(["a1", "b2", "b3"]))
    change = change_of(one, other, {"lan": 10.0}, {"lan": 12.5, "com1": 3.0})
    assert (change.points_added, change.points_removed, change.points_changed) == (2, 1, 0)
    assert change.ports == [
        PortLoad(port="lan", before=10.0, after=12.5),
        PortLoad(port="com1", before=None, after=3.0),
    ]
    assert not change.restarts_link


def test_a_point_whose_port_or_slave_changes_is_a_changed_point() -> None:
    one = configuration_of(document(["a1", "b2"]))
    assert change_of(one, configuration_of(document(["a1", "b2"], port=503)), {}, {}).points_changed == 2
    moved = document(["a1", "b2"])
    moved["slaves"][1]["address"] = "9"
    assert change_of(one, configuration_of(moved), {}, {}).points_changed == 1
    titled = document(["a1", "b2"])
    titled["slaves"][1]["title"] = "Pump"
    assert change_of(one, configuration_of(titled), {}, {}).points_changed == 0


def test_another_cloud_restarts_the_link() -> None:
    one, other = document(["a1"]), document(["a1"])
    other["cloud"] = {"url": "mqtts://cloud.example"}
    assert change_of(configuration_of(one), configuration_of(other), {}, {}).restarts_link


def test_the_work_of_comparing_grows_with_the_points() -> None:
    def calls(count: int) -> int:
        """Of Python functions, comparisons of points among them."""
        one, other = (configuration_of(document([f"a{n}" for n in range(count)])) for _ in range(2))
        made = 0

        def counted(frame: object, event: str, arg: object) -> None:
            nonlocal made
            made += event == "call"

        sys.setprofile(counted)
        try:
            assert change_of(one, other, {}, {}).points_changed == 0
        finally:
            sys.setprofile(None)
        return made

    assert calls(2_000) < 25 * calls(100)
