"""Where the plugin is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Iterator, Optional, Tuple

from ._result import PluginError

NAME = "shell_tools.so"


def find_plugin() -> str:
    """The path of shell_tools.so.

    If the variable WTOOL_PLUGIN is set, it names the file. If not, this looks in the installation that this package is a part of, in
    the installation of the program `wtool` in PATH, and in the folder that pkg-config prints.
    """
    named = os.environ.get("WTOOL_PLUGIN")
    if named:
        if not os.path.isfile(named):
            raise PluginError(f"WTOOL_PLUGIN names {named!r}, but there is no such file")
        return os.path.abspath(named)
    looked_at = []
    for what, folder in _folders():
        path = folder / NAME if folder is not None else None
        if path is not None and path.is_file():
            return str(path)
        looked_at.append(f"\n  {what}: {path if path is not None else 'nothing'}")
    raise PluginError(
        "no plugin was found; install wtool, or name the file in WTOOL_PLUGIN or with Plugin(path)."
        " Looked at:" + "".join(looked_at)
    )


def _folders() -> Iterator[Tuple[str, Optional[Path]]]:
    # PREFIX/lib/python3/dist-packages/wtool/_find.py
    for above in Path(__file__).resolve().parents[2:6]:
        if (above / "lib/wtool" / NAME).is_file():
            yield "beside this package", above / "lib/wtool"
    program = shutil.which("wtool")
    yield "beside wtool in PATH", Path(program).resolve().parent.parent / "lib/wtool" if program else None
    yield "pkg-config", _from_pkg_config()


def _from_pkg_config() -> Optional[Path]:
    try:
        answer = subprocess.run(
            ["pkg-config", "--variable=plugindir", "wtool"], capture_output=True, text=True, timeout=10
        )
    except (OSError, subprocess.SubprocessError):
        return None
    folder = re.sub(r"\\(.)", r"\1", answer.stdout.strip())  # pkg-config quotes a path for a shell: `a\ folder`
    return Path(os.path.realpath(folder)) if folder else None
