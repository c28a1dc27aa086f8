"""A platform of HJ 212 as a kind of forwarder."""

from __future__ import annotations

from edge_agent.forwarding.base import CodeEntry, CodeList, Forwarder, Kind
from edge_agent.forwarding.hj212.factor_codes import factor_codes
from edge_agent.forwarding.hj212.options import Hj212Options, faults, point_faults
from edge_agent.forwarding.hj212.profile import VERSIONS
from edge_agent.forwarding.hj212.secrets import places, secret_fault
from edge_agent.forwarding.services import Services
from edge_agent.store.base import Outbox


def build(name: str, options: Hj212Options, services: Services, outbox: Outbox) -> Forwarder:
    """The forwarder of a [[forwarders]] table."""
    from edge_agent.forwarding.hj212.forwarder import Hj212Forwarder  # loaded only where it is used

    return Hj212Forwarder(name, options, services, outbox)


def codes() -> CodeList:
    """The common factor codes of each version."""
    return CodeList(
        "version",
        {
            version: tuple(
                CodeEntry(one.code, one.name_zh, one.name_en, (one.unit, *one.usual_units), one.also)
                for one in factor_codes(version).values()
            )
            for version in VERSIONS
        },
    )


HJ212 = Kind(
    "hj212",
    Hj212Options,
    build,
    faults,
    point_faults,
    places=places,
    secret_fault=secret_fault,
    codes=codes,
)
