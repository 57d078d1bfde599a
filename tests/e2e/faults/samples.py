"""What programs take of the machine while they work for long, as slopes."""

import json
import math
import os
import pathlib
import statistics
from dataclasses import dataclass

PAGE = os.sysconf("SC_PAGE_SIZE")
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
# The first part of a run fills histories and caches up to their bounds (10,000 changes of a kind in our
# API server, 4,096 events in a scheduler), which takes twenty minutes of the churn; it is not looked at.
WARM_UP = 2 / 3


@dataclass(frozen=True)
class Allowed:
    """How much a figure may grow over the part that is looked at: so much, or such a share of its mean,
    whichever is more."""

    amount: float
    share: float

    def growth(self, mean):
        return max(self.amount, self.share * mean)


ALLOWED = {
    "rss_mb": Allowed(2, 0.05),
    # What loses one a minute grows by ten.
    "fds": Allowed(5, 0.05),
    "threads": Allowed(0.5, 0),
    "latency_writes": Allowed(3, 0.5),
    "cpu_ms_per_job": Allowed(3, 0.5),
    "cycle_ms": Allowed(2, 0.5),
}


def of_process(pid):
    """Resident memory, open files, threads, and CPU time so far."""
    folder = pathlib.Path(f"/proc/{pid}")
    stat = (folder / "stat").read_text().rpartition(")")[2].split()
    return {
        "rss_mb": int((folder / "statm").read_text().split()[1]) * PAGE / 2**20,
        "fds": len(os.listdir(folder / "fd")),
        "threads": int(stat[17]),
        "cpu_s": (int(stat[11]) + int(stat[12])) / TICKS_PER_S,
    }


@dataclass(frozen=True)
class Trend:
    """A line through the later part of a series. `growth`: over that part; `doubt`: three times the
    standard error of it, infinite where too little is seen to tell."""

    first: float
    mean: float
    last: float
    growth: float
    doubt: float

    def grows(self, allowed):
        """More than is allowed, and more than the scatter of the points explains."""
        return self.growth > allowed.growth(self.mean) and self.growth > self.doubt


def trend(points):
    """Least squares over (seconds, value), without the warm-up."""
    begin, end = points[0][0], points[-1][0]
    later = [(t, v) for t, v in points if t >= begin + WARM_UP * (end - begin)]
    times, values = zip(*later)
    mean_t, mean_v = statistics.fmean(times), statistics.fmean(values)
    spread = sum((t - mean_t) ** 2 for t in times)
    if len(later) < 3 or spread == 0:
        raise ValueError(f"{len(later)} points after the warm-up tell no trend")
    slope = sum((t - mean_t) * (v - mean_v) for t, v in later) / spread
    rests = [v - mean_v - slope * (t - mean_t) for t, v in later]
    length = times[-1] - times[0]
    return Trend(values[0], mean_v, values[-1], slope * length, 3 * length * slope_error(rests, spread))


def slope_error(rests, spread):
    """The standard error of a slope: `rests` are left of the values beside the line, `spread` is the sum
    of squares of the times about their mean. Neighbours are alike: how many connections a client has open
    stays as it is for minutes. So they count as the fewer independent ones that tell as much, as where
    each follows from the one before (Santer et al. 2000, doi:10.1029/1999JD901105)."""
    square = sum(rest**2 for rest in rests)
    if square == 0:
        return 0.0
    alike = max(sum(a * b for a, b in zip(rests, rests[1:])) / square, 0)
    independent = len(rests) * (1 - alike) / (1 + alike)
    if independent <= 2:
        return math.inf
    return math.sqrt(square / (independent - 2) / spread)


class Series:
    """Figures of programs over time, by program and name of the figure."""

    def __init__(self):
        self._points = {}

    def add(self, program, at, **figures):
        for name, value in figures.items():
            if value is not None:
                self._points.setdefault((program, name), []).append((at, value))

    def trends(self):
        return {where: trend(points) for where, points in self._points.items()}

    def save(self, path):
        """All points as JSON, for whoever wants to draw them."""
        named = {f"{program} {name}": points for (program, name), points in self._points.items()}
        pathlib.Path(path).write_text(json.dumps(named))

    def grown(self, programs):
        """What grows of these programs, as sentences."""
        return [
            f"{program}: {name} grows by {t.growth:.2f} (mean {t.mean:.2f}) in the part looked at;"
            f" {ALLOWED[name].growth(t.mean):.2f} is allowed"
            for (program, name), t in self.trends().items()
            if program in programs and name in ALLOWED and t.grows(ALLOWED[name])
        ]

    def table(self):
        head = f"{'program':<24}{'figure':<16}{'begin':>10}{'mean':>10}{'end':>10}{'growth':>10}"
        lines = [head + f"{'±':>10}{'allowed':>10}"]
        for (program, name), t in sorted(self.trends().items()):
            allowed = f"{ALLOWED[name].growth(t.mean):>10.2f}" if name in ALLOWED else ""
            lines.append(
                f"{program:<24}{name:<16}{t.first:>10.2f}{t.mean:>10.2f}{t.last:>10.2f}"
                f"{t.growth:>10.2f}{t.doubt:>10.2f}{allowed}"
            )
        return "\n".join(lines)
