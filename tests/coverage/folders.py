#!/usr/bin/env python3
"""Sums up what llvm-cov says about each file, as the coverage of each folder, and compares it with the folder's floor.

Usage: folders.py FILES.json --root DIR [--folder FOLDER] [--floors FILE [--raise]]

FILES.json is the output of `llvm-cov export -summary-only`. A folder is plugin/NAME, host-api/NAME or
host-api/reference-host/NAME, with all that is below it. Prints a line for each folder with the covered lines and
branches, then the sums. Files that are not below host-api/ or plugin/ of DIR do not count.

With --floors, exits with 1 if a folder is below its floor, or has a floor but no longer a file. --raise first writes
new floors into the file: each becomes what was reached minus MARGIN, and no floor is lowered. The file's comments stay.
"""
import argparse
import json
import math
import pathlib
import sys

MARGIN = 0.5  # Some lines depend on timing: an interrupted system call, a process that ends while it is looked at.


def folder_of(path):
    """The folder that a file counts for, or None: plugin/policy for plugin/policy/words/word.cc."""
    parts = path.split("/")[:-1]
    if parts[:1] == ["plugin"]:
        return "/".join(parts[:2])
    if parts[:2] == ["host-api", "reference-host"]:
        return "/".join(parts[:3])
    if parts[:1] == ["host-api"]:
        return "/".join(parts[:2])
    return None


def percent(counts):
    """100 if there is nothing to cover."""
    covered, count = counts
    return 100.0 if count == 0 else 100.0 * covered / count


def read_counts(document, root):
    """{folder: {"lines": [covered, count], "branches": [covered, count]}}"""
    folders = {}
    for file in document["data"][0]["files"]:
        try:
            relative = pathlib.PurePosixPath(file["filename"]).relative_to(root)
        except ValueError:
            continue
        folder = folder_of(str(relative))
        if folder is None:
            continue
        sums = folders.setdefault(folder, {"lines": [0, 0], "branches": [0, 0]})
        for what, sum_of in sums.items():
            sum_of[0] += file["summary"][what]["covered"]
            sum_of[1] += file["summary"][what]["count"]
    return folders


def read_floors(text):
    """{folder: (lines, branches)}. A line that is not understood is an error."""
    floors = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            folder, lines, branches = line.split()
            floors[folder] = (float(lines), float(branches))
        except ValueError:
            raise SystemExit(f"floors, line {number}: '{line}' is not FOLDER LINES BRANCHES")
    return floors


def reached_floor(counts):
    """The floor that these counts allow, with one digit after the point."""
    return max(0.0, math.floor((percent(counts) - MARGIN) * 10) / 10)


def raised(floors, folders):
    result = dict(floors)
    for folder, sums in folders.items():
        old = floors.get(folder, (0.0, 0.0))
        result[folder] = (max(old[0], reached_floor(sums["lines"])), max(old[1], reached_floor(sums["branches"])))
    return result


def written(text, floors):
    comments = [line for line in text.splitlines() if line.startswith("#")]
    rows = [f"{folder} {lines:.1f} {branches:.1f}" for folder, (lines, branches) in sorted(floors.items())]
    return "\n".join(comments + rows) + "\n"


def below(floors, folders):
    """A line for each figure that is below its floor, and for each floor without a folder."""
    for folder, floor in sorted(floors.items()):
        if folder not in folders:
            yield f"{folder} has a floor, but no file that was counted: was it renamed? Then rename its row"
            continue
        for what, least in zip(("lines", "branches"), floor):
            is_now = percent(folders[folder][what])
            if is_now < least:
                yield f"{folder}: {is_now:.2f} % of {what} are covered, and the floor is {least:.1f} %: add tests for what lost them"


def table(folders):
    yield f"{'folder':<40} {'lines':>7} {'of':>7} {'%':>6}   {'branches':>8} {'of':>7} {'%':>6}"
    totals = {}
    for folder, sums in sorted(folders.items()):
        yield row(folder, sums)
        for group in (folder.split("/")[0], "all"):
            total = totals.setdefault(group, {"lines": [0, 0], "branches": [0, 0]})
            for what in total:
                total[what] = [a + b for a, b in zip(total[what], sums[what])]
    for group, sums in totals.items():
        yield row(f"({group})", sums)


def row(name, sums):
    lines, branches = sums["lines"], sums["branches"]
    return (f"{name:<40} {lines[0]:>7} {lines[1]:>7} {percent(lines):>6.2f}   "
            f"{branches[0]:>8} {branches[1]:>7} {percent(branches):>6.2f}")


def main(arguments):
    parser = argparse.ArgumentParser(description="The coverage of each folder, and whether it is below its floor.")
    parser.add_argument("files", type=pathlib.Path)
    parser.add_argument("--root", required=True)
    parser.add_argument("--folder", help="this folder alone")
    parser.add_argument("--floors", type=pathlib.Path)
    parser.add_argument("--raise", dest="raise_floors", action="store_true")
    options = parser.parse_args(arguments)

    folders = read_counts(json.loads(options.files.read_text()), options.root)
    if options.folder:
        folders = {name: sums for name, sums in folders.items() if name == options.folder}
    if not folders:
        raise SystemExit(f"{options.files} has no file of {options.folder or 'host-api/ or plugin/'} below {options.root}")
    print("\n".join(table(folders)))
    if not options.floors:
        return 0
    text = options.floors.read_text()
    floors = read_floors(text)
    if options.raise_floors:
        floors = raised(floors, folders)
        options.floors.write_text(written(text, floors))
    if options.folder:
        floors = {name: floor for name, floor in floors.items() if name == options.folder}
    wrong = list(below(floors, folders))
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
