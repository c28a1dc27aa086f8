"""Scripts over points, in a process of their own with bounded time and memory."""

from edge_agent.sandbox.host import ScriptHost
from edge_agent.sandbox.language import compile_script
from edge_agent.sandbox.model import Counters, Outcome, SandboxScript, Trouble

__all__ = ["Counters", "Outcome", "SandboxScript", "ScriptHost", "Trouble", "compile_script"]
