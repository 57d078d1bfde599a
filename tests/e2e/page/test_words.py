"""The page and vcctl tell of the same job in the same words."""

import pytest

from page.conftest import Cluster
from support.jobs import task
from support.poll import until
from support.vcctl import Vcctl

pytestmark = pytest.mark.backend("embedded")


class SecureCluster(Cluster):
    """Clients show no token where anybody could read it."""

    secure = True


@pytest.fixture(scope="module")
def cluster():
    made = SecureCluster()
    try:
        made.start()
        yield made
    finally:
        made.close()


@pytest.fixture
def vcctl(cluster, tmp_path):
    return Vcctl(cluster.kubeconfig, tmp_path)


@pytest.fixture
def explained(vcctl, world):
    """What vcctl says: the sentence, and what helps."""

    def explain(name, *more):
        done = vcctl("job", "explain", "-n", world.namespace, "-N", name, *more)
        assert (done.code, done.err) == (0, ""), done
        sentence, *rest = done.out.split("\n\n")[1].splitlines()
        return sentence, rest[0] if rest else ""

    return explain


def closed_queue(world, vcctl):
    queue = world.queue()
    world.job("j", [task("a", 3, cpu="20")], queue=queue)
    vcctl("queue", "operate", "-n", queue, "-a", "close").prints("")


def nowhere(world, vcctl):
    world.job("j", [task("a", 3, spec={"nodeSelector": {"nobody": "has-it"}})])


def beyond_its_queue(world, vcctl):
    queue = world.queue(capability={"cpu": "1"})
    world.job("j", [task("a", 2, cpu="1")], queue=queue)


def suspended(world, vcctl):
    world.job("j", [task("a")])
    world.wait_running("j", 1)
    world.command("AbortJob", world.read_job("j"))
    world.wait_phase("j", "Aborted")


def of_another_scheduler(world, vcctl):
    world.job("j", [task("a")], schedulerName="nobody")


def it_runs(world, vcctl):
    world.job("j", [task("a", 2)])
    world.wait_running("j", 2)


SITUATIONS = {
    closed_queue: ("is Clos", "vcctl queue operate"),
    nowhere: ("and its gang has no place: 3/3 tasks in gang unschedulable", ""),
    beyond_its_queue: ("queue resource quota insufficient", ""),
    suspended: ("it was suspended", "vcctl job resume"),
    of_another_scheduler: ("is one named nobody?", ""),
    it_runs: ("Nothing holds it: all its pods have places.", ""),
}


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda s: s.__name__)
def test_the_page_says_what_vcctl_says(look, world, vcctl, explained, situation):
    situation(world, vcctl)
    sentence, remedy = SITUATIONS[situation]
    tab = look(f"jobs/{world.namespace}/j")
    seen = {}

    def alike():
        page = tab.run("['.held', '.remedy'].map(at => document.querySelector(at)?.textContent ?? '')")
        # Without the scheduler's own words, which the page does not ask for.
        seen.update(page=tuple(page), vcctl=explained("j", "--scheduler-service="))
        # And with them: they come after the sentence, and do not change it.
        seen.update(asked=explained("j")[0])
        same = seen["page"] == seen["vcctl"] and seen["asked"] == seen["vcctl"][0]
        return same and sentence in seen["page"][0] and remedy in seen["page"][1]

    until(alike, 30, lambda: f"{sentence!r} on both: {seen}")


def test_after_a_restart_vcctl_finds_the_scheduler_where_it_is_then(cluster, world, vcctl):
    nowhere(world, vcctl)
    seen = {}

    def asked():
        seen["done"] = vcctl("job", "explain", "-n", world.namespace, "-N", "j")
        return "\nThe scheduler's last cycle: held at Filters\n" in seen["done"].out

    until(asked, 30, lambda: seen)
    cluster.process.kill()
    cluster.process.start()
    cluster._wait_ready()
    until(asked, 60, lambda: seen)
    assert seen["done"].err == ""
