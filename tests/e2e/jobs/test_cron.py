"""CronJobs. Runs are brought about by times that have passed unseen."""

import pytest

from support import clock
from support.jobs import BATCH, FOREVER, JobWorld, job_spec, task
from support.poll import always, until
from support.rest import MERGE_PATCH

STAMP = "volcano.sh/cronjob-scheduled-timestamp"
# Later than any test takes; its first run is far away.
NEW_YEAR = "0 0 1 1 *"


class Cron:
    """One CronJob of a test."""

    def __init__(self, world: JobWorld, script="true", **spec):
        self.world = world
        template = {"metadata": {"labels": {"of": "cron"}}}
        template["spec"] = job_spec([task("a", script=script)])
        body = {"schedule": NEW_YEAR, "jobTemplate": template, **spec}
        self.made = world.make(BATCH, "cronjobs", "CronJob", "c", body)

    @property
    def path(self):
        return self.world.path(BATCH, "cronjobs", "c")

    def patch(self, **spec):
        self.world.rest.patch(self.path, {"spec": spec}, MERGE_PATCH).expect(200)

    def miss(self, when, zone="UTC", suspend=False, **spec):
        """Lets the run of that minute have been missed, as while it was suspended; the job's name."""
        self.patch(suspend=True, schedule=clock.hourly_at(when, zone), **spec)
        last = {"status": {"lastScheduleTime": clock.stamp(clock.an_hour_before(when))}}
        self.world.rest.patch(f"{self.path}/status", last, MERGE_PATCH).expect(200)
        if not suspend:
            self.patch(suspend=False)
        return f"c-{int(when.timestamp()) // 60}"

    def status(self):
        return self.world.rest.get(self.path).expect(200).get("status") or {}

    def active(self):
        return [a["name"] for a in self.status().get("active") or []]

    def jobs(self):
        return self.world.names(BATCH, "jobs")

    def wait_jobs(self, *names):
        until(lambda: self.jobs() == set(names), 30, lambda: f"jobs {names}: {self.story()}")

    def wait_active(self, *names):
        until(lambda: self.active() == list(names), 30, lambda: f"active {names}: {self.story()}")

    def story(self):
        return f"jobs {self.jobs()}, status {self.status()}, events {self.world.events('c')}"


def test_a_missed_run_is_made_up_for(world):
    cron, when = Cron(world, script="sleep 0.3"), clock.minute_ago(3)
    name = cron.miss(when)
    cron.wait_jobs(name)
    job = world.read_job(name)
    assert job["metadata"]["labels"] == {"of": "cron"}
    owner = job["metadata"]["ownerReferences"][0]
    assert (owner["kind"], owner["uid"]) == ("CronJob", cron.made["metadata"]["uid"])
    assert job["metadata"]["annotations"][STAMP] == clock.stamp(when)
    world.wait_event("c", "SuccessfulCreate", name)
    done = world.wait_phase(name, "Completed")["status"]["state"]["lastTransitionTime"]
    cron.wait_active()
    assert cron.status()["lastScheduleTime"] == clock.stamp(when)
    assert cron.status()["lastSuccessfulTime"] == done


def test_a_short_period_runs_by_itself(world):
    cron = Cron(world, schedule="@every 1s")
    until(cron.jobs, 30, lambda: cron.story())
    world.wait_phase(sorted(cron.jobs())[0], "Completed")
    assert cron.status()["lastScheduleTime"]


def test_the_zone_decides_which_minute_it_is(world):
    """Half an hour apart from the clock of UTC."""
    zone, when = "Asia/Kolkata", clock.minute_ago(3)
    cron = Cron(world, timeZone=zone)
    name = cron.miss(when, zone=zone)
    cron.wait_jobs(name)
    assert world.read_job(name)["metadata"]["annotations"][STAMP].endswith("+05:30")


def test_an_unknown_zone_is_named(world):
    cron = Cron(world, timeZone="Nowhere/Atall")
    cron.miss(clock.minute_ago(3))
    world.wait_event("c", "InvalidTimeZone", "Nowhere/Atall")
    assert not cron.jobs()


def test_nothing_runs_while_it_is_suspended(world):
    cron = Cron(world)
    name = cron.miss(clock.minute_ago(3), suspend=True)
    always(lambda: not cron.jobs(), 0.7, lambda: cron.story())
    cron.patch(suspend=False)
    cron.wait_jobs(name)


def test_a_deadline_forgets_what_is_too_old(world):
    cron = Cron(world, startingDeadlineSeconds=60)
    cron.miss(clock.minute_ago(5))
    always(lambda: not cron.jobs(), 0.7, lambda: cron.story())
    cron.patch(startingDeadlineSeconds=600)
    until(cron.jobs, 30, lambda: cron.story())


@pytest.mark.parametrize("rule", ["Allow", "Forbid", "Replace"])
def test_a_run_meets_the_one_before_it(world, rule):
    cron = Cron(world, script=FOREVER, concurrencyPolicy=rule)
    first = cron.miss(clock.minute_ago(8))
    cron.wait_active(first)
    world.wait_running(first, 1)
    second = cron.miss(clock.minute_ago(4))
    if rule == "Forbid":
        world.wait_event("c", "ForbidConcurrent", "another job is already running")
        assert cron.jobs() == {first}
    elif rule == "Replace":
        cron.wait_jobs(second)
        cron.wait_active(second)
        world.wait_event("c", "ReplaceConcurrent")
    else:
        cron.wait_active(first, second)


def test_old_jobs_are_removed_beyond_the_limits(world):
    cron = Cron(world, successfulJobsHistoryLimit=1, failedJobsHistoryLimit=0)
    for ago in (20, 15, 10):
        name = cron.miss(clock.minute_ago(ago))
        until(lambda: name in cron.jobs(), 30, lambda: cron.story())
        world.wait_phase(name, "Completed")
        cron.wait_active()
    cron.wait_jobs(name)
    failing = {"metadata": {}, "spec": job_spec([task("a", script="exit 1")])}
    gone = cron.miss(clock.minute_ago(5), jobTemplate=failing)
    world.wait_event("c", "SuccessfulDelete", gone)
    cron.wait_jobs(name)


@pytest.mark.parametrize(
    ("schedule", "why"),
    [("61 * * * *", "minute"), ("0 0 2 * * *", "expected five fields"), ("hello", "found 1")],
)
def test_a_cron_job_made_with_a_bad_schedule_says_why(world, schedule, why):
    Cron(world, schedule=schedule)
    said = f"unparseable schedule for cronjob: {schedule}: "
    world.wait_event("c", "UnParseableCronJobSchedule", said, why, "until it is mended")


def test_a_bad_schedule_is_named(world):
    cron = Cron(world)
    cron.patch(schedule="every now and then")
    world.wait_event("c", "UnParseableCronJobSchedule", "every now and then")


def test_its_jobs_go_with_it(world):
    cron = Cron(world, script=FOREVER)
    name = cron.miss(clock.minute_ago(3))
    cron.wait_jobs(name)
    world.rest.delete(cron.path, propagationPolicy="Background").expect(200)
    world.wait_gone(BATCH, "jobs", name)
