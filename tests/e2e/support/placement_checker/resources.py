"""Room: what a pod asks of its node, and what the node has."""

from collections import defaultdict
from fractions import Fraction

from support.quantity import parse

# Pod-level amounts exist for these, and for huge pages of every size.
_POD_LEVEL = ("cpu", "memory")


def _amounts(resources):
    """Requests; a limit without a request is the request."""
    texts = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
    return {name: parse(text) for name, text in texts.items()}


def request(pod):
    """Containers run side by side with the side cars, and so add up. Init containers run one after
    the other, each beside the side cars that were started before it: the largest moment counts. A
    pod-level amount stands for what its containers say; overhead comes on top. A pod is one pod."""
    spec = pod.spec
    total, start, sidecars = defaultdict(Fraction), defaultdict(Fraction), defaultdict(Fraction)
    for container in spec.get("containers") or []:
        for name, value in _amounts(container.get("resources") or {}).items():
            total[name] += value
    for container in spec.get("initContainers") or []:
        stays = container.get("restartPolicy") == "Always"
        for name, value in _amounts(container.get("resources") or {}).items():
            if stays:
                total[name] += value
                sidecars[name] += value
                start[name] = max(start[name], sidecars[name])
            else:
                start[name] = max(start[name], sidecars[name] + value)
    for name, value in start.items():
        total[name] = max(total[name], value)
    for name, value in _amounts(spec.get("resources") or {}).items():
        if name in _POD_LEVEL or name.startswith("hugepages-"):
            total[name] = value
    for name, value in (spec.get("overhead") or {}).items():
        total[name] += parse(value)
    total["pods"] = Fraction(1)
    return dict(total)


def used(pods):
    total = defaultdict(Fraction)
    for pod in pods:
        for name, value in pod.derived(request).items():
            total[name] += value
    return total


def room_of(node):
    status = node.get("status") or {}
    return {name: parse(text) for name, text in (status.get("allocatable") or {}).items()}


def room(pod, cluster):
    """What is not asked for cannot be short, however full the node is."""
    wanted = {name: value for name, value in pod.derived(request).items() if value > 0}

    def refusal(name):
        room, taken = cluster.fact(name, room_of), cluster.on(name).derived(used)
        for resource, value in wanted.items():
            free = room.get(resource, 0) - taken[resource]
            if value > free:
                return f"{resource}: {float(value):g} asked, {float(free):g} free"
        return None

    return refusal
