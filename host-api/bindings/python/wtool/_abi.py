"""wtool/tool.h and wtool/ext/log.h, version 1.0, as structures of ctypes."""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int32, c_uint32, c_uint64, c_void_p
from typing import Any, Optional

ABI_MAJOR, ABI_MINOR = 1, 0
ENTRY_SYMBOL = "wtool_entry_v1"
LOG_EXTENSION = b"wtool.log/1"

OK, E_UNSUPPORTED, E_CANCELLED = 0, 2, 3
CANCEL_GRACEFUL, CANCEL_NOW = 1, 2
EVENT_STREAMS = {1: "stdout", 2: "stderr"}


class View(Structure):
    _fields_ = [("data", c_void_p), ("size", ctypes.c_size_t)]


class Blob(Structure):
    pass


Release = CFUNCTYPE(None, POINTER(Blob))
Blob._fields_ = [
    ("struct_size", c_uint32),
    ("reserved", c_uint32),
    ("bytes", View),
    ("owner", c_void_p),
    ("release", Release),
]


class Host(Structure):
    pass


GetExtension = CFUNCTYPE(c_void_p, c_void_p, c_char_p)
Host._fields_ = [
    ("struct_size", c_uint32),
    ("abi_minor", c_uint32),
    ("ctx", c_void_p),
    ("name", View),
    ("version", View),
    ("get_extension", GetExtension),
]


class Descriptor(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("hints", c_uint32),
        ("id", View),
        ("title", View),
        ("version", View),
        ("description", View),
        ("input_schema", View),
        ("output_schema", View),
    ]


class Event(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("kind", c_uint32),
        ("seq", c_uint64),
        ("mono_ns", c_uint64),
        ("payload", View),
    ]


OnEvent = CFUNCTYPE(c_int32, c_void_p, POINTER(Event))


class Request(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("flags", c_uint32),
        ("arguments", View),
        ("call_id", View),
        ("traceparent", View),
        ("parent_span", c_uint64),
        ("deadline_ms", c_uint64),
        ("sink_ctx", c_void_p),
        ("on_event", OnEvent),
        ("limits", View),
    ]


class Tool(Structure):
    pass


Tool._fields_ = [
    ("struct_size", c_uint32),
    ("reserved", c_uint32),
    ("descriptor", POINTER(Descriptor)),
    ("self", c_void_p),
    ("call_new", CFUNCTYPE(c_int32, POINTER(Tool), POINTER(Request), POINTER(c_void_p), POINTER(Blob))),
    ("call_run", CFUNCTYPE(c_int32, c_void_p, POINTER(Blob), POINTER(Blob))),
    ("call_cancel", CFUNCTYPE(None, c_void_p, c_uint32, View)),
    ("call_free", CFUNCTYPE(None, c_void_p)),
    ("get_extension", CFUNCTYPE(c_void_p, POINTER(Tool), c_char_p)),
    ("destroy", CFUNCTYPE(None, POINTER(Tool))),
]


class Entry(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("abi_major", c_uint32),
        ("abi_minor", c_uint32),
        ("flags", c_uint32),
        ("plugin_name", View),
        ("plugin_version", View),
        ("init", CFUNCTYPE(c_int32, POINTER(Host), POINTER(Blob))),
        ("deinit", CFUNCTYPE(None)),
        ("tool_count", CFUNCTYPE(c_uint32)),
        ("tool_at", CFUNCTYPE(POINTER(Descriptor), c_uint32)),
        ("tool_new", CFUNCTYPE(c_int32, View, View, POINTER(POINTER(Tool)), POINTER(Blob))),
    ]


class Field(Structure):
    _fields_ = [("key", View), ("json", View)]


class LogRecord(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("level", c_uint32),
        ("unix_ns", c_uint64),
        ("target", View),
        ("message", View),
        ("file", View),
        ("line", c_uint32),
        ("n_fields", c_uint32),
        ("fields", POINTER(Field)),
        ("span", c_uint64),
    ]


class HostLog(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("reserved", c_uint32),
        ("enabled", CFUNCTYPE(c_int32, c_void_p, c_uint32, View)),
        ("emit", CFUNCTYPE(None, c_void_p, POINTER(LogRecord))),
        ("span_open", c_void_p),
        ("span_close", c_void_p),
    ]


def sized(structure: Any, **members: Any) -> Any:
    """An object of the structure with its size set."""
    return structure(struct_size=ctypes.sizeof(structure), **members)


def view(data: bytes) -> View:
    """Borrows: `data` must live as long as the view is used."""
    return View(ctypes.cast(c_char_p(data), c_void_p), len(data))


def content(of: View) -> bytes:
    return ctypes.string_at(of.data, of.size) if of.data and of.size else b""


def text(of: View) -> str:
    return content(of).decode("utf-8", "replace")


class OwnedBlob:
    """A blob that the plugin fills. The end of its `with` block releases it."""

    def __init__(self) -> None:
        self.blob = sized(Blob)

    def __enter__(self) -> OwnedBlob:
        return self

    def __exit__(self, *_: object) -> None:
        if self.blob.release:
            self.blob.release(ctypes.byref(self.blob))

    def out(self) -> Any:
        return ctypes.byref(self.blob)

    def read(self) -> Optional[bytes]:
        return content(self.blob.bytes) if self.blob.release else None
