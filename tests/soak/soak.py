"""Judges what tests/soak/soak prints, and draws it: nothing may grow once the host is warm.

A host counts as warm after a quarter of the samples. From there to the end, the line through the samples (least
squares) may rise by no more than the noise of each kind. The first kind shows every leak of the heap and has little
noise. The resident memory has more, because an allocator's arenas come and go by megabytes. How long calls take is only
stated, because it depends on what else the machine does.

A soak in real time (--rate) takes hours, and can be made in pieces (--continue). Each piece is a host of its own, and is
judged alone.
"""
import argparse
import itertools
import json
import math
import os
import subprocess
import sys
from html import escape

WARM = 0.25
# Key of a sample, title, and by how much its line may rise. On a busy machine, one or two more custodians are kept idle
# from some sample on. Each of them is one process, two descriptors of the host, and most of a megabyte. The line through
# samples with one step rises by up to 1.5 times the step.
KINDS = [
    ("allocated_kib", "memory in use, KiB", 64),
    ("memory_kib", "memory of the host, KiB", 8192),
    ("descriptors", "descriptors of the host", 6.0),
    ("threads", "threads of the host", 0.5),
    ("children", "children of the host", 0.5),
    ("processes", "processes of its helpers", 3.0),
    ("helper_memory_kib", "memory of its helpers, KiB", 3072),
]


def rise(samples, key):
    """By how much the line through the warm samples rises from the first of them to the last."""
    warm = samples[int(len(samples) * WARM):]
    if len(warm) < 3:
        return 0.0
    xs = [sample["tasks"] for sample in warm]
    ys = [sample[key] for sample in warm]
    middle_x, middle_y = sum(xs) / len(xs), sum(ys) / len(ys)
    slope = sum((x - middle_x) * (y - middle_y) for x, y in zip(xs, ys)) / sum((x - middle_x) ** 2 for x in xs)
    return slope * (xs[-1] - xs[0])


def p95(samples):
    """Of the calls of the kind "success", in milliseconds; None without any."""
    values = sorted(value for sample in samples for value in sample.get("success_ms", []))
    return values[math.ceil(len(values) * 0.95) - 1] if values else None


def judge(samples):
    """Prints the figures of one host; returns the rise of each kind, and whether it is small enough."""
    verdicts = {}
    for key, title, noise in KINDS:
        grown = rise(samples, key)
        verdicts[key] = (grown, grown <= noise)
        print(f"{title:28} {samples[0][key]:>8} -> {samples[-1][key]:>8}   rise when warm {grown:+9.1f}   "
              f"{'good' if grown <= noise else f'GROWS: more than {noise}'}")
    quarter = max(1, len(samples) // 4)
    first, last = p95(samples[:quarter]), p95(samples[-quarter:])
    if first is not None and last is not None:
        print(f"{'p95 of a call of sh, ms':28} {first:8.2f} -> {last:8.2f}   the first and the last quarter of the samples")
    print(f"{samples[-1]['tasks']} tasks in {samples[-1]['seconds']:.0f} s, {len(samples)} samples")
    return verdicts


def pieces_of(lines):
    """The samples of each piece. In each, the number of tasks begins anew."""
    numbers = itertools.count()
    number, last = next(numbers), 0
    pieces = {}
    for line in lines:
        sample = json.loads(line)
        if sample["tasks"] <= last:
            number = next(numbers)
        last = sample["tasks"]
        pieces.setdefault(number, []).append(sample)
    return list(pieces.values())


def draw(samples, verdicts):
    width, height, left = 900, 120, 70
    tasks = samples[-1]["tasks"]
    parts = []
    for number, (key, title, _) in enumerate(KINDS):
        top = 30 + number * (height + 40)
        values = [sample[key] for sample in samples]
        low, high = min(values), max(values)
        low, high = low - max(1, (high - low) * 0.1), high + max(1, (high - low) * 0.1)

        def place(sample):
            return (left + (width - left - 20) * sample["tasks"] / tasks,
                    top + height * (high - sample[key]) / (high - low))

        warm = left + (width - left - 20) * samples[int(len(samples) * WARM)]["tasks"] / tasks
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(place, samples))
        color = "#0b69a3" if verdicts[key][1] else "#c52707"
        parts += [
            f'<text x="{left}" y="{top - 8}" font-size="14" font-weight="bold">{escape(title)}: from {values[0]} to '
            f'{values[-1]}, rise when warm {verdicts[key][0]:+.1f}</text>',
            f'<rect x="{left}" y="{top}" width="{width - left - 20}" height="{height}" fill="#f5f7fa"/>',
            f'<line x1="{warm:.1f}" y1="{top}" x2="{warm:.1f}" y2="{top + height}" stroke="#9aa5b1" '
            f'stroke-dasharray="4"/>',
            f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>',
            f'<text x="{left - 6}" y="{top + 12}" font-size="11" text-anchor="end">{max(values)}</text>',
            f'<text x="{left - 6}" y="{top + height}" font-size="11" text-anchor="end">{min(values)}</text>',
        ]
    total = 30 + len(KINDS) * (height + 40)
    parts.append(f'<text x="{left}" y="{total}" font-size="12">{tasks} tasks in {samples[-1]["seconds"]:.0f} s; after '
                 f'the dashed line the host counts as warm</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {total + 20}" '
            f'font-family="system-ui, sans-serif"><rect width="100%" height="100%" fill="white"/>'
            + "\n".join(parts) + "</svg>\n")


def main():
    parser = argparse.ArgumentParser(prog="tests/soak/run", description="Runs many tasks of mixed kinds in one host, and "
                                     "fails when something grows.")
    parser.add_argument("--program", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--tasks", type=int, help="how many tasks; 2400 unless given, which is a day at 100 an hour")
    parser.add_argument("--samples", type=int, default=60, help="how many samples are taken; 60 unless given")
    parser.add_argument("--rate", type=float, default=0, help="how many tasks begin in an hour; without it, each begins as "
                        "soon as an agent is free")
    parser.add_argument("--hours", type=float, help="with --rate, how long the soak takes; 0 only prints the figures of "
                        "the pieces that there are")
    parser.add_argument("--continue", dest="more", action="store_true", help="a further piece: the samples of earlier ones "
                        "are kept, and the figures are of all")
    parser.add_argument("--json", required=True, help="file for the samples")
    parser.add_argument("--plot", required=True, help="file for the plot of the last piece, SVG")
    options = parser.parse_args()
    if (options.rate > 0) != (options.hours is not None) or (options.rate > 0 and options.tasks is not None):
        parser.error("--rate and --hours go together, and without --tasks")
    tasks = round(options.rate * options.hours) if options.rate > 0 else options.tasks if options.tasks is not None else 2400
    only_print = options.rate > 0 and options.hours == 0 and options.more
    if (tasks < 1 and not only_print) or options.samples < 4:
        parser.error("--tasks takes a number from 1, --samples one from 4")

    status = 0 if only_print else run(options, tasks)
    pieces = []
    if os.path.exists(options.json):
        with open(options.json, encoding="utf-8") as file:
            pieces = pieces_of(file)
    if status != 0 or not pieces:
        print(f"tests/soak/run: the soak ended with status {status}, with {sum(map(len, pieces))} samples", file=sys.stderr)
        return 1

    good = True
    for number, samples in enumerate(pieces, 1):
        if len(pieces) > 1:
            print(f"Piece {number}:")
        verdicts = judge(samples)
        good = good and all(small for _, small in verdicts.values())
    if len(pieces) > 1:
        seconds = sum(samples[-1]["seconds"] for samples in pieces)
        print(f"All {len(pieces)} pieces: {sum(samples[-1]['tasks'] for samples in pieces)} tasks in {seconds / 3600:.2f} hours")
    with open(options.plot, "w", encoding="utf-8") as file:
        file.write(draw(pieces[-1], verdicts))
    print(f"plot: {options.plot}")
    return 0 if good else 1


def run(options, tasks):
    """Runs the program, and writes its samples to the file; returns its status."""
    with open(options.json, "a" if options.more else "w", encoding="utf-8", buffering=1) as file, subprocess.Popen(
            [options.program, str(tasks), str(options.samples), str(options.rate)], stdout=subprocess.PIPE, text=True) as program:
        for line in program.stdout:
            file.write(line)
            if sys.stderr.isatty():
                print(f"\r{json.loads(line)['tasks']} of {tasks} tasks", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return program.returncode


if __name__ == "__main__":
    sys.exit(main())
