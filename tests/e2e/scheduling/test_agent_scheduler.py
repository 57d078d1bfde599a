"""`vc-agent-scheduler`: urgent pods, each for itself, beside the scheduler of gangs."""

import pytest

from support import accounts, objects
from support.agent_scheduler import NAME, AgentScheduler
from support.poll import always, until
from support.rest import MERGE_PATCH


@pytest.fixture(scope="session")
def agent_kubeconfig(installed, tmp_path_factory):
    """Where roles count, it has no right beyond the one in deploy/agent_scheduler."""
    if installed.kind == "embedded":
        return installed.kubeconfig
    manifests = ["scheduler/namespace.yaml", "agent_scheduler/rbac.yaml"]
    accounts.install(installed.rest(), *manifests)
    folder = tmp_path_factory.mktemp("agent")
    return accounts.kubeconfig_of(installed, "volcano-system", "volcano-agent-scheduler", folder)


@pytest.fixture
def new_agent(agent_kubeconfig, tmp_path):
    started = []

    def start(*flags):
        name = f"vc-agent-scheduler-{len(started)}"
        started.append(AgentScheduler(agent_kubeconfig, tmp_path, name=name, flags=flags))
        return started[-1].wait_healthy()

    yield start
    for daemon in started:
        daemon.close()
        refused = [line for line in daemon.process.log().splitlines() if "forbidden: User" in line]
        assert refused == [], "deploy/agent_scheduler/rbac.yaml lacks a verb"


def single(world, name, level=None, **more):
    annotations = {"volcano.sh/scheduling-priority": str(level)} if level is not None else {}
    return world.pod(name, scheduler=NAME, metadata={"annotations": annotations}, **more)


def test_pods_are_bound_without_groups_and_nobody_elses(world, new_agent):
    node = world.node()
    agent = new_agent()
    single(world, "ours")
    world.pod("theirs")
    world.wait_placed(["ours"])
    assert world.placement() == {"ours": node}
    always(lambda: "theirs" not in world.placement(), 1, "a pod of another scheduler waits")
    events = f"/api/v1/namespaces/{world.namespace}/events"
    path = "involvedObject.name=ours,reason=Scheduled"

    def told():
        found = world.rest.get(events, fieldSelector=path).expect(200)["items"]
        return found and found[0]

    event = until(told, 15, "the event Scheduled")
    assert event["message"] == f"Successfully assigned {world.namespace}/ours to {node}"
    assert (event.get("source") or {}).get("component") == NAME
    metrics = agent.metrics()
    assert metrics["volcano_worker_scheduling_cycle_duration_milliseconds_count"] >= 1
    assert metrics["volcano_update_snapshot_duration_milliseconds_count"] >= 1


def test_the_urgent_pass_those_that_wait(world, new_agent):
    world.node(cpu=1)
    new_agent()
    single(world, "holder")
    world.wait_placed(["holder"])
    single(world, "old")
    single(world, "high", level=50)
    single(world, "urgent", level=100)
    waiting = ("old", "high", "urgent")

    def all_told():
        found = [world.pod_condition(name) for name in waiting]
        return all(c and c["reason"] == "Unschedulable" for c in found)

    until(all_told, 20, "all of them are told that they wait")
    assert "Insufficient cpu" in world.pod_condition("old")["message"]
    for freed, next_one in [("holder", "urgent"), ("urgent", "high"), ("high", "old")]:
        world.delete_pod(freed)
        world.wait_placed([next_one])


def test_gangs_and_single_pods_share_the_nodes(world, new_agent, new_scheduler):
    world.nodes(4, cpu=4)
    new_scheduler()
    new_agent("--scheduler-worker-count=3")
    for i in range(60):
        single(world, f"single-{i}", cpu="100m")
    gang = world.gang("gang", 5)
    world.wait_placed([*gang, *(f"single-{i}" for i in range(60))])


def test_only_nodes_of_the_shard(world, new_agent):
    inside, outside = world.node(), world.node()
    name = f"agent-of-{world.namespace}"
    shard = {
        "apiVersion": "shard.volcano.sh/v1alpha1",
        "kind": "NodeShard",
        "metadata": {"name": name},
        "spec": {"nodesDesired": [inside]},
    }
    shards = "/apis/shard.volcano.sh/v1alpha1/nodeshards"
    world.rest.post(shards, shard).expect(201)
    world.removes_later(f"{shards}/{name}")
    new_agent("--scheduler-sharding-mode=hard", f"--scheduler-sharding-name={name}")
    single(world, "small")
    world.wait_placed(["small"])
    single(world, "large", cpu="4")
    assert world.placement() == {"small": inside}

    def told():
        condition = world.pod_condition("large")
        return condition and "1 node isn't in scheduler node shard" in condition["message"]

    until(told, 20, "large is told of the shard")
    patch = {"spec": {"nodesDesired": [inside, outside]}}
    world.rest.patch(f"{shards}/{name}", patch, MERGE_PATCH).expect(200)
    world.wait_placed(["large"])
    assert world.placement()["large"] == outside


def test_what_a_dead_one_left_is_completed(world, new_agent):
    world.nodes(10, cpu=20)
    names = [f"pod-{i}" for i in range(200)]
    for name in names:
        single(world, name)
    first = new_agent()
    until(lambda: len(world.placement()) >= 20, 30, "some are bound")
    first.kill()
    new_agent()
    world.wait_placed(names)


def test_one_of_two_leads(world, installed, tmp_path):
    lease = "agent-pair"
    flags = [
        "--leader-elect=true",
        "--leader-elect-lease-duration=3s",
        "--leader-elect-renew-deadline=2s",
        "--leader-elect-retry-period=200ms",
        f"--leader-elect-resource-name={lease}",
        f"--leader-elect-resource-namespace={world.namespace}",
    ]
    pair = []
    path = f"/apis/coordination.k8s.io/v1/namespaces/{world.namespace}/leases/{lease}"
    try:
        world.node()
        for i in range(2):
            # Its lease has another name than the deployed one, which takes more rights.
            made = AgentScheduler(installed.kubeconfig, tmp_path, name=f"pair-{i}", flags=flags)
            pair.append(made.wait_healthy())
            until(lambda: world.rest.get(path).status == 200, 20, "somebody leads")
        single(world, "first")
        world.wait_placed(["first"])
        pair[0].kill()
        single(world, "second")
        world.wait_placed(["second"])
    finally:
        for daemon in pair:
            daemon.close()


def test_standalone_runs_it_in_process(tmp_path, standalone):
    process, connect = standalone
    process.close()
    process.argv.append("--agent-scheduler")
    process.start()
    client = connect()
    pods = "/api/v1/namespaces/default/pods"
    client.post(pods, objects.pod("alone", scheduler=NAME)).expect(201)
    until(
        lambda: client.get(f"{pods}/alone").expect(200)["status"].get("phase") == "Running",
        30,
        "it runs",
    )
