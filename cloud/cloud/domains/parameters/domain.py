"""Parameters of gateways and plans that bring them to many."""

from __future__ import annotations

from cloud.core.tables import NamedTable, OwnedTable
from cloud.domains.base import Build, Domain
from cloud.domains.deploy.configurations import ConfigurationService
from cloud.domains.deploy.service import DeployService
from cloud.domains.devices.service import DeviceService
from cloud.domains.jobs.service import JobService
from cloud.domains.parameters import endpoints
from cloud.domains.parameters.gateway_parameters import GatewayParameterService
from cloud.domains.parameters.models import ParameterPlan
from cloud.domains.parameters.repository import plan_seen
from cloud.domains.parameters.running import ParameterPlanRunner
from cloud.domains.parameters.service import ParameterPlanService
from cloud.domains.points.editing import Editing


def build(build: Build) -> None:
    services = build.services
    editing, deploy = services[Editing], services[DeployService]
    services.add(GatewayParameterService(build.database, editing, deploy))
    plans = services.add(ParameterPlanService(build.database))
    services.add(
        ParameterPlanRunner(
            build.database,
            plans,
            services[DeviceService],
            services[JobService],
            editing,
            deploy,
            services[ConfigurationService],
        )
    )


DOMAIN = Domain(
    "parameters",
    (endpoints.router,),
    build,
    permissions=frozenset({"DeviceManage", "Monitor.DeviceMonitor", "ota.Device"}),
    owned=(OwnedTable(ParameterPlan.owner_id),),
    named=(NamedTable("parameter plan", ParameterPlan.id, ParameterPlan.title, plan_seen),),
)
