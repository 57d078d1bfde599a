// Draws a gang over time: above, how many pods had places and ran; below, a bar for each pod.

import { clear, setAttribute, svg } from './dom.js';
import { extentOf, marksOf, outcomeOf, spansOf, stepsOf } from './gang.js';
import { duration } from './times.js';

const CURVE = 90; // Heights and widths in pixels.
const AXIS = 22;
const ROW = 16;
const LETTER = 7;
const MARK_WIDTH = 70;
const SIGNS = { succeeded: '✓', failed: '✕', gone: '–' };

function stepPath(steps, key, x, y, to) {
  let path = '';
  let level = 0;
  for (const step of steps) {
    if (path === '') path = `M${x(step.at).toFixed(1)} ${y(0)}`;
    path += `H${x(step.at).toFixed(1)}`;
    if (step[key] !== level) path += `V${y(step[key]).toFixed(1)}`;
    level = step[key];
  }
  return path === '' ? '' : `${path}H${x(to).toFixed(1)}V${y(0)}`;
}

function curve({ all, min, extent, left, x, width }) {
  const steps = stepsOf(all);
  const top = Math.max(1, min, ...steps.map((step) => step.placed));
  const y = (count) => CURVE - 4 - (count / top) * (CURVE - 20);
  const group = svg(
    'g',
    {},
    svg('path', { class: 'placed', d: stepPath(steps, 'placed', x, y, extent.to) }),
    svg('path', { class: 'running', d: stepPath(steps, 'running', x, y, extent.to) }),
    svg('line', { class: 'axis', x1: left, x2: width, y1: y(0), y2: y(0) }),
  );
  if (min > 0) {
    group.append(
      svg('line', { class: 'minimum', x1: left, x2: width, y1: y(min), y2: y(min) }),
      svg(
        'text',
        { class: 'label', x: left - 6, y: y(min) + 4, 'text-anchor': 'end' },
        `min ${min}`,
      ),
    );
  }
  if (top !== min) {
    group.append(
      svg(
        'text',
        { class: 'label', x: left - 6, y: y(top) + 4, 'text-anchor': 'end' },
        String(top),
      ),
    );
  }
  return group;
}

function axis({ extent, left, x, width, height }) {
  const group = svg('g', {});
  const marks = marksOf(extent, Math.max(2, Math.floor((width - left) / MARK_WIDTH)));
  for (const at of marks) {
    const place = x(extent.from + at).toFixed(1);
    group.append(svg('line', { class: 'mark', x1: place, x2: place, y1: 0, y2: height }));
    if (width - place < MARK_WIDTH / 2) continue;
    group.append(
      svg(
        'text',
        {
          class: 'label',
          x: place,
          y: CURVE + AXIS - 8,
          'text-anchor': at === 0 ? 'start' : 'middle',
        },
        `+${duration(at)}`,
      ),
    );
  }
  return group;
}

function podRow(pod, index, { extent, left, x, label }) {
  const y = CURVE + AXIS + index * ROW;
  const letters = Math.max(4, Math.floor((left - 8) / LETTER));
  const name = label(pod);
  const shown = name.length > letters ? `…${name.slice(name.length - letters + 1)}` : name;
  const group = svg(
    'g',
    {},
    svg('text', { class: 'label', x: left - 6, y: y + 12, 'text-anchor': 'end' }, shown),
  );
  const outcome = outcomeOf(pod);
  let end = left;
  for (const span of spansOf(pod, extent.to)) {
    const from = x(span.from);
    // What lasted less than a pixel is still to be seen.
    const width = Math.max(2, x(span.to) - from);
    end = Math.max(end, from + width);
    group.append(
      svg('rect', {
        class: `span ${span.what}`,
        x: from.toFixed(1),
        y: y + 2,
        width: width.toFixed(1),
        height: ROW - 4,
      }),
    );
  }
  if (outcome !== '') {
    group.append(
      svg('text', { class: `outcome ${outcome}`, x: end + 3, y: y + 12 }, SIGNS[outcome]),
    );
  }
  return group;
}

// gang: { pods, all, min, created, label }: `all` make up the curve, `pods` have a bar each. Draws
// into `root`, an svg element, as wide as its parent.
export function drawGang(root, gang, now) {
  const width = Math.max(280, Math.floor(root.parentNode.clientWidth));
  const left = Math.min(190, Math.floor(width * 0.28));
  const extent = extentOf(gang.all, gang.created, now);
  const right = width - 16;
  const x = (at) =>
    left +
    ((Math.min(Math.max(at, extent.from), extent.to) - extent.from) / (extent.to - extent.from)) *
      (right - left);
  const height = CURVE + AXIS + gang.pods.length * ROW + 4;
  const frame = { ...gang, extent, left, x, width: right, height };
  clear(root);
  setAttribute(root, 'width', width);
  setAttribute(root, 'height', height);
  setAttribute(root, 'viewBox', `0 0 ${width} ${height}`);
  root.append(
    svg(
      'defs',
      {},
      svg(
        'pattern',
        {
          id: 'hatch',
          width: 6,
          height: 6,
          patternUnits: 'userSpaceOnUse',
          patternTransform: 'rotate(45)',
        },
        svg('rect', { class: 'hatch', width: 2, height: 6 }),
      ),
    ),
    axis(frame),
    curve(frame),
    ...gang.pods.map((pod, index) => podRow(pod, index, frame)),
  );
}
