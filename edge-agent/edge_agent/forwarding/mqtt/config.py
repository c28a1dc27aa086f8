"""Options of a third-party MQTT platform (specification, parameters of the OTA gateway)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec

from edge_agent.config.model import Configuration, Section, TcpPort
from edge_agent.config.network import file_fault, host_fault
from edge_agent.config.reach import literal, plain, special
from edge_agent.errors import ConfigError
from edge_agent.forwarding.mqtt.topics import GATEWAY, OF_IDENTITY, expanded, may_meet, topic_fault

Text = Annotated[str, msgspec.Meta(max_length=256)]
SIGN_IN = "password"
"""Name of the only secret."""
Topic = Annotated[str, msgspec.Meta(max_length=300)]


class Variable(Section, frozen=True, kw_only=True):
    """One value at the platform. name: there; point: "slave.point" here; write: the platform may write it."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=128)]
    point: Annotated[str, msgspec.Meta(min_length=1, max_length=129)]
    write: bool = False


class MqttOptions(Section, frozen=True, kw_only=True):
    """port: None: 8883 with TLS, 1883 without. tls "verify": by ca_file, None: the system's authorities.

    client_id and username may have {gateway} and {target}, topics {gateway}, {slave} and {point}.
    down_topic: empty: nothing is taken from the platform; result_topic: empty: the topic of the order with
    /result. variables: what is sent; none: every point. send: each stored sample, each change of value or
    quality, or the newest sample of every interval_s, aligned to UTC. bad_values: null with the quality, or
    nothing. max_message_bytes: of a payload.
    """

    server: Annotated[str, msgspec.Meta(max_length=253)]
    port: TcpPort | None = None
    tls: Literal["verify", "none"] = "verify"
    ca_file: Annotated[str, msgspec.Meta(min_length=1, max_length=300)] | None = None
    client_id: Annotated[str, msgspec.Meta(min_length=1, max_length=256)] = "{gateway}-{target}"
    username: Text = ""
    keep_alive_s: Annotated[int, msgspec.Meta(ge=10, le=3600)] = 60
    clean_session: bool = True
    format: Literal["NV", "KV"] = "NV"
    up_topic: Topic
    down_topic: Topic = ""
    result_topic: Topic = ""
    variables: Annotated[tuple[Variable, ...], msgspec.Meta(max_length=20_000)] = ()
    send: Literal["samples", "changes", "interval"] = "samples"
    interval_s: Annotated[int, msgspec.Meta(ge=1, le=86_400)] = 60
    bad_values: Literal["null", "omit"] = "null"
    qos: Literal[1, 2] = 1
    max_message_bytes: Annotated[int, msgspec.Meta(ge=1000, le=1_000_000)] = 60_000

    @property
    def url(self) -> str:
        """As transports.mqtt.Endpoint takes it."""
        scheme = "mqtt" if self.tls == "none" else "mqtts"
        host = f"[{self.server}]" if ":" in self.server else self.server
        return f"{scheme}://{host}:{self.port or (1883 if self.tls == 'none' else 8883)}"


def places(options: MqttOptions) -> dict[str, str]:
    """Where the password goes, and for whom; none without a user."""
    scheme, _, address = options.url.partition("://")
    return {SIGN_IN: f"{scheme}://{options.username}@{address}"} if options.username else {}


def faults(options: MqttOptions) -> Iterator[ConfigError]:
    """Beyond shape and ranges, without the configuration's points."""
    rules = {
        "server": host_fault(options.server) or _address_fault(options.server),
        "ca_file": file_fault(options.ca_file)
        or ("must not be given without TLS" if options.ca_file and options.tls == "none" else None),
        "client_id": topic_fault(options.client_id, OF_IDENTITY),
        "username": topic_fault(options.username, OF_IDENTITY) if options.username else None,
        "up_topic": topic_fault(options.up_topic),
        **_down_rules(options),
    }
    for field, rule in rules.items():
        if rule is not None:
            yield ConfigError(f"options.{field}", rule)
    points = Counter(variable.point for variable in options.variables)
    for at, variable in enumerate(options.variables):
        field = f"options.variables[{at}]"
        if points[variable.point] > 1:
            yield ConfigError(f"{field}.point", f"must be unique, {variable.point!r} stands there twice")
        if not variable.name.isprintable():
            yield ConfigError(f"{field}.name", "must have no control characters")
    if not any(rules.values()):
        yield from _name_faults(options)


def point_faults(options: MqttOptions, configuration: Configuration) -> Iterator[ConfigError]:
    """Variables whose point is not there, or cannot be written."""
    points = {f"{point.slave}.{point.name}": point for point in configuration.points}
    for at, variable in enumerate(options.variables):
        field, point = f"options.variables[{at}]", points.get(variable.point)
        if point is None:
            yield ConfigError(f"{field}.point", f"must be slave.point of a point, {variable.point!r} is none")
        elif variable.write and point.rw == "readonly":
            yield ConfigError(f"{field}.write", f"must be false, {variable.point} is readonly")


def _address_fault(server: str) -> str | None:
    address = literal(server)
    kind = special(plain(address)) if address else ""
    return f"must not lead to an address that is {kind}" if kind and kind != "loopback" else None


def _down_rules(options: MqttOptions) -> dict[str, str | None]:
    down, result = options.down_topic, options.result_topic
    writes = any(variable.write for variable in options.variables)
    if not down:
        return {
            "down_topic": "must be given, a variable has write = true" if writes else None,
            "result_topic": "must be empty without down_topic" if result else None,
        }
    rule = topic_fault(down)
    if rule is None and not writes:
        rule = "must be empty unless a variable has write = true"
    if rule is None and may_meet(options.up_topic, down):
        rule = "must not be matched by up_topic: the gateway would take its own values as orders"
    result_rule = topic_fault(result, (GATEWAY,)) if result else None
    if result and result_rule is None and may_meet(result, down):
        result_rule = "must not be matched by down_topic: the gateway would take its own results as orders"
    return {"down_topic": rule, "result_topic": result_rule}


def _name_faults(options: MqttOptions) -> Iterator[ConfigError]:
    """A name stands for one variable in a topic, both ways."""
    for template, only_writable in ((options.up_topic, False), (options.down_topic, True)):
        seen: set[tuple[str, str]] = set()
        for at, variable in enumerate(options.variables):
            if only_writable and not variable.write:
                continue
            slave, _, point = variable.point.partition(".")
            key = expanded(template, gateway="", slave=slave, point=point), variable.name
            if key in seen:
                yield ConfigError(
                    f"options.variables[{at}].name",
                    f"must be unique in the topic, {variable.name!r} stands there twice",
                )
            seen.add(key)
