"""Makes a workflow smaller, as long as the same thing stays wrong with it."""
import collections.abc
import copy
import dataclasses
import time

from model import END, Action, Arrow, Flow, State

Flows = dict[str, Flow]


def size(flow: Flow) -> int:
    """States count most, then arrows, then everything that is written at them."""
    extras = sum((bool(flow.finally_), bool(flow.on_failure), flow.keeps_going, not flow.fail_fast))
    labels = sum(bool(arrow.label) for arrow in flow.arrows)
    return 3 * len(flow.states) + len(flow.arrows) + labels + extras + sum(map(size_of_action, flow.states.values()))


def size_of_action(state: State) -> int:
    """The commands true and false are smaller than any other action."""
    options = bool(state.retry) + bool(state.most) + bool(state.on_failure)
    if state.action is None:
        return options
    return options + (1 if state.action.kind == "exit" and state.action.value < 2 else 2)


def without_states(flow: Flow, dead: set[str], instead: str | None = None) -> Flow | None:
    """The workflow without some states; arrows to them lead to `instead`, or are dropped. None where that makes no
    workflow."""
    copied = copy.deepcopy(flow)
    copied.states = {name: state for name, state in copied.states.items() if name not in dead}
    kept = [arrow for arrow in flow.arrows if arrow.source not in dead]
    kept = [dataclasses.replace(arrow, target=instead or "") if arrow.target in dead else arrow for arrow in kept]
    copied.arrows = [arrow for arrow in kept if arrow.target]
    if copied.start in dead:
        copied.start = instead if instead and instead != END else ""
    for state in copied.states.values():
        if state.on_failure in dead:
            state.on_failure = None
        state.starts = [(instead if instead != END else "") or "" if start in dead else start for start in state.starts]
    copied.finally_ = None if copied.finally_ in dead else copied.finally_
    copied.on_failure = None if copied.on_failure in dead else copied.on_failure
    return copied if copied.start and all(all(state.starts) for state in copied.states.values()) else None


def smaller_by_states(flow: Flow) -> collections.abc.Iterator[Flow | None]:
    for name in list(flow.states):
        dead = {name, *(other for other in flow.states if name in flow.around(other))}
        for target in dict.fromkeys([arrow.target for arrow in flow.exits(name) if arrow.target not in dead]):
            yield without_states(flow, dead, target)
        yield without_states(flow, dead)


def smaller_by_arrows(flow: Flow) -> collections.abc.Iterator[Flow]:
    for place, arrow in enumerate(flow.arrows):
        for other in (None, Arrow(arrow.source, arrow.target), Arrow(arrow.source, END, arrow.label)):
            if other != arrow:
                copied = copy.deepcopy(flow)
                copied.arrows[place:place + 1] = [other] if other else []
                yield copied


def changed(flow: Flow, name: str | None, **values: object) -> Flow:
    """The workflow with other values of one of its states, or of its own."""
    copied = copy.deepcopy(flow)
    for key, value in values.items():
        setattr(copied.states[name] if name else copied, key, value)
    return copied


def smaller_by_options(flow: Flow) -> collections.abc.Iterator[Flow]:
    yield changed(flow, None, finally_=None)
    yield changed(flow, None, on_failure=None)
    yield changed(flow, None, keeps_going=False)
    yield changed(flow, None, fail_fast=True)
    for name in flow.states:
        yield changed(flow, name, action=None, retry=0, most=None)
        yield changed(flow, name, action=Action("exit", 0))
        yield changed(flow, name, action=Action("exit", 1))
        yield changed(flow, name, retry=0)
        yield changed(flow, name, most=None)
        yield changed(flow, name, on_failure=None)


def runs(flow: Flow, name: str) -> bool:
    """Whether a state runs the other workflow."""
    return any(state.action == Action("run", name) for state in flow.states.values())


def shrunk(flows: Flows, is_still_wrong: collections.abc.Callable[[Flows], bool], seconds: float) -> Flows:
    """The smallest workflow that was found in that time."""
    end = time.monotonic() + seconds
    best = flows
    again = True
    while again:
        again = False
        flow = best["main"]
        for smaller in (*smaller_by_states(flow), *smaller_by_arrows(flow), *smaller_by_options(flow)):
            if time.monotonic() > end:
                return best
            if smaller is None or size(smaller) >= size(flow):
                continue
            tried = {name: other for name, other in best.items() if runs(smaller, name)} | {"main": smaller}
            if is_still_wrong(tried):
                best, again = tried, True
                break
    return best
