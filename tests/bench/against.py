"""Another commit, measured beside this one, so that a slow-down is seen before it lands: tests/bench/run --against COMMIT.

The other commit is built below build/bench/against, once. Both plugins take turns in one run, in an order that is shuffled
each time, and each has the worker of its own commit. A row has the ratio of the two medians and the range in which it
lies with 95 % certainty (bootstrap). A row is slower where all of that range is above what is tolerated.
"""
import random
import statistics
import subprocess
import sys
from pathlib import Path

from series import Group
from workers import Failure, Worker

TOLERATED = 1.02  # The ratio that differences of the machine and the compiler may cause.
RESAMPLES = 1000


class Against:
    """What is measured of one commit."""

    def __init__(self, build, scratch):
        worker, command = build / "tests/bench/bench_worker", build / "tests/bench/bench_command"
        true = "/usr/bin/true"
        sandbox = '{"sandbox": {"read": ["/"], "write": ["%s"], "protect": "none"}}' % scratch
        guarded = '{"sandbox": {"read": ["/"], "write": ["%s"]}}' % scratch
        self.workers = {
            "one call a turn": Worker([worker, "call", true]),
            "calls in bursts": Worker([worker, "call", true]),
            "a line for the shell": Worker([worker, "call", "true; true"]),
            "Landlock and seccomp": Worker([worker, "call", "--config", sandbox, true]),
            "protected names": Worker([worker, "call", "--config", guarded, true]),
            "cancel to result": Worker([worker, "stop", "graceful", f"{command} pause"]),
            "64 MiB of output": Worker([worker, "call", f"{command} write {64 * 2**20}"]),
            "100 calls of sleep 0.1 at once": Worker([worker, "calls", 100, "sleep 0.1"]),
        }


SHAPES = {  # rounds, calls of a turn, calls of a turn that do not count
    "one call a turn": (600, 1, 0), "calls in bursts": (60, 20, 3), "a line for the shell": (60, 10, 2),
    "Landlock and seccomp": (60, 10, 2), "protected names": (60, 10, 2), "cancel to result": (40, 5, 1),
    "64 MiB of output": (20, 1, 0), "100 calls of sleep 0.1 at once": (10, 1, 0)}


def run(argv, **options):
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **options)
    if done.returncode != 0:
        sys.exit(f"tests/bench/run: {' '.join(map(str, argv))} failed:\n{done.stdout[-3000:]}")
    return done.stdout.strip()


def built(commit, root, build):
    """The build folder of the commit. Its sources are kept, so that a second run builds nothing."""
    name = run(["git", "rev-parse", "--verify", "--end-of-options", commit + "^{commit}"], cwd=root)
    source = build / "bench/against" / name
    if not (source / "CMakeLists.txt").exists():
        source.mkdir(parents=True, exist_ok=True)
        archive = source.parent / (name + ".tar")
        run(["git", "archive", "-o", archive, name], cwd=root)
        run(["tar", "-xf", archive, "-C", source])
        archive.unlink()
    print(f"Building {name[:10]} ...", file=sys.stderr, flush=True)
    run(["cmake", "--preset", "release"], cwd=source)
    run(["cmake", "--build", "--preset", "release", "--target", "bench"], cwd=source)
    return source / "build"


def interval(ours, theirs):
    """The bounds between which the ratio of the medians lies in 95 of 100 resamples."""
    generator = random.Random(1)
    ratios = sorted(statistics.median(generator.choices(ours, k=len(ours))) /
                    statistics.median(generator.choices(theirs, k=len(theirs))) for _ in range(RESAMPLES))
    return ratios[RESAMPLES * 25 // 1000], ratios[RESAMPLES * 975 // 1000]


def microseconds(figures):
    return f"{statistics.median(figures) / 1000:.1f} us"


def compare(commit, root, build, scratch, quick, progress):
    """Prints the table. Returns 1 if a row is slower or could not be measured."""
    ours, theirs = Against(build, scratch), Against(built(commit, root, Path(build)), scratch)
    print(f"{'':32} {'this':>14} {commit[:14]:>14}   ratio (95 %)")
    status = 0
    for name, (rounds, burst, warm) in SHAPES.items():
        group = Group(name, {"this": ours.workers[name], "that": theirs.workers[name]}, rounds, burst, warm)
        group.measure(quick, progress)
        progress("")
        try:
            this, that = group.series["this"].checked(), group.series["that"].checked()
        except Failure as failure:
            print(f"{name:32} not measured: {failure}")
            status = 1
            continue
        low, high = interval(this, that)
        slower = not quick and low > TOLERATED
        status = 1 if slower else status
        print(f"{name:32} {microseconds(this):>14} {microseconds(that):>14}   "
              f"{statistics.median(this) / statistics.median(that):.3f} ({low:.3f} to {high:.3f}){'  slower' if slower else ''}")
    return status
