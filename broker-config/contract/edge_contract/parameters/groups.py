"""All parameter groups, in the order in which a form shows them."""

from __future__ import annotations

from collections.abc import Mapping

from edge_contract.parameters import (
    calibration,
    channels,
    history,
    hj212,
    hotspot,
    internal_slave,
    loop_write,
    mobile,
    mqtt,
    network,
    registration,
    run,
    uart,
)
from edge_contract.parameters.model import ParameterGroup

GROUPS: Mapping[str, ParameterGroup] = {
    module.GROUP.name: module.GROUP
    for module in (
        run,
        uart,
        channels,
        registration,
        calibration,
        internal_slave,
        hj212,
        mqtt,
        history,
        loop_write,
        network,
        mobile,
        hotspot,
    )
}
