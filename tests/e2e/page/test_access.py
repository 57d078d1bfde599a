"""Who the page is for: keyboards, screen readers, light and dark, narrow and wide."""

import itertools

import pytest

from support.jobs import task

pytestmark = pytest.mark.backend("embedded")

VIEWS = ("queues", "jobs", "nodes")
# The worst contrast of any text with the ground behind it, and the text.
CONTRAST = """(() => {
  const parse = (c) => c.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => { const f = [r, g, b].map((v) => { v /= 255;
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * f[0] + 0.7152 * f[1] + 0.0722 * f[2]; };
  const ground = (e) => { for (; e; e = e.parentElement) {
    const c = parse(getComputedStyle(e).backgroundColor); if ((c[3] ?? 1) > 0.99) return c; }
    return parse(getComputedStyle(document.body).backgroundColor); };
  let worst = [99, ''];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const text = walk.currentNode.textContent.trim(); const e = walk.currentNode.parentElement;
    if (text === '' || !e.checkVisibility() || e.closest('canvas, datalist, select')) continue;
    const style = getComputedStyle(e);
    const inSvg = e instanceof SVGElement;
    const a = light(parse(inSvg ? style.fill : style.color)), b = light(ground(e));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < worst[0]) worst = [ratio, text];
  }
  return worst;
})()"""


@pytest.fixture
def busy(world):
    """Jobs that run, wait, end and fail."""
    narrow = world.queue("narrow", capability={"cpu": "1"}, deserved={"cpu": "1"})
    world.job("runs", [task("a", 3)])
    world.job("waits", [task("a", 2, cpu="3")], queue=narrow)
    world.job("ends", [task("a", script="exit 0")])
    world.job("fails", [task("a", script="exit 1")])
    world.wait_phase("ends", "Completed")
    return world


def settle(tab):
    """Waits until the view shows something."""
    tab.until_text("Live", "#contact")
    tab.until("document.querySelectorAll('main *').length > 30")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_texts_stand_out(look, busy, dark):
    for view in (*VIEWS, f"jobs/{busy.namespace}/fails"):
        tab = look(view, dark=dark)
        settle(tab)
        ratio, text = tab.run(CONTRAST)
        assert ratio >= 4.5, f"{view}: {text!r} has a contrast of {ratio:.2f}"
        ground = tab.run("getComputedStyle(document.body).backgroundColor")
        assert ground == ("rgb(20, 24, 29)" if dark else "rgb(255, 255, 255)")


def test_everything_has_a_role_and_a_name(look, busy):
    needs_name = {"button", "link", "textbox", "searchbox", "combobox", "listbox", "option", "img"}
    needs_name |= {"treegrid", "table", "navigation", "rowheader", "image"}
    for view in (*VIEWS, f"jobs/{busy.namespace}/runs"):
        tab = look(view)
        settle(tab)
        told = tab.tree()
        nameless = [(role, name) for role, name, _ in told if role in needs_name and not name]
        assert nameless == [], view
        roles = {role for role, _, _ in told}
        assert {"banner", "navigation", "main", "heading", "status"} <= roles, view
        current = [n for r, n, _ in told if r == "link" and n.lower() == view.split("/")[0]]
        assert current, view
    levels = [p["level"] for r, _, p in told if r == "heading"]
    assert levels[:2] == [1, 2]
    assert all(b - a <= 1 for a, b in itertools.pairwise(levels))


def test_the_tree_of_queues_is_told_as_one(look, busy):
    tab = look("queues")
    tab.until("document.querySelectorAll('[data-queue]').length > 2")
    rows = [(name, p) for role, name, p in tab.tree() if role == "row" and "level" in p]
    levels = {name.partition(",")[0].strip(" ▾▸"): p["level"] for name, p in rows}
    assert (levels.get("root"), levels.get("default")) == (1, 2), rows
    assert any(p.get("expanded") for _, p in rows)


def test_tab_leads_through_the_page_in_order(look, busy):
    tab = look("jobs")
    tab.until_text(f"{busy.namespace}/runs")
    seen = []
    for _ in range(17):
        tab.key("Tab")
        seen.append(tab.focused())
    assert seen[:6] == ["Skip to content", "to-queues", "to-jobs", "to-nodes", "namespace", "forget"]
    assert seen[6:9] == ["search", "phase", "queue"]
    assert seen[9:15] == ["Job", "Queue", "Phase", "Pods", "Age", "Waits for"]
    assert [link.count("/") for link in seen[15:]] == [1, 1]  # The first two jobs.
    ring = "getComputedStyle(document.activeElement).outlineStyle"
    assert tab.run(ring) == "solid"
    tab.key("Enter")
    tab.until_text("‹ All jobs")
    assert tab.focused() == "view-title"


def test_one_can_skip_to_the_content(look, busy):
    tab = look("nodes")
    tab.until_text("6 nodes")
    tab.key("Tab")
    assert tab.run("document.activeElement.getBoundingClientRect().left") >= 0
    tab.key("Enter")
    assert tab.focused() == "main"
    tab.until_text("6 nodes")  # And the view is still the same.


@pytest.mark.parametrize("width", [320, 760, 1920])
def test_nothing_sticks_out(look, busy, width):
    for view in (*VIEWS, f"jobs/{busy.namespace}/runs"):
        tab = look(view, width=width)
        settle(tab)
        assert tab.run("document.documentElement.scrollWidth") <= width, view


def test_the_heat_map_follows_light_and_dark(look, cluster):
    tab = look("nodes")
    tab.until_text("6 nodes")
    first = "[...document.querySelector('.heat canvas').getContext('2d').getImageData(8, 8, 1, 1).data].join()"
    light = tab.run(first)
    tab.media(dark=True)
    tab.until(f"{first} !== '{light}'")


def test_nothing_moves_for_those_who_want_it_still(look, busy):
    tab = look("queues")
    tab.until("!!document.querySelector('svg.bar .used')")
    moved = "getComputedStyle(document.querySelector('svg.bar .used')).transitionDuration"
    assert tab.run(moved) == "0s"
    tab.media(still=False)
    assert tab.run(moved) != "0s"


def test_a_screen_reader_is_not_told_of_every_change(look, world):
    """Only what the reader asks for is announced."""
    tab = look("jobs")
    tab.until_text("Live", "#contact")
    tab.run(
        "window.said = []; for (const e of document.querySelectorAll('[role=status]'))"
        " new MutationObserver(() => said.push(e.textContent)).observe(e, {childList: true})"
    )
    for name in ("one", "two", "three"):
        world.job(name, [task("a", script="exit 0")])
        world.wait_phase(name, "Completed")
    tab.until_text(f"{world.namespace}/three")
    assert tab.run("said") == []
