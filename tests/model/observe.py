"""Reads what wtool did from its events, and compares it with what the model expects."""
import collections
import dataclasses
import json
import pathlib
import re
import typing

import model

Event = dict[str, typing.Any]


@dataclasses.dataclass
class Seen:
    """A visit that wtool reported."""
    state: str
    number: int  # Of this visit among those of its branch.
    replayed: bool = False  # It was taken from the journal of the run that is resumed.
    status: str = "running"
    tries: int | None = None
    log: str | None = None
    next: list[str] = dataclasses.field(default_factory=list)
    branches: dict[str, list["Seen"]] = dataclasses.field(default_factory=dict)


class Observed:
    """All visits of a run, by their branch, and how it ended."""

    def __init__(self, text: str):
        self.events: list[Event] = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        self.branches: dict[str, list[Seen]] = collections.defaultdict(list)
        self._steps: dict[typing.Any, Seen] = {}
        for event in self.events:
            self._read(event)
        ends = [event for event in self.events if event["type"] == "run_ended"]
        self.status = ends[-1]["status"] if ends else None
        for visits in self.branches.values():
            visits.sort(key=lambda seen: seen.number)
        self._nest()

    def _read(self, event: Event) -> None:
        if event["type"] == "state_started" and not event.get("hidden"):
            seen = Seen(event["state"], event["seq"], event.get("replayed", False))
            self._steps[event["step"]] = seen
            self.branches[event.get("branch", "")].append(seen)
        seen = self._steps.get(event.get("step"))
        if seen is None:
            return
        if event["type"] == "log":
            seen.log = event["text"]
        elif event["type"] == "state_ended":
            seen.status, seen.tries, seen.next = event["status"], event.get("tries"), event.get("next") or []
            seen.replayed = seen.replayed or event.get("replayed", False)

    def _nest(self) -> None:
        """Gives each visit the branches that begin there; a branch is named after those around it."""
        for name, visits in self.branches.items():
            around, _, last = name.rpartition("/")
            number, _, start = last.partition(":")
            for seen in self.branches.get(around, []):
                if name and seen.number == int(number):
                    seen.branches[start] = visits

    def of_this_file(self) -> list[Seen]:
        """The visits outside of inner workflows."""
        return [seen for name, visits in self.branches.items() if ":inner" not in name for seen in visits]

    def last_parts(self, around: str = "") -> tuple[list[Seen], list[Seen]]:
        """The visits of `on failure` and of `finally`."""
        start = f"{around}/0:"
        names = [name for name in self.branches if name.startswith(start) and "/" not in name[len(start):]]
        on_failure = [name for name in names if name != f"{start}finally"]
        return self.branches[on_failure[0]] if on_failure else [], self.branches.get(f"{start}finally", [])

    def may_repeat(self) -> tuple[collections.Counter, bool]:
        """How often each state may run again in a resumed run, because no step followed it; and whether a failure has
        been handled."""
        ends = {event["step"]: event for event in self.events if event["type"] == "state_ended"}
        allowed: collections.Counter = collections.Counter()
        handled = False
        for event in self.events:
            if event["type"] != "state_started" or event.get("hidden"):
                continue
            end = ends.get(event["step"])
            if end is None:
                allowed[event["state"]] += 3  # As many tries as any step has.
            elif not end.get("went_on"):
                allowed[event["state"]] += max(1, end.get("tries") or 1)
            elif end["status"] in ("failed", "aborted"):
                handled = True
        return allowed, handled


def is_choice(name: str) -> bool:
    return re.fullmatch(r"I?D\d+", name) is not None


def is_idle_join(visit: model.Visit) -> bool:
    return re.fullmatch(r"I?J\d+", visit.state) is not None and visit.log is None and not visit.branches


class Comparison:
    """The differences between a run and the model. Each is a kind, and a sentence."""

    def __init__(self) -> None:
        self.differences: list[tuple[str, str]] = []

    def differ(self, kind: str, text: str) -> None:
        self.differences.append((kind, text))

    def run(self, observed: Observed, expected: model.Run) -> None:
        if observed.status != expected.status:
            text = f"the run {observed.status}; expected: {expected.status}"
            self.differ(text, text)
        on_failure, finally_ = observed.last_parts()
        self.visits(observed.branches.get("", []), expected.visits, "")
        self.visits(on_failure, expected.on_failure, "on failure")
        self.visits(finally_, expected.finally_, "finally")

    def visits(self, actual: list[Seen], wanted: list[model.Visit], where: str, cut_off: bool = False) -> None:
        """Choices do nothing, and the page does not say whether one that only hands a failure on is entered. It does
        not say so about a join that nothing follows, either."""
        actual = [seen for seen in actual if not is_choice(seen.state)]
        wanted = [visit for visit in wanted if not is_choice(visit.state)]
        for seen, visit in zip(actual, wanted):
            if seen.state != visit.state:
                self.differ("other state", f"{where}: entered {seen.state}; expected: {visit.state}")
                return
            self._visit(seen, visit, f"{where}/{visit.state}", cut_off)
        rest = wanted[len(actual):]
        if rest and not cut_off and not all(map(is_idle_join, rest)):
            self.differ("missing", f"{where}: did not enter {rest[0].state}")
        if len(actual) > len(wanted):
            self.differ("extra", f"{where}: entered {actual[len(wanted)].state}; expected: nothing more")

    def _visit(self, seen: Seen, visit: model.Visit, where: str, cut_off: bool) -> None:
        if cut_off and seen.status in ("aborted", "running", "failed", "passed"):
            pass  # Another branch has ended it, at any point.
        elif seen.status != visit.status:
            self.differ("status", f"{where}: {seen.status}; expected: {visit.status}")
        if not cut_off:
            self._same("log", where, seen.log if not seen.replayed else visit.log, visit.log)
            self._same("tries", where, seen.tries, visit.tries)
        if not visit.compares_inside or seen.replayed and not seen.branches:
            return
        if visit.inner is not None:
            self.visits(seen.branches.get("inner", []), visit.inner.visits, where, cut_off)
            return
        self._branches(seen, visit, where, cut_off)

    def _same(self, kind: str, where: str, actual: typing.Any, wanted: typing.Any) -> None:
        if wanted is not None and actual is not None and actual != wanted:
            self.differ(kind, f"{where}: {kind} {actual}; expected: {wanted}")

    def _branches(self, seen: Seen, visit: model.Visit, where: str, cut_off: bool) -> None:
        for start, branch in visit.branches.items():
            self.visits(seen.branches.get(start, []), branch.visits, f"{where}:{start}", cut_off or branch.cut_off)
        for start in seen.branches:
            if visit.branches and start not in visit.branches:
                self.differ("extra branch", f"{where}: a branch {start}")


def is_cut_off(visits: list[model.Visit]) -> bool:
    """Whether any branch may have been ended by another one."""
    return any(branch.cut_off or is_cut_off(branch.visits) for visit in visits for branch in visit.branches.values()) or any(
        is_cut_off(visit.inner.visits) for visit in visits if visit.inner)


def journal(folder: pathlib.Path) -> pathlib.Path | None:
    """The newest journal of a folder."""
    return max((folder / ".wtool/runs").glob("*.jsonl"), default=None)
