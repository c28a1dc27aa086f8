"""What points are called at the platform, and in which topics they are sent and written. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from edge_agent.forwarding.mqtt.config import MqttOptions, Variable
from edge_agent.forwarding.mqtt.topics import POINT, SLAVE, expanded, uses
from edge_agent.model import PointKey


@dataclass(frozen=True)
class Name:
    """topic: of the values that are sent."""

    name: str
    topic: str


class Naming:
    """By the mapping of a target; without one every point has its own name, without what the topic says."""

    def __init__(self, options: MqttOptions, gateway: str) -> None:
        self._options = options
        self._gateway = gateway
        self._variables = {variable.point: variable for variable in options.variables}
        topic = options.up_topic
        self._is_in_topic = uses(topic, SLAVE) or uses(topic, POINT)
        self._by_order = {
            (self.topic_of(options.down_topic, key), variable.name): (variable, key)
            for variable, key in self._writable()
        }
        self._names: dict[tuple[str, str], Name | None] = {}
        self._by_key = {key: (variable.name, topic) for (topic, _), (variable, key) in self._by_order.items()}

    def name_of(self, slave: str, point: str) -> Name | None:
        """None of a point that is not sent."""
        if (slave, point) not in self._names:
            self._names[slave, point] = self._named(slave, point)
        return self._names[slave, point]

    def _named(self, slave: str, point: str) -> Name | None:
        key = PointKey(slave, point)
        variable = self._variables.get(str(key))
        if variable is None and self._variables:
            return None
        own = point if self._is_in_topic else str(key)
        return Name(own if variable is None else variable.name, self.topic_of(self._options.up_topic, key))

    def written_by(self, topic: str, name: str) -> PointKey | None:
        """The point that an order in a topic means; None when the platform may write none of that name."""
        named = self._by_order.get((topic, name))
        return None if named is None else named[1]

    def order_of(self, key: PointKey) -> tuple[str, str]:
        """Name and topic by which a point is written; its own name after the mapping has changed."""
        return self._by_key.get(key, (str(key), self.topic_of(self._options.down_topic, key)))

    def topic_of(self, template: str, key: PointKey) -> str:
        """A template's topic for a point."""
        return expanded(template, gateway=self._gateway, slave=key.slave, point=key.point)

    def _writable(self) -> Iterator[tuple[Variable, PointKey]]:
        for variable in self._options.variables:
            if variable.write:
                slave, _, point = variable.point.partition(".")
                yield variable, PointKey(slave, point)
