"""Weaves mutants into a source, so that one build has them all: `WTOOL_MUTANT=7 program` behaves as mutant 7.

weave(text, numbered) gives the text of the new source, and which bytes of it belong to which mutants. numbered is
{number: Mutant}. Each place asks at run time whether its mutant is the chosen one: a < b becomes
(is(7) ? ((a) <= (b)) : (a < b)). The text of a mutant contains no other mutants, since only one is ever chosen.

check(path, text, arguments, numbered) weaves the mutants that compile: it drops those that the compiler complains
about, until the source compiles. HEADER must be included before each source (-include). A process without the variable
reads the number from /tmp/.wtool-mutant, because the warden has no environment. isolate gives each mutant a /tmp of its
own.
"""
import dataclasses

from clang.cindex import Index

HEADER = """#pragma once
#include <cstdio>
#include <cstdlib>
namespace wtool_mutation {
inline int chosen() noexcept {
  if (const char* text = std::getenv("WTOOL_MUTANT")) return std::atoi(text);
  int number = 0;
  if (std::FILE* file = std::fopen("/tmp/.wtool-mutant", "re")) {
    if (std::fscanf(file, "%d", &number) != 1) number = 0;
    std::fclose(file);
  }
  return number;
}
inline const int active = chosen();
inline bool is(int number) noexcept { return active == number; }
}  // namespace wtool_mutation
"""


@dataclasses.dataclass
class Segment:
    """Bytes of the new text that are there because of these mutants."""
    start: int
    end: int
    numbers: tuple


@dataclasses.dataclass
class Place:
    start: int
    end: int
    is_statement: bool
    edits: list  # (number, Edit)
    inner: list


def places_of(numbered):
    """The ranges that are changed, as a tree: ranges within others are in their `inner`."""
    by_range = {}
    for number, mutant in numbered.items():
        for edit in mutant.edits:
            is_statement = edit.form in ("removed", "before")
            by_range.setdefault((edit.start, edit.end, is_statement), []).append((number, edit))
    top, open_places = [], []
    for (start, end, is_statement), edits in sorted(by_range.items(), key=lambda item: (item[0][0], -item[0][1], not item[0][2])):
        while open_places and open_places[-1].end <= start:
            open_places.pop()
        if open_places and end > open_places[-1].end:
            raise AssertionError(f"the ranges {start}-{end} and {open_places[-1].start}-{open_places[-1].end} cross")
        place = Place(start, end, is_statement, edits, [])
        (open_places[-1].inner if open_places else top).append(place)
        open_places.append(place)
    return top


class Weaver:
    def __init__(self, text):
        self.text, self.out, self.segments = text, bytearray(), []

    def copy(self, start, end, places):
        at = start
        for place in places:
            self.out += self.text[at:place.start]
            self.place(place)
            at = place.end
        self.out += self.text[at:end]

    def place(self, place):
        began = len(self.out)
        closing = b""
        for number, edit in place.edits:
            at = len(self.out)
            chosen = b"::wtool_mutation::is(%d)" % number
            if edit.form == "expression":
                self.out += b"(" + chosen + b" ? (" + edit.after + b") : ("
                closing = b"))" + closing
            elif edit.form == "condition":
                self.out += b"(" + chosen + b" ? static_cast<bool>(" + edit.after + b") : static_cast<bool>("
                closing = b"))" + closing
            elif edit.form == "removed":
                self.out += b"{ if (!" + chosen + b") { "
                closing = b" } }" + closing
            else:
                self.out += b"{ if (" + chosen + b") " + edit.after + b" "
                closing = b" }" + closing
            self.segments.append(Segment(at, len(self.out), (number,)))
        self.copy(place.start, place.end, place.inner)
        self.out += closing
        self.segments.append(Segment(began, len(self.out), tuple(number for number, _ in place.edits)))


def weave(text, numbered):
    """The new text, and which bytes of it belong to which mutants."""
    weaver = Weaver(text)
    weaver.copy(0, len(text), places_of(numbered))
    return bytes(weaver.out), weaver.segments


def locations(diagnostic, path):
    """Where in this file an error is, or was caused."""
    for each in [diagnostic, *diagnostic.children]:
        if each.location.file is not None and each.location.file.name == path:
            yield each.location.offset


def check(path, text, arguments, numbered, rounds=12):
    """(new text, numbers left): the mutants that compile. No mutant if the source does not compile after all rounds."""
    left = dict(numbered)
    for _ in range(rounds):
        woven, segments = weave(text, left)
        unit = Index.create().parse(path, args=[*arguments, "-w", "-Werror=vla", "-ferror-limit=0"],
                                    unsaved_files=[(path, woven.decode())])
        errors = [d for d in unit.diagnostics if d.severity >= d.Error]
        if not errors:
            return woven, set(left)
        wrong = set()
        for error in errors:
            for offset in locations(error, path):
                around = [s for s in segments if s.start <= offset < s.end and set(s.numbers) & set(left)]
                if around:
                    wrong.update(min(around, key=lambda s: s.end - s.start).numbers)
                    break
        if not wrong:
            break
        for number in wrong:
            left.pop(number, None)
    return text, set()
