"""Batch jobs of a test: how they are made, what is asked of them, and what they came to."""

from support.checks import nodes_within_allocatable
from support.poll import until
from support.rest import MERGE_PATCH
from support.world import World, unique

BATCH = "/apis/batch.volcano.sh/v1alpha1"
BUS = "/apis/bus.volcano.sh/v1alpha1"
FLOW = "/apis/flow.volcano.sh/v1alpha1"
JOB_NAME = "volcano.sh/job-name"
FOREVER = "sleep infinity"
# Commands of simulated containers run at once; the rest is a few round trips.
WITHIN_S = 30
# kube-controller-manager takes its time to learn of new kinds before it collects their garbage.
GONE_WITHIN_S = 60


def container(script=FOREVER, cpu="100m", **more):
    return {
        "name": "main",
        "image": "example.invalid/app:1",
        "command": ["sh", "-c", script],
        "resources": {"requests": {"cpu": cpu, "memory": "16Mi"}},
        **more,
    }


def task(name="work", replicas=1, script=FOREVER, cpu="100m", spec=None, template=None, **more):
    """A task whose pods run a script; `spec` goes into the pod, `more` into the task."""
    pod_spec = {
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": 0,
        "containers": [container(script, cpu)],
        **(spec or {}),
    }
    body = {"name": name, "replicas": replicas}
    return {**body, "template": {**(template or {}), "spec": pod_spec}, **more}


def job_spec(tasks, min_available=None, **more):
    everybody = sum(t["replicas"] for t in tasks)
    return {
        "schedulerName": "volcano",
        "queue": "default",
        "minAvailable": everybody if min_available is None else min_available,
        "tasks": tasks,
        **more,
    }


def policy(action, event=None, **more):
    return {"action": action, **({"event": event} if event else {}), **more}


def state_of(job):
    return (job.get("status") or {}).get("state") or {}


def reference(owner, controller=True):
    """An owner reference to an object as the server returned it."""
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "controller": controller,
    }


class JobWorld(World):
    """A namespace with batch jobs; nodes, scheduler, kubelets and controllers are there already."""

    # --- making -----------------------------------------------------------------------------

    def make(self, group, plural, kind, name, spec, **metadata):
        version = group.removeprefix("/apis/").removeprefix("/api/")
        head = {"name": name, **metadata}
        body = {"apiVersion": version, "kind": kind, "metadata": head, "spec": spec}
        return self.rest.post(self.path(group, plural), body).expect(201)

    def job(self, name, tasks, min_available=None, metadata=None, **spec):
        body = job_spec(tasks, min_available, **spec)
        return self.make(BATCH, "jobs", "Job", name, body, **(metadata or {}))

    def patch_job(self, name, spec):
        self.rest.patch(self._job(name), {"spec": spec}, MERGE_PATCH).expect(200)

    def replace_job_spec(self, name, change):
        """Changes the spec in place, as `kubectl edit` does; tries again when it was outrun."""

        def written():
            body = self.read_job(name)
            change(body["spec"])
            answer = self.rest.put(self._job(name), body)
            return answer.status == 200 or (answer.status != 409 and answer.expect(200))

        until(written, WITHIN_S, f"spec of {name} written")

    def delete_job(self, name, policy="Background"):
        self.rest.delete(self._job(name), propagationPolicy=policy).expect(200)

    def command(self, action, target):
        """A Command as vcctl sends it; its path."""
        body = {
            "apiVersion": "bus.volcano.sh/v1alpha1",
            "kind": "Command",
            "metadata": {"name": unique("command"), "ownerReferences": [reference(target)]},
            "action": action,
            "target": reference(target),
        }
        made = self.rest.post(self.path(BUS, "commands"), body).expect(201)
        return self.path(BUS, "commands", made["metadata"]["name"])

    def cordon(self, node):
        path = f"/api/v1/nodes/{node}"
        self.rest.patch(path, {"spec": {"unschedulable": True}}, MERGE_PATCH).expect(200)

    # --- looking ----------------------------------------------------------------------------

    def path(self, group, plural, name=None):
        path = f"{group}/namespaces/{self.namespace}/{plural}"
        return f"{path}/{name}" if name else path

    def _job(self, name):
        return self.path(BATCH, "jobs", name)

    def read(self, group, plural, name):
        return self.rest.get(self.path(group, plural, name)).expect(200)

    def exists(self, group, plural, name):
        return self.rest.get(self.path(group, plural, name)).status != 404

    def names(self, group, plural):
        items = self.rest.get(self.path(group, plural)).expect(200)["items"]
        return {i["metadata"]["name"] for i in items}

    def read_job(self, name):
        return self.read(BATCH, "jobs", name)

    def status(self, name):
        return self.read_job(name).get("status") or {}

    def phase(self, name):
        return (self.status(name).get("state") or {}).get("phase")

    def pods_of(self, job):
        """The job's pods by name."""
        path = self.path("/api/v1", "pods")
        items = self.rest.get(path, labelSelector=f"{JOB_NAME}={job}").expect(200)["items"]
        return {i["metadata"]["name"]: i for i in items}

    def uids(self, job):
        return {name: pod["metadata"]["uid"] for name, pod in self.pods_of(job).items()}

    def pod_phases(self, job):
        return {n: p.get("status", {}).get("phase") for n, p in self.pods_of(job).items()}

    def group_of(self, job):
        """The pod group of a job as it was created."""
        uid = job["metadata"]["uid"]
        return self.read_group(f"{job['metadata']['name']}-{uid}")

    def events(self, name, reason=None, namespace=None):
        """Messages of the events about an object of this name; cluster-wide: in `default`."""
        path = f"/api/v1/namespaces/{namespace or self.namespace}/events"
        items = self.rest.get(path, fieldSelector=f"involvedObject.name={name}").expect(200)
        return [e["message"] for e in items["items"] if reason in (None, e["reason"])]

    # --- waiting ----------------------------------------------------------------------------

    def wait_phase(self, job, phase, within=WITHIN_S):
        """Waits for a phase of the job; returns the job."""

        def there():
            found = self.read_job(job)
            state = (found.get("status") or {}).get("state") or {}
            return found if state.get("phase") == phase else None

        return until(there, within, lambda: f"job {job} {phase}; it is {self.story(job)}")

    def wait_running(self, job, pods, within=WITHIN_S):
        """Waits until the job runs with so many running pods; their uids by name."""

        def there():
            phases = self.pod_phases(job)
            return list(phases.values()) == ["Running"] * pods and self.phase(job) == "Running"

        until(there, within, lambda: f"job {job} runs with {pods} pods; it is {self.story(job)}")
        return self.uids(job)

    def wait_event(self, name, reason, *words, namespace=None):
        def said():
            return any(all(w in m for w in words) for m in self.events(name, reason, namespace))

        until(
            said,
            WITHIN_S,
            lambda: f"event {reason} of {name}: {words}; it is {self.events(name, None, namespace)}",
        )

    def wait_there(self, group, plural, name):
        until(lambda: self.exists(group, plural, name), WITHIN_S, f"{plural} {name} there")

    def wait_gone(self, group, plural, name, within=GONE_WITHIN_S):
        until(lambda: not self.exists(group, plural, name), within, f"{plural} {name} gone")

    def story(self, job):
        """What a failed test wants to know."""
        status = self.status(job)
        return f"{status.get('state')}, pods {self.pod_phases(job)}, events {self.events(job)}"

    # --- ending -----------------------------------------------------------------------------

    def problems(self):
        nodes = self.rest.get("/api/v1/nodes").expect(200)["items"]
        everywhere = self.rest.get("/api/v1/pods").expect(200)["items"]
        return nodes_within_allocatable(nodes, everywhere) + self.history.problems()

    def close(self):
        self.history.end_soon()  # Which the pods that go now bring about.
        # Owners first: their controllers make pods anew as long as they are there.
        for group, plural in ((BATCH, "cronjobs"), (FLOW, "jobflows"), (BATCH, "jobs")):
            self.rest.delete(self.path(group, plural))
            until(lambda: not self.names(group, plural), GONE_WITHIN_S, f"{plural} gone")
        super().close()
