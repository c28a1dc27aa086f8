"""Projects, who works on them, and campaigns."""

from __future__ import annotations

from cloud.domains.base import Build, Domain
from cloud.domains.commands.service import CommandService
from cloud.domains.deploy.service import DeployService
from cloud.domains.devices.service import DeviceService
from cloud.domains.jobs.service import JobService
from cloud.domains.projects import campaign_endpoints, endpoints
from cloud.domains.projects.assignments import AssignmentService
from cloud.domains.projects.campaigns import CampaignService
from cloud.domains.projects.service import ProjectService


def build(build: Build) -> None:
    services = build.services
    services.add(ProjectService(build.database))
    services.add(AssignmentService(build.database))
    services.add(
        CampaignService(
            build.database,
            services[DeviceService],
            services[JobService],
            services[DeployService],
            services[CommandService],
        )
    )


DOMAIN = Domain(
    "projects",
    (
        endpoints.router,
        campaign_endpoints.router,
    ),
    build,
    permissions=frozenset({"DeviceManage", "Monitor.DeviceMonitor", "ProjectDeployment", "ProjectManage"}),
)
