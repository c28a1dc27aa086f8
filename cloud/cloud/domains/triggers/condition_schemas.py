"""Conditions of a trigger's rules, with the specification's names (001, section 3)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from cloud.domains.triggers.numbers import Code, NotNegative, Number, Positive, Threshold
from edge_contract.alarms.rule import Direction, Operator


class TriggerFields(BaseModel):
    """No field beside those that are named."""

    model_config = ConfigDict(extra="forbid")


class ComparisonBody(TriggerFields):
    """deadband: how far a value must be back before it holds no more; clear: where it does, instead."""

    type: Literal[1]
    dsid: Number
    trigger_optype: Annotated[Operator, Code]
    trigger_threshold: Threshold
    deadband: NotNegative = 0
    clear: Threshold | None = None


class UnchangedBody(TriggerFields):
    """No change beyond the deadband for so long."""

    type: Literal[2]
    dsid: Number
    duration_s: Annotated[float, Field(strict=True, gt=0, le=31 * 86_400)]
    deadband: NotNegative = 0


class ChangeBody(TriggerFields):
    """Two values one after the other that differ by so much."""

    type: Literal[3]
    dsid: Number
    magnitude: Positive


class TrendBody(TriggerFields):
    """So many changes in one direction one after the other, together at least the magnitude."""

    type: Literal[4]
    dsid: Number
    direction: Direction
    count: Annotated[int, Field(strict=True, ge=2, le=1000)] = 3
    magnitude: NotNegative = 0


class NotConnectedBody(TriggerFields):
    """A slave does not answer."""

    type: Literal[5]
    slave_id: Number


class ScriptConditionBody(TriggerFields):
    """The outcome of a script is true. dsid: the calculated point that the script gives its outcome to."""

    type: Literal[6]
    dsid: Number


def _without_mapping(schema: dict[str, Any]) -> None:
    """The mapping of OpenAPI has texts for the numbers of the types; each branch names its own."""
    schema.pop("discriminator", None)


def _without_tag(value: Any, read: ValidatorFunctionWrapHandler) -> Any:
    """The type of a condition is no part of the path to its fields."""
    try:
        return read(value)
    except ValidationError as error:
        untagged = [_untagged(each) for each in error.errors()]
        raise ValidationError.from_exception_data(error.title, untagged) from None


def _untagged(error: ErrorDetails) -> InitErrorDetails:
    fault = PydanticCustomError(error["type"], error["msg"], error.get("ctx"))
    return InitErrorDetails(type=fault, loc=error["loc"][1:], input=error["input"])


ConditionBody = Annotated[
    ComparisonBody | UnchangedBody | ChangeBody | TrendBody | NotConnectedBody | ScriptConditionBody,
    Field(discriminator="type", json_schema_extra=_without_mapping),
    WrapValidator(_without_tag),
]
