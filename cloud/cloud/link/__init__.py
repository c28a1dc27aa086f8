"""The cloud's side of the link: takes batches and messages from the broker, acknowledges, files, sends."""

from cloud.link.collected import MissedReason, PointCounts
from cloud.link.collection import (
    CollectedHour,
    CollectionGapRow,
    CollectionRepository,
    ReadTotals,
    Reported,
)
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
    "CollectedHour",
    "CollectionGapRow",
    "CollectionRepository",
    "Counts",
    "GapBook",
    "GapRow",
    "Ledger",
    "Link",
    "LinkDown",
    "LinkError",
    "LinkHooks",
    "LinkSettings",
    "MissedReason",
    "PointCounts",
    "ReadTotals",
    "Reason",
    "Reported",
    "StreamState",
    "dynsec",
    "service_authenticate",
]
