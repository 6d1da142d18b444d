"""Tests the package with a real plugin, which WTOOL_PLUGIN names. Each command has a mark of its own in its arguments, by which its live
processes are counted in /proc.
"""

import asyncio
import ctypes
import itertools
import json
import logging
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import wtool
from wtool import _abi

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parents[2] / "include"
BOUND = 20  # seconds: the longest that a test waits for something to happen
marks = itertools.count(1)


def new_mark():
    """A number of seconds that no other process sleeps for."""
    return f"617.{os.getpid()}{next(marks):04}"


def bearers(mark):
    """The processes that have the mark in their arguments. (A zombie has no arguments.)"""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if mark.encode() in (folder / "cmdline").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                pass
    return found


def wait_until(condition):
    end = time.monotonic() + BOUND
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def tree(mark):
    """A command whose three processes carry the mark: one in the background, one in a session of its own, one in the foreground."""
    return f"sleep {mark} & setsid sleep {mark} & echo ready; sleep {mark}"


class Case(unittest.TestCase):
    def nothing_is_left(self, mark):
        self.assertEqual(bearers(mark), [])

    def script(self, text, mark, **more):
        """Another interpreter, whose own arguments do not carry the mark."""
        process = subprocess.Popen(
            [sys.executable, "-c", text], env={**os.environ, "MARK": mark}, stdout=subprocess.PIPE, text=True, **more
        )
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process


class Calls(Case):
    def test_a_command_gives_its_output_and_exit_code(self):
        result = wtool.run("echo out; echo err >&2")
        self.assertEqual((result.stdout, result.stderr, result.exit_code), ("out\n", "err\n", 0))
        self.assertFalse(result.is_error)
        self.assertIsNone(result.error_code)
        self.assertIs(result.check(), result)

    def test_a_command_that_fails_is_a_result(self):
        result = wtool.run("echo before; exit 3")
        self.assertTrue(result.is_error)
        self.assertEqual((result.exit_code, result.error_code, result.stdout), (3, "exit_nonzero", "before\n"))
        with self.assertRaises(wtool.CommandError) as caught:
            wtool.run("exit 3", check=True)
        self.assertEqual(caught.exception.result.exit_code, 3)

    def test_directory_environment_and_input(self):
        with tempfile.TemporaryDirectory() as folder:
            result = wtool.run("pwd; echo $COLOUR; cat", cwd=pathlib.Path(folder), env={"COLOUR": "blue"}, input="text")
            self.assertEqual(result.stdout, f"{os.path.realpath(folder)}\nblue\ntext")

    def test_a_timeout_leaves_nothing(self):
        for timeout in (1, 0.5):
            mark = new_mark()
            result = wtool.run(tree(mark), timeout=timeout)
            self.assertEqual((result.error_code, result.exit_code, result.stdout), ("timed_out", None, "ready\n"))
            self.assertIn("timeout", result.hint)
            self.nothing_is_left(mark)

    def test_several_mebibytes_of_output_come_whole(self):
        size = 4 << 20
        received = {"stdout": 0, "stderr": 0}

        def count(stream, data):
            received[stream] += len(data)

        result = wtool.run(f"head -c {size} /dev/zero; head -c {size} /dev/zero >&2", on_output=count)
        self.assertEqual(received, {"stdout": size, "stderr": size})
        self.assertEqual(result.metadata["stdout_bytes"], size)
        self.assertTrue(result.truncated)

    def test_a_result_tells_whether_either_output_has_a_gap(self):
        for command, truncated in (("echo x; echo y >&2", False), ("head -c 2000000 /dev/zero", True), ("seq 300000 >&2", True)):
            with self.subTest(command):
                result = wtool.run(command)
                self.assertIs(result.truncated, truncated)
                self.assertIs("bytes left out" in result.stdout + result.stderr, truncated)

    def test_arguments_that_no_tool_takes_are_results_or_exceptions_of_python(self):
        for arguments in ({}, {"command": 5}, {"command": None}, {"nonsense": 1}, {"command": "\udc80"}, {"command": "a\0b"},
                          {"command": "true", "timeout": -1}, {"command": "true", "timeout": 10**30}, {"a" * 100000: []}):
            with self.subTest(str(arguments)[:50]):
                result = wtool.default_plugin().call("shell_execute", arguments)
                self.assertTrue(result.is_error)
                self.assertEqual(result.error_code, "invalid_parameters")
        with self.assertRaises(TypeError):
            wtool.default_plugin().call("shell_execute", {"command": object()})
        with self.assertRaises(ValueError):
            wtool.default_plugin().call("shell_execute", {"command": float("nan")})
        for timeout in (0, -1, float("nan"), float("inf")):
            with self.assertRaises(ValueError):
                wtool.run("true", timeout=timeout)
        with self.assertRaises(TypeError):
            wtool.run("true", timeout="5")

    def test_every_tool_can_be_called(self):
        plugin = wtool.default_plugin()
        self.assertIn("command", plugin.tools["shell_execute"].input_schema["properties"])
        self.assertEqual(plugin.call("pty_list").metadata, {"terminals": []})
        self.assertEqual(plugin.call("terminal_get_status").error_code, "INVALID_PARAMETERS")
        with self.assertRaisesRegex(wtool.PluginError, "there is no tool 'shell'; the tools are shell_execute"):
            plugin.call("shell")

    def test_calls_of_many_threads_run_beside_one_another(self):
        meeting = threading.Barrier(8, timeout=BOUND)  # passes only when all calls run at the same time
        results = []

        def one(number):
            results.append(wtool.run(f"echo {number}", on_output=lambda *_: meeting.wait()).stdout)

        threads = [threading.Thread(target=one, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(results), [f"{i}\n" for i in range(8)])

    def test_what_the_reader_of_output_raises_stops_the_call_and_is_raised(self):
        mark = new_mark()

        def reader(*_):
            raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine"):
            wtool.run(tree(mark), on_output=reader)
        self.nothing_is_left(mark)

    def test_output_is_iterated_while_the_command_runs(self):
        with wtool.stream("echo one; read line; echo $line", input="two\n") as output:
            self.assertEqual(b"".join(data for _, data in output), b"one\ntwo\n")
        self.assertEqual(output.result.exit_code, 0)

    def test_a_reader_that_leaves_early_cancels(self):
        mark = new_mark()
        with wtool.stream(tree(mark)) as output:
            for stream, data in output:
                self.assertEqual((stream, data), ("stdout", b"ready\n"))
                break
        self.nothing_is_left(mark)
        self.assertTrue(output.result.cancelled)

    def test_a_reader_that_leaves_early_ends_a_command_that_waits_for_it(self):
        with wtool.stream("yes") as output:
            next(iter(output))
        self.assertTrue(output.result.cancelled)

    def test_a_stream_that_is_cancelled_ends(self):
        mark = new_mark()
        with wtool.stream(tree(mark)) as output:
            for _ in output:
                output.cancel("enough")
            self.assertIn("enough", output.result.text)
        self.nothing_is_left(mark)


class Asyncio(Case):
    def test_calls_are_awaited_beside_one_another(self):
        async def both():
            return await asyncio.gather(wtool.arun("echo a"), wtool.arun("exit 4"))

        first, second = asyncio.run(both())
        self.assertEqual((first.stdout, second.exit_code), ("a\n", 4))

    def test_a_cancelled_task_ends_its_call_first(self):
        mark = new_mark()

        async def cancelled():
            ready = asyncio.Event()
            task = asyncio.create_task(wtool.arun(tree(mark), on_output=lambda *_: ready.set()))
            await ready.wait()
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            self.nothing_is_left(mark)

        asyncio.run(cancelled())

    def test_a_timeout_of_asyncio_ends_the_call(self):
        mark = new_mark()

        async def limited():
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(wtool.arun(tree(mark)), 0.2)

        asyncio.run(limited())
        self.nothing_is_left(mark)

    def test_several_mebibytes_reach_the_loop_in_order(self):
        pieces = []
        thread = threading.get_ident()

        def keep(stream, data):
            self.assertEqual(threading.get_ident(), thread)
            pieces.append(data)

        asyncio.run(wtool.arun("seq 300000", on_output=keep))
        self.assertEqual(b"".join(pieces), b"".join(b"%d\n" % i for i in range(1, 300001)))

    def test_what_the_reader_raises_is_raised_by_the_task(self):
        mark = new_mark()

        def reader(*_):
            raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine"):
            asyncio.run(wtool.arun(tree(mark), on_output=reader))
        self.nothing_is_left(mark)


class Endings(Case):
    RUN = "import os, wtool; print(wtool.run(os.environ['COMMAND']).stdout)"

    def begin(self, text, first="", **more):
        mark = new_mark()
        process = self.script(text, mark, first, **more)
        self.assertTrue(wait_until(lambda: len(bearers(mark)) >= 3), "the command has begun")
        return mark, process

    def setUp(self):
        os.environ["COMMAND"] = "unset"

    def script(self, text, mark, first="", **more):
        os.environ["COMMAND"] = first + tree(mark)
        return super().script(text, mark, **more)

    def words_of(self, text):
        """The words that the script prints. It must succeed."""
        process = self.script(text, new_mark())
        out, _ = process.communicate(timeout=BOUND)
        self.assertEqual(process.returncode, 0)
        return out.split()

    def test_a_killed_interpreter_leaves_nothing(self):
        mark, process = self.begin(self.RUN)
        process.kill()
        process.wait()
        self.assertTrue(wait_until(lambda: not bearers(mark)), bearers(mark))

    def test_an_interrupted_call_is_cancelled_and_then_raises(self):
        text = (
            "import os, wtool\n"
            "try: wtool.run(os.environ['COMMAND'])\n"
            "except KeyboardInterrupt: print('interrupted')\n"
            "print(wtool.run('echo usable').stdout)\n"
        )
        mark, process = self.begin(text)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=BOUND)
        self.assertEqual(out.split(), ["interrupted", "usable"])
        self.nothing_is_left(mark)

    def test_an_interpreter_that_ends_beside_a_call_ends_it(self):
        text = (
            "import os, sys, threading, wtool\n"
            "ready = threading.Event()\n"
            "def run(): wtool.run(os.environ['COMMAND'], on_output=lambda *_: ready.set())\n"
            "threading.Thread(target=run, daemon=True).start()\n"
            "ready.wait()\n"
            "sys.stdin.read()\n"
            "sys.exit(7)\n"
        )
        # The end must not depend on what the command does with SIGTERM.
        mark, process = self.begin(text, "trap '' TERM; ", stdin=subprocess.PIPE)
        process.stdin.close()
        self.assertEqual(process.wait(BOUND), 7)
        self.nothing_is_left(mark)

    def test_a_child_of_a_fork_can_call_and_leaves_its_parents_plugin_alone(self):
        text = (
            "import os, sys, wtool\n"
            "print(wtool.run('echo first').stdout, end='', flush=True)\n"
            "child = os.fork()\n"
            "if child == 0:\n"
            "    print(wtool.run('echo second').stdout, end='', flush=True)\n"
            "    sys.exit(5)\n"
            "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
            "print(wtool.run('echo third').stdout, end='')\n"
        )
        self.assertEqual(self.words_of(text), ["first", "second", "5", "third"])

    def test_a_child_of_a_fork_can_close_its_copy_and_open_a_plugin_of_its_own(self):
        text = (
            "import os, sys, wtool\n"
            "plugin = wtool.Plugin(config={'background': 'keep'})\n"
            "kept = plugin.run('sleep 300 > /dev/null 2>&1 & echo $!').stdout.strip()\n"
            "child = os.fork()\n"
            "if child == 0:\n"
            "    plugin.close()\n"
            "    with wtool.Plugin() as own: print(own.run('echo own').stdout, end='', flush=True)\n"
            "    sys.exit(5)\n"
            "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
            "print(plugin.run(f'kill -0 {kept} && echo alive').stdout, end='')\n"
        )
        self.assertEqual(self.words_of(text), ["own", "5", "alive"])


class Plugins(Case):
    """The default plugin is closed first, because only one plugin can be open at a time."""

    def setUp(self):
        wtool.default_plugin().close()

    def test_a_configuration_is_obeyed(self):
        with wtool.Plugin(config={"commands": {"allow": ["echo"]}}) as plugin:
            self.assertEqual(plugin.run("echo x").stdout, "x\n")
            self.assertEqual(plugin.run("uname").error_code, "policy_denied")

    def test_a_configuration_that_is_not_valid_is_named_and_leaves_the_plugin_usable(self):
        with self.assertRaisesRegex(wtool.PluginError, "no_such_key"):
            wtool.Plugin(config={"no_such_key": 1})
        self.assertEqual(wtool.run("echo x").stdout, "x\n")

    def test_a_second_one_says_that_there_is_one(self):
        with wtool.Plugin():
            with self.assertRaisesRegex(wtool.PluginError, "could not be initialised"):
                wtool.Plugin()

    def test_files_that_are_no_plugin(self):
        maps = pathlib.Path("/proc/self/maps").read_text().split()
        libc = next(path for path in maps if "/libc.so" in path or "/libc-" in path)
        with tempfile.NamedTemporaryFile(suffix=".so") as file:
            for path in ("/nowhere.so", "/", file.name, libc):
                with self.subTest(path), self.assertRaisesRegex(wtool.PluginError, "cannot be used"):
                    wtool.Plugin(path)

    def test_closing_ends_what_runs(self):
        mark = new_mark()
        plugin = wtool.Plugin()
        ready = threading.Event()
        results = []
        thread = threading.Thread(
            target=lambda: results.append(plugin.run(tree(mark), on_output=lambda *_: ready.set()))
        )
        thread.start()
        self.assertTrue(ready.wait(BOUND))
        plugin.close()
        plugin.close()
        self.nothing_is_left(mark)
        thread.join(BOUND)
        self.assertTrue(results[0].cancelled)
        with self.assertRaisesRegex(wtool.PluginError, "was closed"):
            plugin.run("true")

    def test_logs_come_to_logging(self):
        with self.assertLogs("wtool", logging.DEBUG) as logs:
            with wtool.Plugin() as plugin:
                plugin.run("true")
        self.assertTrue(any(record.name.startswith("wtool.shell_tools") for record in logs.records))

    def test_a_handler_that_fails_costs_no_call(self):
        class Failing(logging.Handler):
            def emit(self, record):
                raise RuntimeError("no")

        logger, handler = logging.getLogger("wtool"), Failing()
        logger.addHandler(handler)
        logger.setLevel(logging.DEBUG)
        self.addCleanup(logger.removeHandler, handler)
        self.addCleanup(logger.setLevel, logging.NOTSET)
        with wtool.Plugin() as plugin:
            self.assertEqual(plugin.run("echo x").stdout, "x\n")

    def test_the_plugin_is_found(self):
        plugin = os.environ["WTOOL_PLUGIN"]
        prefix = pathlib.Path(plugin).parents[2]
        path = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "WTOOL_PLUGIN", plugin)
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        os.environ["WTOOL_PLUGIN"] = "/nowhere.so"
        with self.assertRaisesRegex(wtool.PluginError, "WTOOL_PLUGIN names '/nowhere.so'"):
            wtool.find_plugin()
        del os.environ["WTOOL_PLUGIN"]
        with tempfile.TemporaryDirectory() as folder:
            os.environ["PATH"] = folder
            with self.assertRaisesRegex(wtool.PluginError, "no plugin was found"):
                wtool.find_plugin()
            program = pathlib.Path(folder) / "wtool"
            (pathlib.Path(folder) / "bin").mkdir()
            real = pathlib.Path(folder) / "bin/wtool"
            real.write_text("#!/bin/sh\n")
            real.chmod(0o755)
            program.symlink_to(real)
            (pathlib.Path(folder) / "lib").symlink_to(prefix / "lib")
            self.assertEqual(os.path.realpath(wtool.find_plugin()), os.path.realpath(plugin))

            program.unlink()
            (pathlib.Path(folder) / "a folder").symlink_to(prefix)
            asked = pathlib.Path(folder) / "pkg-config"
            asked.write_text(f"#!/bin/sh\nprintf '%s\\n' '{folder}/a\\ folder/lib/wtool'\n")
            asked.chmod(0o755)
            self.assertEqual(os.path.realpath(wtool.find_plugin()), os.path.realpath(plugin))


class Layout(unittest.TestCase):
    """The structures of ctypes have the layout of the headers."""

    STRUCTS = {
        "view": _abi.View, "blob": _abi.Blob, "host": _abi.Host, "descriptor": _abi.Descriptor, "event": _abi.Event,
        "request": _abi.Request, "tool": _abi.Tool, "entry": _abi.Entry, "field": _abi.Field,
        "log_record": _abi.LogRecord, "host_log": _abi.HostLog,
    }

    def test_sizes_and_offsets(self):
        lines, expected = [], {}
        for name, structure in self.STRUCTS.items():
            struct = f"wtool_{name}"
            lines.append(f'printf("%s\\"{struct}\\": %zu", first ? "{{" : ", ", sizeof({struct})); first = 0;')
            expected[struct] = ctypes.sizeof(structure)
            for field, *_ in structure._fields_:
                lines.append(f'printf(", \\"{struct}.{field}\\": %zu", offsetof({struct}, {field}));')
                expected[f"{struct}.{field}"] = getattr(structure, field).offset
        program = "#include <stdio.h>\n#include <wtool/tool.h>\n#include <wtool/ext/log.h>\nint main(void) { int first = 1;\n"
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "layout.c").write_text(program + "\n".join(lines) + 'puts("}"); return 0; }')
            subprocess.run(["cc", "-I", INCLUDE, "-o", "layout", "layout.c"], cwd=folder, check=True)
            real = json.loads(subprocess.run(["./layout"], cwd=folder, check=True, capture_output=True).stdout)
        self.assertEqual(expected, real)


class Example(Case):
    def test_the_example_leaves_nothing(self):
        text = (HERE.parent / "examples/timeout.py").read_text()
        self.assertLess(len(text.splitlines()), 15)
        mark = new_mark()
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write(text.replace("600", mark))
            file.flush()
            out = subprocess.run([sys.executable, file.name], capture_output=True, text=True, timeout=BOUND)
        self.assertEqual((out.stdout, out.stderr, out.returncode), ("timed_out\nstarted\n", "", 0))
        self.nothing_is_left(mark)


if __name__ == "__main__":
    unittest.main()
