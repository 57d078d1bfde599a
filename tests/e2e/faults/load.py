"""What users do meanwhile: jobs of all sorts come, end, fail and are deleted, pods are deleted, nodes
are drained. All of it follows from a seed, but for what depends on the moment."""

import collections
import random
import threading
import time

from faults.ledger import uid
from support.checks import node_of
from support.jobs import BATCH, BUS, job_spec, policy, reference, state_of, task
from support.objects import SCHEDULING, queue
from support.rest import MERGE_PATCH

OVER = ("Completed", "Failed", "Terminated", "Aborted")
QUEUES = ("batch", "night", "few")
FEW_CPU = 9
# So long that nodes are drained for, and kept cordoned.
DRAINED_S = 3


def draw_job(rng, name):
    """A job that needs two nodes at most, and ends by itself whatever happens to it."""
    cpu = rng.choice(("100m", "250m", "500m", "1"))
    run = f"sleep {rng.uniform(0.2, 3):.1f}"
    size = rng.choice((1, 1, 1, 2, 3, 5, 8))
    sort = rng.choice(("gang", "gang", "gang", "elastic", "fails", "retries", "evicted", "tasks"))
    more = {"queue": rng.choice(QUEUES)}
    tasks = [task("work", size, script=run, cpu=cpu)]
    minimum = None
    if sort == "elastic":
        minimum = (size + 1) // 2
    elif sort == "fails":
        tasks = [task("work", size, script=f"{run} && exit 3", cpu=cpu)]
    elif sort == "retries":
        tasks = [task("work", size, script="sleep 0.3 && exit 1", cpu=cpu)]
        more["policies"] = [policy("RestartJob", "PodFailed"), policy("RestartJob", "PodEvicted")]
        more["maxRetry"] = rng.choice((2, 3))
    elif sort == "evicted":
        more["policies"] = [policy("RestartJob", "PodEvicted")]
        more["maxRetry"] = 10
    elif sort == "tasks":
        tasks.append(task("after", 1, script="sleep 0.3", dependsOn={"name": ["work"]}))
        minimum = size
    if rng.random() < 0.2:
        more["ttlSecondsAfterFinished"] = rng.randint(1, 4)
    body = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": name}}
    return {**body, "spec": job_spec(tasks, minimum, **more)}


class Latencies:
    """Looks on: from the moment at which a job was sent to that at which its first pod has a node."""

    def __init__(self):
        self._sent = {}  # By uid of the job.
        self._took = collections.deque()

    def sent(self, job_uid, at):
        self._sent[job_uid] = at

    def on(self, change):
        if change.kind != "pods" or not change.after or not node_of(change.after):
            return
        owners = change.after["metadata"].get("ownerReferences") or [{}]
        if (at := self._sent.pop(owners[0].get("uid"), None)) is not None:
            self._took.append(change.at - at)

    def settled(self, kind):
        pass

    def take(self):
        """Those since the last time, in milliseconds."""
        taken = []
        while self._took:
            taken.append(1000 * self._took.popleft())
        return taken


class Load:
    """Thread: one of its own makes things, a second one drains nodes."""

    def __init__(self, cluster, ledger, seed, jobs_per_s, live_most=12, kept_most=40, drains_s=8):
        self._rest = cluster.backend.rest()
        self._namespace = cluster.world.namespace
        self._nodes = cluster.nodes
        self._ledger = ledger
        self._rng = random.Random(seed)
        self._pause_s = 1 / jobs_per_s
        self._live_most, self._kept_most, self._drains_s = live_most, kept_most, drains_s
        self._count = 0
        self.latencies = Latencies()
        self.refused = 0  # The server was away, or said that it cannot just now.
        self.problems = []
        self.done = collections.Counter()
        self._is_paused = threading.Event()
        self._ended = threading.Event()
        runs = [self._make_things, self._drain_nodes] if drains_s else [self._make_things]
        self._threads = [threading.Thread(target=run, daemon=True) for run in runs]

    def begin(self):
        for name in QUEUES:
            limit = {"capability": {"cpu": str(FEW_CPU)}} if name == "few" else {}
            assert self._rest.post(f"{SCHEDULING}/queues", queue(name, **limit)).status in (201, 409)
        self._ledger.onlookers.append(self.latencies)
        for thread in self._threads:
            thread.start()

    def pause(self):
        """Makes nothing new until `resume`."""
        self._is_paused.set()

    def resume(self):
        self._is_paused.clear()

    def stop(self):
        """Ends, with every node back."""
        self._ended.set()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(90)
        for node in self._nodes:
            self._cordon(node, None)

    # --- jobs -------------------------------------------------------------------------------

    def _make_things(self):
        while not self._ended.wait(self._pause_s * self._rng.uniform(0.5, 1.5)):
            if self._is_paused.is_set():
                continue
            jobs = self._ledger.copy()["jobs"]
            live = [j for j in jobs if state_of(j).get("phase") not in OVER]
            over = [j for j in jobs if state_of(j).get("phase") in OVER]
            if len(live) < self._live_most:
                self._create()
            if len(over) > self._kept_most:
                self._delete(self._rng.choice(over))
            if live and self._rng.random() < 0.15:
                self._meddle(self._rng.choice(live))

    def _create(self):
        self._count += 1
        body = draw_job(self._rng, f"job-{self._count}")
        begin = time.monotonic()
        made = self._ask("POST", self._path("jobs"), body, (201,))
        if made:
            self.done["jobs"] += 1
            self.latencies.sent(uid(made), begin)

    def _delete(self, job):
        policy = self._rng.choice(("Background", "Background", "Foreground"))
        path = self._path("jobs", job["metadata"]["name"])
        if self._ask("DELETE", path, None, (200, 202), propagationPolicy=policy):
            self.done["deletions"] += 1

    def take_back(self, job):
        """Deletes a job that cannot run as things are."""
        if self._ask("DELETE", self._path("jobs", job["metadata"]["name"]), None, (200,)):
            self.done["taken back"] += 1

    def _meddle(self, job):
        """What users do to a job amid its run."""
        what = self._rng.choice(("delete", "pod", "RestartJob", "AbortJob"))
        if what == "delete":
            self._delete(job)
        elif what == "pod":
            name = f"{job['metadata']['name']}-work-0"
            path = f"/api/v1/namespaces/{self._namespace}/pods/{name}"
            if self._ask("DELETE", path, None, (200,)):
                self.done["deleted pods"] += 1
        else:
            self._count += 1
            command = {
                "apiVersion": "bus.volcano.sh/v1alpha1",
                "kind": "Command",
                "metadata": {
                    "name": f"command-{self._count}",
                    "ownerReferences": [reference(job)],
                },
                "action": what,
                "target": reference(job),
            }
            path = f"{BUS}/namespaces/{self._namespace}/commands"
            if self._ask("POST", path, command, (201,)):
                self.done["commands"] += 1

    # --- nodes ------------------------------------------------------------------------------

    def _drain_nodes(self):
        rng = random.Random(self._rng.random())
        while not self._ended.wait(self._drains_s * rng.uniform(0.5, 1.5)):
            if self._is_paused.is_set():
                continue
            node = rng.choice(self._nodes)
            self._cordon(node, True)
            for pod in self._ledger.copy()["pods"]:
                if node_of(pod) == node:
                    self._evict(pod["metadata"]["name"])
            self._ended.wait(DRAINED_S)
            self._cordon(node, None)
            self.done["drains"] += 1

    def _cordon(self, node, flag):
        """Tries until it is so: a node that stays cordoned would keep jobs from running."""
        patch = {"spec": {"unschedulable": flag}}
        deadline = time.monotonic() + 60
        while not self._ask("PATCH", f"/api/v1/nodes/{node}", patch, (200,)):
            if time.monotonic() > deadline:
                raise AssertionError(f"node {node} cannot be cordoned or uncordoned for a minute")
            time.sleep(0.2)

    def _evict(self, name):
        path = f"/api/v1/namespaces/{self._namespace}/pods/{name}/eviction"
        body = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": name, "namespace": self._namespace},
        }
        self._ask("POST", path, body, (200, 201))

    # --- asking -----------------------------------------------------------------------------

    def _path(self, plural, name=None):
        path = f"{BATCH}/namespaces/{self._namespace}/{plural}"
        return f"{path}/{name}" if name else path

    def _ask(self, method, path, body, wanted, **query):
        """The body of the answer, or None: the object is gone, or the server cannot just now."""
        more = {"content_type": MERGE_PATCH} if method == "PATCH" else {}
        try:
            answer = self._rest.request(method, path, body, **more, **query)
        except Exception:  # The connection broke.
            self.refused += 1
            return None
        if answer.status in wanted:
            return answer.body
        if answer.status >= 500 or answer.status == 429:
            self.refused += 1
        elif answer.status not in (404, 409):
            self.problems.append(f"{method} {path}: HTTP {answer.status}: {answer.text[:500]}")
        return None
