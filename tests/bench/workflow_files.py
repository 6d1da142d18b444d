"""The workflows that are measured, and the same work for the programs that they are compared with."""


def _written(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _workflow(edges, actions):
    lines = "".join(f"  {edge}\n" for edge in edges)
    return f"```mermaid\nstateDiagram-v2\n{lines}```\n\n## Actions\n\n" + "".join(f"- {action}\n" for action in actions)


def _chain(count, action):
    edges = ["[*] --> S0", *(f"S{i} --> S{i + 1}" for i in range(count - 1)), f"S{count - 1} --> [*]"]
    return _workflow(edges, [f"S{i}: {action(i)}" for i in range(count)])


def light(folder, count):
    """States without outside effects, that pass a value on."""
    return _written(folder, f"light-{count}.md",
                    _chain(count, lambda i: f'Log "state {i} ${{x}}"' if i % 2 else f'Set x="{i}"'))


def calls(folder, count, command):
    return _written(folder, f"calls-{count}.md", _chain(count, lambda i: f'Shell "{command}"'))


def branches(folder, count, command):
    edges = ["[*] --> F", "state F <<fork>>", "state J <<join>>", "J --> [*]"]
    for i in range(count):
        edges += [f"F --> B{i}", f"B{i} --> J"]
    return _written(folder, f"branches-{count}.md", _workflow(edges, [f'B{i}: Shell "{command}"' for i in range(count)]))


def makefile(folder, name, count, command):
    targets = " ".join(f"t{i}" for i in range(count))
    rules = "".join(f"t{i}:\n\t@{command}\n" for i in range(count))
    return _written(folder, f"{name}/Makefile", f".PHONY: all {targets}\nall: {targets}\n{rules}").parent


def taskfile(folder, name, count, command, parallel):
    entries = "".join(f"  t{i}: {{cmds: ['{command}'], silent: true}}\n" for i in range(count))
    names = [f"t{i}" for i in range(count)]
    whole = f"  all: {{deps: [{', '.join(names)}]}}\n" if parallel else (
        "  all:\n    cmds:\n" + "".join(f"      - {{task: {one}}}\n" for one in names))
    return _written(folder, f"{name}/Taskfile.yml", f"version: '3'\ntasks:\n{whole}{entries}").parent


def justfile(folder, name, count, command):
    names = " ".join(f"t{i}" for i in range(count))
    rules = "".join(f"t{i}:\n    @{command}\n" for i in range(count))
    return _written(folder, f"{name}/justfile", f"all: {names}\n{rules}").parent


def copies(folder, kind, count):
    """Work for wtool, make or task (`kind`) that copies in/I to out/I, `count` times, unless out/I is up to date."""
    own = folder / f"copies-{kind}"
    (own / "out").mkdir(parents=True, exist_ok=True)
    for i in range(count):
        _written(own, f"in/{i}", f"the content of file {i}\n" * 40)
    if kind == "wtool":
        return _written(own, "copies.md", _chain(
            count, lambda i: f'Shell "cp in/{i} out/{i}" inputs=["in/{i}"] outputs=["out/{i}"]'))
    if kind == "make":
        rules = "".join(f"out/{i}: in/{i}\n\t@cp in/{i} out/{i}\n" for i in range(count))
        return _written(own, "Makefile", f"all: {' '.join(f'out/{i}' for i in range(count))}\n{rules}")
    entries = "".join(f"  t{i}: {{sources: [in/{i}], generates: [out/{i}], cmds: ['cp in/{i} out/{i}'], silent: true}}\n"
                      for i in range(count))
    whole = "  all:\n    cmds:\n" + "".join(f"      - {{task: t{i}}}\n" for i in range(count))
    return _written(own, "Taskfile.yml", f"version: '3'\ntasks:\n{whole}{entries}")
