"""A parameter plan of each tenant."""

from __future__ import annotations

from cloud.domains.parameters.models import ParameterPlan


def parameter_plan_of(device_id: int, owner_id: int, name: str, author: str) -> ParameterPlan:
    return ParameterPlan(
        owner_id=owner_id, title=f"Plan {name}", remark="", version=1, enabled=True, project_ids=[],
        device_ids=[device_id], agent_min="", agent_max="", author=author, created_ms=1, changed_ms=1,
        changes=[{"group": "run", "values": {"power": "normal"}}],
    )  # fmt: skip
