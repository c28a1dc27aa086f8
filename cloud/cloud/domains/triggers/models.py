"""Tables of triggers. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    ForeignKey,
    Index,
    Integer,
    SmallInteger,
    String,
    Text,
    false,
)
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import NUMBERS_ONCE, Base


class Trigger(Base):
    """Rules that are switched on and off together. type, mode: codes of schemas.py; interval_s: of a timer.

    user_id: who saved it last, with whose rights it writes. point_id: of the point whose settings it says;
    it is changed there.
    """

    __tablename__ = "alarm_trigger"
    __table_args__ = NUMBERS_ONCE

    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str] = mapped_column(String(100))
    type: Mapped[int] = mapped_column(SmallInteger)
    mode: Mapped[int] = mapped_column(SmallInteger)
    interval_s: Mapped[int] = mapped_column(Integer)
    enabled: Mapped[bool] = mapped_column(Boolean)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("user.id", ondelete="SET NULL"), index=True)
    point_id: Mapped[int | None] = mapped_column(
        ForeignKey("data_point.id", ondelete="CASCADE"), index=True, unique=True
    )
    user_name: Mapped[str] = mapped_column(String(64))
    created_ms: Mapped[int] = mapped_column(BigInteger)
    changed_ms: Mapped[int] = mapped_column(BigInteger)


class TriggerRule(Base):
    """One rule of a trigger. version: rises when what it says of values changes; body: a TriggerRuleBody.

    Its number is never given again: alarms name the rule for longer than it is there.
    """

    __tablename__ = "alarm_rule"
    __table_args__ = NUMBERS_ONCE

    id: Mapped[int] = mapped_column(primary_key=True)
    trigger_id: Mapped[int] = mapped_column(ForeignKey("alarm_trigger.id", ondelete="CASCADE"), index=True)
    place: Mapped[int] = mapped_column(SmallInteger)
    version: Mapped[int] = mapped_column(Integer)
    body: Mapped[dict[str, Any]] = mapped_column(JSON)


class TriggerGateway(Base):
    """A gateway whose values a trigger looks at; a trigger is seen by who sees all of them."""

    __tablename__ = "trigger_gateway"

    trigger_id: Mapped[int] = mapped_column(
        ForeignKey("alarm_trigger.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    device_id: Mapped[int] = mapped_column(
        ForeignKey("device.id", ondelete="CASCADE"), primary_key=True, autoincrement=False, index=True
    )


class EvaluationState(Base):
    """What is known of the rules of one gateway, 0 for those over several. state: an EngineState."""

    __tablename__ = "alarm_evaluation"

    device_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    state: Mapped[str] = mapped_column(Text)
    saved_ms: Mapped[int] = mapped_column(BigInteger)


class LinkageRun(Base):
    """A preset that a rule had carried out. kind: raised or cleared; is_due: not yet; command_id: the first
    command that came of it; problem: why none did, as a code. at_gateway: the gateway did it by itself; the
    command log has what it wrote. left_out: of an entry that linkages rest, how many were left out so far.
    version: of the rule; raised_ms: of the alarm that it answers to, which the two name. trigger_title: what
    the trigger was called then.

    It outlasts its trigger, as the alarm does. Its number is never given again: the command is requested
    under it, once.
    """

    __tablename__ = "linkage_run"
    __table_args__ = (Index("ix_linkage_run_rule", "rule_id", "at_ms"), NUMBERS_ONCE)

    id: Mapped[int] = mapped_column(primary_key=True)
    trigger_id: Mapped[int] = mapped_column(Integer, index=True)
    trigger_title: Mapped[str] = mapped_column(String(100), default="", server_default="")
    rule_id: Mapped[int] = mapped_column(Integer)
    version: Mapped[int | None] = mapped_column(Integer)
    raised_ms: Mapped[int | None] = mapped_column(BigInteger)
    kind: Mapped[str] = mapped_column(String(10))
    preset_id: Mapped[int] = mapped_column(Integer)
    at_ms: Mapped[int] = mapped_column(BigInteger)
    noted_ms: Mapped[int] = mapped_column(BigInteger, index=True)
    is_due: Mapped[bool] = mapped_column(Boolean)
    command_id: Mapped[str | None] = mapped_column(String(40))
    problem: Mapped[str] = mapped_column(String(80), default="")
    at_gateway: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    left_out: Mapped[int] = mapped_column(Integer, default=0, server_default="0")


class RuleHome(Base):
    """What a gateway evaluates itself. takes: it can. hash, rules: of what it holds durably, each rule as
    [number, version]; problems: numbers of those that it leaves out; sent_hash, sent_rules: of what was sent
    last.

    alarms: that there are of these rules, [version, raised_ms, since_ms, condition] by the rule's number.
    stream, seq: which of its events are recorded; dropped: those that it could not keep.
    """

    __tablename__ = "gateway_rules"

    device_id: Mapped[int] = mapped_column(
        ForeignKey("device.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    takes: Mapped[bool] = mapped_column(Boolean)
    hash: Mapped[str | None] = mapped_column(String(64))
    rules: Mapped[list[list[int]]] = mapped_column(JSON, default=list)
    problems: Mapped[list[int]] = mapped_column(JSON, default=list)
    sent_hash: Mapped[str | None] = mapped_column(String(64))
    sent_rules: Mapped[list[list[int]]] = mapped_column(JSON, default=list)
    alarms: Mapped[dict[str, list[int]]] = mapped_column(JSON, default=dict)
    stream: Mapped[str] = mapped_column(String(16), default="")
    seq: Mapped[int] = mapped_column(BigInteger, default=0)
    dropped: Mapped[int] = mapped_column(BigInteger, default=0)
