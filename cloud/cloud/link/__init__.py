"""The cloud's side of the link: takes batches and messages from the broker, acknowledges, files, sends."""

from cloud.link.errors import BrokerRefused, LinkDown, LinkError
from cloud.link.gapbook import GapBook, GapRow
from cloud.link.holes import Reason
from cloud.link.hooks import Authenticate, LinkHooks
from cloud.link.landing import StreamState
from cloud.link.ledger import HOUR_MS, Counts, Ledger
from cloud.link.link import Link, LinkSettings, dynsec, service_authenticate

__all__ = [
    "HOUR_MS",
    "Authenticate",
    "BrokerRefused",
    "Counts",
    "GapBook",
    "GapRow",
    "Ledger",
    "Link",
    "LinkDown",
    "LinkError",
    "LinkHooks",
    "LinkSettings",
    "Reason",
    "StreamState",
    "dynsec",
    "service_authenticate",
]
