"""Many new gateways for mosquitto's own list at once; each may then do what it may."""

from __future__ import annotations

from edge_contract.topics import CLOUD_FILTERS, Message, topic

from .equipment import BrokerUnderTest, administrator, eventually

A, B = "gw-alpha", "gw-beta"


async def test_new_and_known_gateways_at_once(mosquitto: BrokerUnderTest) -> None:
    await mosquitto.put(A, "old")
    assert mosquitto.mosquitto is not None
    secrets = {A: "new-a", B: "new-b"}
    await administrator(mosquitto.mosquitto).put_gateways(secrets)
    mosquitto.secrets.update(secrets)
    cloud = mosquitto.service()
    assert await cloud.connect()
    for item in CLOUD_FILTERS:
        assert await cloud.subscribe(item)
    wanted = [topic(name, Message.STATE) for name in secrets] + [topic(A, Message.ACK)]
    for name in secrets:
        gateway = mosquitto.device(name)
        assert await gateway.connect(), gateway.refused
        await gateway.publish(topic(name, Message.STATE), b"x")
        await gateway.publish(topic(A, Message.ACK), b"x")  # which no gateway may
    await eventually(lambda: set(cloud.topics()) == set(wanted[:2]))
