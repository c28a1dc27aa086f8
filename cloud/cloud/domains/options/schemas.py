"""Every option that exists, with the form of its value and its default. Other names are refused."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, TypeAdapter, model_validator

from cloud.domains.options.addresses import MAX_URL, address, address_or_none
from cloud.domains.options.maps import MapBaseOption, MapBordersOption, Strict

MAX_LEVELS = 50
MAX_ENTRIES = 20
MAX_TABLES = 100
MAX_COLUMNS = 100
MAX_MARKED = 40
MAX_FAVOURITES = 20
MAX_LABEL = 100
MAX_VALUE_BYTES = 16 * 1024
"""Of one option of a user, as JSON."""

COLOR = r"^(#[0-9A-Fa-f]{3}|#[0-9A-Fa-f]{6}|rgb\( *[0-9]{1,3} *, *[0-9]{1,3} *, *[0-9]{1,3} *\))$"
HOST = r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?){0,9}$"

Title = Annotated[str, Field(min_length=1, max_length=50, pattern=r"^[^\x00-\x1f]+$")]
Url = Annotated[str, Field(max_length=MAX_URL), AfterValidator(address)]
UrlOrNone = Annotated[str, Field(max_length=MAX_URL), AfterValidator(address_or_none)]
Name = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_.-]+$")]
Host = Annotated[str, Field(max_length=253, pattern=HOST)]


class AlarmLevel(Strict):
    """A level of alarms beside the built-in ones. color: #rgb, #rrggbb or rgb(r,g,b)."""

    id: int = Field(ge=1, le=9999)
    title: Title
    color: str = Field(max_length=24, pattern=COLOR)


class Links(Strict):
    """Places outside of the portal; "" for none. ota_hosts: host names at which the portal opens on OTA."""

    ota: UrlOrNone = ""
    flow: UrlOrNone = ""
    gis: UrlOrNone = ""
    screen: UrlOrNone = ""
    ota_hosts: list[Host] = Field(default=[], max_length=20)


class AlarmLevelsOption(Strict):
    """Levels of alarms that this platform added."""

    name: Literal["alarm_levels"] = "alarm_levels"
    value: list[AlarmLevel] = Field(default=[], max_length=MAX_LEVELS)

    @model_validator(mode="after")
    def _different(self) -> Self:
        if len({level.id for level in self.value}) < len(self.value):
            raise ValueError("every level needs an id of its own")
        return self


class LinksOption(Strict):
    """Addresses outside of the portal."""

    name: Literal["links"] = "links"
    value: Links = Links()


class GatewayBrandOption(Strict):
    """The name under which the gateways are sold; forms, facts and labels of gateways show it."""

    name: Literal["gateway_brand"] = "gateway_brand"
    value: Title = "SMGW"


class QuickEntry(Strict):
    """A button of the top bar. icon: name of an icon, or the address of an uploaded one."""

    url: Url
    text: Title
    icon: str = Field(default="", max_length=100, pattern=r"^([a-z0-9-]{0,40}|/api/v1/file/[0-9a-f]{64})$")
    newWindow: bool = True
    position: int = Field(default=0, ge=0, le=1000)


class Notifications(Strict):
    """Which events the portal shows and sounds."""

    alarm: bool = False
    onoff: bool = False
    alarmTone: bool = True
    onoffTone: bool = False


class ColumnChoice(Strict):
    """Columns of one table: ids from left to right, hidden ones, widths in pixels."""

    order: list[Name] = Field(default=[], max_length=MAX_COLUMNS)
    hidden: list[Name] = Field(default=[], max_length=MAX_COLUMNS)
    widths: dict[Name, Annotated[int, Field(ge=20, le=2000)]] = Field(default={}, max_length=MAX_COLUMNS)


class Preferences(Strict):
    """How the portal looks to its user; null: as the browser has it."""

    language: Literal["zh", "en"] | None = None
    scheme: Literal["light", "dark", "auto"] | None = None
    size: Literal["medium", "small", "mini"] | None = None
    sidebar: bool | None = None


class SavedView(Strict):
    """A choice of a list under a name: the parameters of its address, without the question mark."""

    title: Title
    query: str = Field(max_length=1500, pattern=r"^[^\x00-\x20?#]*$")


class QuickEntriesOption(Strict):
    """Quick entries in the order of their positions."""

    name: Literal["user_config"] = "user_config"
    value: list[QuickEntry] = Field(default=[], max_length=MAX_ENTRIES)


class NotificationsOption(Strict):
    """Notifications and tones."""

    name: Literal["notifications"] = "notifications"
    value: Notifications = Notifications()


class ColumnsOption(Strict):
    """Columns by the name of their table."""

    name: Literal["columns"] = "columns"
    value: dict[Name, ColumnChoice] = Field(default={}, max_length=MAX_TABLES)


class PreferencesOption(Strict):
    """Language, size, colours, sidebar."""

    name: Literal["preferences"] = "preferences"
    value: Preferences = Preferences()


class MonitorViewsOption(Strict):
    """Views of the list monitor in the order of their making."""

    name: Literal["monitor_views"] = "monitor_views"
    value: list[SavedView] = Field(default=[], max_length=MAX_ENTRIES)


class DeviceViewsOption(Strict):
    """Views of device management in the order of their making: filters, order and columns."""

    name: Literal["device_views"] = "device_views"
    value: list[SavedView] = Field(default=[], max_length=MAX_ENTRIES)


class MarkedPoint(Strict):
    """A point that a user marked, its gateway, and what it was called then. Nothing is looked up by it."""

    dsid: int = Field(ge=1, le=2**31 - 1)
    device_id: int = Field(ge=1, le=2**31 - 1)
    label: str = Field(max_length=MAX_LABEL, pattern=r"^[^\x00]*$")


class HistoryPointsOption(Strict):
    """Points that history offers first, the newest mark first."""

    name: Literal["history_points"] = "history_points"
    value: list[MarkedPoint] = Field(default=[], max_length=MAX_MARKED)


class FavouriteDevicesOption(Strict):
    """Gateways that the landing page shows, by their numbers, the newest mark first."""

    name: Literal["favourite_devices"] = "favourite_devices"
    value: list[Annotated[int, Field(ge=1, le=2**31 - 1)]] = Field(default=[], max_length=MAX_FAVOURITES)


class CloudConfig(Strict):
    """Switches of the whole installation; 0 is off.

    ot: OTA, rl: permission rules, announced: the portal lists screens that are not built yet; ss and rg:
    reserved.
    """

    ot: int = Field(default=0, ge=0, le=1)
    rl: int = Field(default=0, ge=0, le=1)
    ss: int = Field(default=0, ge=0, le=1)
    rg: int = Field(default=0, ge=0, le=1)
    announced: int = Field(default=0, ge=0, le=1)


class DictionaryBody(Strict):
    """An entry of the dictionary, whole."""

    key: Literal["CDCF"]
    value: CloudConfig


PlatformOptionName = Literal["alarm_levels", "links", "gateway_brand", "map_base", "map_borders"]
UserOptionName = Literal[
    "user_config",
    "notifications",
    "columns",
    "preferences",
    "monitor_views",
    "device_views",
    "history_points",
    "favourite_devices",
]

PlatformOptionBody = Annotated[
    AlarmLevelsOption | LinksOption | GatewayBrandOption | MapBaseOption | MapBordersOption,
    Field(discriminator="name"),
]
UserOptionBody = Annotated[
    QuickEntriesOption
    | NotificationsOption
    | ColumnsOption
    | PreferencesOption
    | MonitorViewsOption
    | DeviceViewsOption
    | HistoryPointsOption
    | FavouriteDevicesOption,
    Field(discriminator="name"),
]

PLATFORM_OPTIONS: TypeAdapter[PlatformOptionBody] = TypeAdapter(PlatformOptionBody)
USER_OPTIONS: TypeAdapter[UserOptionBody] = TypeAdapter(UserOptionBody)
