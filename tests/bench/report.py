"""What is reported about a run: verdicts, the table as text and as markdown, and the JSON file."""
import json
import sys

from workers import Absence, Failure

BEGIN = "<!-- The table of tests/bench/run --docs begins here. -->"
END = "<!-- The table of tests/bench/run --docs ends here. -->"

VERDICTS = {"aim": "reaches the aim", "ok": "reaches the must", "miss": "**misses**", "info": "",
            "not enforced": "not enforced", "not measured": "not measured", "failed": "failed"}


def judge(row, group, quick):
    """The row as the JSON has it. A quick run is no measurement, so it gets no verdict."""
    names = row.raw if row.raw is not None else list(group.series)
    must = None if callable(row.must) else row.must
    result = {"key": row.key, "title": row.title, "unit": row.unit, "must": must, "aim": row.aim,
              "at_least": row.at_least, "value": None, "raw": {name: group.series[name].summary() for name in names}}
    try:
        result["value"] = row.value(group)
        if callable(row.must):
            must = result["must"] = row.must(group)
    except Absence as reason:
        return {**result, "verdict": "not measured", "problem": str(reason)}
    except Failure as reason:  # in a row that is only for comparison, it is not our failure
        return {**result, "verdict": "not measured" if row.must is None else "failed", "problem": str(reason)}
    if any(raw.get("note") == "not enforced" for raw in result["raw"].values()):
        return {**result, "verdict": "not enforced"}
    if quick:
        return {**result, "verdict": "info"}
    return {**result, "verdict": verdict(result["value"], must, row.aim, row.at_least)}


def verdict(value, must, aim, at_least):
    if must is None:
        return "info"

    def reaches(limit):
        return value >= limit if at_least else value <= limit

    return "aim" if reaches(aim) else "ok" if reaches(must) else "miss"


def number(value):
    if value == int(value) and abs(value) < 1e6:
        return str(int(value))
    return f"{value:.3f}" if value < 2 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def spread(raw):
    """Median and quartiles, in a unit that can be read."""
    divisor, unit, digits = 1, raw["unit"], 0
    if unit == "ns":
        for divisor, unit, digits in ((1e9, "s", 3), (1e6, "ms", 2), (1e3, "µs", 0)):
            if raw["median"] >= divisor:
                break
    median, low, high = (f"{raw[which] / divisor:.{digits}f}" for which in ("median", "p25", "p75"))
    return f"{median} {unit} ({low} … {high}, n {raw['n']})"


def value_of(row):
    if row["value"] is None:
        return row["verdict"]
    unit = {"x": "×", "": ""}.get(row["unit"], " " + row["unit"])
    return number(row["value"]) + unit


def limit(row, which):
    if row[which] is None:
        return ""
    return ("≥ " if row["at_least"] else "≤ " if row[which] else "") + number(row[which])


def raw_lines(row):
    """One line a series: name, median, quartiles, how many."""
    for name, raw in row["raw"].items():
        if "problem" in raw:
            yield f"{name}: {raw['problem']}"
        elif row["key"] == "endurance":
            yield f"{name}: {raw['samples'][0]} → {raw['samples'][-1]} {raw['unit']}".rstrip()
        elif row["key"] == "survivors":
            yield f"{sum(left > 0 for left in raw['samples'])} of {raw['n']} stops left something"
        else:
            yield f"{name}: {spread(raw)}" + (f", {raw['note']}" if raw.get("note") else "")


def described(results):
    machine = results["machine"]
    return (f"{machine['processors']} processors, kernel {machine['kernel']} ({machine['architecture']}), "
            f"{machine['memory_mb']} MB; load before the run {machine['load_before']:.2f}; {results['date'][:10]}; "
            f"took {results['seconds']} s; {', '.join(machine['versions'])}")


def text(results):
    lines = [f"{'measure':58} {'value':>12} {'must':>8} {'aim':>8}  verdict"]
    for row in results["rows"]:
        shown = "" if row["verdict"] == "info" else row["verdict"]
        lines.append(f"{row['title'].replace('`', ''):58} {value_of(row):>12} {limit(row, 'must'):>8} "
                     f"{limit(row, 'aim'):>8}  {shown}".rstrip())
        lines += [f"    {line}" for line in raw_lines(row)]
    lines.append(described(results))
    if results["quick"]:
        lines.append("A quick run: the figures show that it works, and nothing else.")
    return "\n".join(lines)


def markdown(results):
    lines = ["| measure | value | must | aim | | medians (quartiles, number) |", "|---|---:|---:|---:|---|---|"]
    for row in results["rows"]:
        lines.append(f"| {row['title']} | {value_of(row)} | {limit(row, 'must')} | {limit(row, 'aim')} | "
                     f"{VERDICTS[row['verdict']]} | {'<br>'.join(raw_lines(row))} |")
    return "\n".join(lines) + f"\n\n{described(results)}.\n"


def update_docs(results, path):
    content = path.read_text(encoding="utf-8")
    if content.count(BEGIN) != 1 or content.count(END) != 1:
        sys.exit(f"tests/bench/run: {path} has no marks that say where the table belongs")
    before, rest = content.split(BEGIN)
    path.write_text(f"{before}{BEGIN}\n\n{markdown(results)}\n{END}{rest.split(END)[1]}", encoding="utf-8")


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")


def save(results, path):
    write(path, json.dumps(results, ensure_ascii=False) + "\n")


def load(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        sys.exit(f"tests/bench/run: {path} cannot be read: {error}")
