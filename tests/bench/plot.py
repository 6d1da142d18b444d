"""The plot of a run, as SVG: what a captured /usr/bin/true costs by each way, and how each row compares with its target."""
from html import escape
from math import log10

WIDTH, LEFT, RIGHT, ROW = 900, 330, 90, 24
INK, FAINT, GRID = "#1f2933", "#7b8794", "#e4e7eb"
OURS, OTHERS, FLOOR, MISS = "#0b69a3", "#9aa5b1", "#52606d", "#c52707"


class Drawing:
    def __init__(self):
        self.parts = []
        self.height = 20

    def text(self, x, y, content, anchor="start", color=INK, size=13, bold=False):
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}" '
                          f'font-size="{size}"{weight}>{escape(content)}</text>')

    def dot(self, x, y, color):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="{color}"/>')

    def line(self, x1, y1, x2, y2, color, width=1):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" '
                          f'stroke-width="{width}"/>')

    def heading(self, title, explanation):
        self.text(20, self.height + 16, title, size=16, bold=True)
        self.text(20, self.height + 36, explanation, color=FAINT, size=12)
        self.height += 52

    def svg(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" '
                f'font-family="system-ui, sans-serif"><rect width="100%" height="100%" fill="white"/>'
                + "\n".join(self.parts) + "</svg>\n")


class Scale:
    """A logarithmic axis from `low` to `high`. A value outside of this range is drawn at the nearer end. So is a value
    of zero or less, which has no logarithm. The difference of two medians has such a value if the figures vary by more
    than this difference."""

    def __init__(self, low, high):
        self.lowest, self.highest = low, high
        self.low, self.high = log10(low), log10(high)

    def x(self, value):
        share = (log10(min(max(value, self.lowest), self.highest)) - self.low) / (self.high - self.low)
        return LEFT + share * (WIDTH - LEFT - RIGHT)


def ways(results):
    """(name, series, color) of each way to capture /usr/bin/true, from the rows that hold it."""
    found = {}
    for row in results["rows"]:
        host = " in a 2 GB host" if row["key"].endswith("-2gb") else ""
        if not (host or row["key"] in ("true", "sandbox", "python") or row["key"].startswith("peer-")):
            continue
        for name, raw in row["raw"].items():
            if "median" not in raw or raw.get("note"):
                continue
            ours = name.startswith("call")
            label = name.replace("call", "shell_execute") + host if ours else name + host
            label = "vfork, pipes, exec, wait" if name == "floor" else label
            found[label] = (raw, OURS if ours else FLOOR if name == "floor" else OTHERS)
    return sorted(found.items(), key=lambda item: item[1][0]["median"])


def draw_ways(drawing, results):
    shown = ways(results)
    if not shown:
        return
    drawing.heading("One captured /usr/bin/true, from start to result",
                    "Milliseconds, logarithmic: medians, and lines from quartile to quartile. Left is better.")
    highest = max(raw["p75"] for _, (raw, _) in shown) / 1e6
    scale = Scale(min(raw["p25"] for _, (raw, _) in shown) / 1e6 / 2, max(highest * 1.2, 2))
    top, bottom = drawing.height, drawing.height + ROW * len(shown)
    for tick in (0.5, 1, 2, 5, 10, 20, 50, 100):
        if scale.low < log10(tick) < scale.high:
            drawing.line(scale.x(tick), top, scale.x(tick), bottom, GRID)
            drawing.text(scale.x(tick), bottom + 14, f"{tick:g}", "middle", FAINT, 11)
    for label, (raw, color) in shown:
        y = drawing.height
        end = scale.x(raw["median"] / 1e6)
        drawing.text(LEFT - 8, y + 16, label, "end", INK if color != OTHERS else FAINT, bold=color == OURS)
        drawing.line(LEFT, y + ROW / 2, end, y + ROW / 2, GRID)
        drawing.line(scale.x(raw["p25"] / 1e6), y + ROW / 2, scale.x(raw["p75"] / 1e6), y + ROW / 2, INK, 2)
        drawing.dot(end, y + ROW / 2, color)
        drawing.text(max(end + 4, scale.x(raw["p75"] / 1e6)) + 6, y + 16, f"{raw['median'] / 1e6:.2f}", size=12)
        drawing.height += ROW
    drawing.height += 36


def draw_goals(drawing, results):
    judged = [row for row in results["rows"] if row["must"] and row["value"]]
    if not judged:
        return
    drawing.heading("How the rows of the table compare with what they must reach",
                    "Value over limit, turned so that left is better; the line at 1 is the limit, the mark is the aim.")
    scale = Scale(0.02, 4)
    top, bottom = drawing.height, drawing.height + ROW * len(judged)
    for tick in (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 4):
        drawing.line(scale.x(tick), top, scale.x(tick), bottom, INK if tick == 1 else GRID)
        drawing.text(scale.x(tick), bottom + 14, f"{tick:g}", "middle", FAINT, 11)
    for row in judged:
        y = drawing.height + ROW / 2
        share, aim = (row["must"] / value if row["at_least"] else value / row["must"] for value in (row["value"], row["aim"]))
        color = MISS if row["verdict"] == "miss" else FLOOR if row["verdict"] == "not enforced" else OURS
        drawing.text(LEFT - 8, y + 4, row["title"].replace("`", ""), "end", size=11)
        drawing.line(scale.x(aim), y - 7, scale.x(aim), y + 7, FAINT, 2)
        drawing.dot(scale.x(share), y, color)
        drawing.height += ROW
    drawing.height += 30


def draw(results):
    drawing = Drawing()
    draw_ways(drawing, results)
    draw_goals(drawing, results)
    return drawing.svg()
