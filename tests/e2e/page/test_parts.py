"""Modules of the page by themselves, in the browser: amounts, trees, gangs, and what a feed does when
the server does not go along."""

import json

import pytest

pytestmark = pytest.mark.backend("embedded")


@pytest.fixture
def module(new_tab, cluster):
    """Runs a script with a module of the page as `m`."""
    tab = new_tab()
    tab.visit(f"{cluster.url}/ui/icon.svg")

    def run(name, script):
        return tab.run(f"import('/ui/{name}.js').then(async (m) => {{ {script} }})")

    return run


def test_amounts(module):
    texts = ["1500m", "2", "12Gi", "1e3", "0.5", "-1", "1Ki", "3k", "100n"]
    read = module("quantity", f"return {texts}.map(m.parse)")
    assert read == [1.5, 2, 12 * 2**30, 1000, 0.5, -1, 1024, 3000, pytest.approx(1e-7)]
    wrong = ["", "x", "1 Gi", "Gi", "1GiB", "0x10", "1e", "9" * 100, None]
    assert module("quantity", f"return {json.dumps(wrong)}.map(t => isNaN(m.parse(t)))") == [
        True
    ] * len(wrong)
    shown = [["cpu", 0.25], ["cpu", 1234], ["memory", 12.5 * 2**30], ["memory", 0], ["x/y", 2.5e6]]
    words = module("quantity", f"return {json.dumps(shown)}.map(([r, v]) => m.format(r, v))")
    assert words == ["0.25", "1234", "12.5 Gi", "0", "2.5 M"]


def test_ages_are_written_as_kubectl_does(module):
    seconds = [0, 119, 120, 200, 600, 10799, 10800, 14460, 172800, 176400, 10**8]
    words = module("times", f"return {seconds}.map(s => m.duration(s * 1000))")
    assert words == ["0s", "119s", "2m", "3m20s", "10m", "179m", "3h", "4h1m", "2d", "2d1h", "3y"]


def test_the_way_to_the_api(module):
    ways = {
        "/ui/": "",
        "/ui": "",
        "/k8s/ui/index.html": "/k8s",
        "/api/v1/namespaces/volcano-system/services/https:volcano-admission-service:443/proxy/ui/": "",
        "/k8s/clusters/c1/api/v1/namespaces/a/services/https:b:443/proxy/ui/": "/k8s/clusters/c1",
    }
    assert module("api", f"return {list(ways)}.map(m.baseOf)") == list(ways.values())


def test_queues_in_a_circle_are_shown_at_the_top(module):
    queues = [["a", "b"], ["b", "a"], ["c", "a"], ["root", ""], ["d", "root"], ["e", "gone"]]
    lines = module(
        "queues",
        f"return m.treeOf({queues}.map(([name, parent]) => ({{name, parent}})))"
        ".map(line => [line.queue.name, line.level])",
    )
    assert lines == [["a", 1], ["b", 1], ["c", 1], ["e", 1], ["root", 1], ["d", 2]]


def test_what_a_pod_takes_from_its_node(module):
    def container(cpu, **more):
        return {"resources": {"requests": {"cpu": cpu}}, **more}

    spec = {
        "containers": [container("1"), container("500m")],
        "initContainers": [container("1", restartPolicy="Always"), container("3"), container("1")],
        "overhead": {"cpu": "100m"},
    }
    asked = f"return m.requestOf({json.dumps(spec)}).get('cpu')"
    assert module("records", asked) == pytest.approx(4.1)  # Sidecar and the largest, and overhead.
    spec["resources"] = {"requests": {"cpu": "6"}}
    asked = f"return m.requestOf({json.dumps(spec)}).get('cpu')"
    assert module("records", asked) == pytest.approx(6.1)


def pod(created, scheduled=None, started=None, ended=None, phase="Running", gone=None):
    numbers = {"created": created, "scheduled": scheduled, "started": started, "ended": ended}
    numbers = {key: 1000 * value for key, value in numbers.items() if value is not None}
    return {**numbers, "phase": phase, **({"gone": 1000 * gone} if gone is not None else {})}


def test_a_gang_in_steps(module):
    pods = [
        pod(0, 2, 3, 10, phase="Succeeded"),
        pod(0, 2, 4),
        pod(1, 5, 6, gone=8),
        pod(1, phase="Pending"),
    ]
    steps = module("gang", f"return m.stepsOf({json.dumps(pods)})")
    told = [(s["at"] / 1000, s["placed"], s["running"]) for s in steps]
    assert told == [
        (2, 2, 0),
        (3, 2, 1),
        (4, 2, 2),
        (5, 3, 2),
        (6, 3, 3),
        (8, 2, 2),
        (10, 1, 1),
    ]
    spans = module("gang", f"return m.spansOf({json.dumps(pods[3])}, 9000)")
    assert spans == [{"from": 1000, "to": 9000, "what": "waiting"}]
    spans = module("gang", f"return m.spansOf({json.dumps(pods[2])}, 20000)")
    assert [(s["from"], s["to"], s["what"]) for s in spans] == [
        (1000, 5000, "waiting"),
        (5000, 6000, "starting"),
        (6000, 8000, "running"),
    ]
    marks = module("gang", "return m.marksOf({ from: 0, to: 47000 }, 10)")
    assert marks == [0, 5000, 10000, 15000, 20000, 25000, 30000, 35000, 40000, 45000]


# A server of lists and watches: `script` says what becomes of each request.
FEED = """
const asked = [];
window.fetch = async (path, { signal }) => {
  const query = new URL(path, location).searchParams;
  asked.push(query.get('watch') ? `watch ${query.get('resourceVersion')}`
    : `list ${query.get('continue') ?? ''}`.trim());
  const answer = serve(query, asked.length);
  if (answer.hang) {
    const body = new ReadableStream({ start(c) {
      for (const event of answer.hang) c.enqueue(new TextEncoder().encode(JSON.stringify(event) + '\\n'));
      signal.addEventListener('abort', () => c.error(new DOMException('', 'AbortError')));
    } });
    return new Response(body);
  }
  return new Response(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body),
    { status: answer.status ?? 200 });
};
const item = (name, version = '1') => ({ metadata: { name, resourceVersion: version } });
const list = (names, version, next) => ({ body: { metadata: { resourceVersion: version, continue: next,
  remainingItemCount: next ? 7 : undefined }, items: names.map((name) => item(name)) } });
const changes = [];
const make = (most = 100) => new m.Feed({ path: '/x', most, changed: () => changes.push(1),
  record: (o) => ({ key: o.metadata.name }) });
const wait = async (done) => {
  for (let i = 0; i < 400 && !done(); ++i) await new Promise((r) => setTimeout(r, 10));
};
const told = (feed) => ({ asked, names: [...feed.rows.keys()], state: feed.state, left: feed.left,
  words: feed.failure?.message ?? '', kind: feed.failure?.kind ?? '' });
"""


def feed(module, serve, rest):
    return module("feed", f"const serve = (query, nth) => {{ {serve} }};\n{FEED}\n{rest}")


def test_a_feed_lists_in_pages_and_watches_on(module):
    told = feed(
        module,
        """if (query.get('watch')) return { hang: [{ type: 'ADDED', object: item('c', '8') },
             { type: 'DELETED', object: item('a', '9') },
             { type: 'BOOKMARK', object: item('', '20') }] };
           return query.get('continue') ? list(['b'], '7') : list(['a'], '7', 'more');""",
        """const f = make(); f.start(); await wait(() => f.rows.has('c') && !f.rows.has('a'));
           f.stop(); const stopped = told(f).state; f.start(); await wait(() => asked.length > 3);
           f.stop(); return { ...told(f), stopped };""",
    )
    assert told["asked"] == ["list", "list more", "watch 7", "watch 20"]
    assert (told["names"], told["stopped"]) == (["b", "c"], "idle")


def test_a_feed_lists_anew_when_its_version_is_too_old(module):
    told = feed(
        module,
        """if (!query.get('watch')) return list(nth === 1 ? ['a', 'b'] : ['b', 'c'], String(nth));
           if (nth > 2) return { hang: [] };
           return { hang: [{ type: 'ERROR', object: { code: 410, message: 'too old' } }] };""",
        """const f = make(); f.start(); await wait(() => f.rows.has('c')); const end = told(f);
           f.stop(); return end;""",
    )
    assert told["asked"][:3] == ["list", "watch 1", "list"]
    assert (told["names"], told["state"]) == (["b", "c"], "live")


def test_a_feed_says_what_it_may_not_read(module):
    told = feed(
        module,
        "return { status: 403, body: { message: 'jobs is forbidden: User \"u\" cannot list' } };",
        """const f = make(); f.start(); await wait(() => f.state === 'refused'); const end = told(f);
           f.stop(); return end;""",
    )
    assert (told["kind"], told["state"], told["asked"]) == ("forbidden", "refused", ["list"])
    assert told["words"] == 'jobs is forbidden: User "u" cannot list'


def test_a_feed_tries_again_with_pauses(module):
    told = feed(
        module,
        "return nth < 3 ? { status: 503, body: 'gone fishing' } : nth === 3 ? list(['a'], '1') "
        ": { hang: [] };",
        """const began = performance.now(); const f = make(); f.start();
           await wait(() => f.state === 'waiting'); const first = told(f);
           await wait(() => f.state === 'live'); f.stop();
           return { ...told(f), first, ms: performance.now() - began };""",
    )
    assert told["first"]["kind"] == "away"
    assert told["asked"] == ["list", "list", "list", "watch 1"]
    assert told["ms"] > 0.75 * (1000 + 2000)


def test_a_feed_keeps_no_more_than_it_may(module):
    told = feed(
        module,
        """if (query.get('watch')) return { hang: [{ type: 'ADDED', object: item('z', '8') }] };
           return list(['a', 'b', 'c'], '7', 'more');""",
        """const f = make(2); f.start(); await wait(() => f.left === 8); const end = told(f);
           f.stop(); return end;""",
    )
    assert (told["names"], told["left"]) == (["a", "b"], 8)
    assert told["asked"] == ["list", "watch 7"]


def test_an_answer_that_is_no_list_is_told(module):
    told = feed(
        module,
        "return { body: '<html>a proxy that knows better</html>' };",
        """const f = make(); f.start(); await wait(() => f.state === 'refused'); const end = told(f);
           f.stop(); return end;""",
    )
    assert (told["kind"], told["words"]) == ("bad", "the answer is not JSON")


def test_why_a_job_waits(module):
    job = {"phase": "Pending", "reason": "", "message": "", "replicas": 2, "pending": 0}
    job |= {"running": 0, "succeeded": 0, "failed": 0, "unknown": 0}
    facts = {"ns": "n", "name": "j", "job": job, "group": None, "groupMissing": False}
    facts |= {"queueName": "q", "queue": {"state": "Open"}, "queueMissing": False, "pods": None}

    def words(**changed):
        return module("why", f"return m.whatHolds({json.dumps(facts | changed)}).words")

    group = {"phase": "Pending", "refusal": ""}
    assert words(queueMissing=True) == "queue q does not exist."
    assert words(queue={"state": "Closed"}) == "queue q is Closed: nothing new of it is placed."
    assert words(groupMissing=True) == "it has no PodGroup."
    assert words(group=group | {"phase": ""}) == "no scheduler has looked at its PodGroup yet."
    assert words(group=group) == "it is not admitted to queue q."
    assert words(group=group | {"refusal": "no cpu"}) == "it is not admitted to queue q: no cpu"
    inqueue = {"phase": "Inqueue", "refusal": "no node"}
    assert words(group=inqueue) == "it is admitted, and its gang has no place: no node"
    ended = job | {"phase": "Failed", "reason": "R", "message": "m"}
    assert words(job=ended) == "It has ended: Failed (R: m)."
    assert words(job=job | {"phase": "Aborted"}) == "it was suspended."
    assert words(pods=[]) == "it has no pods yet."
    waiting = [{"words": "0/1 nodes are available"}, {"words": ""}]
    assert words(pods=waiting) == "1 of its 2 pods do not run: 0/1 nodes are available"
