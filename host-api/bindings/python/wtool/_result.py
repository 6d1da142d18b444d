"""The result of a call."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, List, NamedTuple, Optional


class PluginError(Exception):
    """No call could be made: there is no plugin or no such tool, or the configuration is not valid."""


class CommandError(Exception):
    """The command failed, and the caller had asked for check=True (or result.check())."""

    def __init__(self, result: Result) -> None:
        super().__init__(" ".join(text for text in (result.message, result.hint) if text))
        self.result = result


class Output(NamedTuple):
    """A piece of output as it came. It may begin and end anywhere, even inside a character."""

    stream: str  # "stdout" or "stderr"
    data: bytes


@dataclass(frozen=True)
class Result:
    """The answer of a tool. docs/guide/results.md lists the keys of metadata and the error codes."""

    is_error: bool
    content: List[Dict[str, Any]]
    metadata: Dict[str, Any]
    cancelled: bool

    @property
    def text(self) -> str:
        """The content, for people and models."""
        return "\n".join(str(part["text"]) for part in self.content if "text" in part)

    @property
    def stdout(self) -> str:
        """The output, or what came before the command was ended; at most output.bytes of it, see truncated."""
        return str(self.metadata.get("stdout", self.metadata.get("partial_stdout", "")))

    @property
    def stderr(self) -> str:
        return str(self.metadata.get("stderr", self.metadata.get("partial_stderr", "")))

    @property
    def truncated(self) -> bool:
        """True if stdout or stderr was longer than output.bytes of the configuration, and a line in it says how much was left out."""
        return self.metadata.get("stdout_truncated") is True or self.metadata.get("stderr_truncated") is True

    @property
    def exit_code(self) -> Optional[int]:
        """None if the command did not end by itself, or did not run."""
        code = self.metadata.get("exit_code")
        return code if isinstance(code, int) else None

    @property
    def error_code(self) -> Optional[str]:
        """Such as "exit_nonzero" or "timed_out"; None if is_error is false."""
        code = self._error().get("code")
        return str(code) if code is not None else None

    @property
    def message(self) -> str:
        return str(self._error().get("message", self.text if self.is_error else ""))

    @property
    def hint(self) -> str:
        """What to do about the error; may be empty."""
        return str(self._error().get("hint", ""))

    def check(self) -> Result:
        """Returns this result. Raises CommandError if the result is an error."""
        if self.is_error:
            raise CommandError(self)
        return self

    def _error(self) -> Dict[str, Any]:
        error = self.metadata.get("error")
        return error if isinstance(error, dict) else {}


def parse_result(tool: str, text: bytes, cancelled: bool) -> Result:
    try:
        answer = json.loads(text)
    except ValueError as problem:
        raise PluginError(f"the tool {tool} answered with something that is not JSON, which is a defect of the plugin") from problem
    if not isinstance(answer, dict) or not isinstance(answer.get("is_error"), bool):
        raise PluginError(f'the tool {tool} answered without "is_error", which is a defect of the plugin')
    content, metadata = answer.get("content"), answer.get("metadata")
    return Result(
        is_error=answer["is_error"],
        content=[part for part in content if isinstance(part, dict)] if isinstance(content, list) else [],
        metadata=metadata if isinstance(metadata, dict) else {},
        cancelled=cancelled,
    )
