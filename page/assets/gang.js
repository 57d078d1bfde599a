// A job's gang over time, from the timestamps of its pods and from what the page has seen of those
// that are gone. Pure functions.

const over = (pod) => pod.phase === 'Succeeded' || pod.phase === 'Failed';

// When the pod left: it ended, or was seen to be deleted. NaN: it is there.
function endOf(pod) {
  if (Number.isFinite(pod.ended)) return pod.ended;
  if (Number.isFinite(pod.gone)) return pod.gone;
  return over(pod) ? Math.max(pod.created, pod.started || 0, pod.scheduled || 0) : NaN;
}

// What became of the pod, from its creation on: [{ from, to, what }] with what of waiting,
// starting, running; the last one reaches to `now` unless the pod has ended.
export function spansOf(pod, now) {
  const end = Number.isFinite(endOf(pod)) ? endOf(pod) : Math.max(now, pod.created);
  const marks = [
    [pod.created, 'waiting'],
    [pod.scheduled, 'starting'],
    [pod.started, 'running'],
  ].filter(([at]) => Number.isFinite(at));
  return marks
    .map(([from, what], i) => ({
      from: Math.min(from, end),
      to: Math.min(i + 1 < marks.length ? marks[i + 1][0] : end, end),
      what,
    }))
    .filter((span, i) => span.to > span.from || i === marks.length - 1);
}

// How the pod ended: succeeded, failed, gone, or nothing.
export function outcomeOf(pod) {
  if (pod.phase === 'Succeeded') return 'succeeded';
  if (pod.phase === 'Failed') return 'failed';
  return Number.isFinite(pod.gone) ? 'gone' : '';
}

// How many pods had places and how many ran, at each moment at which that changed:
// [{ at, placed, running }], in order of time.
export function stepsOf(pods) {
  const changes = new Map();
  const add = (at, key, by) => {
    if (!Number.isFinite(at)) return;
    if (!changes.has(at)) changes.set(at, { placed: 0, running: 0 });
    changes.get(at)[key] += by;
  };
  for (const pod of pods) {
    const end = endOf(pod);
    const until = (at) => (Number.isFinite(end) ? Math.min(at, end) : at);
    for (const [key, at] of [
      ['placed', pod.scheduled],
      ['running', pod.started],
    ]) {
      if (!Number.isFinite(at)) continue;
      add(until(at), key, 1);
      add(end, key, -1);
    }
  }
  let placed = 0;
  let running = 0;
  return [...changes]
    .sort(([a], [b]) => a - b)
    .map(([at, change]) => {
      placed += change.placed;
      running += change.running;
      return { at, placed, running };
    });
}

// From the first creation to the last thing that happened, or to `now` while pods are there.
export function extentOf(pods, created, now) {
  const times = pods
    .flatMap((pod) => [pod.created, pod.scheduled, pod.started, endOf(pod)])
    .filter(Number.isFinite);
  const from = Math.min(...times, Number.isFinite(created) ? created : Infinity);
  const lives = pods.length === 0 || pods.some((pod) => !Number.isFinite(endOf(pod)));
  const to = lives ? Math.max(now, ...times) : Math.max(...times);
  if (!Number.isFinite(from)) return { from: now - 1000, to: now };
  return { from, to: Math.max(to, from + 1000) };
}

const STEPS_S = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800,
  604800, 2592000, 31536000,
];

// Distances from the beginning, in ms, at which the axis is marked.
export function marksOf({ from, to }, marksMax) {
  const s = (to - from) / 1000;
  const step = STEPS_S.find((candidate) => s / candidate <= marksMax) ?? s;
  const out = [];
  for (let at = 0; at <= s; at += step) out.push(at * 1000);
  return out;
}

// Milestones in words: when enough had places, and ran, at once.
export function milestones(pods, min, created) {
  const steps = stepsOf(pods);
  const first = (key, count) => steps.find((step) => step[key] >= count)?.at;
  const enough = Math.max(1, min);
  return {
    first: first('placed', 1) - created,
    placed: first('placed', enough) - created,
    ran: first('running', enough) - created,
    most: steps.reduce((most, step) => Math.max(most, step.running), 0),
  };
}
