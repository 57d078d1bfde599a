"""The faults, by name. Each is a context: it begins, is at work while the block runs, and ends."""

import contextlib
import os
import signal
import time

from faults.answers import LOST
from faults.cluster import LEASE_S
from support.poll import until

OURS = ("scheduler", "controllers")
SLEEP_S = LEASE_S + 2
AWAY_S = 3


@contextlib.contextmanager
def killed(seats):
    """As by `kill -9`; started again after a while."""
    for seat in seats:
        seat.kill()
    time.sleep(AWAY_S)
    try:
        yield
    finally:
        for seat in seats:
            seat.start()


@contextlib.contextmanager
def asleep(pids):
    """Stopped for longer than a lease lasts; whoever wakes up does not know for how long."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        time.sleep(SLEEP_S)
        yield
    finally:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


@contextlib.contextmanager
def on_lines(seats, begin, for_s=5):
    for seat in seats:
        begin(seat.line)
    try:
        time.sleep(for_s)
        yield
    finally:
        for seat in seats:
            seat.line.mend()


@contextlib.contextmanager
def answered_wrongly(seats, kinds, share, seed):
    """A share of the requests, by answers of their own or none."""
    before = sum(sum(seat.answers.given.values()) for seat in seats)
    for seat in seats:
        seat.answers.fail(kinds, share, seed)
        seat.line.target, seat.was = seat.answers.port, seat.line.target
        seat.line.cut()
    try:
        time.sleep(6)
        given = sum(sum(seat.answers.given.values()) for seat in seats)
        assert given > before, "not one request was answered wrongly"
        yield
    finally:
        for seat in seats:
            seat.answers.mend()
            seat.line.target = seat.was
            seat.line.cut()


def _leader(kind):
    """Who leads now, else any of the two."""

    def pick(cluster):
        return (cluster.leading(kind) or cluster.of(kind))[:1]

    return pick


def _both(kind):
    return lambda cluster: cluster.of(kind)


def _catalogue():
    made = {}
    for kind in OURS:
        one, two = _leader(kind), _both(kind)
        made[f"{kind}: leader killed"] = lambda c, _, one=one: killed(one(c))
        made[f"{kind}: both killed"] = lambda c, _, two=two: killed(two(c))
        made[f"{kind}: leader asleep"] = lambda c, _, one=one: asleep(_pids(one(c)))
        made[f"{kind}: both asleep"] = lambda c, _, two=two: asleep(_pids(two(c)))
        for name, begin in _LINES.items():
            made[f"{kind}: {name}"] = lambda c, seed, one=one, begin=begin: on_lines(
                one(c), lambda line: begin(line, seed)
            )
        made[f"{kind}: both away"] = lambda c, _, two=two: on_lines(
            two(c), lambda line: line.refuse(), LEASE_S + 2
        )
        for name, kinds in _ANSWERS.items():
            made[f"{kind}: {name}"] = lambda c, seed, two=two, kinds=kinds: answered_wrongly(
                two(c), kinds, 0.3, seed
            )
    made["webhooks: killed"] = lambda c, _: killed(c.of("webhooks"))
    made["webhooks: away"] = lambda c, _: on_lines(c.of("webhooks"), lambda line: line.refuse())
    made["api server: killed"] = lambda c, _: api_killed(c.backend)
    made["api server: asleep"] = lambda c, _: asleep(_api_pids(c.backend))
    return made


_LINES = {
    "late": lambda line, _: line.delay(0.3),
    "cut again and again": lambda line, seed: line.cut_often(seed),
    "refused": lambda line, _: line.refuse(),
    "stalled": lambda line, _: line.stall(),
    "stalled in the middle of an answer": lambda line, seed: line.stall_after(seed % 4000),
    "answers lost": lambda line, _: line.lose_answers(),
}
_ANSWERS = {
    "429, 500 and 503": (429, 500, 503),
    "carried out, answer lost": (LOST,),
}


def _pids(seats):
    return [seat.process.pid for seat in seats]


def _api_pids(backend):
    return [pid for name, pid in backend.pids().items() if name in ("vc-standalone", "kube-apiserver")]


@contextlib.contextmanager
def api_killed(backend):
    backend.kill_api()
    time.sleep(1)
    try:
        yield
    finally:
        backend.start_api()


@contextlib.contextmanager
def etcd_killed(backend):
    backend.control("kill", "etcd")
    time.sleep(AWAY_S)
    try:
        yield
    finally:
        backend.control("start", "etcd")
        until(backend.is_ready, 60, "the API server is ready again")


ALL = _catalogue()
REAL = {
    "etcd: killed": lambda c, _: etcd_killed(c.backend),
    "etcd: asleep": lambda c, _: asleep([c.backend.pids()["etcd"]]),
}


def names_for(kind):
    """The faults that there are on this server."""
    return [*ALL, *(REAL if kind == "kube" else ())]


def draw(rng, kind):
    """One fault, or two of different parts: one that begins while the other is at work."""
    names = names_for(kind)
    first = rng.choice(names)
    if rng.random() < 0.5:
        return [first]
    return [first, rng.choice([n for n in names if _part(n) != _part(first)])]


def _part(name):
    part = name.partition(":")[0]
    return "api server" if part == "etcd" else part


def begin(name, cluster, seed):
    return {**ALL, **REAL}[name](cluster, seed)
