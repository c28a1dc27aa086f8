"""What the API shows of a gateway's row and its slaves. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from cloud.domains.devices import states
from cloud.domains.devices.forms import column_of
from cloud.domains.devices.port_locks import PortLock, port_lock_at
from cloud.domains.devices.repository import SlaveCounts
from cloud.domains.devices.schemas import DeviceFacts, DeviceRow, LinkState, Presence, Slave
from cloud.domains.devices.slave_schemas import SlaveRequests
from cloud.domains.inventory.models import DataPoint, Device, SlaveDevice
from cloud.domains.inventory.visibility import OWNER, VISITOR

if TYPE_CHECKING:
    from sqlalchemy import Row

EVER_MS = 2**53


@dataclass(frozen=True)
class RowContext:
    """What a row has from other tables: titles by number, which gateways the reader may change and which he
    visits, and when samples of a gateway came last (UTC ms).
    """

    counts: Mapping[int, SlaveCounts]
    layers: Mapping[int, states.BusLayer]
    projects: Mapping[int, str] = field(default_factory=dict)
    products: Mapping[int, str] = field(default_factory=dict)
    writable: frozenset[int] = frozenset()
    sampled: Mapping[str, int] = field(default_factory=dict)
    visited: frozenset[int] = frozenset()


def row(device: Device, context: RowContext, heard_ms: int | None, now_ms: int) -> DeviceRow:
    """A gateway in a list. heard_ms: its last message since this process started."""
    counts = context.counts[device.id]
    presence = _presence(device, context.layers[device.id], now_ms)
    project, product = (
        context.projects.get(device.project_id or 0),
        context.products.get(device.product_id or 0),
    )
    return DeviceRow(
        **{name: getattr(device, column_of(name)) for name in DeviceFacts.model_fields},
        id=device.id,
        gateway_id=device.gateway_id,
        project_id=None if project is None else device.project_id,
        project_title=project,
        product_id=None if product is None else device.product_id,
        product_title=product,
        role=VISITOR if device.id in context.visited else OWNER,
        writes=device.id in context.writable,
        created_ms=device.created_ms,
        status=presence.status,
        presence=Presence(**asdict(presence)),
        link=LinkState(
            online=device.connected,
            since_ms=device.since_ms,
            reason=device.reason,
            back_ms=device.asleep_until_ms if device.online else None,
            report_interval_s=device.reports_every_s,
        ),
        slaves_online=counts.slaves_online if device.online else 0,
        slaves_total=counts.slaves,
        points=counts.points,
        last_ms=heard_ms or device.last_ms,
        data_ms=context.sampled.get(device.gateway_id),
        agent_version=device.agent_version,
        backlog_batches=device.backlog_batches,
        hours_left=device.hours_left,
    )


def value_facts(point: DataPoint | Row[Any]) -> dict[str, Any]:
    """Fields of ValueFacts."""
    return {
        "ds_type": point.kind,
        "data_type": point.data_type,
        "unit": point.unit,
        "decimals": point.decimals,
        "selector": point.selector,
        "on_text": point.on_text,
        "off_text": point.off_text,
    }


def point_facts(point: DataPoint | Row[Any], slave: SlaveDevice) -> dict[str, Any]:
    """Fields of PointFacts."""
    return {
        **value_facts(point),
        "dsid": point.id,
        "ds_name": point.name,
        "ds_title": point.title,
        "rw": point.rw,
        "slave": slave.name,
        "slave_title": slave.title,
        "record": point.record,
        "period_ms": point.period_ms,
        "min": point.min,
        "max": point.max,
    }


def slave(row: SlaveDevice, port_locks: Sequence[PortLock]) -> Slave:
    """A slave, and who has its port."""
    is_locked = not row.online and row.reason == states.PORT_LOCKED
    port_lock = port_lock_at(port_locks, row.device_id, row.port, 0, EVER_MS) if is_locked else None
    return Slave(
        id=row.id,
        name=row.name,
        title=row.title,
        protocol=row.protocol,
        port=row.port,
        address=row.address,
        online=row.online,
        last_good_ms=row.last_good_ms,
        since_ms=row.since_ms,
        reason=row.reason,
        requests=None if row.requests is None else SlaveRequests.model_validate(row.requests),
        lent_to=port_lock.user if port_lock else None,
        lent_ms=port_lock.from_ms if port_lock else None,
    )


def bus(
    counts: SlaveCounts,
    silent: tuple[int, SlaveDevice] | None,
    locked: SlaveDevice | None,
    port_locks: Sequence[PortLock],
) -> states.BusLayer:
    """How the slaves of a gateway are, as the layer of its presence."""
    layer = states.BusLayer(total=counts.slaves, answering=counts.slaves_answering)
    if silent is not None:
        number, first = silent
        layer = replace(
            layer,
            silent=number,
            slave=first.name,
            title=first.title,
            reason=first.reason,
            since_ms=first.since_ms,
            last_good_ms=first.last_good_ms,
        )
    if locked is None:
        return layer
    port_lock = port_lock_at(port_locks, locked.device_id, locked.port, 0, EVER_MS)
    return replace(
        layer,
        locked=counts.slaves_locked,
        locked_port=locked.port,
        locked_by=port_lock.user if port_lock else "",
        locked_ms=port_lock.from_ms if port_lock else locked.since_ms,
    )


def _presence(device: Device, layer: states.BusLayer, now_ms: int) -> states.GatewayPresence:
    value = states.ValueLayer(
        device.clock_set,
        device.hours_left,
        device.backlog_batches,
        device.dropped_samples,
        device.dropped_ms,
        device.evicted_batches,
        device.evicted_ms,
    )
    link = states.LinkLayer(
        device.online, device.since_ms, device.reason, device.refused_ms, device.asleep_until_ms
    )
    return states.presence(link, layer, value, now_ms, device.open_alarms)
