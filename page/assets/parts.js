// Pieces that several views are made of.

import { el, keyed, setAttribute, setText, svg } from './dom.js';

// What to do about a failure that will not pass by itself.
function remedyOf(failure, what) {
  switch (failure.kind) {
    case 'forbidden':
      return what.namespaced ? ' Name a namespace above to see only what is in it.' : '';
    case 'missing':
      return ' Are the definitions installed (kubectl apply -f deploy/crds)?';
    default:
      return '';
  }
}

function wordsOf({ what, feed }) {
  if (feed.state === 'refused' && feed.failure.kind === 'unauthorized') return ''; // See SignIn.
  if (feed.state === 'refused') {
    return (
      `${what.name} are not shown: ${feed.failure.message}.`.replace(/\.\.$/, '.') +
      remedyOf(feed.failure, what)
    );
  }
  if (feed.state === 'waiting') {
    const old = feed.isWhole ? ', and what is shown may be old' : '';
    return `${what.name}: ${feed.failure.message}${old}. Trying again.`;
  }
  if (feed.left > 0) {
    return (
      `There are more ${what.name.toLowerCase()} than this page keeps: ${feed.rows.size} are ` +
      'shown. Name a namespace above, or use vcctl.'
    );
  }
  return '';
}

// What could not be read, and why: one line for each part, the others go on.
export class Notices {
  constructor() {
    this.root = el('ul', { class: 'notices', role: 'list' });
  }

  // parts: { what: { name, namespaced }, feed } each.
  render(parts) {
    const lines = parts.map(wordsOf).filter((words) => words !== '');
    keyed(this.root, lines, {
      key: (line) => line,
      make: () => el('li', { class: 'notice', role: 'listitem' }),
      update: setText,
    });
    this.root.hidden = lines.length === 0;
  }
}

// "Show more" below a table that shows the first rows only.
export class More {
  #step;
  constructor(step, changed) {
    this.#step = step;
    this.shown = step;
    this.button = el('button', {
      type: 'button',
      class: 'more',
      on: {
        click: () => {
          this.shown += this.#step;
          changed();
        },
      },
    });
  }

  render(total) {
    const hidden = Math.max(0, total - this.shown);
    this.button.hidden = hidden === 0;
    setText(this.button, `Show ${Math.min(hidden, this.#step)} more of ${hidden}`);
  }
}

// A choice among texts that change: the one that is chosen stays.
export function renderChoice(select, first, values) {
  if (document.activeElement === select) return; // An open list must not change under the reader.
  const all =
    select.value !== '' && !values.includes(select.value) ? [...values, select.value] : values;
  const chosen = select.value;
  keyed(select, ['', ...all], {
    key: (value) => value,
    make: (value) => el('option', { value }),
    update: (node, value) => setText(node, value === '' ? first : value),
  });
  select.value = chosen;
}

export function field(label, control) {
  return el('label', { class: 'field' }, el('span', {}, label), control);
}

const PHASES = new Map([
  ['Running', 'good'],
  ['Completed', 'done'],
  ['Succeeded', 'done'],
  ['Pending', 'waits'],
  ['Inqueue', 'waits'],
  ['Unknown', 'bad'],
  ['Failed', 'bad'],
  ['Terminated', 'bad'],
  ['Aborted', 'bad'],
  ['Open', 'good'],
  ['Closed', 'bad'],
]);

export function renderPhase(node, phase) {
  setText(node, phase === '' ? 'no phase yet' : phase);
  setAttribute(node, 'class', `phase ${PHASES.get(phase) ?? 'other'}`);
}

// A bar: `used` of `full`, with marks. What it shows stands beside it as text.
export class Bar {
  #used = svg('rect', { class: 'used', x: 0, y: 2, height: 8 });
  #over = svg('rect', { class: 'over', y: 2, height: 8 });
  #guarantee = svg('rect', { class: 'guarantee', x: 0, y: 10, height: 2 });
  #deserved = svg('rect', { class: 'deserved', y: 0, width: 2, height: 12 });

  constructor() {
    this.root = svg(
      'svg',
      {
        class: 'bar',
        viewBox: '0 0 200 12',
        preserveAspectRatio: 'none',
        'aria-hidden': 'true',
        focusable: 'false',
      },
      svg('rect', { class: 'track', x: 0, y: 2, width: 200, height: 8 }),
      this.#used,
      this.#over,
      this.#guarantee,
      this.#deserved,
    );
  }

  // Amounts in one unit; those that are not set are undefined.
  render({ used, full, deserved, guarantee }) {
    const scale = full > 0 ? 200 / full : 0;
    const at = (value) => Math.max(0, Math.min(200, (value ?? 0) * scale));
    const within = Math.min(used, deserved ?? used);
    setAttribute(this.#used, 'width', at(within).toFixed(1));
    setAttribute(this.#over, 'x', at(within).toFixed(1));
    setAttribute(this.#over, 'width', (at(used) - at(within)).toFixed(1));
    setAttribute(this.#guarantee, 'width', at(guarantee).toFixed(1));
    setAttribute(this.#deserved, 'x', Math.min(198, Math.max(0, at(deserved) - 1)).toFixed(1));
    setAttribute(this.#deserved, 'visibility', deserved === undefined ? 'hidden' : 'visible');
  }
}
