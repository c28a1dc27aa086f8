"""What all domains declare: periodic jobs with their intervals, permissions, and operations of the leader."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi.routing import APIRoute

from cloud.core.services import Services
from cloud.db import Base
from cloud.domains.all import DOMAINS
from cloud.domains.audit.things import REFERRING
from cloud.domains.base import Domain
from cloud.domains.identity.access import permissions_of
from cloud.domains.identity.limit_repository import RESOURCES
from cloud.domains.names import NAMES
from cloud.main import Cloud
from cloud.periodic import jobs

from .databases import migrated_settings

PERIODIC = {
    ("Admissions", "refresh_admissions", 5.0),
    ("AlarmService", "forget_old", 3600.0),
    ("AuditService", "forget_old", 3600.0),
    ("ConfigurationService", "ask_unexplained", 2.0),
    ("ConfigurationService", "rebase_drafts", 2.0),
    ("CardReports", "forget_old", 3600.0),
    ("CardReports", "write", 10.0),
    ("CommandRounds", "run", 1.0),
    ("DeployService", "expire", 1.0),
    ("DeployService", "send_waiting", 1.0),
    ("Dispatcher", "forget_old", 3600.0),
    ("Dispatcher", "measure", 10.0),
    ("ExchangeDelivery", "deliver", 2.0),
    ("ExchangeRunner", "refresh", 10.0),
    ("ExchangeRunner", "run", 0.5),
    ("FieldbusService", "write", 5.0),
    ("FileService", "clean_files", 3600.0),
    ("FirmwareFileService", "clean_firmware", 3600.0),
    ("ForwardingService", "write", 5.0),
    ("IdentityService", "end_refused", 5.0),
    ("IdentityService", "forget_expired", 3600.0),
    ("ImportService", "clean", 3600.0),
    ("Evaluator", "advance", 1.0),
    ("Evaluator", "look", 10.0),
    ("JobService", "clean", 3600.0),
    ("Link", "erase_orphans", 3600.0),
    ("Link", "forget_old", 3600.0),
    ("Linkages", "forget_old", 3600.0),
    ("OutageService", "find_due", 5.0),
    ("OutageService", "forget_old", 3600.0),
    ("PlatformService", "note", 10.0),
    ("PositionFollower", "follow", 15.0),
    ("PresenceService", "find_silent", 5.0),
    ("PresenceService", "write_pulses", 0.5),
    ("RolloutRunner", "advance", 2.0),
    ("RolloutRunner", "forget_old", 3600.0),
    ("RuleDelivery", "deliver", 5.0),
    ("RetentionService", "apply", 60.0),
    ("SignInLog", "forget_old", 3600.0),
    ("SignalTraceService", "check", 1.0),
    ("SignalTraceService", "forget_old", 3600.0),
    ("SuppressionService", "forget_old", 3600.0),
    ("SuppressionService", "look", 10.0),
    ("TaskDelivery", "deliver", 2.0),
    ("TaskRunner", "follow", 2.0),
    ("TaskRunner", "forget_old", 3600.0),
    ("TaskRunner", "run", 1.0),
    ("TunnelService", "check", 2.0),
    ("UnknownWrites", "resolve", 5.0),
    ("WatchAnnouncer", "announce", 0.2),
}
"""Class, work, seconds."""


def routes(domain: Domain) -> list[APIRoute]:
    return [route for router in domain.routers for route in router.routes if isinstance(route, APIRoute)]


async def test_every_periodic_job_has_its_interval(tmp_path: Path, sqlite_template: Path) -> None:
    cloud = Cloud(migrated_settings(tmp_path, sqlite_template))
    found = jobs(DOMAINS, cloud.services)
    expected = {(name, seconds) for _, name, seconds in PERIODIC}
    assert {(job.work.__name__, job.interval_s) for job in found} == expected
    assert len(found) == len(PERIODIC)
    await cloud.database.close()


@pytest.mark.parametrize("domain", DOMAINS, ids=NAMES)
def test_a_domain_declares_what_its_operations_require(domain: Domain) -> None:
    required = {code for code in permissions_of(domain.routers).values() if code is not None}
    assert required == domain.permissions


@pytest.mark.parametrize("domain", DOMAINS, ids=NAMES)
def test_a_domain_has_the_operations_that_it_hands_to_the_leader(domain: Domain) -> None:
    assert domain.leader_only <= {route.operation_id for route in routes(domain)}


def test_names_are_of_their_packages_and_operations_are_unique() -> None:
    assert tuple(domain.name for domain in DOMAINS) == NAMES
    ids = [route.operation_id for domain in DOMAINS for route in routes(domain) if route.operation_id]
    assert len(ids) == len(set(ids))


def test_each_limit_counts_one_table_and_each_kind_of_thing_has_one_name() -> None:
    owned = [table.limit for domain in DOMAINS for table in domain.owned if table.limit]
    assert sorted(owned) == sorted(RESOURCES)
    named = [table.kind for domain in DOMAINS for table in domain.named]
    assert sorted(named) == sorted(set(REFERRING.values()))


def test_what_belongs_to_users_is_said_by_its_domain() -> None:
    said = {table.owner.class_.__tablename__ for domain in DOMAINS for table in domain.owned}
    owners = {
        table.name
        for table in Base.metadata.tables.values()
        for key in table.foreign_keys
        if key.column.table.name == "user" and key.parent.name == "owner_id" and key.ondelete == "SET NULL"
    }
    assert owners == said


def test_of_each_type_there_is_one_service_and_a_missing_one_is_named() -> None:
    services = Services()
    services.add("text")
    assert services[str] == "text"
    with pytest.raises(ValueError, match="a str already"):
        services.add("other")
    with pytest.raises(LookupError, match="no int is built yet"):
        services[int]
