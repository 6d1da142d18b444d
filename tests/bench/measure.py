"""The benchmark itself; tests/bench/run builds what it needs and calls it. Python's standard library only."""
import argparse
import datetime
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import against
import plot
import report
import rows

HERE = Path(__file__).resolve().parent
DOCS = HERE.parent.parent / "docs"


class Place:
    """The paths of everything that is run."""

    def __init__(self, build, scratch):
        self.build = build
        self.scratch = scratch
        self.python = sys.executable
        self.plugin = build / "lib/wtool/shell_tools.so"

    def program(self, name):
        return self.build / "tests/bench" / name

    def source(self, name):
        return HERE / name

    def find(self, name):
        return shutil.which(name)

    def rust_worker(self, quick):
        """Its path, or None and the reason. It is compiled only where time may be spent."""
        source, built = self.source("peers/rust_worker.rs"), self.program("rust_worker")
        if built.exists() and built.stat().st_mtime >= source.stat().st_mtime:
            return built, ""
        if not self.find("rustc"):
            return None, "there is no rustc on this machine"
        if quick:
            return None, "left out of a quick run"
        done = subprocess.run(["rustc", "-O", "-o", built, source], stdin=subprocess.DEVNULL, capture_output=True,
                              check=False, timeout=120)
        return (built, "") if done.returncode == 0 else (None, "rustc cannot compile its worker")


def machine():
    def first_line(argv):
        try:
            done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=20)
            return (done.stdout.splitlines() or [""])[0]
        except OSError:
            return ""

    def content(path):
        try:
            return Path(path).read_text(encoding="utf-8").strip()
        except OSError:
            return ""

    versions = [first_line([name, "--version"]) for name in ("git", "rustc", "bwrap", "timeout")]
    versions += [first_line(["node", "-e", "console.log('node', process.version)"]), "Python " + platform.python_version()]
    return {
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "processors": os.cpu_count(),
        "memory_mb": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20,
        "huge_pages": content("/sys/kernel/mm/transparent_hugepage/enabled"),
        "load_before": os.getloadavg()[0],
        "versions": [version for version in versions if version],
    }


def arguments():
    parser = argparse.ArgumentParser(prog="tests/bench/run", description=(
        "Measures calls of shell_execute against their floors and against what else people use, interleaved in one run, "
        "and prints a table. Takes a few minutes; a quiet machine gives better figures."))
    parser.add_argument("--quick", action="store_true", help="a few rounds of what is cheap, to see that it works")
    parser.add_argument("--only", nargs="+", metavar="ROW", help="only these rows, by the names that --list shows")
    parser.add_argument("--list", action="store_true", help="show the names of the rows, and measure nothing")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the figures go (build/bench/results.json)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="where the plot goes (build/bench/plot.svg)")
    parser.add_argument("--docs", action="store_true", help="put table and plot into docs/performance.{md,svg} as well")
    parser.add_argument("--from", dest="source", type=Path, metavar="FILE",
                        help="show the figures of this file of an earlier run, and measure nothing")
    parser.add_argument("--against", metavar="COMMIT",
                        help="build that commit as well and measure calls of both; exit with 1 if this one is slower")
    parser.add_argument("--build", type=Path, required=True, help=argparse.SUPPRESS)
    return parser.parse_args()


def progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def measure(options, wanted):
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="wtool-bench-") as scratch:
        groups = rows.groups(Place(options.build.resolve(), scratch), options.quick)
        results = {"schema": 1, "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                   "quick": options.quick, "machine": machine()}
        for name in dict.fromkeys(row.group for row in wanted):
            groups[name].measure(options.quick, progress)
        progress("")
    results["rows"] = [report.judge(row, groups[row.group], options.quick) for row in wanted]
    results["seconds"] = round(time.monotonic() - began)
    return results


def main():
    options = arguments()
    if options.against:
        with tempfile.TemporaryDirectory(prefix="wtool-bench-") as scratch:
            return against.compare(options.against, HERE.parent.parent, options.build.resolve(), scratch, options.quick,
                                   progress)
    known = rows.rows()
    if options.list:
        for row in known:
            print(f"{row.key:24} {row.title}")
        return 0
    unknown = set(options.only or ()) - {row.key for row in known}
    if unknown:
        print(f"tests/bench/run: there is no row '{min(unknown)}'; --list shows all", file=sys.stderr)
        return 2
    if options.source:
        results = report.load(options.source)
    else:
        results = measure(options, [row for row in known if not options.only or row.key in options.only])
        report.save(results, options.json or options.build / "bench/results.json")
    print(report.text(results))
    drawing = plot.draw(results)
    report.write(options.plot or options.build / "bench/plot.svg", drawing)
    if options.docs:
        report.update_docs(results, DOCS / "performance.md")
        report.write(DOCS / "performance.svg", drawing)
    # A row that should have been measured and was not is a failure. A missing peer, or a value that misses its mark, is
    # not.
    return 1 if any(row["verdict"] == "failed" for row in results["rows"]) else 0


if __name__ == "__main__":
    sys.exit(main())
