"""Cards that pods share: what device plugins say of nodes, and what bindings say pods were given."""

import json
import time
from collections import defaultdict
from dataclasses import dataclass, field

from support.rest import MERGE_PATCH

CONFIG = "volcano-vgpu-device-config"  # A ConfigMap in kube-system.
A30 = """\
nvidia:
  resourceCountName: volcano.sh/vgpu-number
  resourceMemoryName: volcano.sh/vgpu-memory
  resourceCoreName: volcano.sh/vgpu-cores
  knownMigGeometries:
  - models: [A30]
    allowedGeometries:
    - group: group1
      geometries:
      - {name: 1g.6gb, memory: 6144, count: 4}
    - group: group2
      geometries:
      - {name: 2g.12gb, memory: 12288, count: 2}
"""


@dataclass
class Family:
    """A kind of cards: a node with some, a pod that asks, and how many such pods find room."""

    switch: str
    resources: dict
    asks: dict
    places: int
    reason: str
    told: str  # The annotation that names the cards of a pod.
    annotations: dict = field(default_factory=dict)
    lock: str = ""
    phase: str = ""
    config: str = ""
    shares: int = 1  # Pods that one card, or one part of it, takes.
    labels: dict = field(default_factory=dict)  # Of nodes,
    pod_labels: dict = field(default_factory=dict)  # and of pods.
    chips: int = 0  # Of a node, as ClusterD tells of them.

    def conf(self, conf, **more):
        """The policy with this family, and further arguments of the plugin."""
        arguments = {self.switch: True, **({"NodeLockEnable": True} if self.lock else {}), **more}
        lines = "".join(f"      deviceshare.{k}: {_yaml(v)}\n" for k, v in arguments.items())
        return f"{conf}  - name: deviceshare\n    arguments:\n{lines}"

    def node(self, world, **more):
        """More annotations may be given, or other ones."""
        annotations = {**self.annotations, **more.pop("annotations", {})}
        more = {"labels": self.labels, **self.resources, **more}
        name = world.node(cpu=64, annotations=annotations, **more)
        if self.chips:
            tell_of_chips(world, name, range(self.chips))
        return name

    def pod(self, **more):
        """The arguments of a pod that asks for its share."""
        asks = {"limits": self.asks, "requests": {"cpu": "1"}}
        if self.pod_labels:
            more = {"metadata": {"labels": self.pod_labels}, **more}
        return {"cpu": None, "memory": None, "container": {"resources": asks}, **more}

    def holders(self, pods):
        """Who is on each card, or each part of one, as the annotations of placed pods say it."""
        found = defaultdict(list)
        for pod in pods:
            text = (pod["metadata"].get("annotations") or {}).get(self.told, "")
            cards = self._cards(text)
            assert not pod["spec"].get("nodeName") or all(cards) and cards, pod["metadata"]
            for card in cards if pod["spec"].get("nodeName") else []:
                found[pod["spec"]["nodeName"], card].append(pod["metadata"]["name"])
        return dict(found)

    def _cards(self, text):
        if self.told == GPU_INDEX:
            return text.split(",")
        # "0,1" are chips, "0-vir02" is a part of one.
        return text.split("-")[0].split(",") if self.told == CHIPS else _ids(text)

    def crowded(self, pods):
        """Cards that were lent too often."""
        return {card: p for card, p in self.holders(pods).items() if len(p) > self.shares}


def _ids(text):
    return [part.split(",")[0] for part in text.replace(";", ":").split(":") if part]


def _yaml(value):
    return str(value).lower() if isinstance(value, bool) else value


def annotate(world, node, **annotations):
    """Sets annotations of a node; None takes one away."""
    patch = {"metadata": {"annotations": annotations}}
    world.rest.patch(f"/api/v1/nodes/{node}", patch, MERGE_PATCH).expect(200)


def annotations_of(world, node):
    body = world.rest.get(f"/api/v1/nodes/{node}").expect(200)
    return body["metadata"].get("annotations") or {}


def tell_of_chips(world, node, free, broken=()):
    """What ClusterD says of a node's chips, beside what it says of others."""
    lists = {"huawei.com/Ascend310P": free, "huawei.com/Ascend310P-Unhealthy": broken}
    lists = {key: ",".join(f"Ascend310P-{chip}" for chip in chips) for key, chips in lists.items()}
    entry = f"mindx-dl-deviceinfo-{node}"
    info = {"DeviceList": lists, "UpdateTime": int(time.time()), "CmName": entry}
    _tell(world, "cluster-info-device-0", entry, info)


def tell_of_node(world, node, status):
    """What ClusterD says of the node itself."""
    entry = f"mindx-dl-nodeinfo-{node}"
    _tell(world, "cluster-info-node-cm", entry, {"FaultDevList": [], "NodeStatus": status})


def _tell(world, name, entry, info):
    path = "/api/v1/namespaces/mindx-dl/configmaps"
    known = world.rest.get(f"{path}/{name}")
    if known.status == 200:
        told = {**json.loads(known.expect(200)["data"][name]), entry: info}
        patch = {"data": {name: json.dumps(told)}}
        world.rest.patch(f"{path}/{name}", patch, MERGE_PATCH).expect(200)
        return
    meta = {"name": name, "labels": {"mx-consumer-volcano": "true"}}
    data = {name: json.dumps({entry: info})}
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data}
    world.rest.post(path, body).expect(201)
    world.removes_later(f"{path}/{name}")


CHIPS = "huawei.com/npu-core"
REAL_CHIPS = "huawei.com/AscendReal"  # What the device plugin has made.
GPU_INDEX = "volcano.sh/gpu-index"
REGISTER = "volcano.sh/node-vgpu-register"
VGPU = {"volcano.sh/vgpu-number": "20", "volcano.sh/vgpu-memory": "60000"}
VGPU["volcano.sh/vgpu-cores"] = "200"
NPU = (
    '[{"id":"npu-%d","index":%d,"count":7,"devmem":21527,"devcore":8,"type":"Ascend310P","numa":0,'
    '"mode":"","health":true}]'
)

FAMILIES = {
    "memory": Family(
        switch="GPUSharingEnable",
        resources={"volcano.sh/gpu-memory": "2000", "volcano.sh/gpu-number": "2"},
        asks={"volcano.sh/gpu-memory": "600"},
        places=2,
        reason="GpuShare no enough gpu memory",
        told=GPU_INDEX,
        lock="gpu",
    ),
    "whole": Family(
        switch="GPUNumberEnable",
        resources={"volcano.sh/gpu-memory": "2000", "volcano.sh/gpu-number": "2"},
        asks={"volcano.sh/gpu-number": "1"},
        places=2,
        # The plugin has room as long as the resource has.
        reason="Insufficient volcano.sh/gpu-number",
        told=GPU_INDEX,
    ),
    "vgpu": Family(
        switch="VGPUEnable",
        resources=VGPU,
        annotations={
            REGISTER: "GPU-a,10,30000,NVIDIA-A,true,hami-core:GPU-b,10,30000,NVIDIA-A,true,hami-core:"
        },
        asks={"volcano.sh/vgpu-number": "1", "volcano.sh/vgpu-memory": "12000"},
        places=4,
        shares=2,
        reason="hami-vgpuDeviceSharing error",
        told="volcano.sh/vgpu-ids-new",
        lock="hamivgpu",
        phase="volcano.sh/bind-phase",
    ),
    "mig": Family(
        switch="VGPUEnable",
        resources=VGPU,
        annotations={REGISTER: "GPU-a,4,24576,NVIDIA-A30,true,mig:"},
        asks={"volcano.sh/vgpu-number": "1", "volcano.sh/vgpu-memory": "8000"},
        places=2,
        reason="hami-vgpuDeviceSharing error",
        told="volcano.sh/vgpu-ids-new",
        lock="hamivgpu",
        phase="volcano.sh/bind-phase",
        config=A30,
    ),
    "ascend": Family(
        switch="AscendHAMiVNPUEnable",
        resources={"huawei.com/Ascend310P": "7"},
        annotations={"hami.io/node-register-Ascend310P": NPU % (0, 0)},
        asks={"huawei.com/Ascend310P": "1", "huawei.com/Ascend310P-memory": "5000"},
        places=3,
        shares=3,
        reason="no ascend device available",
        told="hami.io/Ascend310P-devices-allocated",
        lock="hami.io/mutex.lock",
        phase="hami.io/bind-phase",
    ),
    "mindcluster": Family(
        switch="AscendMindClusterVNPUEnable",
        resources={CHIPS: "16"},
        labels={
            "accelerator": "huawei-Ascend310P",
            "servertype": "Ascend310P-8",
            "node.kubernetes.io/npu.chip.name": "310P3",
        },
        chips=2,
        pod_labels={"ring-controller.atlas": "ascend-310P", "vnpu-dvpp": "yes"},
        asks={CHIPS: "4"},
        places=2,
        # Four cores of each chip are left, and nothing that works on images.
        reason="selectChipFromNodeSegment available chip not found",
        told=CHIPS,
    ),
}
