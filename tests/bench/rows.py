"""What is measured: the groups of contestants, and the rows of the table that are made of them.

A row has one value, the limit that the value must reach (a number, or a function of the group), its aim, and the series
that the value comes from. A row without `must` is there for comparison. Values are ratios of medians that were taken in
one run, unless their unit says otherwise.
"""
import os
import statistics
from pathlib import Path

import workflow_files
from series import Group, Snapshots
from workers import Absence, Absent, Program, Timed, Worker

MIB = 1024 * 1024
LIGHT, STEPS = 10_000, 300  # states of the workflows that are measured
RSS_NOISE_KIB = 256  # the error of the kernel's own count of resident memory, per process


class Row:
    def __init__(self, key, title, group, raw, value, unit="x", must=None, aim=None, at_least=False):
        self.key = key
        self.title = title
        self.group = group
        self.raw = raw  # names of the series that the value comes from
        self.value = value  # a function of the group
        self.unit = unit
        self.must = must
        self.aim = aim
        self.at_least = at_least  # larger is better


def ratio(over, under):
    return lambda group: group.series[over].median() / group.series[under].median()


def fastest(over, under):
    """Like ratio(), with the fastest of several series. Some of them may be missing."""

    def value(group):
        medians = [group.series[name].median() for name in over if not group.series[name].problem]
        if not medians:
            raise group.series[over[0]].problem
        return min(medians) / group.series[under].median()

    return value


def p95(name, divisor, less=None):
    """The 95th percentile, less the median of another series."""

    def value(group):
        figures = group.series[name].checked()
        high = statistics.quantiles(figures, n=20, method="inclusive")[-1] if len(figures) > 1 else figures[0]
        return (high - (group.series[less].median() if less else 0)) / divisor

    return value


def median(name, divisor):
    return lambda group: group.series[name].median() / divisor


def highest(name, divisor):
    return lambda group: max(group.series[name].checked()) / divisor


def each(many, few, count, divisor):
    """`many` has `count` items more than `few`. This is the cost of one item."""

    def value(group):
        difference = group.series[many].median() - group.series[few].median()
        if difference <= 0:  # A quick run has too few figures.
            raise Absence("the difference is less than what this machine varies by")
        return difference / count / divisor

    return value


def total(name):
    return lambda group: sum(group.series[name].checked())


def less_where_slow(limit, slow_limit):
    """What a call adds does not grow with the floor, so the bound is lower if the floor is half a millisecond or more."""
    return lambda group: limit if group.series["floor"].median() < 5e5 else slow_limit


def growth(group):
    """How many of descriptors, threads, children, memory and custodians have grown."""
    grown = 0
    for name, series in group.series.items():
        figures = series.checked()
        grown += figures[-1] - figures[0] > (RSS_NOISE_KIB if series.unit == "KiB" else 0)
    return grown


def groups(place, quick):
    """`place`: where the workers, the peers and a scratch folder are (measure.py)."""
    true = "/usr/bin/true"
    def guarded(name):
        root = Path(place.scratch) / name
        root.mkdir(exist_ok=True)
        return '{"sandbox": {"read": ["/"], "write": ["%s"]}}' % root

    sandbox = '{"sandbox": {"read": ["/"], "write": ["%s"], "protect": "none"}}' % place.scratch
    command = place.program("bench_command")

    def bench(*words, **options):
        return Worker([place.program("bench_worker"), *words], **options)

    def on_one_processor(*words):
        """Keeps reader and writer on one processor: whether they share one matters more than how they read."""
        return Worker(["taskset", "-c", str(min(os.sched_getaffinity(0))), place.program("bench_worker"), *words])

    def spawned(program, *words):
        path = place.find(program)
        return bench("spawned", path, *words) if path else Absent(f"there is no {program} on this machine")

    def boost(version, megabytes):
        return Worker([place.program("bench_boost"), version, "--host-mb", megabytes, true])

    def node(way, megabytes, *words):
        path = place.find("node")
        if not path:
            return Absent("there is no node on this machine")
        return Worker([path, place.source("peers/node_worker.js"), way, megabytes, *(words or [true])])

    def mcp(configuration, line):
        file = Path(place.scratch) / f"mcp-{len(configuration)}.yaml"
        file.write_text(configuration, encoding="utf-8")
        return Worker([place.python, place.source("peers/mcp_worker.py"), wtool, file, line])

    def mebibyte(name, byte):
        file = Path(place.scratch) / name
        file.write_bytes(byte * MIB)
        return file

    def rust():
        path, problem = place.rust_worker(quick)
        return Worker([path, true]) if path else Absent(problem)

    def recorded(name, more=""):
        (Path(place.scratch) / name).mkdir()
        return '{"audit": {"file": "%s/%s/trail.jsonl"%s}}' % (place.scratch, name, more)

    many = 100 if quick else 10_000

    def calls_in(folders, **options):
        """Calls whose sandbox may write to this many folders of ten files each."""
        root = Path(place.scratch) / f"folders-{folders}"
        for number in range(0 if root.exists() else folders):
            inner = root / f"{number // 100}" / f"{number}"
            inner.mkdir(parents=True)
            for file in range(10):
                (inner / f"{file}").touch()
        return bench("call", "--config", guarded(root.name), true, **options)

    folder = Path(place.scratch) / "workflows"
    wtool = place.build / "bin/wtool"
    light, steps, wide, files = (100, 10, 10, 10) if quick else (LIGHT, STEPS, 200, 100)

    def workflow(verb, file):
        file.parent.mkdir(exist_ok=True)
        return Timed([wtool, verb, file], folder)

    def task(name, count, command, parallel=False):
        path = place.find("task")
        if not path:
            return Absent("there is no task on this machine")
        return Timed([path, "all"], workflow_files.taskfile(folder, name, count, command, parallel))

    def just(name, count, command):
        path = place.find("just")
        return Timed([path, "all"], workflow_files.justfile(folder, name, count, command)) if path else Absent(
            "there is no just on this machine")

    def make(name, count, command, *options):
        return Timed(["make", "-s", *options], workflow_files.makefile(folder, name, count, command))

    def copies(kind, *argv):
        file = workflow_files.copies(folder, kind, files)
        return Timed([*argv, file.name] if kind == "wtool" else argv, file.parent,
                     variables={"XDG_CACHE_HOME": str(folder / "cache")}, settles=2.5)

    large_results = "{output: {bytes: %d}, mcp: {output_bytes: %d}}" % (MIB, MIB)
    line = "git --version" if place.find("git") else f"{true} --version"
    flood = 16 * MIB if quick else 2048 * MIB
    long_flood = 32 * MIB if quick else 10 * 1024 * MIB
    crowd, nap = (20, "0.1") if quick else (500, "1")
    tree = 50 if quick else 1000
    sleep = place.find("sleep")

    def tree_of(shape, *deaf):
        words = [shape, str(tree), *deaf]
        name = " ".join([shape, *deaf])
        return {f"call, {name}": bench("stop", "now", " ".join([str(command), *words])),
                f"killpg, {name}": bench("killed", command, *words)}

    made = [
        # One call in each turn, as a tool is used: now and then, with other things in between.
        Group("true", {
            "floor": bench("bare", true),
            "call": bench("call", true),
            "call, sandbox": bench("call", "--config", sandbox, true),
            "call, protected": bench("call", "--config", guarded("empty"), true),
            "Python subprocess.run": Worker([place.python, place.source("peers/python_worker.py"), true]),
            "Node spawnSync": node("spawnSync", 10),
            "Node spawn": node("spawn", 10),
            "Rust Command::output": rust(),
            "Boost.Process v1": boost("v1", 10),
            "Boost.Process v2": boost("v2", 10),
            "timeout 10 true": spawned("timeout", "10", true),
            "bwrap --unshare-pid": spawned("bwrap", "--unshare-pid", "--die-with-parent", "--dev-bind", "/", "/", true),
        }, rounds=400),
        Group("bursts", {
            "floor": bench("bare", true),
            "call": bench("call", true),
        }, rounds=60, burst=20, warm=3),
        Group("processor", {
            "floor": bench("processor", "bare", true),
            "call": bench("processor", "call", true),
        }, rounds=5, quick_burst=1),
        Group("rate", {
            "threads": bench("rate", "bare", 64, true),
            "calls": bench("rate", "call", 64, true),
        }, rounds=10),
        Group("mcp", {
            "wtool mcp": mcp("{}", "/bin/sh -c 'echo hi'"),
            "Node execFile": node("execFile", 10, "/bin/sh", "-c", "echo hi"),
        }, rounds=40, burst=5, warm=1),
        Group("mcp bytes", {
            "text": mcp(large_results, f"cat {mebibyte('text', b'x')}"),
            "NUL bytes": mcp(large_results, f"cat {mebibyte('zeros', bytes(1))}"),
        }, rounds=10, burst=2, warm=1),
        Group("audit", {
            "call": bench("call", true),
            "call, recorded": bench("call", "--config", recorded("trail"), true),
            "call, on disk": bench("call", "--config", recorded("trail-on-disk", ', "sync": "data"'), true),
        }, rounds=40, burst=10, warm=2),
        Group("repositories", {
            "one folder": calls_in(1, fresh=True),
            "many folders": calls_in(many, fresh=True),
        }, rounds=5),
        Group("later searches", {
            "one folder": calls_in(1),
            "many folders": calls_in(many),
        }, rounds=40, burst=10, warm=10),
        Group("direct", {
            "call": bench("call", line),
            "sh -c by posix_spawn": bench("spawned", "/bin/sh", "-c", line),
        }, rounds=50, burst=10, warm=2),
        Group("host size", {
            "call, 10 MB": bench("call", "--host-mb", 10, true),
            "call, 2 GB": bench("call", "--host-mb", 2048, true),
        }, rounds=80, burst=10, warm=2, memory_mb=3000),
        Group("2 GB", {
            "call": bench("call", "--host-mb", 2048, true),
            "Boost.Process v1": boost("v1", 2048),
            "Boost.Process v2": boost("v2", 2048),
            "Node spawnSync": node("spawnSync", 2048),
            "Node spawn": node("spawn", 2048),
        }, rounds=10, burst=5, warm=1, memory_mb=12000),
        Group("flood", {
            "read loop": on_one_processor("drained", command, "write", flood),
            "call": on_one_processor("call", f"{command} write {flood}"),
        }, rounds=9),
        Group("growth", {
            "one stream": bench("growth", f"{command} write {long_flood}", unit="KiB", fresh=True, limit=90),
            "both streams": bench("growth", f"{command} write {long_flood} both", unit="KiB", fresh=True, limit=90),
        }, rounds=3),
        Group("at once", {
            "threads": bench("threads", "fork", crowd, sleep, nap, fresh=True),
            "threads, vfork": bench("threads", "vfork", crowd, sleep, nap, fresh=True),
            "calls": bench("calls", crowd, f"sleep {nap}", fresh=True),
            "calls, a second time": bench("calls", crowd, f"sleep {nap}"),
        }, rounds=5),
        Group("cancel", {"call": bench("stop", "graceful", f"{command} pause")}, rounds=20, burst=10),
        Group("trees", {**tree_of("wide"), **tree_of("deep"), **tree_of("wide", "deaf"), **tree_of("deep", "deaf")},
              rounds=7),
        Group("forked trees", tree_of("forked"), rounds=5),
        Group("survivors", {"call": bench("survivors", *(f"{command} {kind}" for kind in ("daemon", "reforker", "deaf")),
                                          unit="processes", limit=120)}, rounds=1, burst=1000, quick_burst=6),
        Snapshots("endurance", bench("endurance", true), [
            ("descriptors", ""), ("threads", ""), ("children", ""), ("memory", "KiB"),
            ("custodians", ""), ("memory of the warden", "KiB")], rounds=10, calls=20 if quick else 1000),
        # These are measured while 50 other sessions are open.
        Group("sessions", {
            "floor": bench("bare", true),
            "create": bench("session", "create", 50),
            "execute": bench("session", "execute", 50, true),
            "close, 10 processes": bench("session", "close", 50, 10),
        }, rounds=40, burst=5, warm=1),
        Group("workflow states", {
            "one": workflow("run", workflow_files.light(folder, 1)),
            "many": workflow("run", workflow_files.light(folder, light + 1)),
            "twice as many": workflow("run", workflow_files.light(folder, 2 * light + 1)),
            "lint": workflow("lint", workflow_files.light(folder, light + 1)),
        }, rounds=10),
        Group("workflow steps", {
            "call": bench("call", true),
            "one": workflow("run", workflow_files.calls(folder, 1, true)),
            "many": workflow("run", workflow_files.calls(folder, steps + 1, true)),
            "make, one": make("make-1", 1, true),
            "make, many": make("make-many", steps + 1, true),
            "just, one": just("just-1", 1, true),
            "just, many": just("just-many", steps + 1, true),
            "task, one": task("task-1", 1, true),
            "task, many": task("task-many", steps + 1, true),
        }, rounds=10, burst=3, warm=1),
        Group("workflow branches", {
            "run": workflow("run", workflow_files.branches(folder, wide, f"sleep {nap}")),
            "make -j": make("make-wide", wide, f"sleep {nap}", f"-j{wide}"),
            "task": task("task-wide", wide, f"sleep {nap}", parallel=True),
        }, rounds=5),
        # A file that has changed in the last two seconds is read again by each run, so the copies must be older.
        Group("up to date", {
            "run": copies("wtool", wtool, "run"),
            "make": copies("make", "make", "-s"),
            "task": copies("task", place.find("task"), "all") if place.find("task") else Absent(
                "there is no task on this machine"),
        }, rounds=10, burst=3, warm=1),
        Group("load", {"dlopen to descriptors": Program([place.program("bench_load"), place.plugin])}, rounds=40),
    ]
    return {group.name: group for group in made}


def rows():
    small, large, trees = "true", "2 GB", "trees"
    table = [
        Row("true", "`/usr/bin/true`, captured / vfork, pipes, exec, wait", small, ["call", "floor"],
            ratio("call", "floor"), must=less_where_slow(1.20, 1.12), aim=1.05),
        Row("true-rust", "the same / Rust Command::output", small, ["call", "Rust Command::output"],
            ratio("call", "Rust Command::output"), must=1.0, aim=0.95),
        Row("bursts", "the same as the first row, in bursts", "bursts", ["call", "floor"], ratio("call", "floor"),
            must=1.30, aim=1.10),
        Row("sandbox", "the first row with Landlock and seccomp", small, ["call, sandbox", "floor"],
            ratio("call, sandbox", "floor"), must=1.25, aim=1.06),
        Row("protected", "the same with the default protected names, of which none exists", small,
            ["call, protected", "floor"], ratio("call, protected", "floor"), must=1.45, aim=1.25),
        Row("processor", "processor time of host, warden, custodian and command / of the floor", "processor",
            ["call", "floor"], ratio("call", "floor"), must=1.20, aim=1.10),
        Row("rate", "calls a second in 64 threads / vfork, pipes, exec, wait in 64 threads", "rate", ["calls", "threads"],
            ratio("threads", "calls"), must=0.90, aim=1.00, at_least=True),
        Row("mcp", "`/bin/sh -c 'echo hi'` over MCP, with `--policy open` / Node execFile", "mcp",
            ["wtool mcp", "Node execFile"], ratio("wtool mcp", "Node execFile"), must=0.85, aim=0.70),
        Row("mcp-bytes", "a result of 1 MiB of NUL bytes over MCP / of text", "mcp bytes", ["NUL bytes", "text"],
            ratio("NUL bytes", "text"), must=2, aim=1.3),
        Row("audit", "a line of the audit trail; a call writes two", "audit", ["call", "call, recorded"],
            each("call, recorded", "call", 2, 1e3), unit="us"),
        Row("audit-disk", "the same with `sync: data`", "audit", ["call", "call, on disk"],
            each("call, on disk", "call", 2, 1e3), unit="us"),
        Row("repositories", "the first search for repositories, in 10,000 folders with 100,000 files", "repositories",
            ["one folder", "many folders"], each("many folders", "one folder", 1, 1e6), unit="ms"),
        Row("later-searches", "a later call there / one whose sandbox may write to a single folder", "later searches",
            ["one folder", "many folders"], ratio("many folders", "one folder")),
        Row("host-size", "the same in a host of 2 GB / in one of 10 MB", "host size", ["call, 2 GB", "call, 10 MB"],
            ratio("call, 2 GB", "call, 10 MB"), must=1.10, aim=1.03),
        Row("direct", "`git --version` / `sh -c` of it by posix_spawn", "direct", ["call", "sh -c by posix_spawn"],
            ratio("call", "sh -c by posix_spawn"), must=0.70, aim=0.60),
        Row("boost-v1-2gb", "in a 2 GB host, faster than Boost.Process v1", large, ["Boost.Process v1", "call"],
            ratio("Boost.Process v1", "call"), must=20, aim=30, at_least=True),
        Row("boost-v2-2gb", "in a 2 GB host, faster than Boost.Process v2", large, ["Boost.Process v2", "call"],
            ratio("Boost.Process v2", "call"), must=20, aim=30, at_least=True),
        Row("node-2gb", "in a 2 GB host, faster than Node", large, ["Node spawnSync", "Node spawn", "call"],
            fastest(["Node spawnSync", "Node spawn"], "call"), must=20, aim=30, at_least=True),
        Row("python", "faster than Python `subprocess.run`", small, ["Python subprocess.run", "call"],
            ratio("Python subprocess.run", "call"), must=1.0, aim=1.15, at_least=True),
        Row("flood", "capture of 2 GiB: rate / that of a bare read loop, both on one processor", "flood",
            ["call", "read loop"], ratio("read loop", "call"), must=0.95, aim=1.00, at_least=True),
        Row("growth", "memory growth while a command writes 10 GiB", "growth", ["one stream"],
            highest("one stream", 1024), unit="MiB", must=4, aim=3),
        Row("growth-both", "the same, half of it on standard error", "growth", ["both streams"],
            highest("both streams", 1024), unit="MiB", must=4, aim=2),
        Row("at-once", "500 calls of `sleep 1` / threads doing fork, exec, wait", "at once", ["calls", "threads"],
            ratio("calls", "threads"), must=1.10, aim=1.00),
        Row("at-once-vfork", "the same / threads doing vfork, exec, wait", "at once", ["calls", "threads, vfork"],
            ratio("calls", "threads, vfork"), must=1.08, aim=1.03),
        Row("at-once-again", "the same a second time in one host", "at once", ["calls, a second time", "threads, vfork"],
            ratio("calls, a second time", "threads, vfork")),
        Row("cancel", "cancel to result, one process that obeys SIGTERM", "cancel", ["call"], median("call", 1e6),
            unit="ms", must=5, aim=1),
    ]
    for key, title, group, kind, must, aim in (
            ("wide", "1,000-process tree dead, wide", trees, "wide", 150, 80),
            ("deep", "1,000-process tree dead, deep", trees, "deep", 1000, 400),
            ("forked", "1,000-process tree dead, deep, forked without exec", "forked trees", "forked", 1000, 400),
            ("wide-deaf", "the wide tree, ignoring SIGTERM", trees, "wide deaf", None, None),
            ("deep-deaf", "the deep tree, ignoring SIGTERM", trees, "deep deaf", None, None)):
        table.append(Row(key, title, group, [f"call, {kind}", f"killpg, {kind}"], median(f"call, {kind}", 1e6), unit="ms",
                         must=must, aim=aim))
        if key == "forked":
            table.append(Row("forked-killpg", "the same / killpg of it", group, ["call, forked", "killpg, forked"],
                             ratio("call, forked", "killpg, forked"), must=1.3, aim=1.1))
    table += [
        Row("survivors", "survivors over 1,000 stops", "survivors", ["call"], total("call"), unit="", must=0, aim=0),
        Row("endurance", "kinds of things that grew in 10,000 calls", "endurance", None, growth, unit="", must=0, aim=0),
        Row("session-create", "terminal session opened, p95, with 50 open", "sessions", ["create"], p95("create", 1e6),
            unit="ms", must=1, aim=0.2),
        Row("session-execute", "command in one of 50 sessions, p95, above the bare command", "sessions",
            ["execute", "floor"], p95("execute", 1e6, "floor"), unit="ms", must=2, aim=1),
        Row("session-close", "terminal session closed, p95, with 10 background processes", "sessions",
            ["close, 10 processes"], p95("close, 10 processes", 1e6), unit="ms", must=5, aim=3),
        Row("workflow-state", "a `Log` or `Set` state of 10,000, journalled", "workflow states", ["one", "many"],
            each("many", "one", LIGHT, 1e3), unit="us", must=20, aim=12),
        Row("workflow-linear", "20,000 such states / 10,000", "workflow states", ["twice as many", "many"],
            ratio("twice as many", "many"), must=2.2, aim=2.0),
        Row("workflow-lint", "`wtool lint` of 10,000 states", "workflow states", ["lint"], median("lint", 1e6), unit="ms",
            must=500, aim=150),
        Row("workflow-step", "a `Shell` step of `/usr/bin/true` / the bare call", "workflow steps", ["one", "many", "call"],
            lambda group: each("many", "one", STEPS, 1)(group) / group.series["call"].median(), must=1.15, aim=1.05),
        Row("workflow-make", "the same step / a rule of make", "workflow steps", ["many", "make, many"],
            lambda group: each("many", "one", STEPS, 1)(group) / each("make, many", "make, one", STEPS, 1)(group)),
        Row("workflow-just", "the same step / a recipe of just", "workflow steps", ["many", "just, many"],
            lambda group: each("many", "one", STEPS, 1)(group) / each("just, many", "just, one", STEPS, 1)(group)),
        Row("workflow-task", "the same step / a task of go-task", "workflow steps", ["many", "task, many"],
            lambda group: each("many", "one", STEPS, 1)(group) / each("task, many", "task, one", STEPS, 1)(group)),
        Row("workflow-branches", "200 parallel branches of `sleep 1`", "workflow branches", ["run"], median("run", 1e9),
            unit="s", must=1.3, aim=1.15),
        Row("workflow-branches-make", "the same / `make -j200`", "workflow branches", ["run", "make -j"],
            ratio("run", "make -j")),
        Row("up-to-date", "a run of 100 steps that are all up to date / make", "up to date", ["run", "make"],
            ratio("run", "make"), must=1.0, aim=0.8),
        Row("up-to-date-task", "the same / go-task", "up to date", ["run", "task"], ratio("run", "task")),
        Row("load", "loading the plugin and reading its descriptors", "load", ["dlopen to descriptors"],
            median("dlopen to descriptors", 1e6), unit="ms", must=10, aim=4),
    ]
    for key, name in (("rust", "Rust Command::output"), ("boost-v1", "Boost.Process v1"), ("boost-v2", "Boost.Process v2"),
                      ("subprocess", "Python subprocess.run"), ("node-sync", "Node spawnSync"), ("node", "Node spawn"),
                      ("timeout", "timeout 10 true"), ("bwrap", "bwrap --unshare-pid")):
        table.append(Row(f"peer-{key}", f"{name} / the floor", small, [name, "floor"], ratio(name, "floor")))
    return table
