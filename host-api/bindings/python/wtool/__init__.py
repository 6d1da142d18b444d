"""Run commands that never outlive their call, through a plugin of wtool.

    import wtool
    result = wtool.run("ls -l", timeout=5)
    print(result.exit_code, result.stdout)

When a call returns, nothing that its command started is alive: no background job, no daemon. The same holds when the call is
interrupted, its task is cancelled, or the interpreter is killed.
"""

from __future__ import annotations

import threading
from typing import Optional

from ._find import find_plugin
from ._plugin import Plugin, Stream, Tool
from ._result import CommandError, Output, PluginError, Result
from ._run import Environment, OnOutput, Path

__all__ = [
    "CommandError",
    "Output",
    "Plugin",
    "PluginError",
    "Result",
    "Stream",
    "Tool",
    "arun",
    "default_plugin",
    "find_plugin",
    "run",
    "stream",
]

_default: Optional[Plugin] = None
_default_lock = threading.Lock()


def default_plugin() -> Plugin:
    """The plugin that find_plugin() finds, opened at the first use and closed when the interpreter ends."""
    global _default
    with _default_lock:
        if _default is None or _default.closed:
            _default = Plugin()
        return _default


def run(
    command: str,
    *,
    timeout: Optional[float] = None,
    cwd: Optional[Path] = None,
    env: Optional[Environment] = None,
    input: Optional[str] = None,
    on_output: Optional[OnOutput] = None,
    check: bool = False,
) -> Result:
    """Plugin.run() of the default plugin."""
    return default_plugin().run(
        command, timeout=timeout, cwd=cwd, env=env, input=input, on_output=on_output, check=check
    )


async def arun(
    command: str,
    *,
    timeout: Optional[float] = None,
    cwd: Optional[Path] = None,
    env: Optional[Environment] = None,
    input: Optional[str] = None,
    on_output: Optional[OnOutput] = None,
    check: bool = False,
) -> Result:
    """Plugin.arun() of the default plugin."""
    return await default_plugin().arun(
        command, timeout=timeout, cwd=cwd, env=env, input=input, on_output=on_output, check=check
    )


def stream(
    command: str,
    *,
    timeout: Optional[float] = None,
    cwd: Optional[Path] = None,
    env: Optional[Environment] = None,
    input: Optional[str] = None,
) -> Stream:
    """The output of a shell command while it runs; see Plugin.stream()."""
    return default_plugin().stream_run(command, timeout=timeout, cwd=cwd, env=env, input=input)
