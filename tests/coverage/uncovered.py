#!/usr/bin/env python3
"""Compares the lines that no test reaches with the file that gives the reasons.

Usage: uncovered.py LINES.lcov --root DIR [--reasons FILE --files FILES.json] [--list FILE]

LINES.lcov is the output of `llvm-cov export -format=lcov`, and FILES.json that of `llvm-cov export -summary-only`, from
which the coverage of each folder is computed as folders.py does. A gap is a series of lines that no test reaches: from the
first one to the last one before a line that is reached. The lines between them that have no code do not count.

A row of the reasons has three fields with a tab between them: FILE, LINE and REASON. LINE is the text of a line, each
run of blanks as one blank. The row gives the reason of each gap of FILE that has such a line. FILE begins with "~" if
some runs reach the gap, because it depends on timing or on the machine.

Prints the sums, and writes each gap that has no reason into the file of --list. Exits with 1 if

- a row names a file that has no code, a line that is not in the file, or a line that is reached (unless FILE has "~"),
- a folder is below its aim (AIMS), and one of its gaps has no reason.
"""
import argparse
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import folders  # noqa: E402

AIMS = {"plugin": 95.0, "host-api": 93.0}  # percent of the lines


def read_lines(text, root):
    """{file: {line number: count}}, for the files of folders that count."""
    files = {}
    lines = None
    for row in text.splitlines():
        kind, _, value = row.partition(":")
        if kind == "SF":
            path = pathlib.PurePosixPath(value)
            name = str(path.relative_to(root)) if path.is_relative_to(root) else ""
            lines = files.setdefault(name, {}) if folders.folder_of(name) else None
        elif kind == "DA" and lines is not None:
            number, count = value.split(",")[:2]
            lines[int(number)] = max(lines.get(int(number), 0), int(count))
    return files


def gaps_of(lines):
    """Each gap, as the numbers of its lines."""
    gap = []
    for number, count in sorted(lines.items()):
        if count == 0:
            gap.append(number)
        elif gap:
            yield gap
            gap = []
    if gap:
        yield gap


def plain(text):
    return re.sub(r"\s+", " ", text).strip()


def read_reasons(text):
    """[(row number, file, line, whether it is reached in some runs)]. A row that is not understood is an error."""
    rows = []
    for number, row in enumerate(text.splitlines(), 1):
        if not row.strip() or row.startswith("#"):
            continue
        fields = [field.strip() for field in row.split("\t")]
        if len(fields) != 3 or not all(fields):
            raise SystemExit(f"uncovered, line {number}: '{row}' is not FILE, LINE and REASON with tabs between them")
        rows.append((number, fields[0].lstrip("~"), plain(fields[1]), fields[0].startswith("~")))
    return rows


def wrong_rows(rows, files, texts):
    """A line for each row that is no longer true."""
    for number, file, line, sometimes in rows:
        if file not in files:
            yield f"uncovered, line {number}: {file} has no code that was counted: was it renamed?"
            continue
        places = [at for at, text in enumerate(texts[file], 1) if plain(text) == line]
        if not places:
            yield f"uncovered, line {number}: {file} has no line '{line}' any longer: remove or correct the row"
        elif not sometimes and all(files[file].get(at, 1) > 0 for at in places):
            yield f"uncovered, line {number}: a test reaches '{line}' of {file} now: remove the row"


def compare(files, texts, rows):
    """The number of uncovered lines, how many of them have a reason, and the gaps without a reason as (file, gap)."""
    uncovered, explained, without = 0, 0, []
    for file, lines in sorted(files.items()):
        reasons = {line for _, name, line, _ in rows if name == file}
        for gap in gaps_of(lines):
            uncovered += len(gap)
            if any(plain(texts[file][at - 1]) in reasons for at in gap):
                explained += len(gap)
            else:
                without.append((file, gap))
    return uncovered, explained, without


def below_aims(counts, without):
    """A line for each folder that is below its aim although some of its gaps have no reason."""
    for folder, sums in sorted(counts.items()):
        aim = AIMS[folder.split("/")[0]]
        reached = folders.percent(sums["lines"])
        gaps = sum(1 for file, _ in without if folders.folder_of(file) == folder)
        if reached < aim and gaps:
            yield (f"{folder}: {reached:.2f} % of lines are covered, the aim is {aim:.0f} %, and {gaps} gaps have no reason "
                   "in tests/coverage/uncovered: add tests, or reasons")


def main(arguments):
    parser = argparse.ArgumentParser(description="Compares the lines that no test reaches with the reasons for them.")
    parser.add_argument("lines", type=pathlib.Path)
    parser.add_argument("--root", required=True, type=pathlib.Path)
    parser.add_argument("--reasons", type=pathlib.Path)
    parser.add_argument("--files", type=pathlib.Path)
    parser.add_argument("--list", type=pathlib.Path, dest="list_file")
    options = parser.parse_args(arguments)

    files = read_lines(options.lines.read_text(), options.root)
    if not files:
        raise SystemExit(f"{options.lines} has no file of host-api/ or plugin/ below {options.root}")
    texts = {file: (options.root / file).read_text().splitlines() for file in files}
    rows = read_reasons(options.reasons.read_text()) if options.reasons else []
    uncovered, explained, without = compare(files, texts, rows)
    if options.list_file:
        options.list_file.write_text("".join(
            f"{file}:{gap[0]}-{gap[-1]}: {plain(texts[file][gap[0] - 1])}\n" for file, gap in without))
    print(f"{uncovered} lines are not covered; {explained} of them have a reason")
    wrong = list(wrong_rows(rows, files, texts))
    if options.files:
        counts = folders.read_counts(json.loads(options.files.read_text()), options.root)
        wrong += below_aims(counts, without)
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
