"""The processes that do the work: how they are started, asked, bounded in time, and ended.

A Worker lives long and is asked again and again (way.h describes the protocol). With fresh=True, a new process is
started for each request, to measure what only a first request shows. A Program is not a worker: it is started for each
figure, and prints that figure.
"""
import os
import select
import subprocess
import time


class Failure(Exception):
    """Why something could not be measured: a sentence for the table."""


class Absence(Failure):
    """A Failure that is nobody's fault: this machine does not have what is needed."""


class Worker:
    def __init__(self, argv, unit="ns", fresh=False, limit=60):
        self.argv = [str(word) for word in argv]
        self.unit = unit
        self.fresh = fresh
        self.limit = limit  # seconds that one request may take
        self.note = ""
        self._process = None
        self._unread = b""

    def run(self, count):
        """Returns `count` figures."""
        if self._process is None:
            self._start()
        try:
            self._process.stdin.write(b"run %d\n" % count)
            word, text = self._reply()
        except OSError:
            raise Failure("its worker has died") from None
        if word != "took":
            raise Failure(text or "its worker has died")
        if self.fresh:
            self.close()
        return [int(figure) for figure in text.split()]

    def close(self):
        """Ends the worker by ending its input, or kills it if it does not end."""
        process, self._process, self._unread = self._process, None, b""
        if process is None:
            return
        process.stdin.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()

    def _start(self):
        try:
            self._process = subprocess.Popen(self.argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        except OSError as error:
            raise Failure(f"{self.argv[0]} cannot be started: {error.strerror}") from None
        word, text = self._reply()
        if word != "ready":
            raise Failure(text or "its worker does not start")
        self.note = text

    def _reply(self):
        deadline = time.monotonic() + self.limit
        stream = self._process.stdout
        while b"\n" not in self._unread:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([stream], [], [], left)[0]:
                self._process.kill()
                raise Failure(f"not done within {self.limit} s")
            got = os.read(stream.fileno(), 1 << 16)
            if not got:
                return "", ""
            self._unread += got
        line, self._unread = self._unread.split(b"\n", 1)
        word, _, text = line.decode("utf-8", "replace").partition(" ")
        return word, text.strip()


class Program:
    def __init__(self, argv, unit="ns", limit=20):
        self.argv = [str(word) for word in argv]
        self.unit = unit
        self.limit = limit
        self.note = ""

    def run(self, count):
        return [self._once() for _ in range(count)]

    def close(self):
        pass

    def _once(self):
        try:
            done = subprocess.run(self.argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                                  timeout=self.limit)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Failure(f"{self.argv[0]}: {error}") from None
        if done.returncode != 0:
            raise Failure(done.stderr.strip() or f"{self.argv[0]} failed")
        return int(done.stdout)


class Timed:
    """A program whose own time is the figure, from its start to its end.

    With `settles`, it runs once, and again after this many seconds, before it is measured.
    """

    unit = "ns"
    note = ""

    def __init__(self, argv, folder, limit=60, variables=None, settles=0):
        self.argv = [str(word) for word in argv]
        self.folder = folder
        self.limit = limit
        self.environment = dict(os.environ, **(variables or {}))
        self.settles = settles

    def run(self, count):
        if self.settles:
            self._once()
            time.sleep(self.settles)
            self.settles = 0
            self._once()
        return [self._once() for _ in range(count)]

    def close(self):
        pass

    def _once(self):
        began = time.perf_counter_ns()
        try:
            done = subprocess.run(self.argv, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
                                  timeout=self.limit)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Failure(f"{self.argv[0]}: {error}") from None
        took = time.perf_counter_ns() - began
        if done.returncode != 0:
            raise Failure(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"{self.argv[0]} failed")
        return took


class Absent:
    """Stands for a worker that this machine does not have."""

    unit = "ns"
    note = ""

    def __init__(self, reason):
        self.reason = reason

    def run(self, count):
        raise Absence(self.reason)

    def close(self):
        pass
