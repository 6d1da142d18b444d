"""Judges what tests/soak/soak prints, and draws it: nothing may grow once the host is warm.

A host counts as warm after a quarter of the samples. From there to the end, the line through the samples (least
squares) may rise by no more than the noise of each kind. The first kind shows every leak of the heap and has little
noise. The resident memory has more, because an allocator's arenas come and go by megabytes.
"""
import argparse
import json
import subprocess
import sys
from html import escape

WARM = 0.25
# Key of a sample, title, and by how much its line may rise. On a busy machine, one or two more custodians are kept idle
# from some sample on. Each of them is one process, two descriptors of the host, and most of a megabyte.
KINDS = [
    ("allocated_kib", "memory in use, KiB", 64),
    ("memory_kib", "memory of the host, KiB", 8192),
    ("descriptors", "descriptors of the host", 5.0),
    ("threads", "threads of the host", 0.5),
    ("children", "children of the host", 0.5),
    ("processes", "processes of its helpers", 2.5),
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
    parser.add_argument("--tasks", type=int, default=2400, help="how many tasks; 2400 unless given, which is a day at 100 an hour")
    parser.add_argument("--samples", type=int, default=60, help="how many samples are taken; 60 unless given")
    parser.add_argument("--json", required=True, help="file for the samples")
    parser.add_argument("--plot", required=True, help="file for the plot, SVG")
    options = parser.parse_args()
    if options.tasks < 1 or options.samples < 4:
        parser.error("--tasks takes a number from 1, --samples one from 4")

    samples = []
    with open(options.json, "w", encoding="utf-8") as file, subprocess.Popen(
            [options.program, str(options.tasks), str(options.samples)], stdout=subprocess.PIPE, text=True) as program:
        for line in program.stdout:
            file.write(line)
            samples.append(json.loads(line))
            if sys.stderr.isatty():
                print(f"\r{samples[-1]['tasks']} of {options.tasks} tasks", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    if program.returncode != 0 or not samples:
        print(f"tests/soak/run: the soak ended with status {program.returncode} after {len(samples)} samples", file=sys.stderr)
        return 1

    verdicts = {}
    for key, title, noise in KINDS:
        grown = rise(samples, key)
        verdicts[key] = (grown, grown <= noise)
        print(f"{title:28} {samples[0][key]:>8} -> {samples[-1][key]:>8}   rise when warm {grown:+9.1f}   "
              f"{'good' if grown <= noise else f'GROWS: more than {noise}'}")
    with open(options.plot, "w", encoding="utf-8") as file:
        file.write(draw(samples, verdicts))
    print(f"{samples[-1]['tasks']} tasks in {samples[-1]['seconds']:.0f} s; plot: {options.plot}")
    return 0 if all(good for _, good in verdicts.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
