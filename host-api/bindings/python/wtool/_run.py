"""Makes the arguments of shell_execute from the parameters of run()."""

from __future__ import annotations

import math
import os
from typing import Any, Callable, Dict, Mapping, Optional, Tuple, Union

Path = Union[str, "os.PathLike[str]"]
Environment = Mapping[str, str]
OnOutput = Callable[[str, bytes], object]  # stream ("stdout" or "stderr"), bytes


def shell_arguments(
    command: str,
    timeout: Optional[float],
    cwd: Optional[Path],
    env: Optional[Environment],
    input: Optional[str],
) -> Tuple[Dict[str, Any], Optional[float]]:
    """The arguments, and a deadline if the timeout is not a whole number of seconds: the tool takes only whole seconds."""
    arguments: Dict[str, Any] = {"command": command}
    deadline: Optional[float] = None
    if timeout is not None:
        check_seconds("timeout", timeout)
        arguments["timeout"] = math.ceil(timeout)
        if timeout != arguments["timeout"]:
            deadline = timeout
    if cwd is not None:
        arguments["working_directory"] = os.fspath(cwd)
    if env is not None:
        arguments["environment"] = dict(env)
    if input is not None:
        arguments["stdin"] = input
    return arguments, deadline


def check_seconds(name: str, value: float) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number of seconds, not {value!r}")
    if not (value > 0 and math.isfinite(value)):
        raise ValueError(f"{name} must be a number of seconds above 0, not {value!r}")
