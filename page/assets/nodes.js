// The view of nodes: a heat map of how much of each is asked for, and the same as a table.

import { announce, el, keyed, setText } from './dom.js';
import { HeatMap, STEPS, stepOf } from './heat.js';
import { Bar, field, More, Notices, renderChoice } from './parts.js';
import { format, inOrder, percent } from './quantity.js';

const ROWS_STEP = 50;
const ALL = 'fullest of all';

// What the pods of each node ask for: node → resource → amount, and `pods`.
export function sumLoads(loads) {
  const sums = new Map();
  for (const { node, request } of loads) {
    if (!sums.has(node)) sums.set(node, new Map([['pods', 0]]));
    const of = sums.get(node);
    of.set('pods', of.get('pods') + 1);
    for (const [name, value] of request)
      if (name !== 'pods') of.set(name, (of.get(name) ?? 0) + value);
  }
  return sums;
}

// The share of the resource that is asked for; of all of them, the largest. NaN: not known, or the
// node has none.
export function shareOf(node, asked, resource) {
  if (asked === null) return NaN;
  const one = (name) => {
    const room = node.allocatable.get(name);
    const taken = asked.get(name) ?? 0;
    return room > 0 ? taken / room : NaN;
  };
  if (resource !== ALL) return one(resource);
  const shares = [...node.allocatable.keys()]
    .filter((name) => name !== 'pods')
    .map(one)
    .filter((share) => !Number.isNaN(share));
  return shares.length === 0 ? NaN : Math.max(...shares);
}

export function stateWords(node) {
  const words = [
    node.ready ? 'ready' : `not ready${node.readyWords === '' ? '' : ` (${node.readyWords})`}`,
  ];
  if (node.cordoned) words.push('cordoned');
  return [...words, ...node.pressures].join(', ');
}

// "cpu 6 of 8 (75 %)".
function amountWords(node, asked, name) {
  const room = node.allocatable.get(name);
  const taken = asked.get(name) ?? 0;
  return (
    `${name} ${format(name, taken)} of ${format(name, room)}` +
    `${room > 0 ? ` (${percent(taken / room)})` : ''}`
  );
}

const collator = new Intl.Collator('en', { numeric: true });

export class NodesView {
  #app;
  #notices = new Notices();
  #summary = el('p', { class: 'summary' });
  #resource = el('select', { id: 'resource' });
  #search = el('input', { type: 'search', id: 'node-search', maxlength: 200, spellcheck: 'false' });
  #heat = new HeatMap((cell) => this.#onChosen(cell));
  #chosen = el('div', { class: 'chosen' });
  #body = el('tbody', { role: 'rowgroup' });
  #counts = el('ul', { class: 'legend', role: 'list' });
  #more;
  #sums = { edition: -1, of: new Map() };
  #names = { nodes: null, of: [] };

  constructor(app) {
    this.#app = app;
    this.title = 'Nodes';
    this.#more = new More(ROWS_STEP, () => app.schedule());
    for (const control of [this.#resource, this.#search]) {
      control.addEventListener('input', () =>
        app.schedule(() => announce(this.#summary.textContent)),
      );
    }
    const columns = ['Node', 'State', 'Share', 'Asked for'];
    this.root = el(
      'section',
      {},
      el('h2', { id: 'view-title', tabindex: -1 }, 'Nodes'),
      this.#notices.root,
      el(
        'div',
        { class: 'filters', role: 'search', 'aria-label': 'Filter nodes' },
        field('Share of', this.#resource),
        field('Search', this.#search),
      ),
      this.#summary,
      (this.map = el(
        'div',
        {},
        el('h3', { id: 'heat-title' }, 'Heat map'),
        el(
          'p',
          { id: 'heat-how', class: 'quiet' },
          'Arrow keys move from node to node; the table below tells the same.',
        ),
        this.#counts,
        this.#heat.root,
        this.#chosen,
      )),
      (this.list = el(
        'div',
        {},
        el('h3', { id: 'list-title' }, 'Fullest first'),
        el(
          'table',
          { role: 'table', class: 'nodes', 'aria-labelledby': 'list-title' },
          el(
            'thead',
            { role: 'rowgroup' },
            el(
              'tr',
              { role: 'row' },
              ...columns.map((column) => el('th', { scope: 'col', role: 'columnheader' }, column)),
            ),
          ),
          this.#body,
        ),
        this.#more.button,
      )),
    );
  }

  feeds() {
    return [this.#app.nodes, this.#app.loads];
  }

  render() {
    const { nodes, loads } = this.#app;
    this.#notices.render([
      { what: { name: 'Nodes' }, feed: nodes },
      { what: { name: 'Pods on nodes' }, feed: loads },
    ]);
    const resources = new Set(
      [...nodes.rows.values()].flatMap((node) =>
        [...node.allocatable].filter(([, room]) => room > 0).map(([name]) => name),
      ),
    );
    renderChoice(this.#resource, ALL, inOrder(resources));
    const resource = this.#resource.value || ALL;
    const words = this.#search.value.toLowerCase().trim();
    const cells = this.#inOrder()
      .filter((node) => node.name.toLowerCase().includes(words))
      .map((node) => this.#cellOf(node, resource));
    setText(this.#summary, this.#summaryWords(cells, resource));
    this.map.hidden = this.list.hidden = nodes.rows.size === 0;
    if (this.map.hidden) return;
    this.#renderLegend(cells);
    this.#heat.render(cells);
    this.#onChosen(this.#heat.current, false);
    const fullest = cells.slice().sort((a, b) => (b.share || 0) - (a.share || 0));
    keyed(this.#body, fullest.slice(0, this.#more.shown), {
      key: (cell) => cell.name,
      make: (cell) => this.#makeRow(cell),
      update: renderRow,
    });
    this.#more.render(fullest.length);
  }

  // By name, with numbers in their order; sorted anew only when nodes come or go.
  #inOrder() {
    const { rows } = this.#app.nodes;
    const same =
      this.#names.of.length === rows.size && this.#names.of.every((name) => rows.has(name));
    if (!same) this.#names.of = [...rows.keys()].sort(collator.compare);
    return this.#names.of.map((name) => rows.get(name));
  }

  #askedOf(node) {
    const { loads } = this.#app;
    if (!loads.isWhole) return null;
    if (this.#sums.edition !== loads.edition) {
      this.#sums = { edition: loads.edition, of: sumLoads(loads.rows.values()) };
    }
    return this.#sums.of.get(node.name) ?? new Map([['pods', 0]]);
  }

  #cellOf(node, resource) {
    const asked = this.#askedOf(node);
    const share = shareOf(node, asked, resource);
    return {
      name: node.name,
      node,
      asked,
      share,
      mark: !node.ready ? 'down' : node.cordoned ? 'cordoned' : '',
      get words() {
        const asks = Number.isNaN(share) ? 'share not known' : `${percent(share)} asked for`;
        return `${asks}, ${stateWords(node)}`;
      },
    };
  }

  #summaryWords(cells, resource) {
    const { nodes } = this.#app;
    if (nodes.rows.size === 0) {
      return nodes.isWhole ? 'There are no nodes.' : nodes.state === 'reading' ? 'Reading…' : '';
    }
    const down = cells.filter((cell) => cell.mark === 'down').length;
    const cordoned = cells.filter((cell) => cell.mark === 'cordoned').length;
    const words = [
      `${cells.length} ${cells.length === 1 ? 'node' : 'nodes'}: ` +
        `${down} not ready, ${cordoned} cordoned.`,
    ];
    const known = cells.filter((cell) => cell.asked !== null);
    if (resource !== ALL && known.length > 0) {
      const sum = (of) => known.reduce((total, cell) => total + (of(cell) ?? 0), 0);
      const room = sum((cell) => cell.node.allocatable.get(resource));
      const taken = sum((cell) => cell.asked.get(resource));
      words.push(
        `${format(resource, taken)} of ${format(resource, room)} ${resource} asked for` +
          `${room > 0 ? ` (${percent(taken / room)})` : ''}.`,
      );
    }
    return words.join(' ');
  }

  #renderLegend(cells) {
    const counts = Array.from({ length: STEPS }, () => 0);
    for (const cell of cells) if (stepOf(cell.share) >= 0) ++counts[stepOf(cell.share)];
    const bound = (step) => Math.round((step * 100) / STEPS);
    const entries = counts.map((count, step) => ({
      step,
      words: `${bound(step)}–${bound(step + 1)} %: ${count}`,
    }));
    const unknown = cells.filter((cell) => stepOf(cell.share) < 0).length;
    if (unknown > 0) entries.push({ step: 'none', words: `not known, or has none: ${unknown}` });
    keyed(this.#counts, entries, {
      key: (entry) => entry.step,
      make: (entry) =>
        el('li', {}, el('span', { class: `key heat-${entry.step}` }), el('span', {})),
      update: (node, entry) => setText(node.lastChild, entry.words),
    });
  }

  #onChosen(cell) {
    if (!cell) {
      setText(this.#chosen, '');
      return;
    }
    const { node, asked } = cell;
    const amounts =
      asked === null
        ? []
        : inOrder(node.allocatable.keys())
            .filter((name) => node.allocatable.get(name) > 0)
            .map((name) => amountWords(node, asked, name));
    const lines = [
      `${node.name}: ${stateWords(node)}`,
      amounts.join(', '),
      node.taints.length === 0 ? '' : `taints ${node.taints.join(', ')}`,
    ].filter((line) => line !== '');
    keyed(
      this.#chosen,
      lines.map((line, index) => ({ line, index })),
      {
        key: ({ index }) => index,
        make: () => el('p', {}),
        update: (part, { line }) => setText(part, line),
      },
    );
  }

  #makeRow(cell) {
    const row = el('tr', { role: 'row' });
    row.state = el('td', { role: 'cell', 'data-label': 'State' });
    row.bar = new Bar();
    row.share = el('span', {});
    row.asked = el('td', { role: 'cell', 'data-label': 'Asked for' });
    row.append(
      el('th', { scope: 'row', role: 'rowheader' }, cell.name),
      row.state,
      el('td', { role: 'cell', 'data-label': 'Share' }, row.bar.root, row.share),
      row.asked,
    );
    return row;
  }
}

function renderRow(row, { node, asked, share }) {
  setText(row.state, stateWords(node));
  row.bar.render({ used: share || 0, full: 1 });
  setText(row.share, Number.isNaN(share) ? 'not known' : percent(share));
  setText(
    row.asked,
    asked === null
      ? ''
      : inOrder(node.allocatable.keys())
          .filter((name) => asked.get(name) > 0)
          .map((name) => amountWords(node, asked, name))
          .join(', '),
  );
}
