"""Users, their sessions and permissions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from cloud.core.bus import EventBus
from cloud.core.events import PermissionsChanged, PermissionsInvalidated
from cloud.core.services import Services
from cloud.core.tables import NamedTable
from cloud.domains.base import FORGET_S, Build, Domain, Forgetting, Job, Periodic
from cloud.domains.identity import endpoints, user_endpoints
from cloud.domains.identity.flags import FlagReader
from cloud.domains.identity.grants import SharedGrants
from cloud.domains.identity.limits import LimitService
from cloud.domains.identity.models import AuthGroup, User
from cloud.domains.identity.profile import ProfileService
from cloud.domains.identity.scope import users_within, within
from cloud.domains.identity.service import END_REFUSED_S, IdentityService
from cloud.domains.identity.signin import SignInService
from cloud.domains.identity.signin_log import SignInLog
from cloud.domains.identity.users import UserService


def build(build: Build) -> None:
    database, settings, services = build.database, build.settings, build.services
    owned = tuple(table for domain in build.domains for table in domain.owned)
    grants = services.add(SharedGrants(database, FlagReader(database).flags, build.hub.invalidate))
    identity = services.add(IdentityService(database, build.hub.end, grants))
    services.add(SignInService(database, identity, settings.demo_user))
    services.add(SignInLog(database))
    services.add(UserService(database, identity, owned))
    services.add(LimitService(database, owned))
    services.add(ProfileService(database, identity, settings.demo_user))


def periodic(services: Services) -> Sequence[Job]:
    identity = services[IdentityService]
    return (
        Periodic(FORGET_S, identity.forget_expired),
        Forgetting(FORGET_S, services[SignInLog].forget_old),
        Periodic(END_REFUSED_S, identity.end_refused),
    )


def handlers(bus: EventBus, services: Services) -> None:
    grants = services[SharedGrants]
    bus.handle_now(PermissionsChanged, lambda _: grants.forget())
    bus.handle_now(PermissionsInvalidated, lambda _: grants.forget_here())


DOMAIN = Domain(
    "identity",
    (
        endpoints.router,
        user_endpoints.router,
    ),
    build,
    periodic=periodic,
    handlers=handlers,
    # a refresh token's successor and the count of attempts are remembered by one process
    leader_only=frozenset({"login", "loginDemo", "refreshToken", "logout"}),
    permissions=frozenset({"auth.User", "auth.User/register", "auth.UserLog"}),
    named=(
        NamedTable("user", User.id, User.user_name, users_within),
        NamedTable("group", AuthGroup.id, AuthGroup.title, partial(within, owner=AuthGroup.owner_id)),
    ),
)
