"""What the session does with deployments: hello names what runs, receipts go until they are acknowledged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from edge_contract.deployment import ConfigurationReport, Deploy, Origin, Receipt, Step, document_hash
from edge_contract.payloads import Ack, Hello, Pulse
from edge_contract.topics import Message

if TYPE_CHECKING:
    from conftest import Edge, FakeCloud

DOCUMENT = {"gateway": {"id": "gw-test-1"}}
FINAL = Receipt(id="deploy-01", step=Step.CONFIRMED, t_ms=1, running="0" * 64)


@pytest.mark.clause("C-090")
async def test_hello_and_pulse_name_what_runs_and_a_deployment_arrives(edge: Edge, cloud: FakeCloud) -> None:
    await edge.start()
    await cloud.until(lambda: cloud.all(Message.PULSE))
    (hello, *_), (pulse, *_) = cloud.all(Message.HELLO), cloud.all(Message.PULSE)
    assert isinstance(hello, Hello)
    assert isinstance(pulse, Pulse)
    assert hello.configuration == pulse.configuration == edge.deployments.running()
    deploy = Deploy(id="deploy-01", hash=document_hash(DOCUMENT), base=None, expires_ms=1, document=DOCUMENT)
    cloud.say(Message.DEPLOY, deploy)
    await cloud.until(lambda: edge.deployments.taken == [deploy])


@pytest.mark.clause("C-096")
async def test_a_final_receipt_comes_again_after_every_hello_until_acknowledged(
    edge: Edge, cloud: FakeCloud
) -> None:
    edge.deployments.final.append(FINAL)
    await edge.start()
    await cloud.until(lambda: cloud.all(Message.RECEIPT))
    await edge.stop()
    await cloud.until(lambda: len(cloud.all(Message.STATE)) == 2)
    before = len(cloud.all(Message.RECEIPT))
    await edge.start()
    await cloud.until(lambda: len(cloud.all(Message.RECEIPT)) > before)
    assert set(map(str, cloud.all(Message.RECEIPT))) == {str(FINAL)}
    cloud.say(Message.ACK, Ack(stream=edge.store.outbox.state().stream, deployments=[FINAL.id]))
    await cloud.until(lambda: not edge.deployments.final)


async def test_a_report_that_was_requested_is_sent_once(edge: Edge, cloud: FakeCloud) -> None:
    report = ConfigurationReport(hash=document_hash(DOCUMENT), origin=Origin.FILE, t_ms=1, document=DOCUMENT)
    edge.deployments.wanted_reports.append(report)
    edge.deployments.changed.set()
    await edge.start()
    await cloud.until(lambda: cloud.all(Message.CONFIGURATION) == [report])
