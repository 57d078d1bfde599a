"""What a pod may have: each function adds one thing to the body of a pod."""

from support.random_world.nodes import GPU, HOST, RACK, REGION, TAINTS, ZONE, ZONES

APPS = ("web", "db", "cache", "batch", "queue", "log")
RUNTIME_CLASS = "heavy"
OVERHEAD = {"cpu": "250m", "memory": "128Mi"}


def base(random):
    requests = {
        "cpu": f"{random.choice([100, 250, 300, 500, 750, 1000, 1500, 2000])}m",
        "memory": f"{random.choice([64, 128, 256, 512, 1024, 2048])}Mi",
    }
    container = {"name": "main", "image": "example.invalid/app:1"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "labels": {
                "app": random.choice(APPS),
                "tier": random.choice(["front", "back"]),
                "version": random.choice(["v1", "v2"]),
            }
        },
        "spec": {
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": 0,
            "containers": [{**container, "resources": {"requests": requests}}],
        },
    }


def _container(pod):
    return pod["spec"]["containers"][0]


def _requests(pod):
    return _container(pod)["resources"]["requests"]


def no_requests(random, pod):
    _container(pod)["resources"] = {"requests": {}}


def two_containers(random, pod):
    requests = {"cpu": "333m", "memory": "100M"}
    more = {"name": "more", "image": "example.invalid/app:1", "resources": {"requests": requests}}
    pod["spec"]["containers"].append(more)


def gpus(random, pod):
    amounts = {GPU: str(random.choice([1, 1, 2]))}
    resources = _container(pod)["resources"]
    resources["requests"] = {**resources["requests"], **amounts}
    resources["limits"] = amounts


def huge_pages(random, pod):
    amounts = {"hugepages-2Mi": random.choice(["64Mi", "128Mi", "256Mi"])}
    resources = _container(pod)["resources"]
    # The server wants CPU or memory beside them.
    resources["requests"] = {"cpu": "100m", **resources["requests"], **amounts}
    resources["limits"] = {**resources.get("limits", {}), **amounts}


def init_container(random, pod):
    requests = {"cpu": random.choice(["500m", "2", "3"]), "memory": "256Mi"}
    entry = {"name": "init", "image": "example.invalid/app:1", "resources": {"requests": requests}}
    pod["spec"].setdefault("initContainers", []).append(entry)


def side_car(random, pod):
    requests = {"cpu": random.choice(["100m", "400m"]), "memory": "64Mi"}
    entry = {
        "name": "side",
        "image": "example.invalid/app:1",
        "restartPolicy": "Always",
        "resources": {"requests": requests},
    }
    if random.random() < 0.3:
        entry["ports"] = [{"containerPort": 9100, "hostPort": 9100, "protocol": "TCP"}]
    before = random.random() < 0.5
    pod["spec"].setdefault("initContainers", []).insert(0 if before else 99, entry)


def pod_level(random, pod):
    """More than the containers say, as the server demands; the limit binds them, not us."""
    requests = {"cpu": random.choice(["4", "5"]), "memory": "4Gi"}
    pod["spec"]["resources"] = {"requests": requests}


def overhead(random, pod):
    pod["spec"]["runtimeClassName"] = RUNTIME_CLASS
    pod["spec"]["overhead"] = dict(OVERHEAD)


def host_ports(random, pod):
    port = {
        "containerPort": 80,
        "hostPort": random.choice([8080, 8081]),
        "protocol": random.choice(["TCP", "TCP", "UDP"]),
    }
    address = random.choice([None, None, "0.0.0.0", "10.0.0.1", "10.0.0.2"])
    if address:
        port["hostIP"] = address
    _container(pod)["ports"] = [port]


def node_selector(random, pod):
    pod["spec"]["nodeSelector"] = random.choice(
        [{"disk": "ssd"}, {"disk": "hdd"}, {ZONE: random.choice(ZONES)}, {REGION: "north"}]
    )


def node_affinity(random, pod):
    def term():
        expressions = random.sample(
            [
                {"key": ZONE, "operator": "In", "values": random.sample(ZONES, 2)},
                {"key": ZONE, "operator": "NotIn", "values": random.sample(ZONES, 1)},
                {"key": "special", "operator": "Exists"},
                {"key": "special", "operator": "DoesNotExist"},
                {"key": "generation", "operator": "Gt", "values": [str(random.randint(1, 3))]},
                {"key": "generation", "operator": "Lt", "values": [str(random.randint(4, 6))]},
            ],
            random.choice([1, 1, 2]),
        )
        return {"matchExpressions": expressions}

    terms = [term() for _ in range(random.choice([1, 1, 2]))]
    if random.random() < 0.3:
        # The stage puts the name of a node there.
        operator = random.choice(["In", "NotIn"])
        terms[0]["matchFields"] = [
            {"key": "metadata.name", "operator": operator, "values": [f"@{random.randrange(50)}"]}
        ]
        if operator == "In":
            ssd = {"key": "disk", "operator": "In", "values": ["ssd"]}
            terms.append({"matchExpressions": [ssd]})
    _affinity(pod, "nodeAffinity")["requiredDuringSchedulingIgnoredDuringExecution"] = {
        "nodeSelectorTerms": terms
    }


def _affinity(pod, kind):
    return pod["spec"].setdefault("affinity", {}).setdefault(kind, {})


def tolerations(random, pod):
    choices = [{"operator": "Exists"}, {"key": "dedicated", "operator": "Exists"}]
    for taint in TAINTS:
        toleration = {"key": taint["key"], "effect": taint["effect"]}
        if "value" in taint:
            choices.append({**toleration, "operator": "Equal", "value": taint["value"]})
        else:
            choices.append({**toleration, "operator": "Exists"})
    # The taint has another effect.
    choices.append({"key": "maintenance", "operator": "Exists", "effect": "NoSchedule"})
    choices.append({"key": "node.kubernetes.io/unschedulable", "operator": "Exists"})
    pod["spec"]["tolerations"] = random.sample(choices, random.choice([1, 1, 2, 3]))


def _peer_term(random, pod, apps, keys):
    """A term about pods of an app, in one of the ways to say it."""
    app = random.choice(apps)
    selector = random.choice(
        [
            {"matchLabels": {"app": app}},
            {"matchExpressions": [{"key": "app", "operator": "In", "values": [app]}]},
            {
                "matchLabels": {"app": app},
                "matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["front"]}],
            },
        ]
    )
    term = {"labelSelector": selector, "topologyKey": random.choice(keys)}
    scope = random.random()
    if scope < 0.15:
        term["namespaces"] = random.sample(["@main", "@blue", "@green"], 2)
    elif scope < 0.3:
        term["namespaceSelector"] = random.choice(
            [{}, {"matchLabels": {"color": "blue"}}, {"matchLabels": {"staff": "yes"}}]
        )
    elif scope < 0.35:
        term["namespaces"] = ["@main"]
        term["namespaceSelector"] = {"matchLabels": {"color": "green"}}
    extra = random.random()
    if extra < 0.2:
        term["matchLabelKeys"] = ["version"]
    elif extra < 0.3:
        term["mismatchLabelKeys"] = ["version"]
    return term


def pod_affinity(random, pod):
    own = pod["metadata"]["labels"]["app"]
    apps = random.choice([[own], APPS])
    number = random.choice([1, 1, 1, 2])
    terms = [_peer_term(random, pod, apps, [ZONE, ZONE, RACK, HOST]) for _ in range(number)]
    _affinity(pod, "podAffinity")["requiredDuringSchedulingIgnoredDuringExecution"] = terms


def pod_anti_affinity(random, pod):
    """By host or rack; whoever avoids an app by zone is rare, or it would find no place at all."""
    keys = [HOST, HOST, HOST, RACK, *([ZONE] if random.random() < 0.1 else [])]
    terms = [_peer_term(random, pod, APPS, keys) for _ in range(random.choice([1, 1, 2]))]
    _affinity(pod, "podAntiAffinity")["requiredDuringSchedulingIgnoredDuringExecution"] = terms


def spread(random, pod):
    labels = pod["metadata"]["labels"]
    constraints = []
    for key in random.sample([ZONE, ZONE, RACK, HOST], random.choice([1, 1, 2])):
        if key in [c["topologyKey"] for c in constraints]:
            continue
        # Mostly the pods of its own kind, sometimes others.
        app = labels["app"] if random.random() < 0.85 else random.choice(APPS)
        selector = {"matchLabels": {"app": app, "tier": labels["tier"]}}
        constraint = {
            "maxSkew": random.choice([1, 1, 2, 3]),
            "topologyKey": key,
            "whenUnsatisfiable": random.choices(["DoNotSchedule", "ScheduleAnyway"], [5, 1])[0],
            "labelSelector": selector,
        }
        if constraint["whenUnsatisfiable"] == "DoNotSchedule" and random.random() < 0.2:
            constraint["minDomains"] = random.choice([2, 4, 5])
        if random.random() < 0.25:
            constraint["nodeAffinityPolicy"] = random.choice(["Honor", "Ignore"])
        if random.random() < 0.4:
            constraint["nodeTaintsPolicy"] = random.choice(["Honor", "Honor", "Ignore"])
        if random.random() < 0.25:
            constraint["matchLabelKeys"] = ["version"]
        constraints.append(constraint)
    pod["spec"]["topologySpreadConstraints"] = constraints


# Name → (share of templates, function). The order matters: later ones look at earlier ones.
FEATURES = {
    "no requests": (0.06, no_requests),
    "two containers": (0.1, two_containers),
    "gpus": (0.08, gpus),
    "huge pages": (0.08, huge_pages),
    "init container": (0.12, init_container),
    "side car": (0.12, side_car),
    "pod level": (0.06, pod_level),
    "overhead": (0.1, overhead),
    "host ports": (0.15, host_ports),
    "node selector": (0.12, node_selector),
    "node affinity": (0.18, node_affinity),
    "tolerations": (0.45, tolerations),
    "pod affinity": (0.15, pod_affinity),
    "pod anti-affinity": (0.15, pod_anti_affinity),
    "spread": (0.22, spread),
}
