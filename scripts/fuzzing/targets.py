"""What scripts/fuzz can be told to fuzz."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from fuzzing.dlt645 import Dlt645
from fuzzing.engine import Target
from fuzzing.formula import Formulas
from fuzzing.hj212 import Hj212
from fuzzing.mitsubishi import Fx, Mc
from fuzzing.modbus import Rtu, Tcp
from fuzzing.script import Scripts
from fuzzing.siemens import Iso, Ppi

TARGETS: dict[str, Callable[[], Target]] = {
    "modbus_tcp": partial(Tcp, "modbus_tcp"),
    "modbus_rtu": partial(Rtu, "modbus_rtu"),
    "dlt645_2007": partial(Dlt645, "dlt645_2007"),
    "dlt645_1997": partial(Dlt645, "dlt645_1997"),
    "s7": Iso,
    "ppi": Ppi,
    "fx": Fx,
    "mc_1e_binary": partial(Mc, "1e", "binary"),
    "mc_1e_ascii": partial(Mc, "1e", "ascii"),
    "mc_3e_binary": partial(Mc, "3e", "binary"),
    "mc_3e_ascii": partial(Mc, "3e", "ascii"),
    "hj212_2005": partial(Hj212, "2005"),
    "hj212_2017": partial(Hj212, "2017"),
    "hj212_2025": partial(Hj212, "2025"),
    "formula": Formulas,
    "script": Scripts,
}
