"""Where the claims of a pod let it go."""

from collections import defaultdict

from support.placement_checker import claims as facts
from support.placement_checker.model import labels
from support.quantity import parse

# The labels of a volume that say where it is; several values are joined by "__".
ZONE_LABELS = (
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
)


def _claims(pod, cluster):
    """(key, claim or None) of each claim the pod mounts."""
    return [(key, cluster.claims.get(key)) for key in pod.derived(facts.claim_keys)]


def _volumes(pod, cluster):
    """The volumes of the claims that are bound."""
    bound = [c for _, c in _claims(pod, cluster) if c is not None and facts.is_bound(c)]
    return [cluster.volumes.get(c["spec"]["volumeName"]) for c in bound]


def claims_usable(pod, cluster):
    """Claims exist, and are bound unless they wait for a pod; the same on every node."""
    no = None
    for key, claim in _claims(pod, cluster):
        if claim is None:
            no = f"claim {key[1]} does not exist"
        elif "deletionTimestamp" in claim["metadata"]:
            no = f"claim {key[1]} is being deleted"
        elif not facts.is_bound(claim) and not facts.waits_for_pod(claim, cluster):
            no = f"claim {key[1]} is not bound and does not wait for a pod"
    if None in _volumes(pod, cluster):
        no = "a claim has lost its volume"
    return lambda name: no


def volume_affinity(pod, cluster):
    volumes = [v for v in _volumes(pod, cluster) if v is not None]

    def refusal(name):
        for volume in volumes:
            if not facts.reaches(volume, cluster.nodes[name]):
                return f"volume {volume['metadata']['name']} is not to be used there"
        return None

    return refusal


def volume_zone(pod, cluster):
    """A node that says where it is must be where the volume is."""
    places = [
        (key, value.split("__"))
        for volume in _volumes(pod, cluster)
        if volume is not None
        for key, value in labels(volume).items()
        if key in ZONE_LABELS
    ]

    def refusal(name):
        here = labels(cluster.nodes[name])
        if places and any(key in here for key in ZONE_LABELS):
            for key, values in places:
                if here.get(key) not in values:
                    return f"the volume's {key} is {values}"
        return None

    return refusal


def one_pod_claims(pod, cluster):
    """ReadWriteOncePod: one pod in the whole cluster."""
    own = {
        key
        for key, claim in _claims(pod, cluster)
        if claim is not None and facts.ONE_POD in claim["spec"]["accessModes"]
    }
    others = cluster.placed() if own else ()
    holders = [other for other, _ in others if own & set(other.derived(facts.claim_keys))]
    no = f"its claim is used by {holders[0]}" if holders else None
    return lambda name: no


def _attachments(pod, cluster):
    """(driver, volume) of everything that a CSI driver attaches for the pod."""
    found = set()
    for _, claim in _claims(pod, cluster):
        volume = cluster.volumes.get((claim or {}).get("spec", {}).get("volumeName"))
        csi = volume["spec"].get("csi") if volume else None
        if csi:
            found.add((csi["driver"], csi["volumeHandle"]))
    return found


def attach_limits(pod, cluster):
    """A volume that is attached already costs nothing more."""
    wanted = _attachments(pod, cluster)

    def refusal(name):
        drivers = (cluster.csi_nodes.get(name) or {}).get("spec", {}).get("drivers") or []
        for driver in drivers if wanted else ():
            limit = (driver.get("allocatable") or {}).get("count")
            there = {
                a
                for p in cluster.on(name).pods
                for a in _attachments(p, cluster)
                if a[0] == driver["name"]
            }
            new = {a for a in wanted if a[0] == driver["name"]} - there
            if limit is not None and new and len(there) + len(new) > limit:
                return f"{driver['name']} attaches {limit} volumes, {len(there)} are there"
        return None

    return refusal


def unbound_claims(pod, cluster):
    """Each claim that waits for a pod needs a volume of its own here, or one that can be made."""
    waiting = [
        claim
        for _, claim in _claims(pod, cluster)
        if claim is not None and not facts.is_bound(claim) and facts.waits_for_pod(claim, cluster)
    ]
    # The smallest needs first: each takes the smallest volume that will do, as there is no better.
    waiting.sort(key=lambda c: parse(c["spec"]["resources"]["requests"]["storage"]))

    def refusal(name):
        node, given = cluster.nodes[name], set()
        for claim in waiting:
            volume = _volume_for(claim, node, given, cluster)
            if volume is not None:
                given.add(volume)
            elif not facts.can_be_made(claim, node, cluster):
                return f"no volume for claim {claim['metadata']['name']}"
        return None

    return refusal


def _volume_for(claim, node, given, cluster):
    """The name of the volume the claim has a right to, or of the smallest free one."""
    reserved = [n for n, v in cluster.volumes.items() if facts.is_claimed_by(v, claim)]
    if reserved:
        usable = facts.reaches(cluster.volumes[reserved[0]], node)
        return reserved[0] if usable else None
    free = [
        (parse(volume["spec"]["capacity"]["storage"]), name)
        for name, volume in cluster.volumes.items()
        if name not in given
        and not volume["spec"].get("claimRef")
        and facts.fits(volume, claim)
        and facts.reaches(volume, node)
    ]
    return min(free)[1] if free else None


def binding_problems(cluster):
    """What is wrong with how claims were bound, whatever the order."""
    users = defaultdict(list)
    for pod, _ in cluster.placed():
        for key in pod.derived(facts.claim_keys):
            users[key].append(pod)
    problems, holders = [], {}
    for key, claim in cluster.claims.items():
        name = claim["spec"].get("volumeName")
        volume = cluster.volumes.get(name)
        if not facts.is_bound(claim) or volume is None:
            problems += [f"{pod} is on a node, claim {key} is not bound" for pod in users[key]]
            continue
        if name in holders:
            problems.append(f"volume {name} is given to claims {holders[name]} and {key}")
        holders[name] = key
        if not facts.is_claimed_by(volume, claim):
            problems.append(f"claim {key} has volume {name}, which is not its own")
        if not facts.fits(volume, claim):
            problems.append(f"claim {key} has volume {name}, which is not what it asks for")
        problems += _wrong_place(key, claim, users[key], cluster)
    return problems


def _wrong_place(key, claim, users, cluster):
    """A volume that was made is made for the node of one of its pods, where its class allows it."""
    chosen = facts.annotation(claim, facts.SELECTED_NODE)
    if chosen is None or not users:
        return []
    if chosen not in {cluster.node_of(pod) for pod in users}:
        return [f"claim {key} has a volume made for {chosen}, where no pod uses it"]
    kind, node = facts.class_of(claim, cluster), cluster.nodes.get(chosen)
    if kind is not None and node is not None and not facts.within_topologies(kind, node):
        return [f"claim {key} has a volume made for {chosen}, which its class does not allow"]
    return []
