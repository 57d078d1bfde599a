// The view of jobs: a table with phases and the reason for waiting.

import { announce, el, keyed, setAttribute, setText } from './dom.js';
import { Bar, field, More, Notices, renderChoice, renderPhase } from './parts.js';
import { choose, linesOf, sorted } from './rows.js';
import { age, dayTime } from './times.js';

const ROWS_STEP = 100;
const COLUMNS = [
  ['name', 'Job'],
  ['queue', 'Queue'],
  ['phase', 'Phase'],
  ['pods', 'Pods'],
  ['age', 'Age'],
  ['waits', 'Waits for'],
];

// "3 of 4 run, at least 2"; over: those that have ended.
export function podsWords({ running, over, replicas, min }) {
  const of = Number.isFinite(replicas) ? ` of ${replicas}` : '';
  return `${running}${of} run${over > 0 ? `, ${over} over` : ''}, at least ${min}`;
}

export function linkTo(row) {
  const kind = row.kind === 'Job' ? 'jobs' : 'podgroups';
  return `#/${kind}/${encodeURIComponent(row.ns)}/${encodeURIComponent(row.name)}`;
}

export class JobsView {
  #app;
  #notices = new Notices();
  #search = el('input', { type: 'search', id: 'search', maxlength: 200, spellcheck: 'false' });
  #phase = el('select', { id: 'phase' });
  #queue = el('select', { id: 'queue' });
  #summary = el('p', { class: 'summary' });
  #more;
  #order = { order: 'waits', descending: false };
  #heads = new Map();
  #body = el('tbody', { role: 'rowgroup' });

  constructor(app) {
    this.#app = app;
    this.title = 'Jobs';
    this.#more = new More(ROWS_STEP, () => app.schedule());
    this.root = el(
      'section',
      {},
      el('h2', { id: 'view-title', tabindex: -1 }, 'Jobs'),
      this.#notices.root,
      el(
        'div',
        { class: 'filters', role: 'search', 'aria-label': 'Filter jobs' },
        field('Search', this.#search),
        field('Phase', this.#phase),
        field('Queue', this.#queue),
      ),
      this.#summary,
      this.#makeTable(),
      this.#more.button,
    );
    for (const control of [this.#search, this.#phase, this.#queue]) {
      control.addEventListener('input', () => this.#onFilter());
    }
  }

  #makeTable() {
    const head = el('tr', { role: 'row' });
    for (const [order, label] of COLUMNS) {
      const button = el(
        'button',
        { type: 'button', on: { click: () => this.#onOrder(order) } },
        label,
      );
      const cell = el('th', { scope: 'col', role: 'columnheader', class: `of-${order}` }, button);
      this.#heads.set(order, cell);
      head.append(cell);
    }
    return el(
      'table',
      { role: 'table', class: 'jobs', 'aria-labelledby': 'view-title' },
      el('thead', { role: 'rowgroup' }, head),
      this.#body,
    );
  }

  feeds() {
    return [this.#app.jobs, this.#app.groups, this.#app.queues];
  }

  #onFilter() {
    this.#more.shown = ROWS_STEP;
    this.#app.schedule(() => announce(this.#summary.textContent));
  }

  #onOrder(order) {
    const same = this.#order.order === order;
    this.#order = { order, descending: same && !this.#order.descending };
    this.#app.schedule();
  }

  render() {
    const { jobs, groups, queues } = this.#app;
    this.#notices.render([
      { what: { name: 'Jobs', namespaced: true }, feed: jobs },
      { what: { name: 'Pod groups', namespaced: true }, feed: groups },
      { what: { name: 'Queues' }, feed: queues },
    ]);
    const lines = linesOf(this.#app);
    renderChoice(this.#phase, 'all', sorted(lines.map((line) => line.row.phase)));
    renderChoice(this.#queue, 'all', sorted(lines.map((line) => line.row.queue)));
    const found = choose(lines, {
      search: this.#search.value,
      phase: this.#phase.value,
      queue: this.#queue.value,
      ...this.#order,
    });
    setText(this.#summary, this.#summaryWords(lines, found));
    for (const [order, cell] of this.#heads) {
      const { order: by, descending } = this.#order;
      setAttribute(
        cell,
        'aria-sort',
        order !== by ? null : descending ? 'descending' : 'ascending',
      );
    }
    keyed(this.#body, found.slice(0, this.#more.shown), {
      key: (line) => line.key,
      make: (line) => this.#makeRow(line),
      update: renderRow,
    });
    this.#body.parentNode.hidden = lines.length === 0;
    this.#more.render(found.length);
  }

  #summaryWords(lines, found) {
    const { jobs, groups } = this.#app;
    if (lines.length === 0) {
      return jobs.isWhole && groups.isWhole
        ? `There are no jobs${this.#app.scopeWords()}.`
        : jobs.state === 'reading'
          ? 'Reading…'
          : '';
    }
    const waiting = lines.filter((line) => line.waits).length;
    const ended = lines.filter((line) => line.ended).length;
    const all =
      `${lines.length} ${lines.length === 1 ? 'job' : 'jobs'}${this.#app.scopeWords()}: ` +
      `${waiting} waiting, ${lines.length - waiting - ended} running, ${ended} ended.`;
    return found.length === lines.length ? all : `${all} ${found.length} match.`;
  }

  #makeRow({ row }) {
    const cell = (column, label, ...inner) =>
      el('td', { role: 'cell', class: `of-${column}`, 'data-label': label }, ...inner);
    const node = el('tr', { role: 'row' });
    node.phase = el('span', {});
    node.pods = el('span', {});
    node.bar = new Bar();
    node.queue = el('span', {});
    node.age = el('span', {});
    node.words = el('span', {});
    node.append(
      el(
        'th',
        { scope: 'row', role: 'rowheader', class: 'of-name' },
        el('a', { href: linkTo(row) }, el('span', { class: 'quiet' }, `${row.ns}/`), row.name),
        row.kind === 'Job' ? null : el('span', { class: 'tag' }, 'PodGroup'),
      ),
      cell('queue', 'Queue', node.queue),
      cell('phase', 'Phase', node.phase),
      cell('pods', 'Pods', node.bar.root, node.pods),
      cell('age', 'Age', node.age),
      cell('waits', 'Waits for', node.words),
    );
    return node;
  }
}

function renderRow(node, line) {
  const { row } = line;
  setText(node.queue, row.queue);
  renderPhase(node.phase, row.phase);
  setText(node.pods, podsWords(line));
  const full = Math.max(row.min, line.running + line.over, line.replicas || 0);
  node.bar.render({ used: line.running + line.over, full, deserved: row.min });
  setText(node.age, age(row.created));
  setAttribute(node.age, 'title', dayTime(row.created));
  setText(node.words, line.waits ? line.words : '');
}
