"""The page on vc-standalone: what its views tell, and that they follow what happens."""

import pytest

from support import objects
from support.jobs import BATCH, task
from support.objects import SCHEDULING
from support.poll import until
from support.rest import MERGE_PATCH

pytestmark = pytest.mark.backend("embedded")

ROWS = "[...document.querySelectorAll('[role=treegrid] [data-queue]')]"


def queue_levels(tab):
    return dict(tab.run(f"{ROWS}.map(e => [e.dataset.queue, e.getAttribute('aria-level')])"))


def job_row(tab, name):
    """What is to be read in the line of the job; empty while there is none."""
    return tab.run(
        "[...document.querySelectorAll('table.jobs tbody tr')]"
        f".find(row => row.textContent.includes('{name}'))?.innerText ?? ''"
    )


def link_to(world, name):
    """A script that finds the link to the job in the table."""
    links = "[...document.querySelectorAll('table.jobs tbody a')]"
    return f"{links}.find(a => a.innerText === '{world.namespace}/{name}')"


def test_queues_are_gone_through_by_keyboard(look, world):
    team = world.queue("team")
    inner = world.queue("inner", parent=team)
    tab = look("queues")
    tab.until(f"!!document.querySelector('[data-queue={inner}]')")
    tab.run("document.querySelector('#forget').focus()")
    tab.key("Tab")
    assert tab.focused() == "root"
    order = list(queue_levels(tab))
    for name in order[1:]:
        tab.key("ArrowDown")
        assert tab.focused() == name
    tab.run(f"document.querySelector('[data-queue={team}]').focus()")
    tab.key("ArrowLeft")  # Closes it.
    tab.until(f"!document.querySelector('[data-queue={inner}]')")
    assert tab.run(f"document.querySelector('[data-queue={team}]').ariaExpanded") == "false"
    tab.key("ArrowRight")
    tab.until(f"!!document.querySelector('[data-queue={inner}]')")
    tab.key("ArrowRight")
    assert tab.focused() == inner
    tab.key("ArrowLeft")
    assert tab.focused() == team
    tab.key("Home")
    assert tab.focused() == "root"
    stops = tab.run(f"{ROWS}.filter(e => e.tabIndex === 0).map(e => e.dataset.queue)")
    assert stops == ["root"]  # One stop of Tab for the whole tree.


def test_jobs_are_filtered_and_sorted(look, world):
    closed = world.queue("closed")
    for name in ("one", "two"):
        world.job(name, [task("a")])
    world.job("three", [task("a", script="exit 0")], queue=closed)
    world.wait_phase("three", "Completed")
    tab = look("jobs")
    tab.until_text(f"{world.namespace}/three")
    tab.run("document.querySelector('#search').focus()")
    tab.type(f"{world.namespace} tw")
    tab.until("document.querySelectorAll('table.jobs tbody tr').length === 1")
    tab.until("document.querySelector('#announcer').textContent.endsWith('1 match.')")
    assert f"{world.namespace}/two" in tab.text("table.jobs tbody")
    choose = "(id, value) => { const e = document.querySelector(id); e.value = value;"
    choose = f"({choose} e.dispatchEvent(new Event('input')); }})"
    tab.run(f"{choose}('#search', '{world.namespace}')")
    tab.run(f"{choose}('#phase', 'Completed')")
    tab.until("document.querySelectorAll('table.jobs tbody tr').length === 1")
    tab.run(f"{choose}('#phase', '')")
    tab.run(f"{choose}('#queue', '{closed}')")
    tab.until("document.querySelector('table.jobs tbody').innerText.includes('/three')")
    tab.run(f"{choose}('#queue', '')")
    names = "[...document.querySelectorAll('table.jobs tbody th a')].map(a => a.innerText.split('/')[1])"
    tab.run("document.querySelector('th.of-name button').click()")
    tab.until(f"{names}.join() === 'one,three,two'")
    tab.run("document.querySelector('th.of-name button').click()")
    tab.until(f"{names}.join() === 'two,three,one'")
    assert tab.run("document.querySelector('th.of-name').getAttribute('aria-sort')") == "descending"


def test_jobs_follow_what_happens(look, world):
    tab = look("jobs")
    tab.until_text("Live", "#contact")
    world.job("quick", [task("a", 2, script="sleep 1")])
    tab.until_text(f"{world.namespace}/quick")
    until(lambda: "Completed" in job_row(tab, "/quick"), 30, lambda: job_row(tab, "/quick"))
    world.delete_job("quick")
    tab.until(f"!document.querySelector('main').innerText.includes('{world.namespace}/quick')")


def test_pod_groups_without_a_job_are_there_too(look, world):
    group = objects.pod_group("alone", 2)
    world.rest.post(f"{SCHEDULING}/namespaces/{world.namespace}/podgroups", group).expect(201)
    tab = look("jobs")
    tab.until_text(f"{world.namespace}/alone")
    assert "PodGroup" in job_row(tab, "/alone")
    tab.run(f"location.hash = '#/podgroups/{world.namespace}/alone'")
    tab.until_text(f"PodGroup {world.namespace}/alone")
    tab.until_text("There are no pods.")


def test_a_gang_over_time(look, world):
    world.job("gang", [task("lead", 1), task("work", 3, script="sleep 2; exit 1")], min_available=2)
    tab = look(f"jobs/{world.namespace}/gang")
    tab.until("document.querySelectorAll('svg.gang .span.running').length === 4")
    assert "min 2" in tab.run("document.querySelector('svg.gang').textContent")
    tab.until("document.querySelectorAll('svg.gang .outcome.failed').length === 3")
    tab.until_text("At most 4 ran at once.")
    # The pod is gone, what the page has seen of it stays.
    world.delete_pod("gang-work-1")
    tab.until_text("deleted by now")
    tab.until(
        "[...document.querySelectorAll('table.pods tbody tr')]"
        ".some(row => row.innerText.includes('gang-work-1'))"
    )
    role = tab.run("document.querySelector('svg.gang').getAttribute('role')")
    assert role == "img"


def test_one_comes_back_to_where_one_was(look, world):
    world.job("here", [task("a")])
    tab = look("jobs")
    tab.until_text(f"{world.namespace}/here")
    link = link_to(world, "here")
    tab.run(f"{link}.click()")
    tab.until_text("‹ All jobs")
    tab.run("document.querySelector('#back').focus()")
    tab.key("Enter")
    tab.until(f"document.activeElement === {link}")


def test_nodes_are_a_heat_map_and_a_table(look, world):
    nodes = [f"node-{i + 1:04}" for i in range(6)]
    tab = look("nodes")
    tab.until_text("6 nodes: 0 not ready, 0 cordoned.")
    node = {"nodeName": nodes[2]}
    world.rest.post(
        f"/api/v1/namespaces/{world.namespace}/pods",
        objects.pod("sits", cpu="6", memory="1Gi", **node),
    ).expect(201)
    tab.until_text(f"{nodes[2]}\tready\t75 %")
    world.cordon(nodes[1])
    try:
        tab.until_text("1 cordoned")
        tab.run("document.querySelector('[role=listbox]').focus()")
        tab.key("ArrowRight")
        tab.until_text(f"{nodes[1]}: ready, cordoned", ".chosen")
        tab.key("ArrowRight")
        tab.until_text("cpu 6 of 8 (75 %)", ".chosen")
        said = {name for role, name, _ in tab.tree() if role == "option" and nodes[2] in name}
        assert said == {f"{nodes[2]}: 75 % asked for, ready"}
        heat = "document.querySelector('.heat canvas').getContext('2d')"
        colours = tab.run(
            f"[0, 2].map(i => [...{heat}.getImageData(34 * i + 16, 4, 1, 1).data].join())"
        )
        assert colours[0] != colours[1]
    finally:
        path = f"/api/v1/nodes/{nodes[1]}"
        world.rest.patch(path, {"spec": {"unschedulable": None}}, MERGE_PATCH).expect(200)
    world.delete_pod("sits")
    tab.until_text(f"{nodes[2]}\tready\t0 %")


def test_texts_of_tenants_stay_texts(look, world):
    world.job("evil", [task("a", 200, cpu="4")])
    path = f"{BATCH}/namespaces/{world.namespace}/jobs/evil"
    uid = world.rest.get(path).expect(200)["metadata"]["uid"]
    group = f"{SCHEDULING}/namespaces/{world.namespace}/podgroups/evil-{uid}"
    until(lambda: world.rest.get(group).status == 200, 30, "its PodGroup is there")
    markup = "<img src=x onerror=\"document.title='broken'\"><script>alert(1)</script>{{7*7}}"
    condition = {"type": "Unschedulable", "status": "True", "message": markup, "reason": "r"}
    patch = {"status": {"phase": "Inqueue", "conditions": [condition]}}
    tab = look(f"jobs/{world.namespace}/evil")
    tab.until_text("It waits: ")
    # The scheduler writes its own reason soon after.
    seen = "document.querySelector('.held').textContent"

    def shown():
        world.rest.patch(group, patch, MERGE_PATCH).expect(200)
        return tab.run(f"{seen}.includes({markup!r})")

    until(shown, 20, lambda: tab.run(seen))
    assert tab.run("document.querySelectorAll('main img, main script').length") == 0
    assert "broken" not in tab.run("document.title")


def test_only_a_namespace(look, world):
    world.job("mine", [task("a")])
    tab = look("jobs")
    tab.until_text(f"{world.namespace}/mine")
    tab.run("document.querySelector('#namespace').focus()")
    tab.type("default")
    tab.key("Enter")
    tab.until_text("There are no jobs in namespace default.")
    tab.run("document.querySelector('#namespace').value = 'No Name!'")
    tab.key("Enter")
    tab.until("document.querySelector('#namespace').ariaInvalid === 'true'")
    tab.until("document.querySelector('#announcer').textContent.includes('no name')")
