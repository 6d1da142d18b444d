"""Makes small workflows at random, and writes them as files. The same seed gives the same workflow.

A workflow is built of blocks (steps, choices, loops, forks, composite states), so that most are correct and run to an
end. A quarter of them are then changed at random, so that lint and the run also see mistakes. Each command writes the name
of its state to the file `ran.log`.
"""
import random

import model
from model import Action, Arrow, Flow, State

END = model.END
Open = list[tuple[str, str]]  # Arrows that have no target yet: their state and label.

LETTERS = {"plain": "S", "choice": "D", "fork": "F", "join": "J", "composite": "C"}
CONDITIONS = ("success", "failure", "failure", "exit_code == 1", "exit_code != 0", "exit_code == 3", 'v0 == "1"',
              'v0 == "0"', 'v1 != "2"', "n >= 1", "is_error", 'exit_code == 0 && v0 == "0"', 'failure && v1 == "0"',
              "true", "On Failure")
LABELS = ("", "always", "success", "failure", "default", "exit_code == 1", 'v0 == "1"', "true", "false")


class Generator:
    """Builds one workflow."""

    def __init__(self, seed: int, prefix: str = "", inner: list[str] | None = None, left: int | None = None):
        self.random = random.Random(seed)
        self.flow = Flow()
        self.prefix = prefix
        self.inner = inner or []  # The workflows that it may run.
        self.left = left or self.random.randint(3, 11)  # How many more states it should get.
        self.number = 0
        self.joins: list[str] = []  # Of the forks that are being built, from the outside.

    def build(self) -> Flow:
        self.flow.start, opened = self.block(None, 0)
        while self.left > 0 and opened:
            entry, following = self.block(None, 0)
            self.connect(opened, entry)
            opened = following
        self.connect(opened, END)
        self.flow.fail_fast = not self.chance(.3)
        self.flow.keeps_going = self.chance(.1)
        self.flow.finally_ = self.last_part() if self.chance(.2) else None
        self.flow.on_failure = self.last_part() if self.chance(.2) else None
        self.flow.arrows = list(dict.fromkeys(self.flow.arrows))
        return self.flow

    # ---- Parts

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def new(self, kind: str, place: tuple[str, int] | None) -> State:
        self.number += 1
        self.left -= 1
        state = State(f"{self.prefix}{LETTERS[kind]}{self.number}", kind, place)
        self.flow.states[state.name] = state
        return state

    def arrow(self, source: str, target: str, *labels: str) -> None:
        self.flow.arrows.append(Arrow(source, target, self.random.choice(labels or ("",))))

    def connect(self, opened: Open, target: str) -> None:
        self.flow.arrows += [Arrow(source, target, label) for source, label in opened]

    def action(self) -> Action | None:
        choose = self.random.choice
        kinds = {"log": 16, "set": 14, "good": 22, "bad": 14, "other": 9, "matrix": 5, "increment": 4, "count": 4,
                 "abort": 3, "run": 6 if self.inner else 0, "": 3}
        kind = self.random.choices(list(kinds), list(kinds.values()))[0]
        values = {"set": (choose(model.VARIABLES), choose("0123")), "good": 0, "bad": 1, "other": choose((2, 3)),
                  "matrix": choose(((0,), (0, 0), (0, 1), (1,))), "count": 2, "run": choose(self.inner or [""])}
        if not kind:
            return None
        return Action("exit" if kind in ("good", "bad", "other") else kind, values.get(kind))

    def step(self, place: tuple[str, int] | None) -> State:
        state = self.new("plain", place)
        state.action = self.action()
        if state.action and state.action.kind in ("exit", "count") and self.chance(.2):
            state.retry = self.random.choice((1, 2))
        return state

    def condition(self, state: State | None = None) -> str:
        if state and state.action and self.chance(.2):
            return f"{state.name}.{self.random.choice(('exit_code == 0', 'exit_code == 1', 'failure'))}"
        return self.random.choice(CONDITIONS)

    def block(self, place: tuple[str, int] | None, depth: int) -> tuple[str, Open]:
        """Its first state, and the arrows that lead out of it."""
        kinds = {self.steps: 45, self.choice: 13, self.loop: 10, self.fork: 16, self.composite: 16}
        small = self.left < 2 or depth > 3
        build = self.steps if small else self.random.choices(list(kinds), list(kinds.values()))[0]
        return build(place, depth)

    def sequence(self, place: tuple[str, int] | None, depth: int, length: int) -> tuple[str, Open]:
        entry, opened = self.block(place, depth)
        for _ in range(length - 1):
            if not opened or self.left < 1:
                break
            following, out = self.block(place, depth)
            self.connect(opened, following)
            opened = out
        return entry, opened

    def steps(self, place: tuple[str, int] | None, depth: int) -> tuple[str, Open]:
        """A step, often with another one for its failure."""
        state = self.step(place)
        name, action = state.name, state.action
        if action and action.kind == "abort" and self.chance(.7):
            return name, []
        opened = [(name, self.random.choice(("", "", "", "", "", "success", "always", "default")))]
        if self.left > 0 and self.chance(.3):
            after = self.step(place).name
            self.arrow(name, after, self.condition(state), "failure", "failure")
            opened.append((after, ""))
        elif self.chance(.12):
            opened.insert(0, (name, self.condition(state)))
        elif self.left > 0 and action and action.kind in ("exit", "count") and self.chance(.1):
            state.on_failure = self.step(place).name
            opened.append((state.on_failure, ""))
        if len(self.joins) > 1 and self.chance(.35):
            # Leaves the inner fork for the join of the outer one: what follows may then run twice.
            self.arrow(name, self.joins[-2], "failure", "exit_code == 1", 'v0 == "1"', "success")
        return name, opened

    def choice(self, place: tuple[str, int] | None, depth: int) -> tuple[str, Open]:
        state = self.step(place)
        choice = self.new("choice", place).name
        self.arrow(state.name, choice, "", "", "always")
        entry, opened = self.block(place, depth + 1)
        self.arrow(choice, entry, self.condition(state))
        if self.chance(.5):
            entry, others = self.block(place, depth + 1)
            self.arrow(choice, entry, "", "default", "failure", "success")
            return state.name, opened + others
        return state.name, opened + [(choice, self.random.choice(("", "default", "always", "success")))]

    def loop(self, place: tuple[str, int] | None, depth: int) -> tuple[str, Open]:
        """A step that leads back to itself, sometimes through another one, at most three times."""
        state = self.step(place)
        name, state.retry = state.name, 0
        kind = self.random.choices(("increment", "count", "most"), (5, 3, 2))[0]
        if kind == "most":
            state.action = Action("exit", self.random.choice((0, 1)))
            state.most = self.random.choice((1, 2))
            self.arrow(name, name, "success", "")
            return name, [(name, self.random.choice(("exhausted", "failure")))]
        again = f"n < {self.random.choice((2, 3))}" if kind == "increment" else "failure"
        state.action = Action(kind, self.random.choice((2, 3)) if kind == "count" else None)
        if self.chance(.5):
            between = self.step(place).name
            self.arrow(between, name, "", "always")
            self.arrow(name, between, again)
            return between, [(name, self.random.choice(("", "default")))]
        self.arrow(name, name, again)
        return name, [(name, "")]

    def fork(self, place: tuple[str, int] | None, depth: int) -> tuple[str, Open]:
        fork, join = self.new("fork", place).name, self.new("join", place)
        self.joins.append(join.name)
        opened: Open = []
        for _ in range(self.random.choice((2, 2, 3))):
            entry, out = self.sequence(place, depth + 1, self.random.choice((1, 1, 2)))
            self.arrow(fork, entry)
            opened += out
        self.joins.pop()
        self.connect(opened, join.name)
        join.action = Action("log") if self.chance(.1) else None
        return fork, self.after(join.name, place)

    def composite(self, place: tuple[str, int] | None, depth: int) -> tuple[str, Open]:
        state = self.new("composite", place)
        regions = self.random.choice((1, 1, 2))
        self.joins.append("")  # Nothing leads from a region straight to the join of a fork inside.
        for number in range(regions):
            entry, opened = self.sequence((state.name, number), depth + 1, self.random.choice((1, 2)))
            state.starts.append(entry)
            self.connect(opened, END)
            if len(self.joins) > 1 and self.joins[-2] and self.chance(.2):
                self.arrow(entry, self.joins[-2], "failure", "success")
        self.joins.pop()
        return state.name, self.after(state.name, place)

    def after(self, name: str, place: tuple[str, int] | None) -> Open:
        """The exits of a join or a composite state."""
        opened = [(name, self.random.choice(("", "", "", "success", "always")))]
        if self.left > 0 and self.chance(.3):
            handler = self.step(place).name
            self.arrow(name, handler, "failure", "failure", "is_error", "exit_code != 0")
            return opened + [(handler, "")]
        return opened + [(name, "failure")] if self.chance(.1) else opened

    def last_part(self) -> str:
        """One or two steps for `finally` or `on failure`."""
        first = self.step(None)
        if first.action and first.action.kind != "abort":
            first.retry = 0
            first.action = self.random.choice((Action("log"), Action("exit", 0), Action("exit", 1)))
        last = first.name
        if self.chance(.3):
            last = self.step(None).name
            self.arrow(first.name, last, "", "always")
        self.arrow(last, END)
        return first.name

    # ---- Mistakes

    def change(self) -> None:
        """Changes one thing at random; the workflow may then be wrong."""
        choose, flow = self.random.choice, self.flow
        if not flow.arrows:
            return
        names = list(flow.states)
        place = self.random.randrange(len(flow.arrows))
        arrow = flow.arrows[place]
        kinds = {"drop": 15, "label": 25, "target": 25, "add": 20, "on failure": 5, "finally": 5, "handler": 5}
        kind = self.random.choices(list(kinds), list(kinds.values()))[0]
        if kind == "drop":
            del flow.arrows[place]
        elif kind == "label":
            flow.arrows[place] = Arrow(arrow.source, arrow.target, choose(LABELS))
        elif kind == "target":
            flow.arrows[place] = Arrow(arrow.source, choose(names + [END]), arrow.label)
        elif kind == "add":
            flow.arrows.insert(place, Arrow(choose(names), choose(names + [END]), self.condition()))
        elif kind == "on failure":
            flow.on_failure = choose(names)
        elif kind == "finally":
            flow.finally_ = choose(names)
        else:
            state = flow.states[choose(names)]
            if state.kind == "plain" and state.action:
                state.on_failure = choose(names)


def make(seed: int) -> dict[str, Flow]:
    """The workflow `main`, and the workflow `inner` if a state runs it."""
    chance = random.Random(seed * 7919 + 1)
    flows: dict[str, Flow] = {}
    if chance.random() < .3:
        flows["inner"] = Generator(seed + 10 ** 7, prefix="I", left=chance.randint(2, 4)).build()
    generator = Generator(seed, inner=list(flows))
    flow = generator.build()
    if chance.random() < .25:
        for _ in range(chance.choice((1, 1, 2))):
            generator.change()
    if not any(state.action == Action("run", "inner") for state in flow.states.values()):
        flows.pop("inner", None)
    return {**flows, "main": flow}


# ---- Files

def action_text(state: State, pause: str = "") -> str | None:
    """An action as it is written; `pause` is a command that comes after the name is written."""
    action = state.action
    if action is None:
        return None
    value = action.value
    ran = f"echo {state.name} >> ran.log; {pause}"
    ends = {0: "true", 1: "false"}.get(value, f"exit {value}")
    text = {
        "log": lambda: 'Log "${v0} ${v1} ${n}"',
        "set": lambda: f'Set {value[0]}="{value[1]}"',
        "increment": lambda: "Set n={{ n | plus: 1 }}",
        "exit": lambda: f'Shell "{ran}{ends}"',
        "count": lambda: f'Shell "{ran}[ $(grep -cx {state.name} ran.log) -ge {value} ]"',
        "flag": lambda: f'Shell "{ran}test -e flag"',
        "abort": lambda: 'Abort "stop"',
        "run": lambda: f'Run workflow "{value}" with v0="${{v0}}" v1="${{v1}}" n=${{n}}',
        "matrix": lambda: f'Shell "{ran}exit ${{matrix.c}}" matrix={{"c": [{", ".join(map(str, value))}]}}',
    }[action.kind]()
    text += f" retry={state.retry} backoff=1ms" if state.retry else ""
    text += f" max={state.most}" if state.most else ""
    return text + (f" on failure: {state.on_failure}" if state.on_failure else "")


def diagram(flow: Flow, place: tuple[str, int] | None, indent: str) -> list[str]:
    """The lines of the diagram, of one region of a composite state, or of everything outside of them."""
    lines = []
    for state in flow.states.values():
        if state.place != place:
            continue
        if state.kind in ("choice", "fork", "join"):
            lines.append(f"{indent}state {state.name} <<{state.kind}>>")
        elif state.kind == "composite":
            lines.append(f"{indent}state {state.name} {{")
            for number, start in enumerate(state.starts):
                lines += [f"{indent}    --"] if number else []
                lines += [f"{indent}    {END} --> {start}", *diagram(flow, (state.name, number), indent + "    ")]
            lines.append(f"{indent}}}")
        elif not flow.exits(state.name):
            lines.append(f"{indent}{state.name}: a step")
    for arrow in flow.arrows:
        if flow.states[arrow.source].place == place:
            lines.append(f"{indent}{arrow.source} --> {arrow.target}" + (f": {arrow.label}" if arrow.label else ""))
    return lines


def text_of(flow: Flow, pause: str = "") -> str:
    """The file of a workflow."""
    lines = ["---", "parameters:", '  - {name: v0, default: "0"}', '  - {name: v1, default: "0"}',
             "  - {name: n, type: number, default: 0}", "max_steps: 200"]
    lines += [] if flow.fail_fast else ["fail_fast: false"]
    lines += ["failures: continue"] if flow.keeps_going else []
    lines += [f"on failure: {flow.on_failure}"] if flow.on_failure else []
    lines += [f"finally: {flow.finally_}"] if flow.finally_ else []
    lines += ["---", "```mermaid", "stateDiagram-v2", f"    {END} --> {flow.start}"]
    lines += [*diagram(flow, None, "    "), "```", "## Actions"]
    actions = {state.name: action_text(state, pause) for state in flow.states.values()}
    lines += [f"- {name}: {text}" for name, text in actions.items() if text]
    return "\n".join(lines) + "\n"
