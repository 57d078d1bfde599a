// The heat map: nodes as squares on a canvas, coloured by how much of each is asked for. It is a
// list box for the keyboard and for screen readers, with one option at a time: there may be 10,000.

import { el, setAttribute, setText } from './dom.js';

const SIDE_MIN = 7; // Pixels, with the gap.
const SIDE_MAX = 34;
const HEIGHT_WANTED = 360;
export const STEPS = 6;

// The step of the scale for a share; -1: not known.
export function stepOf(share) {
  if (!Number.isFinite(share)) return -1;
  return Math.max(0, Math.min(STEPS - 1, Math.floor(share * STEPS)));
}

export function layout(width, count) {
  const side = Math.sqrt((width * HEIGHT_WANTED) / Math.max(1, count));
  const size = Math.max(SIDE_MIN, Math.min(SIDE_MAX, Math.floor(side)));
  const columns = Math.max(1, Math.floor(width / size));
  return { size, columns, rows: Math.ceil(count / columns) };
}

// cells: [{ name, share, mark, words }], mark: '' none, 'down' or 'cordoned'.
export class HeatMap {
  #cells = [];
  #current = 0;
  #shape = { size: 1, columns: 1, rows: 1 };
  #canvas = el('canvas', { 'aria-hidden': 'true' });
  #ring = el('div', { class: 'ring', 'aria-hidden': 'true', hidden: true });
  // Two options in turn: a screen reader says the one that becomes active.
  #options = [0, 1].map((n) =>
    el('div', { id: `heat-${n}`, role: 'option', class: 'unseen', hidden: true }),
  );
  #turn = 0;
  #chosen;

  constructor(chosen) {
    this.#chosen = chosen;
    this.root = el(
      'div',
      {
        class: 'heat',
        role: 'listbox',
        tabindex: 0,
        'aria-labelledby': 'heat-title',
        'aria-describedby': 'heat-how',
        on: {
          keydown: (event) => this.#onKey(event),
          focus: () => this.#tell(),
          click: (event) => this.#onClick(event),
        },
      },
      this.#canvas,
      this.#ring,
      ...this.#options,
    );
  }

  get current() {
    return this.#cells[this.#current];
  }

  render(cells) {
    const name = this.current?.name;
    this.#cells = cells;
    this.#current = Math.max(
      0,
      cells.findIndex((cell) => cell.name === name),
    );
    const width = Math.max(SIDE_MAX, Math.floor(this.root.clientWidth));
    this.#shape = layout(width, cells.length);
    this.#paint(width);
    this.#place();
  }

  choose(name) {
    const at = this.#cells.findIndex((cell) => cell.name === name);
    if (at >= 0) this.#go(at);
  }

  #colours() {
    const style = getComputedStyle(this.root);
    const of = (name) => style.getPropertyValue(name).trim();
    return {
      steps: Array.from({ length: STEPS }, (_, i) => of(`--heat-${i}`)),
      none: of('--track'),
      mark: of('--heat-mark'),
      ground: of('--bg'),
      line: of('--line'),
    };
  }

  #paint(width) {
    const { size, columns, rows } = this.#shape;
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    const height = Math.max(1, rows * size);
    const canvas = this.#canvas;
    if (
      canvas.width !== Math.floor(width * ratio) ||
      canvas.height !== Math.floor(height * ratio)
    ) {
      canvas.width = Math.floor(width * ratio);
      canvas.height = Math.floor(height * ratio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    const pen = canvas.getContext('2d');
    const colours = this.#colours();
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    this.#cells.forEach((cell, i) => {
      paintCell(pen, cell, colours, (i % columns) * size, Math.floor(i / columns) * size, size - 1);
    });
  }

  #place() {
    const { size, columns } = this.#shape;
    this.#ring.hidden = this.#cells.length === 0;
    this.#ring.style.width = `${size + 5}px`;
    this.#ring.style.height = `${size + 5}px`;
    const x = (this.#current % columns) * size - 3;
    const y = Math.floor(this.#current / columns) * size - 3;
    this.#ring.style.transform = `translate(${x}px, ${y}px)`;
    this.#write(this.#options[this.#turn]);
  }

  #write(option) {
    const cell = this.current;
    option.hidden = cell === undefined;
    setText(option, cell ? `${cell.name}: ${cell.words}` : '');
    setAttribute(option, 'aria-posinset', cell ? this.#current + 1 : null);
    setAttribute(option, 'aria-setsize', cell ? this.#cells.length : null);
    setAttribute(option, 'aria-selected', cell ? 'true' : null);
  }

  #tell() {
    this.#turn = 1 - this.#turn;
    this.#write(this.#options[this.#turn]);
    setAttribute(this.#options[1 - this.#turn], 'aria-selected', 'false');
    setAttribute(
      this.root,
      'aria-activedescendant',
      this.#cells.length > 0 ? `heat-${this.#turn}` : null,
    );
  }

  #go(index) {
    if (this.#cells.length === 0) return;
    this.#current = Math.max(0, Math.min(index, this.#cells.length - 1));
    this.#place();
    this.#tell();
    this.#chosen(this.current);
  }

  #onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { columns } = this.#shape;
    const at = this.#current;
    const last = this.#cells.length - 1;
    const to = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      ArrowDown: at + columns > last ? at : at + columns,
      ArrowUp: at < columns ? at : at - columns,
      Home: 0,
      End: last,
      PageDown: at + 10 * columns,
      PageUp: at - 10 * columns,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.#go(to);
  }

  #onClick(event) {
    const box = this.#canvas.getBoundingClientRect();
    const { size, columns } = this.#shape;
    const column = Math.floor((event.clientX - box.left) / size);
    const index = Math.floor((event.clientY - box.top) / size) * columns + column;
    if (column >= 0 && column < columns && index < this.#cells.length) this.#go(index);
  }
}

function paintCell(pen, { share, mark }, colours, x, y, side) {
  const step = stepOf(share);
  pen.fillStyle = step < 0 ? colours.none : colours.steps[step];
  pen.fillRect(x, y, side, side);
  if (step < 0) {
    pen.strokeStyle = colours.line;
    pen.strokeRect(x + 0.5, y + 0.5, side - 1, side - 1);
  }
  if (mark === '') return;
  // Not by colour alone: a cross is down, a stroke takes no new pods.
  pen.beginPath();
  pen.moveTo(x + 1, y + side - 1);
  pen.lineTo(x + side - 1, y + 1);
  if (mark === 'down') {
    pen.moveTo(x + 1, y + 1);
    pen.lineTo(x + side - 1, y + side - 1);
  }
  const width = side > 12 ? 2 : 1;
  // An edge in the colour of the ground, so that the mark is seen on every step of the scale.
  for (const [colour, wide] of [
    [colours.ground, width + 2],
    [colours.mark, width],
  ]) {
    pen.strokeStyle = colour;
    pen.lineWidth = wide;
    pen.stroke();
  }
  pen.lineWidth = 1;
}
