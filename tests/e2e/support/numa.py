"""An exporter of Numatopologies: it tells how the CPUs of nodes lie, and which pods have some."""

from support.rest import MERGE_PATCH

REPORTS = "/apis/nodeinfo.volcano.sh/v1alpha1/numatopologies"
CPUS = 8  # 0-3 on NUMA node 0, 4-7 on NUMA node 1, two to a core.


def detail():
    return {
        str(cpu): {"numa": cpu // 4, "socket": cpu // 4, "core": cpu % 4 // 2} for cpu in range(CPUS)
    }


def policies(topology="single-numa-node", cpus="static"):
    return {"CPUManagerPolicy": cpus, "TopologyManagerPolicy": topology}


class Exporter:
    def __init__(self, world):
        self.world = world
        self.rest = world.rest

    def report(self, node, free="0-7", **spec):
        """The first report on a node."""
        body = {
            "apiVersion": "nodeinfo.volcano.sh/v1alpha1",
            "kind": "Numatopology",
            "metadata": {"name": node},
            "spec": {
                "policies": policies(),
                "numares": {"cpu": {"allocatable": free, "capacity": CPUS}},
                "cpuDetail": detail(),
                **spec,
            },
        }
        self.rest.post(REPORTS, body).expect(201)
        self.world.removes_later(f"{REPORTS}/{node}")

    def update(self, node, free, pods=()):
        """What is free now, and that these pods have what is not: name → CPUs."""
        listed = [
            {
                "name": name,
                "namespace": self.world.namespace,
                "uid": self.world.read_pod(name)["metadata"]["uid"],
                "containerAllocations": [{"name": "main", "allocations": {"cpu": cpus}}],
            }
            for name, cpus in dict(pods).items()
        ]
        numares = {"cpu": {"allocatable": free, "capacity": CPUS}}
        patch = {"spec": {"numares": numares, "podAllocations": listed}}
        self.rest.patch(f"{REPORTS}/{node}", patch, MERGE_PATCH).expect(200)

    def is_there(self, node):
        return self.rest.get(f"{REPORTS}/{node}").status == 200


def own_cpus(count, policy=None, **metadata):
    """The arguments of a pod of class Guaranteed that has CPUs to itself."""
    room = {"cpu": str(count), "memory": "64Mi"}
    annotations = {"volcano.sh/numa-topology-policy": policy} if policy else {}
    return {
        "cpu": None,
        "memory": None,
        "container": {"resources": {"requests": room, "limits": room}},
        "metadata": {"annotations": annotations, **metadata},
    }
