"""What each job plugin leaves in pods and in the namespace."""

import base64
import json

import pytest

from support import handbook
from support.jobs import container, task
from support.objects import SCHEDULING
from support.poll import until

CORE = "/api/v1"
NETWORKING = "/apis/networking.k8s.io/v1"
MINE = {"volcano.sh/job-name": "j"}
INIT = {"initContainers": [{"name": "first", "image": "i", "command": ["true"]}]}


@pytest.fixture
def person(backend, world, tmp_path):
    """What somebody sees who describes things there."""
    return handbook.terminal(backend, world.namespace, tmp_path)


def make(world, tasks, plugins, **more):
    """Makes job j; its pods by name, once all are there."""
    world.job("j", tasks, plugins=plugins, **more)
    count = sum(t["replicas"] for t in tasks)

    def complete():
        pods = world.pods_of("j")
        return pods if len(pods) == count else None

    return until(complete, 30, lambda: world.story("j"))


def env(pod, part="containers", index=0):
    """Name → value of the container's variables; one that is read from a map: (map, key)."""
    found = {}
    for entry in pod["spec"][part][index].get("env") or []:
        source = (entry.get("valueFrom") or {}).get("configMapKeyRef")
        found[entry["name"]] = (source["name"], source["key"]) if source else entry.get("value", "")
    return found


def ports(pod):
    found = pod["spec"]["containers"][0].get("ports") or []
    return {p["name"]: p["containerPort"] for p in found}


def mounts(pod, part="containers"):
    return {m["name"]: m for m in pod["spec"][part][0].get("volumeMounts") or []}


def owner(world, group, plural, name):
    return world.read(group, plural, name)["metadata"]["ownerReferences"][0]["name"]


def domains(task_name, count, job="j"):
    return [f"{job}-{task_name}-{i}.{job}" for i in range(count)]


def test_env_tells_pods_their_index(world):
    pods = make(world, [task("a", 2, spec=INIT)], {"env": []})
    for index in (0, 1):
        for part in ("containers", "initContainers"):
            found = env(pods[f"j-a-{index}"], part)
            assert found["VC_TASK_INDEX"] == found["VK_TASK_INDEX"] == str(index)
    assert world.status("j")["controlledResources"] == {"plugin-env": "env"}


def test_svc_gives_names_and_a_policy(world):
    pods = make(world, [task("big-one", 2, spec=INIT), task("b", 1)], {"svc": []})
    data = world.read(CORE, "configmaps", "j-svc")["data"]
    assert data["big_one.host"].split("\n") == domains("big-one", 2)
    assert data["VC_BIG_ONE_HOSTS"] == ",".join(domains("big-one", 2))
    assert (data["VC_BIG_ONE_NUM"], data["VC_B_NUM"]) == ("2", "1")
    service = world.read(CORE, "services", "j")["spec"]
    assert service["clusterIP"] == "None"
    labels = {**MINE, "volcano.sh/job-namespace": world.namespace}
    assert service["selector"] == labels and not service.get("publishNotReadyAddresses")
    rules = world.read(NETWORKING, "networkpolicies", "j")["spec"]
    assert rules["podSelector"]["matchLabels"] == labels and rules["policyTypes"] == ["Ingress"]
    assert rules["ingress"] == [{"from": [{"podSelector": {"matchLabels": labels}}]}]
    pod = pods["j-big-one-1"]
    assert (pod["spec"]["hostname"], pod["spec"]["subdomain"]) == ("j-big-one-1", "j")
    assert labels.items() <= pod["metadata"]["labels"].items()
    for part in ("containers", "initContainers"):
        assert env(pod, part)["VC_B_HOSTS"] == ("j-svc", "VC_B_HOSTS")
        assert mounts(pod, part)["j-svc"]["mountPath"] == "/etc/volcano"
    for group, plural, name in (
        (CORE, "configmaps", "j-svc"), (CORE, "services", "j"), (NETWORKING, "networkpolicies", "j")
    ):
        assert owner(world, group, plural, name) == "j"


def test_svc_does_less_when_told_to(world):
    arguments = ["--publish-not-ready-addresses", "--disable-network-policy=true"]
    arguments.append("--inject-hosts-env=false")
    pods = make(world, [task("a", 1)], {"svc": arguments})
    assert world.read(CORE, "services", "j")["spec"]["publishNotReadyAddresses"] is True
    assert not world.exists(NETWORKING, "networkpolicies", "j")
    assert "VC_A_HOSTS" not in env(pods["j-a-0"]) and "j-svc" in mounts(pods["j-a-0"])


def test_ssh_gives_all_pods_one_key(world):
    pods = make(world, [task("a", 2), task("b", 1)], {"ssh": ["--ssh-port=2022"], "svc": []})
    data = {k: base64.b64decode(v).decode() for k, v in
            world.read(CORE, "secrets", "j-ssh")["data"].items()}
    assert data["id_rsa"].startswith("-----BEGIN RSA PRIVATE KEY-----")
    assert data["id_rsa.pub"] == data["authorized_keys"]
    assert data["id_rsa.pub"].startswith("ssh-rsa ") and data["id_rsa.pub"].endswith("\n")
    lines = data["config"].splitlines()
    assert lines[:2] == ["StrictHostKeyChecking no", "UserKnownHostsFile /dev/null"]
    assert lines[2:5] == ["Host j-a-0", "  HostName j-a-0.j", "  Port 2022"]
    assert sum(line.startswith("Host ") for line in lines) == 3
    pod = pods["j-b-0"]
    assert mounts(pod)["j-ssh"]["mountPath"] == "/root/.ssh"
    volume = next(v for v in pod["spec"]["volumes"] if v["name"] == "j-ssh")["secret"]
    assert volume["secretName"] == "j-ssh" and volume["defaultMode"] == 0o600
    assert owner(world, CORE, "secrets", "j-ssh") == "j"


def test_mpi_tells_the_master_who_the_workers_are(world):
    tasks = [task("boss", 1), task("hand", 2)]
    pods = make(world, tasks, {"mpi": ["--master=boss", "--worker=hand", "--port=2022"], "svc": []})
    assert env(pods["j-boss-0"])["MPI_HOST"] == ",".join(domains("hand", 2))
    assert "MPI_HOST" not in env(pods["j-hand-0"])
    assert all(ports(p) == {"mpijob-port": 2022} for p in pods.values())


def test_pytorch_counts_ranks_from_the_master_on(world):
    plugins = {"pytorch": ["--master=m", "--worker=w", "--port=29500"], "svc": [], "hcclrank": [
        "--master=m", "--worker=w"]}
    pods = make(world, [task("m", 1), task("w", 2)], plugins)
    for rank, name in enumerate(("j-m-0", "j-w-0", "j-w-1")):
        found = env(pods[name])
        assert (found["MASTER_ADDR"], found["MASTER_PORT"]) == ("j-m-0.j", "29500")
        assert (found["WORLD_SIZE"], found["RANK"]) == ("3", str(rank))
        assert ports(pods[name]) == {"pytorchjob-port": 29500}
        assert pods[name]["metadata"]["annotations"]["hccl/rankIndex"] == str(rank)


def test_pytorch_workers_wait_for_the_master_if_told_to(world):
    arguments = ["--wait-master-enabled=true", "--wait-master-timeout=60"]
    pods = make(world, [task("master", 1), task("worker", 1)], {"pytorch": arguments, "svc": []})
    assert not pods["j-master-0"]["spec"].get("initContainers")
    waits = pods["j-worker-0"]["spec"]["initContainers"][0]
    assert waits["name"] == "wait-for-master" and waits["command"][:2] == ["sh", "-c"]
    assert "60" in waits["command"][2]


def test_hcclrank_counts_without_pytorch_too(world):
    pods = make(world, [task("master", 1), task("worker", 2)], {"hcclrank": []})
    ranks = {n: p["metadata"]["annotations"]["hccl/rankIndex"] for n, p in pods.items()}
    assert ranks == {"j-master-0": "0", "j-worker-0": "1", "j-worker-1": "2"}


def test_tensorflow_describes_the_cluster(world):
    tasks = [task("ps", 1), task("worker", 2), task("chief", 1), task("evaluator", 1)]
    pods = make(world, tasks, {"tensorflow": ["--port=3333"], "svc": []})
    everybody = {
        t["name"]: [f"{d}:3333" for d in domains(t["name"], t["replicas"])] for t in tasks
    }
    for name, role, index in (("j-ps-0", "ps", 0), ("j-worker-1", "worker", 1)):
        config = json.loads(env(pods[name])["TF_CONFIG"])
        assert config == {"cluster": everybody, "task": {"type": role, "index": index}}


def test_ray_makes_a_cluster(world):
    def spec(name):
        return {"containers": [{**container(), "name": name}]}

    tasks = [task("head", 1, spec=spec("head")), task("worker", 1, spec=spec("worker"))]
    pods = make(world, tasks, {"ray": ["--port=7000"], "svc": []})
    head = pods["j-head-0"]["spec"]["containers"][0]
    assert ports(pods["j-head-0"]) == {"gcs": 7000, "dashboard": 8265, "client-server": 10001}
    assert head["command"][:2] == ["sh", "-c"] and head["command"][2].startswith("ray start --head ")
    worker = pods["j-worker-0"]["spec"]["containers"][0]["command"][2]
    assert worker == "ray start --block --address=j-head-0.j:7000"
    service = world.read(CORE, "services", "j-head-svc")["spec"]
    assert service["selector"]["volcano.sh/task-spec"] == "head"
    assert {p["name"]: (p["port"], p["targetPort"]) for p in service["ports"]} == {
        "gcs": (7000, "gcs"), "dashboard": (8265, "dashboard"),
        "client-server": (10001, "client-server")}


def test_objects_of_plugins_go_at_an_abort_and_come_back(world):
    job = world.job("j", [task("a", 2)], plugins={"svc": [], "ssh": []})
    world.wait_running("j", 2)
    key = world.read(CORE, "secrets", "j-ssh")["data"]["id_rsa"]
    world.command("AbortJob", job)
    world.wait_phase("j", "Aborted")
    for plural, name in (("configmaps", "j-svc"), ("services", "j"), ("secrets", "j-ssh")):
        world.wait_gone(CORE, plural, name)
    world.command("ResumeJob", job)
    world.wait_running("j", 2)
    assert world.read(CORE, "secrets", "j-ssh")["data"]["id_rsa"] != key
    assert world.exists(CORE, "services", "j")


def test_an_unknown_plugin_is_named(world):
    world.job("j", [task("a", 1)], plugins={"sshd": []})
    world.wait_event("j", "PluginError", "sshd")
    assert not world.pods_of("j")


@pytest.mark.parametrize(
    "name, plugins, said",
    [
        ("a.b", {"svc": []}, "plugin svc: the name of its Service, a.b, must not contain dots"),
        ("t", {"pytorch": ["--port=99999"]}, "plugin pytorch: -port=99999 is no port"),
    ],
)
def test_what_no_server_takes_is_told_before_anything_is_made(world, person, name, plugins, said):
    world.job(name, [task("master", 1)], plugins=plugins)
    state = lambda: world.status(name).get("state") or {}
    until(lambda: state().get("reason") == "PluginError", 30, lambda: world.story(name))
    assert state()["message"].startswith(said)
    flat = lambda: " ".join(person("describe", "vcjob", name).split())
    until(lambda: "Warning PluginError" in flat() and said in flat(), 30, flat)
    made = world.names(CORE, "configmaps") | world.names(CORE, "services")
    assert made - {"kube-root-ca.crt"} == set()
    assert not world.pods_of(name) and not world.names(SCHEDULING, "podgroups")


def test_a_job_whose_name_begins_with_a_digit_gets_its_service(world):
    world.job("1st", [task("a", 1)], plugins={"svc": []})
    world.wait_running("1st", 1)
    assert world.exists(CORE, "services", "1st")


def test_a_port_of_ssh_that_is_none_is_told_and_the_job_runs(world, person):
    world.job("j", [task("a", 1)], plugins={"ssh": ["--ssh-port=99999"]})
    world.wait_running("j", 1)
    said = "plugin ssh: -ssh-port=99999 is no port"
    flat = lambda: " ".join(person("describe", "vcjob", "j").split())
    until(lambda: "Reason: PluginArgument" in flat() and said in flat(), 30, flat)
