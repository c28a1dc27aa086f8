"""Local historical storage: section history of the document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec

from edge_contract.deployment import Fault
from edge_contract.parameters.model import ParameterGroup, Parameters, fault, label
from edge_contract.parameters.views import section


class History(Parameters, frozen=True, kw_only=True):
    """path: where the external medium is mounted."""

    enable: Annotated[bool, label("启用", "Enable")] = True
    retention_days: Annotated[
        int, msgspec.Meta(ge=1, le=36_500), label("保存时间（天）", "Retention (days)")
    ] = 30
    type: Annotated[Literal["memory", "disk"], label("存储类型", "Type")] = "disk"
    medium: Annotated[Literal["internal", "external"], label("存储介质", "Medium")] = "internal"
    path: Annotated[
        str, msgspec.Meta(max_length=300), label("外部介质路径", "Path of the external medium")
    ] = ""
    max_mb: Annotated[int, msgspec.Meta(ge=1, le=1_000_000), label("最大容量（MB）", "Largest size (MB)")] = (
        64
    )


def _dependencies(history: History) -> Iterator[Fault]:
    if history.type == "disk" and history.medium == "external":
        if not history.path.startswith("/"):
            yield fault("path", "must be the absolute path at which the external medium is mounted")
    elif history.path:
        yield fault("path", "must be empty unless type is disk and medium is external")


_read, _write = section("history", History.__struct_fields__)
GROUP = ParameterGroup(
    "history", "本地历史存储", "Local historical storage", History, _read, _write, dependencies=_dependencies
)
