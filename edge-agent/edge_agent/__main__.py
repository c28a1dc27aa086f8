"""The agent's command line."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
from dataclasses import asdict
from getpass import getpass
from importlib.metadata import version
from pathlib import Path

import msgspec

from edge_agent import logs
from edge_agent.commissioning import command_line
from edge_agent.config.lenient import hides_others
from edge_agent.config.load import ConfigErrors, load
from edge_agent.errors import AgentError, ConfigError, StoreError
from edge_agent.firmware import arguments as firmware
from edge_agent.system.private_files import SECRET_FILE, cloud_secret, make_folder, write_private
from edge_agent.system.restart import start_again
from edge_agent.transports import reach

log = logging.getLogger(__name__)

OK, FAILED, WRONG = 0, 1, 2
"""Exit codes: done; failed at run time (also: check found faults); configuration or use is wrong."""
LONGEST_SECRET = 200


def arguments(words: list[str] | None) -> tuple[argparse.Namespace, dict[str, command_line.Verb]]:
    """What was chosen, and what runs each of the commissioning tools."""
    parser = argparse.ArgumentParser(
        prog="edge-agent", description="Collects from field buses, stores, forwards, obeys."
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    run = verbs.add_parser("run", help="run the agent")
    check = verbs.add_parser("check", help="check a configuration and print every fault")
    budget = verbs.add_parser("budget", help="say what a configuration will cost each port, before it runs")
    budget.add_argument(
        "--turnaround-ms", type=float, help="what every slave needs to answer (default: 20 on a line)"
    )
    budget.add_argument("--json", action="store_true", help="one JSON document")
    apply = verbs.add_parser("apply", help="put a configuration in while the agent does not run")
    versions = verbs.add_parser("configuration", help="print the configuration that runs, or an earlier one")
    versions.add_argument("--version", dest="name", help="hash of a kept version, or how it begins")
    versions.add_argument("--list", action="store_true", help="print the hashes that are kept, newest first")
    for verb in (run, check, budget, apply):
        verb.add_argument("--config", type=Path, required=True, help="gateway.toml")
    run.add_argument("--log-json", action="store_true", help="one JSON object a line")
    password = verbs.add_parser("password", help="make a new password for the local page and print it")
    network = verbs.add_parser("network", help="which addresses NET ports and tunnels may reach")
    change = network.add_mutually_exclusive_group()
    change.add_argument("--allow", action="append", metavar="NETWORK", help="the new list, one option each")
    change.add_argument("--add", action="append", metavar="NETWORK", help="add to the list")
    change.add_argument("--default", action="store_true", help="take the list away")
    secret = verbs.add_parser("secret", help="say whether the cloud secret is there, or set it")
    secret.add_argument("--set", action="store_true", help="read the secret from standard input and keep it")
    target = verbs.add_parser("target-password", help="set the password with which a forwarder signs in")
    target.add_argument("name", help="of a target in [[forwarders]] of the active version")
    target.add_argument("--secret", default="", help="which one, of a target that takes several")
    for verb in (run, password, secret, target, apply, versions, network):
        verb.add_argument("--data", type=Path, required=True, help="folder of store, secret and password")
    verbs.add_parser("version", help="print the version")
    tools = command_line.add_verbs(verbs)
    firmware.declare(verbs)
    return parser.parse_args(words), tools


def say(text: str) -> None:
    sys.stdout.write(text + "\n")


def faults_of(error: ConfigError) -> list[ConfigError]:
    return error.errors if isinstance(error, ConfigErrors) else [error]


def complain(error: ConfigError) -> None:
    """Every fault of a configuration: field and rule."""
    for fault in faults_of(error):
        sys.stderr.write(f"{fault}\n")


def run(chosen: argparse.Namespace) -> int:
    logs.setup(as_json=chosen.log_json)
    try:
        from edge_agent import app  # not loaded by the tools
        from edge_agent.config.allowed import Reach

        reach.use(Reach(chosen.data, chosen.config))

        again = asyncio.run(app.run(chosen.config, chosen.data, version("edge-agent"), sys.stdout))
    except ConfigError as error:
        sys.stderr.write(f"{chosen.config} is wrong:\n")
        complain(error)
        return WRONG
    except StoreError as error:
        log.error("%s", error)
        return FAILED
    except Exception:  # the last stand: say why in the log, and let the service manager start it again
        log.exception("the agent failed")
        return FAILED
    if again:
        log.info("starting again, as a command asked")
        start_again()
    return OK


def check(chosen: argparse.Namespace) -> int:
    from edge_agent.proof import prove

    try:
        configuration = load(chosen.config)
        prove(configuration)
    except ConfigError as error:
        complain(error)
        if hides_others(faults_of(error)):
            sys.stderr.write("Check again once these are mended: more may follow that they hide.\n")
        return FAILED
    say(
        f"ok: {len(configuration.ports)} ports, {len(configuration.slaves)} slaves, "
        f"{len(configuration.points)} points"
    )
    return OK


def budget(chosen: argparse.Namespace) -> int:
    from edge_agent.bus.budget import budget as ports_of

    try:
        configuration = load(chosen.config)
    except ConfigError as error:
        complain(error)
        return FAILED
    turnaround_s = None if chosen.turnaround_ms is None else chosen.turnaround_ms / 1000
    ports = ports_of(configuration, turnaround_s)
    if chosen.json:
        say(msgspec.json.encode([{**asdict(port), "fits": port.fits} for port in ports]).decode())
    for port in [] if chosen.json else ports:
        verdict = "" if port.fits else f", {port.missed_cycles} cycles missed in {port.simulated_s:.0f} s"
        say(
            f"{port.port}: {port.used_percent:.0f} % of the bus, {port.requests_per_s:.1f} requests/s "
            f"({port.requests_one_by_one_per_s:.1f} with one a point), "
            f"at worst {port.worst_late_ms:.0f} ms late{verdict}"
        )
    return OK if all(port.fits for port in ports) else FAILED


def apply(chosen: argparse.Namespace) -> int:
    from edge_agent.config.bundle import import_file
    from edge_agent.config.state_store import StateStore
    from edge_agent.proof import prove
    from edge_agent.store.lock import SingleInstanceLock
    from edge_agent.system.clock import SystemClock

    with SingleInstanceLock(chosen.data):
        name = import_file(chosen.config, StateStore(chosen.data), SystemClock().now_ms(), prove)
    say(f"version {name} runs from the next start on")
    return OK


def configuration(chosen: argparse.Namespace) -> int:
    from edge_agent.config.bundle import export_document
    from edge_agent.config.state_store import StateStore

    state_store = StateStore(chosen.data)
    if chosen.list:
        for name in state_store.versions.hashes():
            say(name)
        return OK
    document = export_document(state_store, chosen.name)
    say(msgspec.json.format(msgspec.json.encode(document), indent=2).decode())
    return OK


def password(chosen: argparse.Namespace) -> int:
    from edge_agent.localweb.passwords import TEXT_FILE, reset

    make_folder(chosen.data)
    say(f"Local page: user admin, password {reset(chosen.data)}")
    say(f"The password is also in the file {chosen.data / TEXT_FILE}. It is valid now; no restart is needed.")
    return OK


def secret(chosen: argparse.Namespace) -> int:
    if not chosen.set:
        there = cloud_secret(chosen.data) is not None
        say(
            "The cloud secret is there."
            if there
            else "There is no cloud secret: use --set with what 'edge-cloud gateway claim' showed."
        )
        return OK if there else FAILED
    text = getpass("Cloud secret: ") if sys.stdin.isatty() else sys.stdin.readline()
    text = text.strip()
    if not 1 <= len(text) <= LONGEST_SECRET or not text.isascii() or not text.isprintable():
        sys.stderr.write(f"secret: must be 1 to {LONGEST_SECRET} printable ASCII characters\n")
        return WRONG
    make_folder(chosen.data)
    write_private(chosen.data / SECRET_FILE, text)
    say("Kept. A running agent takes it with its next attempt.")
    return OK


def target_password(chosen: argparse.Namespace) -> int:
    """Of a target of the version that runs: the password is bound to its server, port, user and TLS."""
    from edge_agent.config.bundle import export_document
    from edge_agent.config.load import stored_configuration_of
    from edge_agent.config.state_store import StateStore
    from edge_agent.forwarding.passwords import keep

    active = stored_configuration_of(export_document(StateStore(chosen.data)))
    text = getpass("Password: ") if sys.stdin.isatty() else sys.stdin.readline()
    keep(chosen.data, active, chosen.name, text.rstrip("\r\n"), chosen.secret)
    say("Kept. A running agent takes it with its next attempt.")
    return OK


def network(chosen: argparse.Namespace) -> int:
    from edge_agent.config.allowed import NETWORKS_FILE, read_networks, write_networks
    from edge_agent.config.reach import added, networks_of, restricts

    path = chosen.data / NETWORKS_FILE
    if chosen.allow is not None or chosen.add is not None or chosen.default:
        make_folder(chosen.data)
        if chosen.add is not None:
            write_networks(path, added(read_networks(path), chosen.add))
        else:
            write_networks(path, None if chosen.default else networks_of(chosen.allow))
    networks = read_networks(path)
    if networks is None:
        say(
            "No list is set. NET ports may connect to private addresses and to those in gateway.toml; "
            "tunnels may connect to no NET port."
        )
    for each in networks or ():
        say(str(each))
    if networks is not None and not restricts(networks):
        say(
            "NET ports may also connect to private addresses and to those in gateway.toml; "
            "tunnels may connect to no NET port."
        )
    return OK


def main(words: list[str] | None = None) -> int:
    chosen, tools = arguments(words)
    os.umask(0o077)  # what the agent writes is for its own user
    try:
        if chosen.verb in tools:
            reach.use_anything()  # whoever runs them is on the gateway
            return tools[chosen.verb](chosen)
        match chosen.verb:
            case "run":
                return run(chosen)
            case "check":
                return check(chosen)
            case "budget":
                return budget(chosen)
            case "password":
                return password(chosen)
            case "secret":
                return secret(chosen)
            case "target-password":
                return target_password(chosen)
            case "network":
                return network(chosen)
            case "apply":
                return apply(chosen)
            case "configuration":
                return configuration(chosen)
            case "firmware":
                from edge_agent.firmware.command_line import inspect_file

                return inspect_file(chosen)
    except ConfigError as error:
        complain(error)
        return WRONG
    except AgentError as error:
        sys.stderr.write(f"{error}\n")
        return FAILED
    say(version("edge-agent"))
    return OK


if __name__ == "__main__":
    sys.exit(main())
