"""Series of figures: how they are taken, interleaved and reported.

A Group is a set of contestants that are compared with one another. In each round every one has its turn, in an order that
is shuffled each time, so that whatever the machine does meanwhile hits all of them. A turn is a burst: some figures that
are thrown away, because the contestant before has left cold caches, and some that count.
"""
import random
import statistics

from workers import Absence, Failure


class Series:
    def __init__(self, worker, unit=None):
        self.worker = worker
        self.unit = worker.unit if unit is None else unit
        self.figures = []
        self.problem = None  # the Failure that ended it

    def turn(self, burst, warm):
        if self.problem:
            return
        try:
            if warm:
                self.worker.run(warm)
            self.figures += self.worker.run(burst)
        except Failure as failure:
            self.problem = failure
            self.worker.close()

    def checked(self):
        if self.problem:
            raise self.problem
        if not self.figures:
            raise Failure("nothing was measured")
        return self.figures

    def median(self):
        return statistics.median(self.checked())

    def summary(self):
        """What the table and the JSON show of the series."""
        if self.problem or not self.figures:
            return {"problem": str(self.problem or "nothing was measured")}
        many = len(self.figures) > 1
        low, middle, high = statistics.quantiles(self.figures, n=4, method="inclusive") if many else self.figures * 3
        shown = {"unit": self.unit, "n": len(self.figures), "p25": low, "median": middle, "p75": high,
                 "min": min(self.figures), "max": max(self.figures), "samples": self.figures}
        if self.worker.note:
            shown["note"] = self.worker.note
        return shown


class Group:
    """`wanted`: the workers of the contestants, by name."""

    def __init__(self, name, wanted, rounds, burst=1, warm=0, quick_burst=2, memory_mb=0):
        self.name = name
        self.series = {title: Series(worker) for title, worker in wanted.items()}
        self.rounds = rounds
        self.burst = burst
        self.warm = warm
        self.quick_burst = quick_burst
        self.memory_mb = memory_mb  # what its contestants need at the same time

    def measure(self, quick, progress):
        rounds = 1 if quick else self.rounds
        burst = min(self.burst, self.quick_burst) if quick else self.burst
        problem = self._problem(quick)
        if problem:
            for series in self.series.values():
                series.problem = problem
            return
        order = list(self.series.values())
        try:
            for number in range(rounds):
                progress(f"{self.name}: round {number + 1} of {rounds}")
                random.shuffle(order)
                for series in order:
                    series.turn(burst, self.warm)
        finally:
            for series in order:
                series.worker.close()

    def _problem(self, quick):
        if quick and self.memory_mb:
            return Absence("left out of a quick run")
        free = available_megabytes()
        if free < self.memory_mb:
            return Absence(f"needs {self.memory_mb} MB of free memory, and there are {free} MB")
        return None


class Snapshots(Group):
    """One worker that makes `calls` calls in each round. It answers with the state afterwards, a figure for each series."""

    def __init__(self, name, worker, wanted, rounds, calls):
        super().__init__(name, {}, rounds)
        self.worker = worker
        self.calls = calls
        self.series = {title: Series(worker, unit) for title, unit in wanted}

    def measure(self, quick, progress):
        try:
            for number in range(self.rounds):
                progress(f"{self.name}: round {number + 1} of {self.rounds}")
                for series, figure in zip(self.series.values(), self.worker.run(self.calls)):
                    series.figures.append(figure)
        except Failure as failure:
            for series in self.series.values():
                series.problem = failure
        finally:
            self.worker.close()


def available_megabytes():
    with open("/proc/meminfo", encoding="ascii") as file:
        for line in file:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) // 1024
    return 0
