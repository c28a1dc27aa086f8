"""The cloud's side of the link: takes batches and messages from the broker, acknowledges, files, sends."""

from cloud.link.collection_hours import MissedReason, PointCounts
from cloud.link.collection_store import (
    CollectedHour,
    CollectionGapRow,
    CollectionStore,
    ReadTotals,
    Reported,
)
from cloud.link.errors import BrokerRefused, LinkDown, LinkError
from cloud.link.gap_rules import GapReason
from cloud.link.gap_store import GapRow, GapStore
from cloud.link.hooks import Authenticate, LinkHooks
from cloud.link.ingest_buffer import StreamState
from cloud.link.link import Link, LinkSettings, dynsec, service_authenticate
from cloud.link.reception_statistics import HOUR_MS, ReceptionCounts, ReceptionStatistics

__all__ = [
    "HOUR_MS",
    "Authenticate",
    "BrokerRefused",
    "CollectedHour",
    "CollectionGapRow",
    "CollectionStore",
    "GapReason",
    "GapRow",
    "GapStore",
    "Link",
    "LinkDown",
    "LinkError",
    "LinkHooks",
    "LinkSettings",
    "MissedReason",
    "PointCounts",
    "ReadTotals",
    "ReceptionCounts",
    "ReceptionStatistics",
    "Reported",
    "StreamState",
    "dynsec",
    "service_authenticate",
]
