"""Shapes of groups, rules and of the answer to why. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Text = Annotated[str, Field(max_length=100, pattern=r"^[^\x00]*$")]
Title = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[^\x00]*$")]
Remark = Annotated[str, Field(max_length=500, pattern=r"^[^\x00]*$")]
Codes = Annotated[list[Annotated[str, Field(max_length=64)]], Field(max_length=500)]
Type = Annotated[int, Field(ge=0, le=6)]


class PermissionRow(BaseModel):
    """A permission with its names as they are now. parent: its code, empty at the top. types: who has it.

    announced: it opens only screens that are not built yet.
    """

    code: str
    parent: str
    zh: str
    en: str
    types: list[int]
    kind: str
    enabled: bool
    announced: bool


class RuleRow(PermissionRow):
    """The same with what it is without a rule."""

    default_zh: str
    default_en: str
    default_types: list[int]


class RuleBody(BaseModel):
    """A complete rule; null stands for the table's own name or types."""

    model_config = ConfigDict(extra="forbid")

    zh: Title | None = None
    en: Title | None = None
    types: Annotated[list[Type], Field(max_length=7)] | None = None
    enabled: bool = True


class GroupRow(BaseModel):
    """A group. users: how many have it. owner_name: who made it."""

    group_id: int
    title: str
    user_type: int
    permissions: list[str]
    remark: str
    users: int
    owner_id: int
    owner_name: str
    created_ms: int


class GroupBody(BaseModel):
    """A group of permissions for users of one type."""

    model_config = ConfigDict(extra="forbid")

    title: Title
    user_type: Type
    permissions: Codes
    remark: Remark = ""


class WhyReason(BaseModel):
    """code: allowed_by_type, allowed_by_rule, allowed_by_group, platform, owner, below, shared; or disabled,
    expired, refused_above, no_portal, type_lacks, rule_lacks, group_lacks, above_lacks, rule_off, flag_off,
    not_yours, shared_read_only.
    """

    code: str
    args: dict[str, int | str]


class WhyAnswer(BaseModel):
    """allowed, and why; when refused every reason that refuses."""

    allowed: bool
    reasons: list[WhyReason]


class WhyQuery(BaseModel):
    """A question about a permission. permissions: any of them is enough."""

    user_id: int | None = None
    permissions: tuple[str, ...] = ()
    types: str = ""
    flag: Literal["", "ot", "rl", "ss", "rg"] = ""
    operation: str = ""
    device_id: int | None = None
    writes: bool = False
