"""How the page comes to the browser: headers, signing in, a server that goes away, many objects."""

import urllib.error
import urllib.request

import pytest

from support import backends, objects
from support.accounts import admin_token
from support.jobs import BATCH, job_spec, task
from support.objects import SCHEDULING

pytestmark = pytest.mark.backend("embedded")


def ask(url, method="GET", **headers):
    request = urllib.request.Request(url, method=method, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, dict(answer.headers), answer.read()
    except urllib.error.HTTPError as error:
        return error.code, dict(error.headers), error.read()


def test_the_page_is_open_and_the_api_is_not(cluster):
    status, headers, text = ask(f"{cluster.url}/ui/")
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert text.startswith(b"<!doctype html>")
    assert ask(f"{cluster.url}/ui/", "HEAD")[0::2] == (200, b"")
    assert ask(f"{cluster.url}/ui/", **{"If-None-Match": headers["ETag"]})[0::2] == (304, b"")
    assert ask(f"{cluster.url}/ui/x")[0] == 404
    assert ask(f"{cluster.url}/ui/", "POST")[0] == 405
    assert ask(f"{cluster.url}/api/v1/nodes")[0] == 401


def test_one_signs_in_with_a_token(new_tab, cluster):
    tab = new_tab()
    tab.visit(f"{cluster.url}/ui/#/nodes")
    tab.until_text("The API server wants to know who asks.")
    assert tab.focused() == "token"
    tab.type("wrong")
    tab.key("Enter")
    tab.until_text("The API server does not accept this token.")
    tab.type(cluster.token)
    tab.key("Enter")
    tab.until_text("6 nodes: 0 not ready")
    assert cluster.token not in tab.run("document.documentElement.outerHTML")
    assert not any(cluster.token in url for url in tab.requests())
    tab.reload()
    tab.until_text("6 nodes: 0 not ready")
    tab.run("document.querySelector('#forget').click()")
    tab.until_text("The API server wants to know who asks.")
    assert tab.run("JSON.stringify(sessionStorage)") == "{}"
    assert "node-0001" not in tab.text("main")


def test_a_server_that_goes_away_and_comes_back(look, cluster, world):
    tab = look("jobs")
    tab.until_text("Live", "#contact")
    cluster.process.kill()
    tab.until_text("the API server cannot be reached")
    tab.until_text("No contact, trying again", "#contact")
    cluster.process.start()
    cluster._wait_ready()
    world.job("after", [task("a")])
    tab.until_text(f"{world.namespace}/after", within=90)
    tab.until_text("Live", "#contact")


@pytest.fixture(scope="module")
def large():
    """An API server with 1,000 nodes and 300 jobs, and nobody who does anything about them."""
    made = backends.make("embedded")
    rest = made.rest()
    made.install_crds()
    rest.post(f"{SCHEDULING}/queues", objects.queue("default")).expect(201)
    try:
        for i in range(1000):
            node = objects.node(f"n{i:04}", cpu="16", **{"nvidia.com/gpu": "8"})
            rest.post("/api/v1/nodes", node).expect(201)
        jobs = f"{BATCH}/namespaces/default/jobs"
        head = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job"}
        for i in range(300):
            body = {**head, "metadata": {"name": f"job-{i:03}"}, "spec": job_spec([task("a", 4)])}
            rest.post(jobs, body).expect(201)
        for i in range(1500):
            pod = objects.pod(f"p{i:04}", cpu=str(1 + i % 9), nodeName=f"n{i * 7 % 1000:04}")
            rest.post("/api/v1/namespaces/default/pods", pod).expect(201)
        yield made
    finally:
        made.close()


def test_a_thousand_nodes_and_three_hundred_jobs(new_tab, large):
    token = admin_token(large)
    tab = new_tab()
    tab.before(f"sessionStorage.setItem('batholith-token', '{token}')")
    tab.before("addEventListener('load', () => new PerformanceObserver((list) => {"
               " window.longest = Math.max(window.longest ?? 0, ...list.getEntries()"
               ".map(e => e.duration)); }).observe({ entryTypes: ['longtask'] }))")
    url = f"{large.client().configuration.host}/ui/"
    tab.visit(f"{url}#/nodes")
    tab.until_text("1000 nodes: 0 not ready")
    tab.until("document.querySelector('.key.heat-5')?.parentNode.innerText.split(': ')[1] > 0")
    assert tab.run("document.querySelectorAll('table.nodes tbody tr').length") == 50
    box = tab.run("document.querySelector('.heat canvas').getBoundingClientRect().toJSON()")
    assert 200 < box["height"] < 500
    tab.run("document.querySelector('[role=listbox]').focus()")
    tab.key("End")
    tab.until_text("n0999: ready", ".chosen")
    tab.run("location.hash = '#/jobs'")
    tab.until_text("300 jobs: 300 waiting")
    rows = "document.querySelectorAll('table.jobs tbody tr').length"
    assert tab.run(rows) == 100
    tab.run("document.querySelector('section:has(table.jobs) .more').click()")
    tab.until(f"{rows} === 200")
    assert tab.run("document.querySelector('.more').textContent") == "Show 100 more of 100"
    assert tab.run("window.longest ?? 0") < 2000  # Never stuck, even where tests run side by side.


def test_an_empty_cluster_says_so(new_tab):
    made = backends.make("embedded")
    try:
        token = admin_token(made)
        tab = new_tab()
        tab.before(f"sessionStorage.setItem('batholith-token', '{token}')")
        url = f"{made.client().configuration.host}/ui/"
        tab.visit(f"{url}#/nodes")
        tab.until_text("There are no nodes.")
        tab.run("location.hash = '#/jobs'")
        tab.until_text("There are no jobs.")
        tab.run("location.hash = '#/queues'")
        tab.until_text("There are no queues.")
    finally:
        made.close()
