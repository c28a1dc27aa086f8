"""Shapes of SIM cards. Times are UTC milliseconds, days those of the platform's time zone, data in bytes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from cloud.domains.sim_cards.iccid import PATTERN, plain

MAX_BYTES = 2**50
"""1 PiB."""

MAX_FEN = 10**12
FIRST_DAY, LAST_DAY = date(2000, 1, 1), date(2199, 12, 31)

Operator = Literal["cmcc", "cucc", "ctcc", "cbn", "other"]
"""China Mobile, China Unicom, China Telecom, China Broadnet."""

CardStatus = Literal["stock", "test", "silent", "active", "suspended", "cancelled"]
Language = Literal["zh", "en"]
ForecastReason = Literal[
    "", "no_plan", "no_period", "period_over", "period_ahead", "no_usage", "few_days", "partial"
]
ComparisonReason = Literal["", "no_period", "no_billing", "partial"]


def _plain(value: object) -> object:
    return plain(value) if isinstance(value, str) else value


def _near(day: date) -> date:
    if not FIRST_DAY <= day <= LAST_DAY:
        raise ValueError(f"a day of {FIRST_DAY.year} to {LAST_DAY.year}")
    return day


Iccid = Annotated[str, BeforeValidator(_plain), StringConstraints(pattern=PATTERN, max_length=20)]
Day = Annotated[date, AfterValidator(_near)]
ByteCount = Annotated[int, Field(ge=0, le=MAX_BYTES)]
ShortText = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=100, pattern=r"^[^\x00-\x1f\x7f]*$")
]
Remark = Annotated[str, StringConstraints(strip_whitespace=True, max_length=500, pattern=r"^[^\x00]*$")]
Number = Annotated[int, Field(ge=1, le=2**31 - 1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SimCardFields(_Strict):
    """What is known of a card. plan_bytes: data of a billing period, null when unknown; balance_fen: 1/100 of
    the currency; billing_begin, billing_end: first and last day of the present billing period; created_on:
    when the operator made it; silent_until, test_until: last days of these periods.
    """

    operator: Operator = "other"
    supplier: ShortText = ""
    status: CardStatus = "active"
    activated: bool = False
    expires_on: Day | None = None
    plan_title: ShortText = ""
    plan_bytes: ByteCount | None = None
    balance_fen: Annotated[int, Field(ge=-MAX_FEN, le=MAX_FEN)] | None = None
    billing_begin: Day | None = None
    billing_end: Day | None = None
    activated_on: Day | None = None
    outbound_on: Day | None = None
    created_on: Day | None = None
    silent_until: Day | None = None
    test_until: Day | None = None
    test_bytes: ByteCount | None = None
    remark: Remark = ""

    @model_validator(mode="after")
    def _check(self) -> SimCardFields:
        if self.billing_begin and self.billing_end and self.billing_end < self.billing_begin:
            raise ValueError("billing_end: not before billing_begin")
        return self


class SimCardBody(SimCardFields):
    """A card. iccid: 18 to 20 characters that begin with 89; blanks and a last F are left out."""

    iccid: Iccid


class SimCardRangeBody(_Strict):
    """Cards from prefix + first to prefix + last, at most 1,000. with_check_digit: a digit by ITU-T E.118
    follows each. fields: of all of them.
    """

    prefix: Annotated[
        str, BeforeValidator(_plain), StringConstraints(pattern=r"^89[0-9A-F]{0,17}$", max_length=19)
    ]
    first: Annotated[str, StringConstraints(pattern=r"^[0-9]{1,9}$")]
    last: Annotated[str, StringConstraints(pattern=r"^[0-9]{1,9}$")]
    with_check_digit: bool = False
    fields: SimCardFields = SimCardFields()


class SimCardRangePreview(BaseModel):
    """What adding a range does. existing: cards that are there already and stay as they are, the first 20 of
    them named; suspect: new ones with another check digit than ITU-T E.118 wants.
    """

    first: str
    last: str
    count: int
    new: int
    existing: int
    existing_iccids: list[str]
    suspect: int


class SimCardRangeResult(BaseModel):
    """added: new cards; existing: were there and stay as they were."""

    added: int
    existing: int


class SimCardGateway(BaseModel):
    """A gateway that the reader sees."""

    id: int
    title: str
    gateway_id: str
    online: bool


class UsageForecast(BaseModel):
    """When the data plan of the billing period is used up, by the mean of days so far.

    reason: why there is no figure, as a code; empty with one. basis: what the mean is of, the operator's
    records or the gateway's count; days: how many it is of; used_bytes: of the period until
    now; mean_bytes: a day. earliest, expected, latest: days on which the plan is used up, null for after the
    end of the period; 95 of 100 lie between the first and the last, if days to come are like those so far.
    end_bytes, end_margin_bytes: at the end of the period, and how much it may differ.
    """

    reason: ForecastReason = ""
    basis: Literal["", "billed", "counted"] = ""
    days: int = 0
    used_bytes: int | None = None
    mean_bytes: int | None = None
    earliest: date | None = None
    expected: date | None = None
    latest: date | None = None
    end_bytes: int | None = None
    end_margin_bytes: int | None = None


class UsageComparison(BaseModel):
    """What the operator billed beside what the gateway counted, both from the beginning of the billing period
    to the end of `day`. difference_bytes: billed less counted. reason: why there is none, as a code; partial:
    the gateway has counted only since counted_from.
    """

    reason: ComparisonReason = ""
    day: date | None = None
    billed_bytes: int | None = None
    counted_bytes: int | None = None
    counted_from: date | None = None
    difference_bytes: int | None = None


class SimCardRow(SimCardBody):
    """A card. gateway: that it is bound to, null for none or one that the reader does not see (bound says
    which); moved_ms: since when it has been in another one; seen: where. owner_name: "" for the platform's.
    billed_bytes, billed_on: newest record of the operator in the billing period; counted_bytes: by gateways
    in the period, null without a count. suspect: its check digit is not that of ITU-T E.118.
    """

    id: int
    owner_name: str
    bound: bool
    gateway: SimCardGateway | None
    moved_ms: int | None
    seen: SimCardGateway | None
    seen_ms: int | None
    billed_bytes: int | None
    billed_on: date | None
    counted_bytes: int | None
    forecast: UsageForecast
    suspect: bool
    changed_ms: int


class SimCardModem(BaseModel):
    """What the gateway of a card said last of its modem. signal: 0 to 31, 99 unknown."""

    imei: str
    iccid: str
    signal: int
    reported_ms: int


class SimCardDetail(BaseModel):
    """A card with what was billed and counted. modem: of the gateway that it is bound to, as far as the
    reader sees that one.
    """

    card: SimCardRow
    comparison: UsageComparison
    modem: SimCardModem | None


class UsageDay(BaseModel):
    """A day. received, sent: by its gateway, null without a count; billed_bytes: the operator's record at the
    end of the day, since the billing period began.
    """

    day: date
    received: int | None
    sent: int | None
    billed_bytes: int | None


class UsageDays(BaseModel):
    """Days with a count or a record, the oldest first."""

    days: list[UsageDay]


class SimCardBindBody(_Strict):
    """device_id: the gateway that the card belongs into; null for none."""

    device_id: Number | None


class SimCardFault(BaseModel):
    """field: of the column; value: of its cell, cut; code: what is wrong, for which the portal has words."""

    field: str
    value: str
    code: str


class SimCardFaultyRow(BaseModel):
    """A row that is left out. number: on the sheet, from 1."""

    number: int
    iccid: str
    faults: list[SimCardFault]


class SimCardImportPreview(BaseModel):
    """What an import does. digest: to be given with the import. billed: records of the operator; wrong: rows
    that are left out, the first 100 of them in rows; ignored: heads of columns that are not known.
    """

    digest: str
    added: int
    changed: int
    unchanged: int
    billed: int
    wrong: int
    suspect: int
    rows: list[SimCardFaultyRow]
    ignored: list[str]


class SimCardImportResult(BaseModel):
    """What an import did; wrong: rows that were left out."""

    added: int
    changed: int
    billed: int
    wrong: int


@dataclass(frozen=True)
class CardFilter:
    """What a list is of. expires_within: days from today, expired cards included; None, "": all."""

    search: str = ""
    operator: str = ""
    status: str = ""
    expires_within: int | None = None
    bound: bool | None = None
    moved: bool | None = None
    sort: str = "iccid"
