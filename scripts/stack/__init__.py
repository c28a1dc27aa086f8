"""The whole product on one machine: cloud with its broker, a simulated plant, an edge agent.

Used by scripts/demo, scripts/bench, scripts/chaos, the system and the browser tests. Standard library only;
the programs run from .venv as the processes that they are in the field, so that a test may kill any of them.
"""

from stack.api import Api
from stack.emqx import Emqx
from stack.notification_env import notification_env
from stack.ports import Ports, free_run
from stack.product import GATEWAY, Stack
from stack.program import Program, StackError, find_server
from stack.register import held
from stack.supervisor import Supervisor

__all__ = [
    "GATEWAY",
    "Api",
    "Emqx",
    "Ports",
    "Program",
    "Stack",
    "StackError",
    "Supervisor",
    "find_server",
    "free_run",
    "held",
    "notification_env",
]
