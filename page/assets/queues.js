// The view of queues: a tree in which each queue shows what it holds of what it may hold.

import { announce, el, keyed, setAttribute, setText } from './dom.js';
import { Bar, Notices, renderPhase } from './parts.js';
import { format, inOrder, percent } from './quantity.js';

const DEPTH_MAX = 32;

// The queues in the order of their tree, each with its depth; those whose parent is not there, or
// who are their own ancestors, stand at the top.
export function treeOf(queues) {
  const known = new Map(queues.map((queue) => [queue.name, queue]));
  const children = new Map();
  const isRooted = (queue) => {
    let at = queue;
    for (let steps = 0; steps < DEPTH_MAX; ++steps) {
      if (at.parent === '' || !known.has(at.parent)) return true;
      at = known.get(at.parent);
    }
    return false;
  };
  for (const queue of queues) {
    const parent = known.has(queue.parent) && isRooted(queue) ? queue.parent : '';
    if (!children.has(parent)) children.set(parent, []);
    children.get(parent).push(queue);
  }
  const out = [];
  const visit = (parent, level, above) => {
    const of = (children.get(parent) ?? []).sort((a, b) => (a.name < b.name ? -1 : 1));
    of.forEach((queue, index) => {
      const path = [...above, queue.name];
      const isParent = children.has(queue.name);
      out.push({ queue, level, path: above, isParent, place: index + 1, siblings: of.length });
      if (isParent) visit(queue.name, level + 1, path);
    });
  };
  visit('', 1, []);
  return out;
}

// How many pod groups of each queue run, are admitted, wait; as `vcctl queue explain` counts them.
export function countGroups(groups) {
  const counts = new Map();
  for (const group of groups) {
    if (!counts.has(group.queue)) counts.set(group.queue, { running: 0, admitted: 0, waiting: 0 });
    const of = counts.get(group.queue);
    if (group.phase === 'Running' || group.phase === 'Unknown') ++of.running;
    else if (group.phase === 'Inqueue') ++of.admitted;
    else if (group.phase === 'Pending' || group.phase === '') ++of.waiting;
  }
  return counts;
}

// The largest amount of each resource that is told of any queue: bars of queues without a limit of
// their own are drawn to this scale.
export function scaleOf(queues) {
  const scale = new Map();
  for (const { allocated, deserved, guarantee, capability } of queues) {
    for (const amounts of [allocated, deserved, guarantee, capability]) {
      for (const [name, value] of amounts) scale.set(name, Math.max(scale.get(name) ?? 0, value));
    }
  }
  return scale;
}

// The lines of a queue: one for each resource that it holds or has limits of.
export function amountsOf(queue, scale) {
  const names = new Set();
  for (const amounts of [queue.allocated, queue.deserved, queue.guarantee, queue.capability]) {
    for (const name of amounts.keys()) if (name !== 'pods') names.add(name);
  }
  return inOrder(names).map((name) => {
    const used = queue.allocated.get(name) ?? 0;
    const deserved = queue.deserved.get(name);
    const guarantee = queue.guarantee.get(name);
    const capability = queue.capability.get(name);
    const most = Math.max(used, deserved ?? 0, guarantee ?? 0);
    const full = Math.max(capability ?? scale.get(name) ?? 0, most);
    return { name, used, deserved, guarantee, capability, full };
  });
}

export function amountWords({ name, used, deserved, guarantee, capability }) {
  let words = format(name, used);
  words +=
    capability === undefined ? ', no limit of its own' : ` of at most ${format(name, capability)}`;
  if (capability > 0) words += ` (${percent(used / capability)})`;
  if (deserved !== undefined) words += `, deserves ${format(name, deserved)}`;
  if (guarantee !== undefined) words += `, guaranteed ${format(name, guarantee)}`;
  return words;
}

function makeAmount() {
  const bar = new Bar();
  const node = el(
    'li',
    {},
    el('span', { class: 'resource' }),
    bar.root,
    el('span', { class: 'amount' }),
  );
  node.bar = bar;
  return node;
}

function renderAmount(node, amount) {
  setText(node.firstChild, amount.name);
  setText(node.lastChild, amountWords(amount));
  node.bar.render(amount);
}

export class QueuesView {
  #app;
  #notices = new Notices();
  #summary = el('p', { class: 'summary' });
  #grid = el('div', { role: 'treegrid', class: 'queues', 'aria-labelledby': 'view-title' });
  #closed = new Set(); // Names of queues whose children are hidden.
  #current = ''; // The queue that Tab leads to.
  #lines = [];

  constructor(app) {
    this.#app = app;
    this.title = 'Queues';
    this.root = el(
      'section',
      {},
      el('h2', { id: 'view-title', tabindex: -1 }, 'Queues'),
      this.#notices.root,
      this.#summary,
      el(
        'p',
        { class: 'legend', id: 'queues-legend' },
        el('span', { class: 'key used' }),
        'allocated ',
        el('span', { class: 'key over' }),
        'above what it deserves ',
        el('span', { class: 'key deserved' }),
        'deserved ',
        el('span', { class: 'key guarantee' }),
        'guaranteed',
      ),
      this.#grid,
    );
    this.#grid.append(
      el(
        'div',
        { role: 'row', class: 'unseen' },
        el('span', { role: 'columnheader' }, 'Queue'),
        el('span', { role: 'columnheader' }, 'Pod groups'),
        el('span', { role: 'columnheader' }, 'Resources'),
      ),
      (this.rows = el('div', { role: 'rowgroup' })),
    );
    this.#grid.addEventListener('keydown', (event) => this.#onKey(event));
    this.#grid.addEventListener('focusin', (event) => {
      const row = event.target.closest('[data-queue]');
      if (row) this.#current = row.dataset.queue;
    });
  }

  feeds() {
    return [this.#app.queues, this.#app.groups];
  }

  render() {
    const { queues, groups } = this.#app;
    this.#notices.render([
      { what: { name: 'Queues' }, feed: queues },
      { what: { name: 'Pod groups', namespaced: true }, feed: groups },
    ]);
    const counts = countGroups(groups.rows.values());
    const all = [...queues.rows.values()];
    const scale = scaleOf(all);
    this.#lines = treeOf(all).filter((line) => !line.path.some((name) => this.#closed.has(name)));
    if (!this.#lines.some((line) => line.queue.name === this.#current)) {
      this.#current = this.#lines[0]?.queue.name ?? '';
    }
    setText(this.#summary, this.#summaryWords());
    keyed(this.rows, this.#lines, {
      key: (line) => line.queue.name,
      make: (line) => this.#makeRow(line),
      update: (row, line) => this.#renderRow(row, line, counts.get(line.queue.name), scale),
    });
    this.#grid.hidden = this.#lines.length === 0;
  }

  #summaryWords() {
    const { queues } = this.#app;
    const total = queues.rows.size;
    if (total === 0)
      return queues.isWhole ? 'There are no queues.' : queues.state === 'reading' ? 'Reading…' : '';
    const closed = [...queues.rows.values()].filter(
      (q) => q.state === 'Closed' || q.state === 'Closing',
    );
    return (
      `${total} ${total === 1 ? 'queue' : 'queues'}` +
      `${closed.length > 0 ? `, ${closed.length} closed or closing` : ''}.`
    );
  }

  #makeRow(line) {
    const { name } = line.queue;
    const row = el('div', { role: 'row', class: 'queue', 'data-queue': name });
    row.fold = el('span', {
      class: 'fold',
      'aria-hidden': 'true',
      on: { click: () => this.#toggle(name) },
    });
    row.state = el('span', { class: 'phase' });
    row.weight = el('span', { class: 'quiet' });
    row.groups = el('span', { role: 'gridcell', class: 'groups' });
    row.amounts = el('ul', { class: 'amounts', role: 'list' });
    row.append(
      el(
        'span',
        { role: 'rowheader', class: 'name' },
        row.fold,
        el('strong', {}, name),
        el('span', { class: 'unseen' }, ', '), // The row is read as one text.
        row.state,
        ' ',
        row.weight,
      ),
      row.groups,
      el('div', { role: 'gridcell', class: 'resources' }, row.amounts),
    );
    return row;
  }

  #renderRow(row, { queue, level, isParent, place, siblings }, counts, scale) {
    const open = !this.#closed.has(queue.name);
    setAttribute(row, 'aria-level', level);
    setAttribute(row, 'aria-posinset', place);
    setAttribute(row, 'aria-setsize', siblings);
    setAttribute(row, 'aria-expanded', isParent ? String(open) : null);
    setAttribute(row, 'tabindex', queue.name === this.#current ? 0 : -1);
    row.style.setProperty('--level', Math.min(level, 8) - 1);
    setText(row.fold, isParent ? (open ? '▾' : '▸') : '');
    renderPhase(row.state, queue.state || 'no state yet');
    setText(row.weight, `weight ${queue.weight}${queue.reclaimable ? '' : ', not reclaimable'}`);
    setText(row.groups, this.#groupWords(isParent, counts));
    keyed(row.amounts, amountsOf(queue, scale), {
      key: (a) => a.name,
      make: makeAmount,
      update: renderAmount,
    });
  }

  // Queues with others below them seldom have pod groups of their own.
  #groupWords(isParent, counts) {
    const { groups } = this.#app;
    if ((isParent && !counts) || (!groups.isWhole && groups.rows.size === 0)) return '';
    const { running, admitted, waiting } = counts ?? { running: 0, admitted: 0, waiting: 0 };
    return `${running} running, ${admitted} admitted, ${waiting} waiting`;
  }

  #toggle(name) {
    if (!this.#closed.delete(name)) this.#closed.add(name);
    announce(`${name} ${this.#closed.has(name) ? 'closed' : 'opened'}`);
    this.#app.schedule();
  }

  #onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const at = this.#lines.findIndex((line) => line.queue.name === this.#current);
    if (at < 0) return;
    const { queue, isParent, path } = this.#lines[at];
    const open = isParent && !this.#closed.has(queue.name);
    const go = (index) =>
      this.#focus(this.#lines[Math.max(0, Math.min(index, this.#lines.length - 1))]);
    const keys = {
      ArrowDown: () => go(at + 1),
      ArrowUp: () => go(at - 1),
      Home: () => go(0),
      End: () => go(this.#lines.length - 1),
      ArrowRight: () => {
        if (open) go(at + 1);
        else if (isParent) this.#toggle(queue.name);
      },
      ArrowLeft: () => {
        if (open) this.#toggle(queue.name);
        else go(this.#lines.findIndex((line) => line.queue.name === path.at(-1)));
      },
      Enter: () => {
        if (isParent) this.#toggle(queue.name);
      },
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  #focus({ queue }) {
    this.#current = queue.name;
    for (const row of this.rows.children) {
      const is = row.dataset.queue === queue.name;
      setAttribute(row, 'tabindex', is ? 0 : -1);
      if (is) row.focus();
    }
  }
}
