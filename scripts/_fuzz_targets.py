"""What scripts/fuzz can be told to fuzz."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from _fuzz import Target
from _fuzz_dlt645 import Dlt645
from _fuzz_formula import Formulas
from _fuzz_mitsubishi import Fx, Mc
from _fuzz_modbus import Rtu, Tcp
from _fuzz_script import Scripts
from _fuzz_siemens import Iso, Ppi

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
    "formula": Formulas,
    "script": Scripts,
}
