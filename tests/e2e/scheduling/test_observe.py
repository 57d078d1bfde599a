"""Metrics, events and idleness."""

import time

from support.poll import until

# Histograms and plain gauges that are visible from the start.
AT_START = {
    "volcano_e2e_scheduling_latency_milliseconds_count",
    "volcano_open_session_duration_milliseconds_count",
    "volcano_e2e_job_scheduling_latency_milliseconds_count",
    "volcano_pod_preemption_victims",
    "volcano_total_preemption_attempts",
    "volcano_unschedule_job_count",
}


def family(series):
    return series.split("{")[0]


def test_metrics_carry_the_names_that_dashboards_ask_for(world, scheduler):
    assert AT_START <= {family(s) for s in scheduler.metrics()}
    world.node(cpu=4)
    world.wait_placed(world.gang("g", 2))
    world.gang("too-large", 9)
    world.wait_group_condition("too-large", "Unschedulable", status="True")
    wanted = {
        'volcano_action_scheduling_latency_milliseconds_count{action="allocate"}',
        'volcano_task_scheduling_latency_milliseconds_count{stage="Bound"}',
        'volcano_queue_allocated_milli_cpu{queue_name="default"}',
        'volcano_queue_request_milli_cpu{queue_name="default"}',
        'volcano_queue_deserved_milli_cpu{queue_name="default"}',
        'volcano_queue_share{queue_name="default"}',
        'volcano_unschedule_task_count{job_id="too-large"}',
    }
    until(
        lambda: wanted <= set(scheduler.metrics()),
        20,
        lambda: f"series {sorted(wanted - set(scheduler.metrics()))}",
    )
    values = scheduler.metrics()
    plugins = [
        s for s in values if family(s) == "volcano_plugin_scheduling_latency_milliseconds_count"
    ]
    assert any('plugin="gang"' in s and 'OnSession="OnSessionOpen"' in s for s in plugins)
    assert values['volcano_queue_allocated_milli_cpu{queue_name="default"}'] == 2000
    assert values["volcano_unschedule_job_count"] == 1
    assert values['volcano_task_scheduling_latency_milliseconds_count{stage="Bound"}'] >= 2


def events(world, name):
    selector = f"involvedObject.name={name}"
    path = f"/api/v1/namespaces/{world.namespace}/events"
    return world.rest.get(path, fieldSelector=selector).expect(200)["items"]


def test_events_tell_of_success_and_failure(world, scheduler):
    node = world.node(cpu=2)
    world.wait_placed(world.gang("g", 1))
    until(
        lambda: [e for e in events(world, "g-0") if e["reason"] == "Scheduled"],
        20,
        "the event of the binding",
    )
    told = next(e for e in events(world, "g-0") if e["reason"] == "Scheduled")
    assert told["type"] == "Normal"
    assert told["message"] == f"Successfully assigned {world.namespace}/g-0 to {node}"
    world.gang("too-large", 9)
    failed = until(
        lambda: [e for e in events(world, "too-large") if e["reason"] == "Unschedulable"],
        20,
        "the event of the group",
    )
    assert failed[0]["type"] == "Warning"
    assert "tasks in gang unschedulable" in failed[0]["message"]


def test_an_unchanged_cluster_causes_no_writes(world, scheduler):
    world.node(cpu=2)
    world.wait_placed(world.gang("g", 1))
    world.gang("too-large", 9)
    world.wait_group_condition("too-large", "Unschedulable", status="True")

    def versions():
        things = world.pods() + [world.read_group(n) for n in ("g", "too-large")]
        things += events(world, "too-large")
        return {t["metadata"]["uid"]: t["metadata"]["resourceVersion"] for t in things}

    # Whatever the first cycles still have to say, at some moment the cluster is quiet for a while.
    quiet = {"since": 0.0, "seen": None}

    def stands_still():
        now, seen = time.monotonic(), versions()
        if seen != quiet["seen"]:
            quiet.update(since=now, seen=seen)
        return now - quiet["since"] > 5

    until(stands_still, 30, "five seconds without any write")
