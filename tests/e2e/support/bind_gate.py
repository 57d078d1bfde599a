"""A gate before the bindings of a namespace: they pass, are refused, or are kept waiting."""

import threading
import time

from support.hook_server import HookServer, denying
from support.poll import until
from support.world import unique

HOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
# Longer than any test, shorter than a server lets a webhook take.
KEEPS_S = 25
REFUSAL = "the gate is shut"


class BindGate:
    """A webhook that is asked about each binding. What waits at the gate when it is opened or shut
    passes, or is refused; so does a scheduler's last binding that it did not live to see."""

    def __init__(self, world, folder):
        self._rest, self._namespace = world.rest, world.namespace
        self._changed = threading.Condition()
        self._rule = lambda name: True  # None: keep it waiting.
        self.waiting = []  # Names of pods.
        self.refused = []
        self._hook = HookServer(folder)
        self._hook.answer = self._judge
        self._path = f"{HOOKS}/{self._install()}"
        world.removes_later(self._path)
        self._wait_asked()

    # --- what it does -----------------------------------------------------------------------

    def open(self):
        self._set(lambda name: True)

    def refuse(self, *names):
        """The bindings of these pods, or of all."""
        self._set(lambda name: bool(names) and name not in names)

    def hold(self, *names):
        """Keeps the bindings of these pods, or of all, until the next word."""
        self._set(lambda name: None if not names or name in names else True)

    def wait_held(self, count=1, within=30):
        """Waits until so many bindings wait; returns the names of their pods."""
        until(
            lambda: len(self.waiting) >= count,
            within,
            lambda: f"{count} bindings at the gate: {self.waiting}, refused {self.refused}",
        )
        return list(self.waiting)

    def wait_refused(self, count=1, within=30):
        until(lambda: len(self.refused) >= count, within, lambda: f"refused: {self.refused}")

    def close(self):
        self.open()
        self._rest.delete(self._path)
        self._hook.close()

    # --- how --------------------------------------------------------------------------------

    def _set(self, rule):
        with self._changed:
            self._rule = rule
            self._changed.notify_all()

    def _judge(self, request):
        name = request["name"]
        deadline = time.monotonic() + KEEPS_S
        with self._changed:
            allowed = self._rule(name)
            if allowed is None:
                self.waiting.append(name)
                while allowed is None and time.monotonic() < deadline:
                    self._changed.wait(deadline - time.monotonic())
                    allowed = self._rule(name)
                self.waiting.remove(name)
            if not allowed and request["namespace"] == self._namespace:
                self.refused.append(name)
        return {"allowed": True} if allowed else denying(REFUSAL)

    def _install(self):
        name = unique("bind-gate")
        hook = {
            "name": f"{name}.example.com",
            "clientConfig": {
                "url": f"https://127.0.0.1:{self._hook.port}/",
                "caBundle": self._hook.ca_bundle,
            },
            "rules": [
                {
                    "operations": ["CREATE"],
                    "apiGroups": [""],
                    "apiVersions": ["v1"],
                    "resources": ["pods/binding"],
                }
            ],
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": self._namespace}},
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            "timeoutSeconds": 30,
        }
        body = {"metadata": {"name": name}, "webhooks": [hook]}
        kind = {"apiVersion": "admissionregistration.k8s.io/v1"}
        kind["kind"] = "ValidatingWebhookConfiguration"
        self._rest.post(HOOKS, {**kind, **body}).expect(201)
        return name

    def _wait_asked(self):
        """A server takes a moment to know a new webhook."""
        path = f"/api/v1/namespaces/{self._namespace}/pods/probe/binding"
        target = {"apiVersion": "v1", "kind": "Node", "name": "nowhere"}
        body = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "probe"}}

        def asked():
            self._rest.post(f"{path}?dryRun=All", {**body, "target": target})
            return self._hook.seen

        until(asked, 20, "the gate is asked about bindings")
