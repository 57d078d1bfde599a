"""A cluster with all that watches it, and what is judged in the end."""

import contextlib
import random
import tempfile
import threading
import time
from collections import Counter

from faults import at_rest, catalogue, promises
from faults.cluster import Cluster
from faults.ledger import Ledger, uid
from faults.lines import Loop
from faults.load import Load
from faults.maps import Maps
from support.poll import until

# In which everything that can run has run, and what was deleted is gone.
REST_WITHIN_S = 120
HOPELESS_FOR_S = 5
SILENT_FOR_S = 6
NO_DEFECT = (
    "batholith_invariant_violations_total",
    "batholith_exceptions_total",
    "batholith_defects_total",
)


class Story:
    """One cluster, for as long as it is open: faults are told one after the other, with users at work
    meanwhile. `judge` waits until it is at rest, and returns what was wrong."""

    def __init__(self, backend, folder, seed, jobs_per_s=3, with_lines=True, **load):
        self.rng = random.Random(seed)
        self.weather = promises.Weather()
        self.judges = promises.make_all(self.weather)
        self._loop = Loop() if with_lines else None
        self.ledger = Ledger(backend.kubeconfig)
        self.cluster = None
        self._hopeless = {}  # Since when, by uid.
        self._ended = threading.Event()
        self._ticker = threading.Thread(target=self._tick, daemon=True)
        try:
            self.cluster = Cluster(backend, folder, self._loop)
            self.ledger.onlookers += self.judges
            self.ledger.begin()
            self._ticker.start()
            self.load = Load(self.cluster, self.ledger, seed, jobs_per_s, **load)
            self.load.begin()
            self.maps = Maps(backend, self.cluster.world.namespace, seed)
        except BaseException:
            self.close()
            raise

    def close(self):
        self._ended.set()
        for part in ("load", "maps"):
            if hasattr(self, part):
                with contextlib.suppress(Exception):
                    getattr(self, part).stop()
        if self.cluster:
            self.cluster.close()
        self.ledger.close()
        if self._loop:
            self._loop.close()

    def _tick(self):
        while not self._ended.wait(0.5):
            with self.ledger.lock:
                for judge in self.judges:
                    judge.tick(time.monotonic())

    # --- telling ----------------------------------------------------------------------------

    def tell(self, *faults, fair_s=4):
        """The faults, each at work while the next ones are, and a while of fair weather after them."""
        self.weather.turns_bad()
        with contextlib.ExitStack() as at_work:
            for fault in faults:
                seed = self.rng.randrange(1 << 30)
                at_work.enter_context(catalogue.begin(fault, self.cluster, seed))
        self.weather.turns_fair()
        time.sleep(fair_s)

    # --- judging ----------------------------------------------------------------------------

    def problems_so_far(self):
        """Breaches of what holds always."""
        found = [b for judge in self.judges for b in judge.breaches]
        return found + self.ledger.breaches + self.cluster.problems + self.load.problems

    def judge(self):
        """Stops the users, waits for rest, and returns everything that was wrong."""
        self.load.stop()
        self.maps.stop()
        try:
            until(self._is_at_rest, REST_WITHIN_S, lambda: "\n".join(self._unrest()))
            self._wait_silent()
        except AssertionError as error:
            return self.problems_so_far() + [str(error)]
        return self.problems_so_far() + self.maps.problems() + self._defects()

    def _is_at_rest(self):
        """Asks, and takes back what has been hopeless for a while."""
        there = {uid(job): job for job in at_rest.hopeless(self.ledger.copy())}
        now = time.monotonic()
        self._hopeless = {u: self._hopeless.get(u, now) for u in there}
        for job_uid, since in self._hopeless.items():
            if now - since > HOPELESS_FOR_S:
                self.load.take_back(there[job_uid])
                self._hopeless[job_uid] = now
        return not self._unrest()

    def _unrest(self):
        found = at_rest.everything(self.ledger.copy())
        with self.ledger.lock:
            parts = [p for j in self.judges if j.name == "whole-gangs" for p in j.parts()]
        return found + [f"whole-gangs: {part}" for part in parts]

    def _wait_silent(self):
        """Nobody writes any more, but for Leases, which are no change to the ledger."""
        last = [(time.monotonic(), self.ledger.changes)]

        def silent():
            if last[0][1] != self.ledger.changes:
                last[0] = (time.monotonic(), self.ledger.changes)
            return time.monotonic() - last[0][0] > SILENT_FOR_S

        until(silent, REST_WITHIN_S, "silence: somebody goes on writing")

    def _defects(self):
        """What programs have found wrong with themselves since they started last."""
        problems = []
        for seat in self.cluster.seats:
            for series, count in seat.daemon.metrics().items():
                if series.startswith(NO_DEFECT) and count:
                    problems.append(f"own-invariants: {seat.name}: {series} {count:g}")
        return problems

    def report(self):
        """What there was to judge, in one line."""
        looks = ", ".join(f"{j.name} {j.looks}" for j in self.judges)
        done = ", ".join(f"{n} {what}" for what, n in sorted(self.load.done.items()))
        wrong = sum((Counter(s.answers.given) for s in self._on_lines()), Counter())
        lines = sum(seat.line.connections for seat in self._on_lines())
        return (
            f"{done}; connections on lines {lines}, answered wrongly {dict(wrong)};"
            f" refused {self.load.refused}; maps {self.maps.acknowledged} acknowledged,"
            f" {self.maps.unanswered} not; leases lost {sum(s.ends for s in self.cluster.seats)};"
            f" changes {self.ledger.changes}, lists {self.ledger.lists}; looks: {looks}"
        )

    def _on_lines(self):
        return [seat for seat in self.cluster.seats if seat.line]


@contextlib.contextmanager
def telling(backend, seed, **more):
    with tempfile.TemporaryDirectory(prefix="bth-faults-") as folder:
        story = Story(backend, folder, seed, **more)
        try:
            yield story
        finally:
            story.close()
