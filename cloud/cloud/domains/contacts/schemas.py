"""Shapes of contacts and contact groups. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from cloud.core.secret import Secret

MAX_MEMBERS = 200
MAX_CHOSEN = 500
MAX_URL = 1000

ContactChannel = Literal["email", "sms", "voice", "wechat"]
"""Reach a contact at an address of his."""

RobotKind = Literal["webhook", "dingtalk", "feishu"]
"""Reach a group at an address of its own."""

Language = Literal["zh", "en"]
LowestLevel = Literal["info", "warning", "danger"]
GatewayChoice = Literal["all", "devices", "projects"]

Number = Annotated[int, Field(ge=1, le=2**31 - 1)]
ContactName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100, pattern=r"^[^\x00-\x1f]*$")
]
ClockTime = Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]


def _plain(phone: str) -> str:
    return phone.replace(" ", "").replace("-", "")


Phone = Annotated[
    str,
    StringConstraints(strip_whitespace=True, max_length=40, pattern=r"^(|\+?[0-9]([ -]?[0-9]){4,19})$"),
    AfterValidator(_plain),
]
Mailbox = Annotated[
    str,
    StringConstraints(
        strip_whitespace=True,
        max_length=200,
        pattern=r"^(|[!#-'*+/-9=?A-Z^-~-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*)$",
    ),
]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ContactBody(_Strict):
    """A contact. wechat: his openid of the platform's official account; language: of what he is sent."""

    name: ContactName
    phone: Phone = ""
    email: Mailbox = ""
    wechat: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{0,64}$")] = ""
    language: Language = "zh"
    enabled: bool = True


class ContactRow(ContactBody):
    """A contact with the titles of his groups. user_name: whose he is, empty for the platform's."""

    id: int
    user_name: str
    groups: list[str]
    changed_ms: int


class QuietHours(_Strict):
    """Local time of the platform; over midnight when the end is before the start. danger_passes: events of
    the level danger are sent all the same.
    """

    start: ClockTime
    end: ClockTime
    danger_passes: bool = True

    @model_validator(mode="after")
    def _check(self) -> QuietHours:
        if self.start == self.end:
            raise ValueError("end: another time than the start")
        return self


class GroupRule(_Strict):
    """What a group is told of. alarm_types: codes, empty for all; lowest_level: of the known types, own
    levels always count; device_ids, project_ids: what gateways says; recoveries: ends of alarms too.
    """

    channels: Annotated[list[ContactChannel], Field(max_length=4)] = []
    language: Language = "zh"
    lowest_level: LowestLevel = "info"
    alarm_types: Annotated[list[Number], Field(max_length=100)] = []
    gateways: GatewayChoice = "all"
    device_ids: Annotated[list[Number], Field(max_length=MAX_CHOSEN)] = []
    project_ids: Annotated[list[Number], Field(max_length=MAX_CHOSEN)] = []
    recoveries: bool = True
    quiet: QuietHours | None = None


class RobotBody(_Strict):
    """An address of a group; url, secret: null as they are, an empty secret for none. What is signed and how
    is said in the README of notifications.
    """

    kind: RobotKind
    url: (
        Annotated[str, Secret(min_length=1, max_length=MAX_URL, pattern=r"^https?://[^\s@/]+(/\S*)?$")] | None
    ) = None
    secret: Annotated[str, Secret(max_length=200)] | None = None


class ContactGroupBody(GroupRule):
    """A group. contact_ids: its members, contacts of the same owner."""

    title: ContactName
    enabled: bool = True
    contact_ids: Annotated[list[Number], Field(max_length=MAX_MEMBERS)] = []
    robots: Annotated[list[RobotBody], Field(max_length=3)] = []

    @model_validator(mode="after")
    def _check(self) -> ContactGroupBody:
        kinds = [robot.kind for robot in self.robots]
        if len(set(kinds)) < len(kinds):
            raise ValueError("robots: one of each kind")
        if self.gateways == "devices" and not self.device_ids:
            raise ValueError("device_ids: at least one gateway, or all gateways")
        if self.gateways == "projects" and not self.project_ids:
            raise ValueError("project_ids: at least one project, or all gateways")
        return self


class RobotRow(BaseModel):
    """An address of a group without its secrets. host: of its URL."""

    kind: RobotKind
    host: str
    has_secret: bool


class ChosenTitle(BaseModel):
    """What a contact, gateway or project is called."""

    id: int
    title: str


class GroupMember(ChosenTitle):
    """A contact in a group. problem: why he hears nothing on its channels, as a code: disabled, no_address;
    empty when he does.
    """

    problem: str


class ContactGroupRow(GroupRule):
    """A group. devices, projects: titles of those that you see. problem: why nobody is told, as a code:
    owner_changed, nobody (no member with an address of a channel, no robot); empty when somebody is.
    """

    id: int
    title: str
    enabled: bool
    contact_ids: list[int]
    contacts: list[GroupMember]
    devices: list[ChosenTitle]
    projects: list[ChosenTitle]
    robots: list[RobotRow]
    problem: str
    user_name: str
    changed_ms: int
