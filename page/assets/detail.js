// The view of one job: what holds it, its tasks, its gang over time, its pods.

import { drawGang } from './chart.js';
import { el, keyed, setText, svg } from './dom.js';
import { extentOf, milestones, outcomeOf } from './gang.js';
import { More, Notices, renderPhase } from './parts.js';
import { factsOf } from './rows.js';
import { age, clock, clockTime, dayTime, duration } from './times.js';
import { whatHolds } from './why.js';

const PODS_STEP = 60;
const GONE_MAX = 500;

function count(n, what) {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}

// Tasks of the job, with their pods counted; pods of tasks that it does not name come last.
export function countTasks(row, pods) {
  const tasks = new Map(
    (row.tasks ?? []).map((task) => [task.name, { ...task, waiting: 0, placed: 0, over: 0 }]),
  );
  for (const pod of pods) {
    if (!tasks.has(pod.task)) {
      tasks.set(pod.task, {
        name: pod.task,
        replicas: NaN,
        min: NaN,
        waiting: 0,
        placed: 0,
        over: 0,
      });
    }
    const of = tasks.get(pod.task);
    if (outcomeOf(pod) !== '') ++of.over;
    else if (pod.node !== '') ++of.placed;
    else ++of.waiting;
  }
  return [...tasks.values()];
}

function table(label, columns, kind) {
  const body = el('tbody', { role: 'rowgroup' });
  const head = el('tr', { role: 'row' });
  for (const column of columns)
    head.append(el('th', { scope: 'col', role: 'columnheader' }, column));
  const root = el(
    'table',
    { role: 'table', class: kind, 'aria-label': label },
    el('thead', { role: 'rowgroup' }, head),
    body,
  );
  const makeRow = () =>
    el(
      'tr',
      { role: 'row' },
      ...columns.map((column, i) =>
        i === 0
          ? el('th', { scope: 'row', role: 'rowheader' })
          : el('td', { role: 'cell', 'data-label': column }),
      ),
    );
  const render = (items, key, cellsOf) => {
    root.hidden = items.length === 0;
    keyed(body, items, {
      key,
      make: makeRow,
      update: (row, item) => cellsOf(item).forEach((text, i) => setText(row.children[i], text)),
    });
  };
  return { root, render };
}

const orDash = (value) => (Number.isFinite(value) ? String(value) : '–');

export class DetailView {
  #app;
  #route;
  #gone = new Map(); // Pods that were there while the page looked.
  #notices = new Notices();
  #phase = el('span', {});
  #facts = el('span', { class: 'quiet' });
  #held = el('p', { class: 'held' });
  #remedy = el('p', { class: 'remedy' });
  #tasks = table('Tasks', ['Task', 'Replicas', 'Min', 'Waiting', 'Placed', 'Over'], 'short');
  #told = el('p', { id: 'gang-told' });
  #chart = svg('svg', { class: 'gang', role: 'img', 'aria-labelledby': 'gang-title gang-told' });
  #pods = table('Pods', ['Pod', 'Phase', 'Node', 'Waited', 'Started', 'Ended', 'Says'], 'pods');
  #more;
  #drawn = '';

  // route: { kind: 'jobs' or 'podgroups', ns, name }
  constructor(app, route) {
    this.#app = app;
    this.#route = route;
    this.title = `${route.ns}/${route.name}`;
    this.#more = new More(PODS_STEP, () => app.schedule());
    this.pods = app.podsOf(route, (pod) => this.#onGone(pod));
    const key = (of, words) => el('li', {}, el('span', { class: `key ${of}` }), words);
    this.before = el(
      'p',
      { class: 'quiet' },
      'Pods that were deleted before this page was opened are not among them.',
    );
    this.legend = el(
      'ul',
      { class: 'legend', role: 'list' },
      key('waiting', 'waiting for a place'),
      key('starting', 'placed'),
      key('running', 'running'),
      el('li', {}, '✓ succeeded'),
      el('li', {}, '✕ failed'),
      el('li', {}, '– deleted'),
    );
    this.gang = el(
      'div',
      {},
      el('h3', { id: 'gang-title' }, 'The gang over time'),
      this.#told,
      this.before,
      this.legend,
      el('div', { class: 'chart' }, this.#chart),
    );
    this.work = el('div', {}, el('h3', {}, 'Tasks'), this.#tasks.root);
    this.list = el('div', {}, el('h3', {}, 'Pods'), this.#pods.root, this.#more.button);
    this.root = el(
      'section',
      {},
      el('p', {}, el('a', { href: '#/jobs', id: 'back' }, '‹ All jobs')),
      el(
        'h2',
        { id: 'view-title', tabindex: -1 },
        `${route.kind === 'jobs' ? 'Job' : 'PodGroup'} ${this.title}`,
      ),
      this.#notices.root,
      el('p', {}, this.#phase, ' ', this.#facts),
      this.#held,
      this.#remedy,
      this.work,
      this.gang,
      this.list,
    );
  }

  feeds() {
    return [
      this.pods,
      this.#app.groups,
      this.#app.queues,
      ...(this.#route.kind === 'jobs' ? [this.#app.jobs] : []),
    ];
  }

  #onGone(pod) {
    this.#gone.set(pod.key, { ...pod, gone: clock.now() });
    if (this.#gone.size > GONE_MAX) this.#gone.delete(this.#gone.keys().next().value);
  }

  #row() {
    const feed = this.#route.kind === 'jobs' ? this.#app.jobs : this.#app.groups;
    return { feed, row: feed.rows.get(`${this.#route.ns}/${this.#route.name}`) };
  }

  render() {
    const { feed, row } = this.#row();
    this.#notices.render([
      { what: { name: 'Jobs', namespaced: true }, feed },
      { what: { name: 'Pods' }, feed: this.pods },
    ]);
    for (const part of this.root.children) {
      if (part.id !== 'view-title' && !part.contains(document.getElementById('back'))) {
        part.classList.toggle('absent', !row && part !== this.#held && part !== this.#notices.root);
      }
    }
    if (!row) {
      setText(
        this.#held,
        feed.isWhole
          ? 'It is not there: it was deleted, or never was.'
          : feed.state === 'reading'
            ? 'Reading…'
            : '',
      );
      return;
    }
    const now = [...this.pods.rows.values()].filter(
      (pod) => this.#route.kind === 'jobs' || pod.group === row.name,
    );
    this.#renderHead(row, now);
    this.#renderPods(row, [...now, ...this.#gone.values()]);
  }

  #renderHead(row, pods) {
    renderPhase(this.#phase, row.phase);
    const priority = row.priorityClass === '' ? '' : `, priority class ${row.priorityClass}`;
    setText(
      this.#facts,
      `queue ${row.queue}, created ${age(row.created)} ago (${dayTime(row.created)}), ` +
        `at least ${count(row.min, 'pod')} at once${priority}`,
    );
    const known = this.pods.isWhole ? pods : null;
    const { waits, words, remedy } = whatHolds(factsOf(row, this.#app, known));
    setText(this.#held, `${waits ? 'It waits: ' : ''}${words}`);
    setText(this.#remedy, remedy === '' ? '' : `What helps: ${remedy}`);
    this.#remedy.hidden = remedy === '';
    this.work.hidden = (row.tasks ?? []).length === 0 && pods.length === 0;
    this.#tasks.render(
      countTasks(row, pods),
      (task) => task.name,
      (task) =>
        [
          task.name || '–',
          orDash(task.replicas),
          orDash(task.min),
          task.waiting,
          task.placed,
          task.over,
        ].map(String),
    );
  }

  #renderPods(row, all) {
    const pods = all.sort((a, b) => a.created - b.created || (a.name < b.name ? -1 : 1));
    const shown = pods.slice(0, this.#more.shown);
    setText(this.#told, this.#toldOf(row, pods));
    this.list.hidden = this.#chart.parentNode.hidden = this.legend.hidden = pods.length === 0;
    if (pods.length === 0) return;
    this.#draw(row, shown, pods);
    this.#pods.render(
      shown,
      (pod) => pod.key,
      (pod) => [
        pod.name,
        Number.isFinite(pod.gone) && pod.phase === 'Running' ? 'Deleted' : pod.phase,
        pod.node || '–',
        Number.isFinite(pod.scheduled)
          ? duration(pod.scheduled - pod.created)
          : pod.node === ''
            ? age(pod.created)
            : '–',
        clockTime(pod.started),
        clockTime(Number.isFinite(pod.ended) ? pod.ended : pod.gone),
        pod.words || pod.reason,
      ],
    );
    this.#more.render(pods.length);
  }

  #toldOf(row, pods) {
    if (pods.length === 0) return 'There are no pods.';
    const at = milestones(pods, row.min, row.created);
    const gone = pods.filter((pod) => Number.isFinite(pod.gone)).length;
    const after = (ms) => `${duration(Math.max(0, ms))} after its creation`;
    const words = [
      `${count(pods.length, 'pod')}${gone > 0 ? `, ${gone} of them deleted by now` : ''}.`,
    ];
    if (Number.isNaN(at.first)) words.push('None had a place yet.');
    else if (Number.isNaN(at.placed))
      words.push(
        `The first had a place ${after(at.first)}; of these, ${row.min} never had places at once.`,
      );
    else words.push(`${Math.max(1, row.min)} had places ${after(at.placed)}.`);
    if (!Number.isNaN(at.ran)) words.push(`${Math.max(1, row.min)} ran ${after(at.ran)}.`);
    if (at.most > 0) words.push(`At most ${at.most} ran at once.`);
    return words.join(' ');
  }

  #draw(row, shown, all) {
    const prefix = `${row.name}-`;
    const label = (pod) => (pod.name.startsWith(prefix) ? pod.name.slice(prefix.length) : pod.name);
    const gang = { pods: shown, all, min: row.min, created: row.created, label };
    // Time alone moves what lives; what is over is drawn once for each width.
    const now = Math.floor(clock.now() / 1000) * 1000;
    const until = extentOf(all, row.created, now).to;
    const state =
      `${this.pods.edition} ${until} ${shown.length} ${all.length} ${this.#gone.size} ` +
      `${row.min} ${this.#chart.parentNode.clientWidth}`;
    if (state === this.#drawn) return;
    this.#drawn = state;
    drawGang(this.#chart, gang, now);
  }
}
