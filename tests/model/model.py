"""An interpreter of the workflow language that shares no line with wtool: it is written from docs/workflow-language.md
alone, so what it expects is what the page promises. It runs nothing; it computes which states a run enters, how each
visit ends, and how the run ends.

What it covers, with the section of the page that says so:

- exits in the order of the diagram, a plain arrow means success, `always`, `default`, a choice whose exits decide, other
  exits that test the outcome; a run that cannot continue has failed (How a run goes, 1 to 3)
- conditions: the outcome of the last action or of a named state, variables, `&&` (Conditions)
- forks, the nearest join, values at the join, `fail_fast`, a failure that an arrow leads to the join, branches that end
  at the end of the diagram or by Abort (Branches)
- composite states, also several regions, and how failures pass outwards (Failures, and what runs last)
- `failures: continue`, for composite states as for plain ones: the run has failed if its last state failed and the only
  exit of that state, through the ends of composite states, leads to the end (Failures, and what runs last)
- `on failure` after an action and for the workflow, `finally`, inner workflows, a matrix (Failures, and what runs last)
- `retry` and `max`, with `exhausted` and at most nine failures of that kind handled in a row (Options; Budgets and bounds)
- `--until STATE` and `--only STATE`, which run nothing else, and fail if that state fails (docs/guide/command-line.md)

What it leaves out: everything about texts, templates, prompts, the cache, locks, limits of time, and `max_steps`. Where
the page does not determine what happens, or where it depends on which branch is faster, the interpreter raises Unknown,
and the case is not compared:

- a branch that fails beside one that aborts; a value that a branch sets which another branch has ended
- the exit code of a failed matrix or inner workflow, and of the last action after a join, where it is read
- conditions that read a state which has not run
- a branch that ends the composite state around its fork, or enters a region from outside
- `failures: continue` where the last state and the composite states around it have different numbers of exits, and
  where a branch ends at the end of the diagram after a failure
- an arrow from `finally` to a state that the run has been in
- `--until` of a state in a branch or in `finally`, or that fails in a workflow with `on failure`

The comparison leaves out visits of choices, which do nothing, and of joins at the very end of what is expected: the page
does not say whether they are entered if they only hand a failure on.
"""
import collections
import dataclasses
import enum
import re
import typing

END = "[*]"
VARIABLES = ("v0", "v1")
MOST_STATES = 120  # Longer runs are not compared; the generator's loops are shorter.
EXIT_STATUS = {"completed": 0, "failed": 1, "aborted": 130}
MOST_HANDLED = 10  # The tenth limit in a row ends the run.


class Unknown(Exception):
    """The page does not determine what happens."""


class _NotKnown:
    """A value that the page does not determine. It is never equal to another."""

    def __repr__(self) -> str:
        return "not known"


NOT_KNOWN: typing.Any = _NotKnown()


# ---- A workflow

@dataclasses.dataclass(frozen=True)
class Action:
    """What a state does. The kind is log, set, increment, exit, count, flag, abort, run or matrix."""
    kind: str
    value: typing.Any = None


@dataclasses.dataclass
class State:
    name: str
    kind: str = "plain"  # plain, choice, fork, join or composite
    place: tuple[str, int] | None = None  # The composite state around it, and the number of the region there.
    action: Action | None = None
    retry: int = 0
    most: int | None = None  # The option max.
    on_failure: str | None = None
    starts: list[str] = dataclasses.field(default_factory=list)  # Of a composite state: the start of each region.


@dataclasses.dataclass(frozen=True)
class Arrow:
    source: str
    target: str
    label: str = ""


@dataclasses.dataclass
class Flow:
    states: dict[str, State] = dataclasses.field(default_factory=dict)
    arrows: list[Arrow] = dataclasses.field(default_factory=list)
    start: str = ""
    fail_fast: bool = True
    keeps_going: bool = False  # failures: continue
    on_failure: str | None = None
    finally_: str | None = None

    def exits(self, name: str) -> list[Arrow]:
        return [arrow for arrow in self.arrows if arrow.source == name]

    def around(self, name: str) -> list[str]:
        """The composite states around a state, from the inside."""
        result = []
        place = self.states[name].place
        while place is not None:
            result.append(place[0])
            place = self.states[place[0]].place
        return result

    def is_parallel(self, name: str) -> bool:
        return len(self.states[name].starts) > 1

    def successors(self, node: str, at_end: bool = False) -> list[tuple[str, bool]]:
        """Where a state, or the end of a composite state, may lead. A node is a name, and whether it means the end."""
        state = self.states[node]
        result: list[tuple[str, bool]] = []
        if not at_end:
            result += [(start, False) for start in state.starts]
            result += [(state.on_failure, False)] if state.on_failure else []
        for arrow in self.exits(node):
            if arrow.target != END:
                result.append((arrow.target, False))
            elif state.place:
                result.append((state.place[0], True))
        return result

    def distances(self, start: str) -> dict[tuple[str, bool], int]:
        """How many steps each node is away that a state leads to."""
        result = {(start, False): 0}
        queue = collections.deque(result)
        while queue:
            node = queue.popleft()
            for following in self.successors(*node):
                if following not in result:
                    result[following] = result[node] + 1
                    queue.append(following)
        return result

    def join_of(self, fork: str) -> str | None:
        """The nearest join that all branches of a fork lead to."""
        exits = self.exits(fork)
        if not exits or any(arrow.target == END for arrow in exits):
            return None
        branches = [self.distances(arrow.target) for arrow in exits]
        joins = [name for name, state in self.states.items()
                 if state.kind == "join" and all((name, False) in branch for branch in branches)]
        return min(joins, key=lambda join: max(branch[join, False] for branch in branches), default=None)


# ---- Labels of arrows

TESTS_OUTCOME = re.compile(r"\b(success|failure|exit_code|is_error)\b")


def meaning(label: str) -> str:
    """A label without the word on; keywords may be written in any case."""
    word = label.lower().removeprefix("on ")
    return word if word in ("success", "failure", "always", "default") else label


def is_plain(label: str) -> bool:
    return meaning(label) in ("", "default", "always")


def tests_outcome(label: str) -> bool:
    return not is_plain(label) and bool(TESTS_OUTCOME.search(meaning(label)))


# ---- Values

@dataclasses.dataclass
class Outcome:
    """How an action ended. Each of the first two may be NOT_KNOWN."""
    ok: typing.Any = True
    code: typing.Any = 0
    exhausted: bool = False


class Values:
    """What a path can read: variables, the last outcome, and the outcome of each state."""

    def __init__(self, variables: dict[str, typing.Any]):
        self.variables = dict(variables)
        self.outcomes: dict[str, typing.Any] = {}
        self.last = Outcome()
        self.changed: set[str] = set()  # The variables that this path has set itself.
        self.ended: set[str] = set()  # The states that have an outcome from this path.

    def branch(self) -> "Values":
        """A branch reads the values from before the fork and those that it sets itself."""
        copy = Values(self.variables)
        copy.outcomes = dict(self.outcomes)
        copy.last = dataclasses.replace(self.last)
        return copy

    def set(self, name: str, value: typing.Any) -> None:
        self.variables[name] = value
        self.changed.add(name)

    def end(self, name: str, outcome: Outcome) -> None:
        self.last = outcome
        self.outcomes[name] = outcome
        self.ended.add(name)

    def take(self, branch: "Values", cut_off: bool) -> None:
        """Combines a branch's values with these; those of a branch that another has ended are not known."""
        for name in branch.changed:
            self.set(name, NOT_KNOWN if cut_off else branch.variables[name])
        for name in branch.ended:
            self.outcomes[name] = NOT_KNOWN if cut_off else branch.outcomes[name]
            self.ended.add(name)

    def arguments(self) -> dict[str, typing.Any]:
        return {name: known(value) for name, value in self.variables.items()}


def known(value: typing.Any) -> typing.Any:
    if value is NOT_KNOWN:
        raise Unknown("a value that is read")
    return value


def holds(label: str, values: Values) -> bool:
    """Whether a condition is true."""
    text = meaning(label)
    if text in ("true", "false"):
        return text == "true"
    return all(_part_holds(part.strip(), values) for part in text.split("&&"))


def _outcome(name: str | None, values: Values) -> Outcome:
    if name is None:
        return values.last
    if name not in values.outcomes:
        raise Unknown("the outcome of a state that has not run")
    return known(values.outcomes[name])


def _part_holds(part: str, values: Values) -> bool:
    if part == "exhausted":
        return values.last.exhausted
    test = re.fullmatch(r"(?:(\w+)\.)?(success|failure|is_error)", part)
    if test:
        return known(_outcome(test[1], values).ok) == (test[2] == "success")
    compared = re.fullmatch(r"(?:(\w+)\.)?(\w+) (==|!=|<|>=) (.*)", part)
    if not compared:
        raise ValueError(f"the model does not know the condition {part}")
    state, name, operator, text = compared.groups()
    value = known(_outcome(state, values).code if name == "exit_code" else values.variables[name])
    other = text.strip('"') if '"' in text else int(text)
    if operator in ("==", "!="):
        return (value == other) == (operator == "==")
    return (value < other) == (operator == "<")


# ---- A run

class Visit:
    """One time that a run enters a state."""

    def __init__(self, state: str):
        self.state = state
        self.status = "passed"
        self.tries: int | None = 1  # None where the number is not compared.
        self.log: str | None = None
        self.branches: dict[str, "Branch"] = {}  # By the first state of each branch or region.
        self.inner: "Run | None" = None
        self.compares_inside = True


@dataclasses.dataclass
class Branch:
    visits: list[Visit]
    cut_off: bool  # Another branch may have ended this one, at any point.


@dataclasses.dataclass
class Run:
    """What is expected of a run."""
    status: str = ""
    visits: list[Visit] = dataclasses.field(default_factory=list)
    on_failure: list[Visit] = dataclasses.field(default_factory=list)
    finally_: list[Visit] = dataclasses.field(default_factory=list)
    hit_limit: bool = False
    missed: bool = False  # The run ended without reaching the state that --until names.

    def exit_status(self) -> int:
        return EXIT_STATUS[self.status]


@dataclasses.dataclass
class World:
    """What the commands see: how often each has run, and whether a file exists."""
    flag: bool = True
    ran: collections.Counter = dataclasses.field(default_factory=collections.Counter)


class How(enum.Enum):
    END = "came to the end of the diagram"
    FAILED = "failed"
    ABORTED = "was aborted"
    LIMIT = "failed by a limit, which ends the run from every level"
    MET = "came to its join"
    REGION = "came to the end of its region"
    STOPPED = "came to the state that --until or --only names"


class Ended(Exception):
    """How a path has ended. `failed`: it carries a failure to the join, the end of the region, or the stop."""

    def __init__(self, how: How, failed: bool = False):
        super().__init__(how.value)
        self.how = how
        self.failed = failed


RESULTS = {How.END: "completed", How.ABORTED: "aborted"}
HARD = (How.ABORTED, How.LIMIT)


class Interpreter:
    """Runs a workflow once."""

    def __init__(self, flows: dict[str, Flow], name: str, world: World, until: str | None = None, only: str | None = None):
        self.flows = flows
        self.flow = flows[name]
        self.world = world
        self.only = only
        self.stop_at = until or only
        self.entered: collections.Counter = collections.Counter()
        self.handled_in_a_row = 0
        self.result = Run()

    def run(self, variables: dict[str, typing.Any]) -> Run:
        values = Values(variables)
        main = Path(self, values, "main")
        self.result.visits = main.visits
        ended = main.go(self.only or self.flow.start)
        self.result.status = self._status(ended)
        self.result.hit_limit = ended.how is How.LIMIT
        if self.only:
            return self.result
        if self.flow.on_failure and ended.how in (How.FAILED, How.LIMIT):
            path = Path(self, values, "on failure")
            self.result.on_failure = path.visits
            if path.go(self.flow.on_failure).how is How.ABORTED:
                self.result.status = "aborted"
        if self.flow.finally_:
            self._finally(values)
        if self.result.missed and self.stop_at in [visit.state for visit in self.result.finally_]:
            raise Unknown("--until of a state of `finally`")
        if self.result.missed and self.result.status == "completed":
            self.result.status = "failed"
        return self.result

    def _status(self, ended: Ended) -> str:
        if ended.how is How.STOPPED:
            if ended.failed and self.flow.on_failure and not self.only:
                raise Unknown("--until at a failure, with on failure")
            return "failed" if ended.failed else "completed"
        self.result.missed = ended.how is How.END and self.stop_at is not None and not self.only
        return RESULTS.get(ended.how, "failed")

    def _finally(self, values: Values) -> None:
        """A run that was completed fails or aborts with finally; any other keeps its status."""
        path = Path(self, values, "finally")
        self.result.finally_ = path.visits
        how = path.go(self.flow.finally_ or "").how
        if self.result.status == "completed" and how in (How.FAILED, *HARD):
            self.result.status = "aborted" if how is How.ABORTED else "failed"

    def has_been_in(self, name: str) -> bool:
        return self.entered[name] > 0


@dataclasses.dataclass
class Left:
    """How a state was left by its action."""
    ok: bool
    limit: bool = False


class Path:
    """A way through the diagram: the run's own, a branch, a region, or one of what runs last."""

    def __init__(self, run: Interpreter, values: Values, section: str, join: str | None = None,
                 base: str | None = None, region: tuple[str, int] | None = None):
        self.run = run
        self.flow = run.flow
        self.values = values
        self.section = section
        self.join = join  # Where this branch ends.
        self.base = {base, *self.flow.around(base)} if base else set()  # The composite states around the fork.
        self.region = region
        self.is_branch = join is not None or region is not None
        self.visits: list[Visit] = []
        self.carried = False  # The arrow to the next state carries a failure.

    def go(self, name: str) -> Ended:
        try:
            while True:
                name = self._step(name)
        except Ended as ended:
            return ended

    # ---- One state

    def _enter(self, name: str) -> Visit:
        self.run.entered[name] += 1
        if sum(self.run.entered.values()) > MOST_STATES:
            raise Unknown("a long run")
        visit = Visit(name)
        self.visits.append(visit)
        return visit

    def _step(self, name: str) -> str:
        """Enters a state, and returns the next one."""
        if self.section == "finally" and self.run.has_been_in(name):
            if self.visits:
                raise Unknown("an arrow from `finally` to a state that the run has been in")
            raise Ended(How.END)
        state = self.flow.states[name]
        carried, self.carried = self.carried, False
        visit = self._enter(name)
        if state.kind == "composite" and len(state.starts) == 1:
            return state.starts[0]
        if state.kind == "composite":
            left = self._regions(state, visit)
        elif state.kind == "fork":
            join = self.flow.join_of(name)
            left = self._branches(state, visit, join)
            if join is None:
                return self._leave(name, left, exits=[])
            name, state = join, self.flow.states[join]
            visit = self._enter(name)
            left = self._at_join(state, visit, left.ok)
        else:
            left = self._plain(state, visit, carried)
        self._stop(name, left.ok)
        if state.on_failure and not left.ok and state.kind in ("plain", "join"):
            self._handle(left.limit)
            return self._arrive(Arrow(name, state.on_failure), failed=True)
        return self._leave(name, left, self.flow.exits(name), visit.tries == 0)

    def _plain(self, state: State, visit: Visit, carried: bool) -> Left:
        """A state without parts. A failure that an arrow carries makes a join fail; a choice only hands it on."""
        if carried and state.kind == "join":
            visit.status = "failed"
            self.values.last = Outcome(False, NOT_KNOWN)
        left = self._act(state, visit)
        return Left(left.ok and not (carried and state.kind in ("join", "choice")), left.limit)

    def _at_join(self, state: State, visit: Visit, ok: bool) -> Left:
        """An action of a join does not change the failure that its exits have to handle."""
        before = self.values.last
        left = self._act(state, visit)
        if not ok:
            visit.status = "failed"
            if left.ok:
                self.values.last = before
        return Left(ok and left.ok, left.limit)

    def _stop(self, name: str, ok: bool) -> None:
        """Ends the run at the state that --until or --only names."""
        if self.run.stop_at == name and self.section == "main":
            raise Ended(How.STOPPED, failed=not ok)

    # ---- Actions

    def _act(self, state: State, visit: Visit) -> Left:
        action = state.action
        if action is None:
            return Left(True)
        if state.most and self.run.entered[state.name] > state.most:
            visit.status, visit.tries = "failed", 0
            self.values.end(state.name, Outcome(False, 1, exhausted=True))
            return Left(False, limit=True)
        if action.kind == "abort":
            self._abort(visit)
        if action.kind == "run":
            outcome, limit = self._run_inner(state, visit)
        else:
            outcome, limit = self._outcome(state, action, visit), False
        visit.status = "succeeded" if outcome.ok else "failed"
        self.values.end(state.name, outcome)
        return Left(outcome.ok, limit)

    def _abort(self, visit: Visit) -> typing.NoReturn:
        visit.status = "aborted"
        raise Ended(How.ABORTED)

    def _outcome(self, state: State, action: Action, visit: Visit) -> Outcome:
        variables = self.values.variables
        if action.kind == "log":
            shown = [variables[name] for name in (*VARIABLES, "n")]
            visit.log = None if NOT_KNOWN in shown else " ".join(map(str, shown))
        elif action.kind == "set":
            self.values.set(*action.value)
        elif action.kind == "increment":
            self.values.set("n", NOT_KNOWN if variables["n"] is NOT_KNOWN else variables["n"] + 1)
        elif action.kind == "matrix":
            visit.tries = None
            return Outcome() if not any(action.value) else Outcome(False, NOT_KNOWN)
        else:
            code = self._call(state, action, visit)
            return Outcome(code == 0, code)
        return Outcome()

    def _call(self, state: State, action: Action, visit: Visit) -> int:
        """The exit code of a command, which is tried again after failures."""
        for tried in range(1, state.retry + 2):
            self.run.world.ran[state.name] += 1
            visit.tries = tried
            code = self._exit_code(state.name, action)
            if code == 0:
                break
        return code

    def _exit_code(self, name: str, action: Action) -> int:
        if action.kind == "count":
            return 0 if self.run.world.ran[name] >= action.value else 1
        if action.kind == "flag":
            return 0 if self.run.world.flag else 1
        return action.value

    def _run_inner(self, state: State, visit: Visit) -> tuple[Outcome, bool]:
        """Runs another workflow. A limit there is a limit here, and is never tried again."""
        arguments = self.values.arguments()
        visit.tries = None
        visit.compares_inside = state.retry == 0
        for _ in range(state.retry + 1):
            result = Interpreter(self.run.flows, state.action.value, self.run.world).run(arguments)
            visit.inner = result
            if result.status == "aborted":
                self._abort(visit)
            if result.status == "completed":
                return Outcome(), False
            if result.hit_limit:
                break
        return Outcome(False, NOT_KNOWN), result.hit_limit

    # ---- Exits

    def _handle(self, limit: bool) -> None:
        """Counts the limits that are handled in a row."""
        self.run.handled_in_a_row = self.run.handled_in_a_row + 1 if limit else 0
        if self.run.handled_in_a_row >= MOST_HANDLED:
            raise Ended(How.LIMIT)

    def _leave(self, name: str, left: Left, exits: list[Arrow], exhausted: bool = False) -> str:
        """Chooses the exit of a state or, as long as no exit handles its failure, of a composite state around it."""
        if left.limit:
            arrow = self._choose_after_limit(exits, exhausted)
            if arrow is None:
                raise Ended(How.LIMIT)
        else:
            arrow = self._choose(exits, left.ok)
        self._handle(left.limit)
        ok = left.ok
        lone = []  # Whether each state that leads to an end has only that exit.
        while True:
            if arrow is not None and arrow.target != END:
                return self._arrive(arrow, failed=not ok and meaning(arrow.label) != "always")
            if arrow is not None:
                ok = ok or meaning(arrow.label) == "always"
                lone.append(len(self.flow.exits(arrow.source)) == 1)
                name = self._end_of(arrow, ok, lone)
            else:
                ok = False
                name = self._fail_outwards(name)
            self._stop(name, ok)
            if not ok:
                code = NOT_KNOWN if self.values.last.ok else self.values.last.code
                self.values.last = dataclasses.replace(self.values.last, ok=False, code=code)
            arrow = self._choose(self.flow.exits(name), ok)

    def _choose(self, exits: list[Arrow], ok: bool, depth: int = 0) -> Arrow | None:
        """Rules 2 and 3 of how a run goes."""
        for arrow in exits:
            if not is_plain(arrow.label) and holds(arrow.label, self.values):
                return arrow
        plain = next((arrow for arrow in exits if is_plain(arrow.label)), None)
        if plain is None or ok or meaning(plain.label) == "always" or self.flow.keeps_going:
            return plain
        target = self.flow.states.get(plain.target)
        if target is not None and target.kind == "choice" and depth < 20:
            decides = self._choose(self.flow.exits(plain.target), False, depth + 1)
            return plain if decides is not None else None
        return plain if any(tests_outcome(arrow.label) for arrow in exits) else None

    def _choose_after_limit(self, exits: list[Arrow], exhausted: bool) -> Arrow | None:
        """Only an exit `failure`, or one that reads `exhausted`, handles a limit."""
        for arrow in exits:
            if meaning(arrow.label) == "failure":
                return arrow
            if exhausted and "exhausted" in arrow.label and holds(arrow.label, self.values):
                return arrow
        return None

    def _arrive(self, arrow: Arrow, failed: bool) -> str:
        """Takes an arrow to a state; the branch ends if that is its join."""
        if self._leaves_only(arrow):
            raise Ended(How.STOPPED, failed=failed)
        if arrow.target == self.join:
            raise Ended(How.MET, failed)
        target = self.flow.states[arrow.target]
        self.carried = failed and (target.kind == "join" or target.kind == "choice" and is_plain(arrow.label))
        return arrow.target

    def _leaves_only(self, arrow: Arrow) -> bool:
        only = self.run.only
        if only is None or only in self.flow.around(arrow.target):
            return False
        if self.is_branch:
            raise Unknown("a branch that leaves the composite state of --only")
        return True

    def _end_of(self, arrow: Arrow, ok: bool, lone: list[bool]) -> str:
        """Takes an arrow to the end of the diagram, or of the composite state around, whose name is returned."""
        place = self.flow.states[arrow.source].place
        if place is None:
            if self.flow.keeps_going and not ok:
                self._end_after_failure(lone)
            raise Ended(How.END)
        if self.region is not None and place == self.region:
            raise Ended(How.REGION, failed=not ok)
        if place[0] in self.base:
            raise Unknown("a branch at the end of the composite state around its fork")
        if self.flow.is_parallel(place[0]):
            raise Unknown("the end of a region that was entered from outside")
        return place[0]

    def _end_after_failure(self, lone: list[bool]) -> None:
        """With failures: continue, a run has failed if the only exit of the state that failed last leads to the end."""
        if self.is_branch or len(set(lone)) > 1:
            raise Unknown("the end after a failure with failures: continue")
        if lone[0]:
            raise Ended(How.FAILED)

    def _fail_outwards(self, name: str) -> str:
        """The failure passes to the composite state around, whose name is returned."""
        place = self.flow.states[name].place
        if place is None or place[0] in self.base:
            raise Ended(How.FAILED)
        if self.flow.is_parallel(place[0]):
            raise Unknown("a failure in a region that was entered from outside")
        return place[0]

    # ---- Branches and regions

    def _regions(self, state: State, visit: Visit) -> Left:
        parts = []
        for number, start in enumerate(state.starts):
            path = Path(self.run, self.values.branch(), self.section, base=state.name, region=(state.name, number))
            parts.append((start, path, path.go(start)))
        return self._together(visit, parts)

    def _branches(self, state: State, visit: Visit, join: str | None) -> Left:
        base = state.place[0] if state.place else None
        parts = []
        for arrow in self.flow.exits(state.name):
            path = Path(self.run, self.values.branch(), self.section, join, base)
            path.is_branch = True
            if arrow.target == END:
                ended = Ended(How.END)
            elif arrow.target == join:
                ended = Ended(How.MET)
            else:
                ended = path.go(arrow.target)
            parts.append((arrow.target, path, ended))
        left = self._together(visit, parts)
        if join is None and left.ok:
            raise Ended(How.END)
        if join is not None and join == self.join:
            raise Ended(How.MET, failed=not left.ok)
        return left

    def _together(self, visit: Visit, parts: list[tuple[str, "Path", Ended]]) -> Left:
        """Combines the ends of branches, and their values in the order of the diagram."""
        hows = [ended.how for _, _, ended in parts]
        hard = [how for how in hows if how in HARD]
        carries = [ended.how in (How.FAILED, *HARD) or ended.failed for _, _, ended in parts]
        stops = bool(hard) or self.flow.fail_fast and any(carries)
        if How.STOPPED in hows:
            raise Unknown("--until in a branch")
        if hard and (len(set(hard)) > 1 or self.flow.fail_fast and sum(carries) > len(hard)):
            raise Unknown("branches that fail and abort")
        all_good = True
        for number, (start, path, _) in enumerate(parts):
            cut_off = stops and any(carries[:number] + carries[number + 1:])
            visit.branches[start] = Branch(path.visits, cut_off)
            self.values.take(path.values, cut_off)
            all_good = all_good and path.values.last.ok is True and path.values.last.code == 0
        if hard:
            raise Ended(hard[0])
        if any(carries):
            self.values.last = Outcome(False, 1)
            return Left(False)
        if all(how is How.END for how in hows):
            raise Ended(How.END)
        self.values.last = Outcome() if all_good else Outcome(NOT_KNOWN, NOT_KNOWN)
        return Left(True)


def expected(flows: dict[str, Flow], flag: bool = True, until: str | None = None,
             only: str | None = None) -> tuple[Run, World]:
    """What a run of the workflow `main` should do, and what its commands should leave behind."""
    world = World(flag)
    run = Interpreter(flows, "main", world, until, only).run({"v0": "0", "v1": "0", "n": 0})
    return run, world
