"""Half an hour of users' work, after which nothing has grown that should not."""

import statistics
import time

from faults.samples import Series, of_process
from faults.story import telling

SAMPLE_S = 10
JOBS_PER_S = 3
# Kept low, so that a job finds room at once and latency is that of the programs.
LIVE_MOST = 12
CYCLES = "volcano_e2e_scheduling_latency_milliseconds"


class Sampler:
    """Looks at all programs once in a while."""

    def __init__(self, backend, story):
        self._backend, self._story = backend, story
        self.series = Series()
        self._begin = time.monotonic()
        self._cycles, self._cpu, self._jobs = {}, {}, 0

    def sample(self):
        at = time.monotonic() - self._begin
        jobs = self._story.load.done["jobs"]
        made, self._jobs = jobs - self._jobs, jobs
        for seat in self._story.cluster.seats:
            self._add(seat.name, at, seat.process.pid, made)
            if seat.kind == "scheduler":
                self.series.add(seat.name, at, cycle_ms=self._cycle_ms(seat))
        for name, pid in self._backend.pids().items():
            self._add(name, at, pid, made)
        took, writes = self._story.load.latencies.take(), self._story.maps.take()
        if took and writes:
            # Beside that of plain writes, which the same machine slows down as well.
            latency, write = statistics.median(took), statistics.median(writes)
            self.series.add("all", at, latency_ms=latency, write_ms=write)
            self.series.add("all", at, latency_writes=latency / write)

    def _add(self, name, at, pid, jobs):
        figures = of_process(pid)
        used = figures.pop("cpu_s")
        before, self._cpu[name] = self._cpu.get(name), used
        if before is not None and jobs:
            figures["cpu_ms_per_job"] = 1000 * (used - before) / jobs
        self.series.add(name, at, **figures)

    def _cycle_ms(self, seat):
        """The mean length of the cycles since the last look; none, of one that stands by."""
        metrics = seat.daemon.metrics()
        now = metrics.get(f"{CYCLES}_sum", 0), metrics.get(f"{CYCLES}_count", 0)
        before = self._cycles.get(seat.name, (0, 0))
        self._cycles[seat.name] = now
        return (now[0] - before[0]) / (now[1] - before[1]) if now[1] > before[1] else None

    def judged(self):
        """Whose growth is ours: our programs, and our API server."""
        ours = [seat.name for seat in self._story.cluster.seats]
        return {*ours, "all", *(n for n in self._backend.pids() if n == "vc-standalone")}


def test_nothing_grows(request, backend, seed):
    seconds = 60 * request.config.getoption("--minutes")
    print(f"--seed {seed}")
    load = {"jobs_per_s": JOBS_PER_S, "live_most": LIVE_MOST, "drains_s": 20}
    with telling(backend, seed, with_lines=False, **load) as story:
        sampler = Sampler(backend, story)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(SAMPLE_S)
            sampler.sample()
            assert story.problems_so_far() == []
        if path := request.config.getoption("--series"):
            sampler.series.save(path)
        found = story.judge()
        print(story.report())
        print(sampler.series.table())
        grown = sampler.series.grown(sampler.judged())
        assert not found, "\n".join(found)
        assert not grown, "\n".join(grown)
