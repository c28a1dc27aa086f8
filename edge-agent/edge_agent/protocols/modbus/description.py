"""What the Modbus package reports of itself, by protocol."""

from __future__ import annotations

from edge_agent.protocols.conditions import (
    above,
    among,
    below,
    both,
    choice,
    difference,
    either,
    equal,
    given,
    largest,
    negation,
    product,
    quotient,
    total,
    var,
)
from edge_agent.protocols.description import (
    AddressForm,
    Check,
    Connection,
    Description,
    PointExtent,
    Rule,
    SerialFraming,
    Words,
)
from edge_agent.protocols.modbus.config import VAR_REGISTERS, Address, Options, TcpOptions
from edge_agent.protocols.usual_checks import length_check, station_check

LOWEST, HIGHEST = 1, 247
HIGHEST_UNIT = 255
"""Of Modbus TCP: a server that wants another unit than 1 to 247 has it as options.unit_id."""

ADDRESSES = 65_536
LEAST_INTERVAL_MS = 5
"""Pause between two requests on a line; over TCP a shorter one works."""

IS_BITS = among(var("address.reg_type"), "0X", "1X")
SIZE = choice(
    var("address.length"),
    var("address.length"),
    product(choice(IS_BITS, 1, largest(1, quotient(var("bytes"), 2))), choice(var("pair"), 2, 1)),
)
"""Addresses that a point takes: bits in 0X and 1X, registers in 3X and 4X."""


def _interval_checks() -> tuple[Check, ...]:
    pause_ms, arguments = var("port.min_interval_ms"), {"min": LEAST_INTERVAL_MS}
    short = both({">=": [pause_ms, 0]}, below(pause_ms, LEAST_INTERVAL_MS))
    serial = equal(var("port.type"), "COM")
    return (
        (
            Rule("min_interval_ms", "modbus_interval", both(short, serial), arguments),
            Rule("min_interval_ms", "modbus_interval", short, arguments, level="warning"),
        ),
    )


def _point_checks() -> tuple[Check, ...]:
    refused_pair = both(var("pair"), either(IS_BITS, given("bit")))
    coils = both(IS_BITS, negation(var("pair")))
    registers = both(var("address.reg_type"), negation(IS_BITS), negation(refused_pair))
    length, bit, bits = var("address.length"), var("address.bit"), var("integer_bits")
    long_var = both(equal(var("data_type"), "var"), registers, above(length, VAR_REGISTERS))
    too_wide = either(negation(var("unsigned")), above(length, either(bits, 0)))
    start = difference(var("address.offset"), choice(var("option.one_based"), 1, 0))
    return (
        (
            Rule(
                "rw", "area_read_only", both(var("writes"), among(var("address.reg_type"), "1X", "3X")),
                {"area": var("address.reg_type")},
            ),
        ),
        (Rule("address.reg_type", "location_area", refused_pair),),
        (
            Rule(
                "address.reg_type", "single_bits",
                both(coils, either(equal(bits, None), given("bit"), given("byte"))),
            ),
        ),
        (Rule("address.length", "bits_type", both(above(length, 1), coils, too_wide)),),
        (
            *length_check("string", "var", where=registers, present=negation(equal(length, None))),
            Rule("address.length", "range", long_var, {"min": 1, "max": VAR_REGISTERS}),
        ),
        (
            Rule(
                "address.byte", "byte_type",
                both(given("byte"), registers, negation(among(var("data_type"), "uint8", "int8", "string"))),
            ),
        ),
        (
            Rule(
                "address.bit", "bit_type",
                both(negation(equal(bit, None)), registers, equal(bits, None)),
            ),
            Rule(
                "address.bit", "range", both({">=": [bit, bits]}, registers),
                {"min": 0, "max": difference(bits, 1)},
            ),
        ),
        (
            Rule(
                "address.offset", "range", both(var("option.one_based"), equal(var("address.offset"), 0)),
                {"min": 1, "max": ADDRESSES},
            ),
            Rule(
                "address.offset", "address_end", above(total(start, SIZE), ADDRESSES), {"most": ADDRESSES}
            ),
        ),
    )  # fmt: skip


_RANGE = station_check(LOWEST, HIGHEST)
_STATION = var("station")
_REMEDY = Rule(
    "address",
    "unit_id",
    either(equal(_STATION, 0), both(above(_STATION, HIGHEST), {"<=": [_STATION, HIGHEST_UNIT]})),
    {"min": LOWEST, "max": HIGHEST},
)

SLAVE_ADDRESS = AddressForm(Words("从机地址", "Slave address"), Words("1 至 247", "1 to 247"))
UNIT = AddressForm(Words("单元标识", "Unit ID"), Words("1 至 247，通常为 1", "1 to 247; usually 1"))


def _description(
    name: str,
    title: str,
    port_type: str,
    connection: Connection,
    *,
    options: type[Options] = Options,
    slave_address: AddressForm = SLAVE_ADDRESS,
    address_check: Check = _RANGE,
) -> Description:
    return Description(
        name=name,
        title=Words(title, title),
        short=title,
        stem="slave",
        port_types=frozenset({port_type}),
        connection=connection,
        slave_address=slave_address,
        options=options,
        address=Address,
        reads_pairs=True,
        extent=PointExtent(var("address.reg_type"), var("address.offset"), SIZE),
        port_checks=_interval_checks(),
        address_checks=(address_check,),
        point_checks=_point_checks(),
        fault_words={
            "modbus_interval": Words(
                "Modbus 的最小间隔不小于 {min} 毫秒", "At least {min} ms between two Modbus requests"
            )
        },
    )


DESCRIPTIONS = {
    each.name: each
    for each in (
        _description(
            "modbus_tcp", "Modbus TCP", "NET", Connection("1", tcp_port=502, multidrop=True),
            options=TcpOptions, slave_address=UNIT, address_check=(_REMEDY, *_RANGE),
        ),
        _description(
            "modbus_rtu", "Modbus RTU", "COM",
            Connection("1", serial=SerialFraming(9600, "N"), multidrop=True),
        ),
        _description("modbus_rtu_tcp", "Modbus RTU over TCP", "NET", Connection("1", multidrop=True)),
    )
}  # fmt: skip
"""By protocol. Frames of RTU over TCP go to a serial server, whose port is its own."""
