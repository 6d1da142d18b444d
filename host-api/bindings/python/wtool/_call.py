"""One call, on a thread of its own, from its start to its end; and the channel that brings its output to a reader."""

from __future__ import annotations

import collections
import ctypes
import threading
from typing import Any, Callable, Deque, Optional

from . import _abi
from ._result import Output, PluginError, Result, parse_result


class Channel:
    """Output between the thread of a call and its reader. Bounded: a slow reader makes the command wait."""

    def __init__(self, room: int = 64) -> None:
        self._changed = threading.Condition()
        self._pieces: Deque[Output] = collections.deque()
        self._room = room
        self._shut = self._finished = False

    def put(self, piece: Output) -> bool:
        """Waits for room. False: nobody reads the output any longer."""
        with self._changed:
            while len(self._pieces) >= self._room and not self._shut:
                self._changed.wait()
            if not self._shut:
                self._pieces.append(piece)
                self._changed.notify_all()
            return not self._shut

    def take(self, wait: bool) -> Optional[Output]:
        """The next piece. None: the call has ended or, without `wait`, no piece has come."""
        with self._changed:
            while wait and not self._pieces and not self._finished:
                self._changed.wait()
            if not self._pieces:
                return None
            self._changed.notify_all()
            return self._pieces.popleft()

    def finish(self) -> None:
        with self._changed:
            self._finished = True
            self._changed.notify_all()

    def shut(self) -> None:
        with self._changed:
            self._shut = True
            self._changed.notify_all()


class Call:
    """Can be started only once. `sink` is called on the call's thread; if it returns False or raises, the call stops."""

    def __init__(
        self,
        tool_name: str,
        tool: Any,
        arguments: bytes,
        deadline_ms: int,
        sink: Optional[Callable[[Output], object]],
        ended: Callable[[Call], None],
    ) -> None:
        self._tool_name, self._tool, self._sink, self._on_ended = tool_name, tool, sink, ended
        self._lock = threading.RLock()  # so that a signal handler may cancel what it has interrupted
        self._handle: Optional[ctypes.c_void_p] = None
        self._running = False
        self._ended = threading.Event()
        self._result: Optional[Result] = None
        self._failure: Optional[BaseException] = None
        self._thrown: Optional[BaseException] = None
        self.channel: Optional[Channel] = None
        self.thread = threading.Thread(target=self._work, name=f"wtool {tool_name}", daemon=True)
        self._on_event = _abi.OnEvent(self._event)
        request = _abi.sized(_abi.Request, arguments=_abi.view(arguments), deadline_ms=deadline_ms)
        if sink is not None:
            request.on_event = self._on_event
        handle = ctypes.c_void_p()
        with _abi.OwnedBlob() as error:
            status = tool.contents.call_new(tool, ctypes.byref(request), ctypes.byref(handle), error.out())
            if status != _abi.OK:
                raise PluginError(f"the call of {tool_name} could not be made: {_why(status, error)}")
        self._handle = handle

    def start(self) -> None:
        try:
            self.thread.start()
        except BaseException:  # No thread could be started, or an interruption came: the call must end here.
            self.stop("the caller was interrupted")
            raise

    def stop(self, reason: str) -> None:
        """Ends the call now, even one that has not begun, and waits for the end."""
        self.cancel(reason, now=True)
        if self.channel is not None:
            self.channel.shut()
        with self._lock:
            if not self._running and not self._ended.is_set():
                self._failure = PluginError(f"the call of {self._tool_name} was stopped before it began: {reason}")
                self._free()
                self._end()
        self.wait()

    def cancel(self, reason: str, now: bool = False) -> None:
        """Asks the call to stop, without waiting. Does nothing after the end of the call."""
        words = reason.encode("utf-8", "replace")
        with self._lock:
            if self._handle is not None:
                how = _abi.CANCEL_NOW if now else _abi.CANCEL_GRACEFUL
                self._tool.contents.call_cancel(self._handle, how, _abi.view(words))

    def wait(self) -> None:
        """Waits for the end. The first interruption cancels the call; a later one leaves the command no time. Raises the last one."""
        interruption: Optional[BaseException] = None
        while not self._ended.is_set():
            try:
                self._ended.wait()
            except BaseException as raised:
                self.cancel("the caller was interrupted", now=interruption is not None)
                interruption = raised
        if interruption is not None:
            raise interruption

    def result(self) -> Result:
        """The result of a call that has ended. Raises what the sink has raised, or why no call could be made."""
        for problem in (self._thrown, self._failure):
            if problem is not None:
                raise problem
        assert self._result is not None
        return self._result

    def fail(self, problem: BaseException) -> None:
        """The reader of the output has failed: the call stops, and result() raises `problem`."""
        self._thrown = self._thrown or problem
        self.cancel("the reader of its output failed")

    def _work(self) -> None:
        with self._lock:
            if self._ended.is_set():
                return
            self._running = True
        try:
            with _abi.OwnedBlob() as answer, _abi.OwnedBlob() as error:
                status = self._tool.contents.call_run(self._handle, answer.out(), error.out())
                text = answer.read()
                if status not in (_abi.OK, _abi.E_CANCELLED) or text is None:
                    raise PluginError(f"the call of {self._tool_name} could not be made: {_why(status, error)}")
                self._result = parse_result(self._tool_name, text, status == _abi.E_CANCELLED)
        except BaseException as problem:
            self._failure = problem
        finally:
            self._free()
            self._end()

    def _free(self) -> None:
        with self._lock:
            handle, self._handle = self._handle, None
        self._tool.contents.call_free(handle)

    def _end(self) -> None:
        if self.channel is not None:
            self.channel.finish()
        self._on_ended(self)
        self._ended.set()

    # Called from C, where an exception would be lost.
    def _event(self, _context: Any, pointer: Any) -> int:
        if self._thrown is not None:
            return 1
        try:
            event = pointer.contents
            stream = _abi.EVENT_STREAMS.get(event.kind)
            if stream is None or self._sink is None:
                return 0
            return int(self._sink(Output(stream, _abi.content(event.payload))) is False)
        except BaseException as problem:
            self._thrown = problem
            return 1


def _why(status: int, error: _abi.OwnedBlob) -> str:
    said = error.read()
    return said.decode("utf-8", "replace") if said else f"status {status}"
