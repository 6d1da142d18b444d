"""Passes what the plugin logs to Python's logging. The loggers are below "wtool", such as wtool.shell_tools.call."""

from __future__ import annotations

import ctypes
import logging
from typing import Any, List

from . import _abi

# Python has no level for trace.
LEVELS = {1: 5, 2: logging.DEBUG, 3: logging.INFO, 4: logging.WARNING, 5: logging.ERROR}
# A library prints nothing unless the program has set up logging.
logging.getLogger("wtool").addHandler(logging.NullHandler())


def _logger(target: _abi.View) -> logging.Logger:
    return logging.getLogger("wtool." + _abi.text(target).replace("::", "."))


# No exception may reach the plugin: a handler that fails loses a record, not the call.
def _enabled(_host: Any, level: int, target: _abi.View) -> int:
    try:
        return int(_logger(target).isEnabledFor(LEVELS.get(level, logging.ERROR)))
    except BaseException:
        return 0


def _emit(_host: Any, pointer: Any) -> None:
    try:
        record = pointer.contents
        logger = _logger(record.target)
        level = LEVELS.get(record.level, logging.ERROR)
        fields = {
            _abi.text(record.fields[i].key): _abi.text(record.fields[i].json) for i in range(record.n_fields)
        }
        message = " ".join([_abi.text(record.message)] + [f"{key}={value}" for key, value in fields.items()])
        entry = logger.makeRecord(
            logger.name, level, _abi.text(record.file), record.line, message, (), None, extra={"wtool_fields": fields}
        )
        entry.created = record.unix_ns / 1e9
        entry.msecs = record.unix_ns // 1_000_000 % 1000
        logger.handle(entry)
    except BaseException:
        pass


class Services:
    """The host as a plugin sees it. Must live until deinit has returned."""

    def __init__(self) -> None:
        self._texts: List[bytes] = [b"wtool-python", b"0.1.0"]
        fields = dict(_abi.HostLog._fields_)
        self._log = _abi.sized(
            _abi.HostLog,
            enabled=fields["enabled"](_enabled),  # type: ignore[operator]
            emit=fields["emit"](_emit),  # type: ignore[operator]
        )
        address = ctypes.addressof(self._log)
        self._get_extension = _abi.GetExtension(lambda _host, name: address if name == _abi.LOG_EXTENSION else None)
        self.host = _abi.sized(
            _abi.Host,
            abi_minor=_abi.ABI_MINOR,
            name=_abi.view(self._texts[0]),
            version=_abi.view(self._texts[1]),
            get_extension=self._get_extension,
        )
