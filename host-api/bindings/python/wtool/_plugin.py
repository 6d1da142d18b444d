"""A plugin and its tools."""

from __future__ import annotations

import asyncio
import atexit
import ctypes
import json
import os
import threading
import weakref
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Set

from . import _abi
from ._call import Call, Channel
from ._find import find_plugin
from ._log import Services
from ._result import Output, PluginError, Result
from ._run import Environment, OnOutput, Path, check_seconds, shell_arguments

SHELL = "shell_execute"


@dataclass(frozen=True)
class Tool:
    """A tool of a plugin."""

    id: str
    title: str
    version: str
    description: str
    input_schema: Dict[str, Any]
    output_schema: Dict[str, Any]  # empty: the tool declares none
    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool


class Plugin:
    """A plugin library with its tools. Any threads may call the tools, even at the same time.

        with Plugin(config={"limits": {"timeout_default": 60}}) as plugin:
            plugin.call("execute_command", {"command": "uname"})

    `config` is the configuration of the tools (docs/guide/configuration.md). The configuration files of the program `wtool` are not read.
    Closing ends all running calls, and all sessions and terminals. The end of the interpreter closes the plugin. A library can be open
    only once at a time.
    """

    def __init__(self, path: Optional[Path] = None, config: Optional[Mapping[str, Any]] = None) -> None:
        self.path = os.path.abspath(os.fspath(path) if path is not None else find_plugin())
        self._lock = threading.RLock()
        self._calls: Set[Call] = set()
        self._made: Dict[str, Any] = {}
        self._closed = True
        self._entry = _open(self.path)
        self.tools: Dict[str, Tool] = {tool.id: tool for tool in _descriptions(self.path, self._entry)}
        self._services = Services()
        with _abi.OwnedBlob() as error:
            if self._entry.init(ctypes.byref(self._services.host), error.out()) != _abi.OK:
                raise PluginError(f"the plugin {self.path} could not be initialised: {_said(error)}")
        try:
            self._make_tools(dict(config or {}))
        except BaseException:
            self._end()
            raise
        self._closed = False
        atexit.register(self.close)
        _plugins.add(self)

    @property
    def closed(self) -> bool:
        return self._closed

    # ---- Shell commands.

    def run(
        self,
        command: str,
        *,
        timeout: Optional[float] = None,
        cwd: Optional[Path] = None,
        env: Optional[Environment] = None,
        input: Optional[str] = None,
        on_output: Optional[OnOutput] = None,
        check: bool = False,
    ) -> Result:
        """Runs shell text, and returns when no process of it is left. `env` is added to the environment, `input` is standard input.

        A command that fails gives a result, not an exception, unless `check` is true. `on_output` is as in call().
        """
        arguments, deadline = shell_arguments(command, timeout, cwd, env, input)
        result = self.call(SHELL, arguments, deadline=deadline, on_output=on_output)
        return result.check() if check else result

    async def arun(
        self,
        command: str,
        *,
        timeout: Optional[float] = None,
        cwd: Optional[Path] = None,
        env: Optional[Environment] = None,
        input: Optional[str] = None,
        on_output: Optional[OnOutput] = None,
        check: bool = False,
    ) -> Result:
        """run() for asyncio; see acall()."""
        arguments, deadline = shell_arguments(command, timeout, cwd, env, input)
        result = await self.acall(SHELL, arguments, deadline=deadline, on_output=on_output)
        return result.check() if check else result

    def stream_run(
        self,
        command: str,
        *,
        timeout: Optional[float] = None,
        cwd: Optional[Path] = None,
        env: Optional[Environment] = None,
        input: Optional[str] = None,
    ) -> Stream:
        """stream() for shell text."""
        arguments, deadline = shell_arguments(command, timeout, cwd, env, input)
        return self.stream(SHELL, arguments, deadline=deadline)

    # ---- Every tool.

    def call(
        self,
        tool: str,
        arguments: Optional[Mapping[str, Any]] = None,
        *,
        deadline: Optional[float] = None,
        on_output: Optional[OnOutput] = None,
    ) -> Result:
        """Calls a tool and waits for the end. `deadline`: seconds after which the call is ended, whatever the tool's own timeout.

        `on_output(stream, data)` is called while the command runs, on the call's own thread. An exception in it stops the call, and is
        raised here. KeyboardInterrupt cancels the call, waits for its end, and is then raised; after a second one, the command gets
        no time to clean up.
        """
        sink = None if on_output is None else _calling(on_output)
        call = self._new_call(tool, arguments, deadline, sink)
        call.start()
        call.wait()
        return call.result()

    def stream(
        self, tool: str, arguments: Optional[Mapping[str, Any]] = None, *, deadline: Optional[float] = None
    ) -> Stream:
        """The output of a call while it runs:

            with plugin.stream("shell_execute", {"command": "make"}) as output:
                for stream, data in output: ...
            print(output.result.exit_code)

        Leaving the block early cancels the call. A slow reader makes the command wait.
        """
        return Stream(lambda sink: self._new_call(tool, arguments, deadline, sink))

    async def acall(
        self,
        tool: str,
        arguments: Optional[Mapping[str, Any]] = None,
        *,
        deadline: Optional[float] = None,
        on_output: Optional[OnOutput] = None,
    ) -> Result:
        """call() for asyncio. A cancelled task cancels the call, waits for its end, and is then cancelled.

        `on_output` is called on the loop's thread; if it is slow, the command waits.
        """
        loop = asyncio.get_running_loop()
        ended = loop.create_future()
        channel = Channel()

        def show() -> None:
            piece = channel.take(wait=False)
            if piece is None or on_output is None:
                return
            try:
                on_output(*piece)
            except BaseException as problem:
                channel.shut()
                call.fail(problem)

        def sink(piece: Output) -> bool:
            if not channel.put(piece):
                return False
            loop.call_soon_threadsafe(show)
            return True

        def end() -> None:
            if not ended.done():
                ended.set_result(None)

        def from_thread(_call: Call) -> None:
            try:
                loop.call_soon_threadsafe(end)
            except RuntimeError:  # The loop was closed without waiting for its tasks.
                pass

        call = self._new_call(tool, arguments, deadline, None if on_output is None else sink, from_thread)
        call.channel = channel
        call.start()
        cancelled: Optional[asyncio.CancelledError] = None
        while not ended.done():
            try:
                await asyncio.wait([ended])
            except asyncio.CancelledError as raised:
                call.cancel("the task was cancelled", now=cancelled is not None)
                cancelled = raised
            except GeneratorExit:  # Nobody waits any longer: the loop was closed without cancelling its tasks.
                channel.shut()
                call.cancel("its task was dropped", now=True)
                raise
        if cancelled is not None:
            raise cancelled
        return call.result()

    # ---- The end.

    def close(self) -> None:
        """Ends all calls that are still running, waits for them, and then ends the plugin. A second call does nothing."""
        with self._lock:
            if self._closed:
                return
            if any(call.thread is threading.current_thread() for call in self._calls):
                raise RuntimeError("a plugin cannot be closed by a function that takes the output of one of its calls")
            self._closed = True
            calls = list(self._calls)
        atexit.unregister(self.close)
        for call in calls:
            call.cancel("the plugin was closed", now=True)
        try:
            for call in calls:
                call.stop("the plugin was closed")
        finally:
            self._end()

    def __enter__(self) -> Plugin:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _end(self) -> None:
        for tool in self._made.values():
            tool.contents.destroy(tool)
        self._made = {}
        self._entry.deinit()

    def _after_fork(self) -> None:
        self._lock = threading.RLock()
        self._calls = set()  # the threads of the parent's calls are not here

    def _make_tools(self, config: Dict[str, Any]) -> None:
        # All tools are made now, because none may be made while a call runs.
        if SHELL in self.tools:
            config["shell"] = {"stdin": True, **config.get("shell", {})}
        text = _json("the configuration", config)
        for name in self.tools:
            words = name.encode()
            tool = ctypes.POINTER(_abi.Tool)()
            with _abi.OwnedBlob() as error:
                status = self._entry.tool_new(_abi.view(words), _abi.view(text), ctypes.byref(tool), error.out())
                if status != _abi.OK:
                    raise PluginError(f"the tool {name} cannot be made: {_said(error)}")
            self._made[name] = tool
            if not tool or tool.contents.struct_size < ctypes.sizeof(_abi.Tool):
                raise PluginError(f"the tool {name} of {self.path} lacks functions of version 1.0")

    def _new_call(
        self,
        tool: str,
        arguments: Optional[Mapping[str, Any]],
        deadline: Optional[float],
        sink: Optional[Callable[[Output], object]],
        ended: Optional[Callable[[Call], None]] = None,
    ) -> Call:
        if tool not in self.tools:
            raise PluginError(f"there is no tool {tool!r}; the tools are {', '.join(self.tools)}")
        if deadline is not None:
            check_seconds("deadline", deadline)
        text = _json("the arguments", dict(arguments or {}))
        # A deadline beyond 2^63 ms has no effect, and might not fit into 64 bits.
        deadline_ms = 0 if deadline is None else min(max(1, round(deadline * 1000)), 2**63)

        def over(call: Call) -> None:
            with self._lock:
                self._calls.discard(call)
            if ended is not None:
                ended(call)

        with self._lock:
            if self._closed:
                raise PluginError(f"the plugin {self.path} was closed")
            call = Call(tool, self._made[tool], text, deadline_ms, sink, over)
            self._calls.add(call)
            return call


class Stream:
    """The output of one call, piece by piece; see Plugin.stream()."""

    def __init__(self, new_call: Callable[[Callable[[Output], object]], Call]) -> None:
        self._new_call = new_call
        self._channel = Channel()
        self._call: Optional[Call] = None

    def __enter__(self) -> Stream:
        if self._call is not None:
            raise RuntimeError("a stream is one call, so it can be entered only once")
        self._call = self._new_call(self._channel.put)
        self._call.channel = self._channel
        self._call.start()
        return self

    def __iter__(self) -> Iterator[Output]:
        if self._call is None:
            raise RuntimeError("the call of a stream begins when the stream is entered: with plugin.stream(...) as output")
        while True:
            piece = self._channel.take(wait=True)
            if piece is None:
                return
            yield piece

    def cancel(self, reason: str = "the call was cancelled") -> None:
        """Cancels the call, from any thread. The iteration ends when the call has ended."""
        if self._call is not None:
            self._call.cancel(reason)

    def __exit__(self, *_: object) -> None:
        assert self._call is not None
        self._channel.shut()
        self._call.cancel("its output is no longer read")
        self._call.wait()

    @property
    def result(self) -> Result:
        """Waits for the end of the call, and drops output that nobody has read."""
        if self._call is None:
            raise RuntimeError("the call of a stream begins when the stream is entered: with plugin.stream(...) as output")
        while self._channel.take(wait=True) is not None:
            pass
        self._call.wait()
        return self._call.result()


_plugins: "weakref.WeakSet[Plugin]" = weakref.WeakSet()


def _after_fork() -> None:
    for plugin in _plugins:
        plugin._after_fork()


os.register_at_fork(after_in_child=_after_fork)


def _calling(on_output: OnOutput) -> Callable[[Output], object]:
    def sink(piece: Output) -> None:
        on_output(*piece)

    return sink


def _json(what: str, value: Dict[str, Any]) -> bytes:
    try:
        return json.dumps(value, allow_nan=False).encode("ascii")
    except (TypeError, ValueError, RecursionError) as problem:
        raise type(problem)(f"{what} cannot be written as JSON: {problem}") from None


def _said(error: _abi.OwnedBlob) -> str:
    return (error.read() or b"no reason was given").decode("utf-8", "replace")


def _open(path: str) -> Any:
    if not os.path.isfile(path):
        raise PluginError(f"the plugin {path} cannot be used: there is no such file")
    try:
        library = ctypes.CDLL(path)
    except OSError as problem:
        raise PluginError(f"the plugin {path} cannot be used: it is not a library that can be loaded here: {problem}") from None
    try:
        entry = _abi.Entry.in_dll(library, _abi.ENTRY_SYMBOL)
    except ValueError:
        raise PluginError(
            f"the plugin {path} cannot be used: it has no symbol {_abi.ENTRY_SYMBOL}, so it is not a plugin for this version of wtool"
        ) from None
    if entry.abi_major != _abi.ABI_MAJOR or entry.struct_size < ctypes.sizeof(_abi.Entry):
        raise PluginError(
            f"the plugin {path} cannot be used: it has version {entry.abi_major}.{entry.abi_minor} of the interface, with an entry of"
            f" {entry.struct_size} bytes, but this host speaks {_abi.ABI_MAJOR}.{_abi.ABI_MINOR}"
        )
    entry.library = library  # The library stays open as long as the entry exists.
    return entry


def _descriptions(path: str, entry: Any) -> Iterator[Tool]:
    for i in range(entry.tool_count()):
        pointer = entry.tool_at(i)
        if not pointer or pointer.contents.struct_size < ctypes.sizeof(_abi.Descriptor):
            raise PluginError(f"the plugin {path} cannot be used: the descriptor of tool number {i} is missing or too small")
        one = pointer.contents
        try:
            schemas = [json.loads(_abi.content(schema) or b"{}") for schema in (one.input_schema, one.output_schema)]
        except ValueError as problem:
            raise PluginError(f"the plugin {path} cannot be used: a schema of {_abi.text(one.id)} is not JSON: {problem}") from None
        yield Tool(
            id=_abi.text(one.id),
            title=_abi.text(one.title),
            version=_abi.text(one.version),
            description=_abi.text(one.description),
            input_schema=schemas[0],
            output_schema=schemas[1],
            read_only=bool(one.hints & 1),
            destructive=bool(one.hints & 2),
            idempotent=bool(one.hints & 4),
            open_world=bool(one.hints & 8),
        )
