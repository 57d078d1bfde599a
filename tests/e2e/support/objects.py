"""Builders of API objects as plain dictionaries, the form in which every client accepts them."""

GROUP_ANNOTATION = "scheduling.k8s.io/group-name"
NOT_READY_TAINT = "node.kubernetes.io/not-ready"
SCHEDULING = "/apis/scheduling.volcano.sh/v1beta1"
# Of `kubectl get queues`.
QUEUE_COLUMNS = "NAME PARENT STATE WEIGHT CPU MEMORY PENDING INQUEUE RUNNING AGE".split()


def config_map(name, data=None, **metadata):
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, **metadata},
        "data": data or {},
    }


def pod(
    name,
    group=None,
    cpu="1",
    memory="64Mi",
    scheduler="volcano",
    metadata=None,
    container=None,
    **spec
):
    """A pod of one container; cpu=None and memory=None leave the requests out (best effort)."""
    requests = {k: v for k, v in (("cpu", cpu), ("memory", memory)) if v is not None}
    body = {"name": "main", "image": "example.invalid/app:1", **(container or {})}
    if requests:
        body["resources"] = {"requests": requests}
    head = {"name": name, **(metadata or {})}
    if group is not None:
        head["annotations"] = {**head.get("annotations", {}), GROUP_ANNOTATION: group}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": head,
        "spec": {
            "schedulerName": scheduler,
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": 0,
            "containers": [body],
            **spec,
        },
    }


def node(
    name, cpu="4", memory="16Gi", pods=110, labels=None, taints=None, annotations=None, **resources
):
    room = {"cpu": str(cpu), "memory": memory, "pods": str(pods), **resources}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {"kubernetes.io/hostname": name, **(labels or {})},
            "annotations": annotations or {},
        },
        "spec": {"taints": taints or []},
        "status": {
            "capacity": room,
            "allocatable": room,
            "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}],
        },
    }


def pod_group(name, min_member, queue="default", metadata=None, **spec):
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": name, **(metadata or {})},
        "spec": {"minMember": min_member, "queue": queue, **spec},
    }


def queue(name, **spec):
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "metadata": {"name": name},
        "spec": {"weight": 1, "reclaimable": True, **spec},
    }


def priority_class(name, value):
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
    }


def lease(name, holder, seconds=3600):
    """Held since long ago; whoever begins to watch it waits for its whole length."""
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": name},
        "spec": {
            "holderIdentity": holder,
            "leaseDurationSeconds": seconds,
            "renewTime": "2026-01-01T00:00:00.000000Z",
        },
    }


def disruption_budget(name, labels, **spec):
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": labels}, **spec},
    }
