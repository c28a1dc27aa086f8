"""edge-cloud: serve, and the administration that needs no portal.

Exit codes: 0 done, 1 refused or out of reach, 2 wrong settings or arguments, 3 it exists already.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import logging
import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import make_url
from sqlalchemy.exc import DBAPIError

from cloud import logs, migrations, timeseries
from cloud.core.scope import Scope
from cloud.core.shielded import shielded
from cloud.db import Database
from cloud.domains.devices.claim_limits import SELLERS
from cloud.domains.devices.claims import ClaimService
from cloud.domains.devices.filters import DeviceFilter
from cloud.domains.devices.presence import PresenceService
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.passwords import made
from cloud.domains.identity.service import IdentityService
from cloud.domains.identity.user_schemas import UserQuery
from cloud.domains.identity.users import UserService
from cloud.errors import CloudError, Conflict, ParameterError
from cloud.link import LinkError, StreamState, dynsec
from cloud.settings import Settings, SettingsError, load
from cloud.single_instance import SingleInstance, locks
from edge_contract.errors import TopicError
from edge_contract.topics import check_gateway

if TYPE_CHECKING:
    import uvicorn
    from fastapi import FastAPI
    from starlette.types import ASGIApp, Message, Receive, Send
    from starlette.types import Scope as AsgiScope

GRACE_S = 5

COLLECT_AFTER = (100_000, 20, 100)
"""Decoded batches are many small lists; by default a third of filing's time is the search for cycles."""

SWITCH_S = 0.001
"""A thread that files samples gives the event loop its turn this often (Python's default: 5 ms)."""


MAX_COUNT = SELLERS.unconnected
"""As many claims as somebody may hold without a gateway behind them."""


def main() -> None:
    """Entry point of the program."""
    chosen = _arguments()
    os.umask(0o077)  # databases hold what only the cloud's own user may read
    try:
        settings = load()
        sys.exit(chosen.run(settings, chosen))
    except (SettingsError, ValueError) as error:
        print(f"edge-cloud: {error}", file=sys.stderr)
        sys.exit(2)
    except Conflict as error:
        print(f"edge-cloud: {error}", file=sys.stderr)
        sys.exit(3)
    except DBAPIError as error:  # its own text holds the statement and a link
        print(f"edge-cloud: database: {error.orig}", file=sys.stderr)
        sys.exit(1)
    except (CloudError, LinkError, OSError) as error:
        print(f"edge-cloud: {error}", file=sys.stderr)
        sys.exit(1)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="edge-cloud", description="Settings: EDGE_… environment variables.")
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    for name, work, text in (
        ("serve", _serve, "migrate, then serve API, portal and link"),
        ("migrate", _migrate, "bring the database to the newest schema"),
        ("openapi", _openapi, "print the OpenAPI document"),
    ):
        verbs.add_parser(name, help=text).set_defaults(run=work)
    user = verbs.add_parser("user", help="users").add_subparsers(required=True, metavar="VERB")
    for name, work, text in (
        ("add", _add_user, "make a user"),
        ("password", _set_password, "set a user's password and end the sessions"),
    ):
        verb = user.add_parser(name, help=text)
        verb.add_argument("name")
        if name == "add":
            verb.add_argument("--type", type=int, default=0, help="0 platform (default) to 6")
            verb.add_argument("--parent", default="", help="user below whom; at the top when left out")
        verb.add_argument(
            "--password-stdin", action="store_true", help="read it; else one is made and printed"
        )
        verb.set_defaults(run=work)
    user.add_parser("list", help="every user").set_defaults(run=_list_users)
    gateway = verbs.add_parser("gateway", help="gateways").add_subparsers(required=True, metavar="VERB")
    claim = gateway.add_parser("claim", help="make a gateway and print its secret, once")
    claim.add_argument("id", help="3 to 40 letters, digits, '-' or '_', starting with a letter or digit")
    claim.add_argument(
        "--title", default="", help="shown in the portal; left out: the id, or what it is called"
    )
    claim.add_argument("--rotate", action="store_true", help="a new secret when it is claimed already")
    claim.add_argument("--owner", default="", help="user whose it is to be; the platform's when left out")
    claim.add_argument(
        "--count",
        type=_count,
        help=f"claim so many (to {MAX_COUNT}), named ID-1, ID-2 ...; prints a JSON object of their secrets",
    )
    claim.set_defaults(run=_claim)
    disable = gateway.add_parser("disable", help="refuse a gateway from now on")
    disable.add_argument("id")
    disable.set_defaults(run=_disable)
    enable = gateway.add_parser("enable", help="let a disabled gateway in again, with the secret that it has")
    enable.add_argument("id")
    enable.set_defaults(run=_enable)
    gateway.add_parser("list", help="every gateway").set_defaults(run=_list)
    return parser.parse_args()


def _count(given: str) -> int:
    """argparse says what the number was for."""
    if not (given.isascii() and given.isdecimal() and 1 <= int(given) <= MAX_COUNT):
        raise argparse.ArgumentTypeError(f"a whole number from 1 to {MAX_COUNT}")
    return int(given)


def _serve(settings: Settings, chosen: argparse.Namespace) -> int:
    import uvicorn

    from cloud.http_server import HttpLimits, bounded_http

    logs.configure(settings.log_format)
    logging.getLogger("uvicorn.error").addFilter(_name_port)
    sys.setswitchinterval(SWITCH_S)
    gc.set_threshold(*COLLECT_AFTER)
    asyncio.run(timeseries.verify(settings))
    refused: list[LinkError] = []
    config = uvicorn.Config(
        _refusing(_application(settings), refused),
        host=settings.host,
        port=settings.port,
        http=bounded_http(HttpLimits(trusted_proxies=settings.trusted_proxies)),
        log_config=None,
        access_log=False,
        server_header=False,
        forwarded_allow_ips=settings.trusted_proxies,
        ws_max_size=64 * 1024,
        timeout_graceful_shutdown=GRACE_S,
    )
    server = uvicorn.Server(config)
    lost = False
    ends = suppress(KeyboardInterrupt, SystemExit)  # uvicorn has a code of its own for a start that failed
    with ends, asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        lost = runner.run(_served(settings, server))
    if refused:
        raise refused[0]
    return 0 if server.started and not lost else 1


def _name_port(record: logging.LogRecord) -> bool:
    """uvicorn logs the exception of its own listener alone."""
    if isinstance(record.msg, OSError):
        record.msg = f"EDGE_PORT: {record.msg}"
    return True


def _refusing(app: ASGIApp, refused: list[LinkError]) -> ASGIApp:
    """The application; a LinkError of its start is put into the list instead of a traceback into the log."""

    async def run(scope: AsgiScope, receive: Receive, send: Send) -> None:
        async def answer(message: Message) -> None:
            error = sys.exc_info()[1]
            if message["type"] == "lifespan.startup.failed" and isinstance(error, LinkError):
                refused.append(error)
                message = {"type": message["type"], "message": ""}
            await send(message)

        await app(scope, receive, answer if scope["type"] == "lifespan" else send)

    return run


async def _served(settings: Settings, server: uvicorn.Server) -> bool:
    """Serve until it is told to end. True when it ended because another full process took its place."""
    lost = False

    def end() -> None:
        nonlocal lost
        lost = server.should_exit = True

    if settings.role != "full":
        await server.serve()
        return lost
    async with SingleInstance(locks(settings.database, settings.data_dir), end):
        await shielded(asyncio.to_thread)(migrations.upgrade, settings.database)
        await server.serve()
    return lost


def _application(settings: Settings) -> FastAPI:
    """Its import makes every route, which the other verbs need not wait for, and what it makes stays."""
    gc.disable()
    from cloud.main import create_app

    made = create_app(settings)
    gc.freeze()
    gc.enable()
    return made


def _migrate(settings: Settings, chosen: argparse.Namespace) -> int:
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    migrations.upgrade(settings.database)
    return 0


def _openapi(settings: Settings, chosen: argparse.Namespace) -> int:
    print(json.dumps(_application(settings).openapi(), indent=1, ensure_ascii=False))
    return 0


def _add_user(settings: Settings, chosen: argparse.Namespace) -> int:
    return _with_password(
        settings,
        chosen,
        lambda service, word: service.add_user(chosen.name, word, chosen.type, chosen.parent),
    )


def _set_password(settings: Settings, chosen: argparse.Namespace) -> int:
    return _with_password(settings, chosen, lambda service, word: service.set_password(chosen.name, word))


def _with_password(
    settings: Settings,
    chosen: argparse.Namespace,
    work: Callable[[IdentityService, str], Awaitable[Any]],
) -> int:
    word = sys.stdin.readline().rstrip("\n") if chosen.password_stdin else made()

    async def run(database: Database) -> None:
        await work(IdentityService(database), word)

    _with_database(settings, run, is_first=chosen.run is _add_user)
    if not chosen.password_stdin:
        print(word)
    return 0


def _list_users(settings: Settings, chosen: argparse.Namespace) -> int:
    async def run(database: Database) -> None:
        users, page = UserService(database, IdentityService(database), owned=()), 1
        while rows := (await users.page(Scope.system(), UserQuery(sort="user_name"), page, 100)).rows:
            for row in rows:
                words = (row.user_name, row.user_type, "normal" if row.status else "disabled")
                print(*words, row.parent_name or "-", row.nick_name, sep="\t")
            page += 1

    _with_database(settings, run)
    return 0


def _claim(settings: Settings, chosen: argparse.Namespace) -> int:
    async def run(database: Database) -> None:
        claims = _claims(settings, database)
        if chosen.count is None:
            print(await claims.claim(chosen.id, chosen.title, rotate=chosen.rotate, owner=chosen.owner))
            return
        names = [f"{chosen.id}-{number}" for number in range(1, chosen.count + 1)]
        _check_identities(names[0], names[-1])
        titles = [f"{chosen.title} {number}" if chosen.title else "" for number in range(1, chosen.count + 1)]
        made = {
            name: await claims.claim(name, title, rotate=chosen.rotate, owner=chosen.owner)
            for name, title in zip(names, titles, strict=True)
        }
        print(json.dumps(made))

    _with_database(settings, run)
    return 0


def _check_identities(*names: str) -> None:
    """Before the first is claimed: secrets of those before a fault would be lost. Raises ParameterError."""
    for name in names:
        try:
            check_gateway(name)
        except TopicError as error:
            raise ParameterError(error.field, error.rule) from None


def _disable(settings: Settings, chosen: argparse.Namespace) -> int:
    _with_database(settings, lambda database: _claims(settings, database).disable(chosen.id))
    return 0


def _enable(settings: Settings, chosen: argparse.Namespace) -> int:
    _with_database(settings, lambda database: _claims(settings, database).enable(chosen.id))
    return 0


def _list(settings: Settings, chosen: argparse.Namespace) -> int:
    async def run(database: Database) -> None:
        page, everything = 1, DeviceFilter()
        while rows := (await _devices(database).page(Scope.system(), everything, page, 100, "")).rows:
            for row in rows:
                print(f"{row.gateway_id}\t{row.status}\t{row.device_title}")
            page += 1

    _with_database(settings, run)
    return 0


def _claims(settings: Settings, database: Database) -> ClaimService:
    """The service outside a running cloud: only mosquitto has to be told of a claim."""
    broker = dynsec(settings)

    async def put(gateway: str, secret: str) -> None:
        if broker is not None:
            await broker.put_gateway(gateway, secret)

    async def disable(gateway: str) -> None:
        if broker is not None:
            await broker.disable_gateway(gateway)

    async def enable(gateway: str) -> None:
        if broker is not None:
            await broker.enable_gateway(gateway)

    return ClaimService(database, put, disable, enable)


def _devices(database: Database) -> DeviceService:
    """The service outside a running cloud: it hears no gateway."""

    async def streams(gateway: str) -> list[StreamState]:
        return []

    async def changed(device_id: int) -> None:
        return

    return DeviceService(database, PresenceService(database, changed), streams)


def _with_database(
    settings: Settings, work: Callable[[Database], Awaitable[None]], *, is_first: bool = False
) -> None:
    """is_first: a verb that may well come before any other; a new database surprises nobody then."""
    file = make_url(settings.database).database or ""
    is_new = settings.database.startswith("sqlite") and not Path(file).exists()
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    migrations.upgrade(settings.database)
    if is_new and not is_first:
        other = "EDGE_DATABASE_URL" if settings.database_url else "EDGE_DATA_DIR"
        print(f"edge-cloud: made a new database, {file}; set {other} to use another", file=sys.stderr)

    async def run() -> None:
        database = Database(settings.database)
        try:
            await work(database)
        finally:
            await database.close()

    asyncio.run(run())


if __name__ == "__main__":
    main()
