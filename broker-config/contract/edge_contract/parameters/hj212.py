"""A platform of HJ 212: the rows of section forwarders whose kind is hj212.

Ranges and dependencies are those of the specification (OTA gateway, environmental platform) and of HJ
212-2017; which factor fits which point only the gateway can say.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec

from edge_contract.deployment import Fault
from edge_contract.parameters.model import (
    ParameterGroup,
    Parameters,
    PointText,
    RowName,
    TcpPort,
    fault,
    label,
)
from edge_contract.parameters.views import rows
from edge_contract.targets import MAX_TARGETS

LOWEST_RTD_S, HIGHEST_RTD_S = 30, 3600
"""RtdInterval (HJ 212-2017, annex C)."""

ReportType = Literal["rtd", "avg", "min", "max", "cou"]
TimeUnit = Literal["m", "h", "d"]
Tolerance = Literal[
    "any_mn", "any_st", "missing_fields", "any_order", "any_version", "part_numbers", "any_rf", "trim_blanks",
    "length_in_characters", "missing_tail", "universal_crc", "clear_area",
]  # fmt: skip
CrcVariant = Literal["standard", "standard_swapped", "crc16_modbus", "crc16_modbus_swapped", "unchecked"]
FlagText = Annotated[str, msgspec.Meta(pattern=r"^[A-Z][a-z]?$(?!\n)")]


class Factor(Parameters, frozen=True, kw_only=True):
    """One variable of the platform: the factor of a point, and how it is reported."""

    factor: Annotated[
        str, msgspec.Meta(pattern=r"^[A-Za-z0-9]{1,24}$(?!\n)"), label("因子编码", "Factor code")
    ]
    point: Annotated[PointText, label("数据点", "Data point")]
    types: Annotated[
        tuple[ReportType, ...], msgspec.Meta(min_length=1, max_length=5), label("上报类型", "Report types")
    ] = ("rtd", "avg", "min", "max")
    units: Annotated[tuple[TimeUnit, ...], msgspec.Meta(max_length=3), label("时间单位", "Time units")] = (
        "m",
        "h",
        "d",
    )
    converted: Annotated[bool, label("折算值", "Converted value")] = False
    flow: Annotated[PointText, label("流量数据点", "Flow point")] | None = None
    flow_unit: Annotated[Literal["L/s", "m3/s", "m3/h"], label("流量单位", "Unit of the flow")] | None = None
    upper: Annotated[float, label("测量上限", "Upper measuring limit")] | None = None
    decimals: Annotated[int, msgspec.Meta(ge=0, le=9), label("小数位数", "Decimals")] | None = None
    state: Annotated[PointText, label("状态数据点", "State point")] | None = None


class Hj212(Parameters, frozen=True, kw_only=True):
    """flag: 5 wants an answer to each upload, 0 none. random_min_ms, random_max_ms: a pause before each
    upload. supplementary: send what was not acknowledged again. name: of the target.
    """

    name: Annotated[RowName, label("名称", "Name")]
    enable: Annotated[bool, label("启用", "Enable")] = True
    server: Annotated[str, msgspec.Meta(min_length=1, max_length=253), label("平台地址", "Platform address")]
    port: Annotated[TcpPort, label("端口", "Port")]
    mn: Annotated[
        str,
        msgspec.Meta(pattern=r"^[!-%'-+\--:<>-~]{1,64}$(?!\n)"),
        label("设备唯一标识 MN", "Station identity (MN)"),
    ]
    st: Annotated[
        str, msgspec.Meta(pattern=r"^[0-9A-Z]{2}$(?!\n)"), label("系统编码 ST", "System code (ST)")
    ] = "32"
    pw: Annotated[
        str,
        msgspec.Meta(pattern=r"^[0-9A-Za-z]{0,6}$(?!\n)"),
        label("访问密码 PW", "Password (PW)", secret=True),
    ] = ""
    version: Annotated[Literal["2005", "2017", "2025"], label("协议版本", "Version of the standard")] = "2017"
    flag: Annotated[Literal[0, 5], label("应答标志 Flag", "Flag")] = 5
    cache_limit: Annotated[
        int, msgspec.Meta(ge=1, le=100_000), label("断网缓存上限（条）", "Records kept while interrupted")
    ] = 10_000
    rtd_interval_s: Annotated[
        int,
        msgspec.Meta(ge=0, le=HIGHEST_RTD_S),
        label("实时数据间隔（秒，0 不上报）", "Real-time interval (s, 0 for none)"),
    ] = 60
    report_interval_min: Annotated[
        Literal[0, 1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30],
        label("分钟数据间隔（分，0 不上报）", "Report interval (min, 0 for none)"),
    ] = 10
    retry_times: Annotated[int, msgspec.Meta(ge=0, le=99), label("重发次数", "Retry times")] = 3
    timeout_s: Annotated[int, msgspec.Meta(ge=1, le=99), label("超时（秒）", "Time-out (s)")] = 10
    crc: Annotated[CrcVariant, label("校验方式", "Check digits")] = "standard"
    tolerances: Annotated[
        tuple[Tolerance, ...], msgspec.Meta(max_length=20), label("容错项", "Tolerances")
    ] = ()
    random_min_ms: Annotated[
        int, msgspec.Meta(ge=0, le=60_000), label("随机数下限（毫秒）", "Random number, from (ms)")
    ] = 0
    random_max_ms: Annotated[
        int, msgspec.Meta(ge=0, le=60_000), label("随机数上限（毫秒）", "Random number, to (ms)")
    ] = 500
    supplementary: Annotated[bool, label("补传数据", "Supplementary data")] = True
    supplementary_rtd: Annotated[bool, label("补传实时数据", "Supplementary real-time data")] = False
    time_zone: Annotated[
        str, msgspec.Meta(pattern=r"^[+-]\d\d:[0-5]\d$(?!\n)"), label("时区", "Time zone")
    ] = "+08:00"
    states: Annotated[
        dict[str, FlagText], msgspec.Meta(max_length=50), label("状态对应的数据标记", "Flags by state")
    ] = {}
    validity: Annotated[Literal["share", "any"], label("有效性判定", "Validity of longer records")] | None = (
        None
    )
    keep_days: Annotated[
        int, msgspec.Meta(ge=1, le=366), label("记录保存（天）", "Records kept for (days)")
    ] = 30
    heartbeat_s: Annotated[
        int, msgspec.Meta(ge=0, le=3600), label("心跳间隔（秒，0 关闭）", "Heartbeat (s, 0 for none)")
    ] = 0
    cipher: (
        Annotated[Literal["raw", "list", "hex", "base64"], label("加密形式", "Form of the cipher")] | None
    ) = None
    cipher_secret: Annotated[
        str, msgspec.Meta(max_length=32), label("加密密钥", "Key of the cipher", secret=True)
    ] = ""
    crc_over_cipher: Annotated[bool, label("对密文校验", "Check digits of the cipher")] = False
    mapping: Annotated[list[Factor], msgspec.Meta(min_length=1, max_length=200), label("因子对应", "Factors")]


def _dependencies(target: Hj212) -> Iterator[Fault]:
    if 0 < target.rtd_interval_s < LOWEST_RTD_S:
        yield fault("rtd_interval_s", f"must be 0 or {LOWEST_RTD_S} to {HIGHEST_RTD_S} s")
    if target.random_min_ms > target.random_max_ms:
        yield fault("random_min_ms", "must be at most random_max_ms")
    if target.supplementary and not target.random_max_ms:
        yield fault("supplementary", "needs random_max_ms above 0")
    if target.supplementary_rtd and not target.supplementary:
        yield fault("supplementary_rtd", "needs supplementary")
    if target.heartbeat_s and target.version != "2025":
        yield fault("heartbeat_s", "must be 0 for a version before 2025")
    if target.cipher is not None and target.version != "2025":
        yield fault("cipher", "must be left out for a version before 2025")
    keys: set[tuple[str, bool]] = set()
    for at, each in enumerate(target.mapping):
        if (each.factor, each.converted) in keys:
            yield fault(f"mapping[{at}].factor", f"must be named once; {each.factor} is there already")
        keys.add((each.factor, each.converted))
        if set(each.types) != {"rtd"} and not each.units:
            yield fault(f"mapping[{at}].units", "must name m, h or d for types beside rtd")


_BESIDE_OPTIONS = ("name", "enable")
_read, _write = rows(
    "forwarders",
    {
        field: (field,) if field in _BESIDE_OPTIONS else ("options", field)
        for field in Hj212.__struct_fields__
    },
    {"kind": "hj212"},
)
GROUP = ParameterGroup(
    "hj212",
    "环保平台（HJ 212）",
    "Environmental platform (HJ 212)",
    Hj212,
    _read,
    _write,
    key=("name",),
    max_rows=MAX_TARGETS,
    dependencies=_dependencies,
)
