"""The cloud's side of the link: takes batches and messages from the broker, acknowledges, files, sends."""

from cloud.link.errors import BrokerRefused, LinkDown, LinkError
from cloud.link.hooks import Authenticate, LinkHooks
from cloud.link.landing import StreamState
from cloud.link.link import Link, LinkSettings, dynsec, service_authenticate

__all__ = [
    "Authenticate",
    "BrokerRefused",
    "Link",
    "LinkDown",
    "LinkError",
    "LinkHooks",
    "LinkSettings",
    "StreamState",
    "dynsec",
    "service_authenticate",
]
