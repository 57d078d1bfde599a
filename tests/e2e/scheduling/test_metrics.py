"""What is counted, while it happens and after it: the figures an operator watches."""

import re

from support.controllers import Controllers
from support.daemon import labels
from support.poll import until

PHASES = {"snapshot", "open", "action", "close", "report"}


def family(series):
    return series.partition("{")[0]


def wait_for(daemon, wanted, within=20):
    """Waits until each of these series has its value, or what its function says; returns all."""
    seen = {}

    def there():
        seen.update(daemon.metrics())
        return all(
            judge(seen.get(name)) if callable(judge) else seen.get(name) == judge
            for name, judge in wanted.items()
        )

    until(there, within, lambda: f"{wanted.keys()}; they are { {n: seen.get(n) for n in wanted} }")
    return daemon.metrics()


def some(value):
    return value is not None and value > 0


def nothing(value):
    return not value


def effects(kind, outcome="ok"):
    return f'batholith_effects_total{{kind="{kind}",outcome="{outcome}"}}'


def test_what_should_not_grow_is_there_with_zero_from_the_start(world, scheduler):
    values = scheduler.metrics()
    for name in (
        'batholith_limit_reached_total{limit="event_queue"}',
        'batholith_invariant_violations_total{invariant="node_sums"}',
        'batholith_defects_total{where="cycle"}',
        'batholith_informer_relists_total{resource="pods"}',
        'batholith_watch_restarts_total{resource="podgroups"}',
        'batholith_malformed_objects_total{resource="nodes"}',
        "batholith_log_lines_lost_total",
    ):
        assert values.get(name) == 0, name


def test_a_cycle_and_what_it_writes_is_counted(world, scheduler):
    world.node(cpu=4)
    world.wait_placed(world.gang("g", 2))
    phase = 'batholith_cycle_phase_duration_seconds_count{{phase="{}"}}'
    values = wait_for(
        scheduler,
        {
            'volcano_schedule_attempts_total{result="scheduled"}': 2,
            effects("bind"): 2,
            effects("event"): lambda sent: sent is not None and sent >= 2,
            effects("podgroup_status"): some,
            'volcano_task_scheduling_latency_milliseconds_count{stage="Bound"}': 2,
            'volcano_scheduling_stage_duration_milliseconds_count{stage="Bind"}': 2,
            "volcano_e2e_job_scheduling_latency_milliseconds_count": 2,
            **{phase.format(name): some for name in PHASES},
        },
    )
    assert values[effects("bind", "failed")] == 0

    def every_cycle_is_whole():
        values = scheduler.metrics()
        cycles = values["volcano_e2e_scheduling_latency_milliseconds_count"]
        return all(values[phase.format(name)] == cycles for name in PHASES)

    until(every_cycle_is_whole, 10, "each cycle has all its phases")


def test_what_waits_is_counted_as_its_condition_says(world, scheduler):
    world.node(cpu=4)
    world.gang("large", 9)

    def told():
        condition = world.group_condition("large", "Unschedulable") or {"message": ""}
        return re.match(r"(\d+)/9 tasks in gang unschedulable: .* 9 Pending", condition["message"])

    missing = int(until(told, 30, "the condition speaks of all nine pods").group(1))
    assert missing > 0
    wait_for(
        scheduler,
        {
            'volcano_unschedule_task_count{job_id="large"}': missing,
            "volcano_unschedule_job_count": 1,
            'volcano_job_retry_counts{job_id="large"}': some,
            'volcano_schedule_attempts_total{result="unschedulable"}': some,
            effects("pod_condition"): some,
        },
    )
    # It stays so while the job is left alone, and ends with the job's waiting.
    world.node(cpu=9)
    world.wait_placed([f"large-{i}" for i in range(9)])
    wait_for(
        scheduler,
        {
            'volcano_unschedule_task_count{job_id="large"}': 0,
            "volcano_unschedule_job_count": 0,
        },
    )


def test_series_end_with_their_job_and_queue(world, scheduler):
    world.node(cpu=4)
    queue = world.queue()
    placed = world.gang("placed", 1, group={"queue": queue})
    waiting = world.gang("waiting", 9, group={"queue": queue})
    world.wait_placed(placed)
    world.wait_group_condition("waiting", "Unschedulable", status="True")

    def of_test():
        """The series that name what this test has made."""
        names = {"placed", "waiting", queue}
        return [s for s in scheduler.metrics() if names & set(labels(s).values())]

    wanted = {
        "volcano_job_retry_counts",
        "volcano_unschedule_task_count",
        "volcano_e2e_job_scheduling_duration",
        "volcano_e2e_job_scheduling_start_time",
        "volcano_e2e_job_scheduling_last_time",
        "volcano_job_share",
        "volcano_queue_allocated_milli_cpu",
    }
    until(lambda: wanted <= {family(s) for s in of_test()}, 20, lambda: f"{wanted}: {of_test()}")
    for name in placed + waiting:
        world.delete_pod(name)
    for name in ("placed", "waiting"):
        world.delete_group(name)
    world.delete_queue(queue)
    until(lambda: not of_test(), 20, lambda: f"no series any more: {of_test()}")


def test_bounds_of_histograms_are_written_as_people_write_them(world, scheduler):
    world.node(cpu=4)
    world.wait_placed(world.gang("g", 1))
    values = wait_for(
        scheduler,
        {'volcano_scheduling_stage_duration_milliseconds_count{stage="Bind"}': some},
    )
    bounds = {}
    for series in values:
        if family(series).endswith("_bucket"):
            bounds.setdefault(family(series), set()).add(labels(series)["le"])
    ends = {
        "volcano_plugin_scheduling_latency_milliseconds": ("0.1", "100", 15),
        "volcano_scheduling_stage_duration_milliseconds": ("0.1", "500", 20),
        "volcano_action_scheduling_latency_milliseconds": ("1", "2000", 20),
        "volcano_task_scheduling_latency_milliseconds": ("50", "60000", 30),
        "volcano_e2e_scheduling_latency_milliseconds": ("1", "5000", 20),
        "volcano_e2e_job_scheduling_latency_milliseconds": ("100", "120000", 30),
        "batholith_cycle_phase_duration_seconds": ("0.0001", "10", 16),
    }
    for name, (first, last, count) in ends.items():
        found = bounds[f"{name}_bucket"] - {"+Inf"}
        ordered = sorted(found, key=float)
        assert (ordered[0], ordered[-1], len(ordered)) == (first, last, count), name
    odd = [le for found in bounds.values() for le in found if re.search(r"9{6}|0{6}\d", le)]
    assert odd == []


# What may not be there while nothing is to be done.
AT_REST = {
    "batholith_effect_queue_depth": 0,
    "batholith_effects_parked": 0,
    "batholith_half_bound_gangs": 0,
    'batholith_table_entries{table="events_waiting"}': 0,
    'batholith_pending_jobs{queue="active"}': 0,
    'batholith_pending_jobs{queue="unschedulable"}': 0,
    **{f'batholith_held_{what}{{gate="{gate}"}}': 0
       for what in ("jobs", "tasks") for gate in ("GangMinimum", "Filters", "NotEnqueued")},
    "volcano_unschedule_job_count": 0,
    "volcano_pod_preemption_victims": 0,
}


def test_nothing_is_under_way_in_a_cluster_at_rest(world, scheduler):
    world.node(cpu=8)
    names = [n for i in range(3) for n in world.gang(f"g{i}", 2)]
    world.wait_placed(names)
    wait_for(scheduler, {effects("event"): lambda sent: sent >= 6})
    # Without anything that would make another cycle.
    wait_for(scheduler, AT_REST, within=10)


def build(daemon):
    infos = [s for s in daemon.metrics().items() if family(s[0]) == "batholith_build_info"]
    assert [value for _, value in infos] == [1], infos
    return labels(infos[0][0])


def test_who_leads_and_which_build_it_is(world, new_scheduler, installed, tmp_path):
    lease = [
        "--leader-elect=true",
        "--leader-elect-resource-name=metrics",
        f"--leader-elect-resource-namespace={world.namespace}",
    ]
    leader = new_scheduler(flags=lease)
    wait_for(leader, {"batholith_leading": 1})
    standby = new_scheduler(flags=lease)
    until(standby.is_ready, 30, "the standby has read the cluster")
    wait_for(standby, {"batholith_leading": 0})
    info = build(leader)
    assert info["program"] == "vc-scheduler" and re.match(r"\d+\.\d+\.\d+", info["version"])
    assert build(standby) == info
    leader.process.stop(within=10)
    wait_for(standby, {"batholith_leading": 1})
    controllers = Controllers(installed.kubeconfig, tmp_path)
    try:
        controllers.wait_acting()
        wait_for(controllers, {"batholith_leading": 1})
        assert build(controllers) == {**info, "program": "vc-controller-manager"}
    finally:
        controllers.close()
