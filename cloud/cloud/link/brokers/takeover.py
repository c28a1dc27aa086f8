"""Ending the open session of a gateway on a broker that asks the cloud who may connect (EMQX).

A client id has one session: who connects with it ends the connection that had it. The cloud does so in the
gateway's name, with its own password, for which the authenticator gives an empty list (Role.CLOSER). Nothing
more is needed than the cloud's own way in; the management API would want a key that may do everything.
"""

from __future__ import annotations

from dataclasses import replace

from cloud.link.broker_connection import BrokerAddress, Incoming, InFlight
from cloud.link.direct_connection import DirectConnection


async def end_session(address: BrokerAddress, gateway: str) -> None:
    """Return when the session is gone, or was not there; LinkDown when it may go on.

    address: the cloud's own.
    """
    own = replace(address, username=gateway, client_id=gateway)
    connection = DirectConnection(own, (), _ignore, InFlight())
    try:
        await connection.open()
    finally:
        await connection.close()


def _ignore(incoming: Incoming) -> None:
    """It subscribes to nothing."""
    incoming.acknowledge()
