// Jobs beside their pod groups and queues: what a line of the table of jobs tells. Pure functions.

import { whatHolds } from './why.js';

// cluster: { jobs, groups, queues } feeds. What is not known is null; what is known not to be there
// is missing.
export function factsOf(row, { jobs, groups, queues }, pods = null) {
  const job = row.kind === 'Job' ? row : null;
  const group = job ? (groups.rows.get(`${row.ns}/${row.name}-${row.uid}`) ?? null) : row;
  const queue = queues.rows.get(row.queue) ?? null;
  const isKnown = (feed) => feed.isWhole && feed.left === 0 && feed.state !== 'refused';
  return {
    ns: row.ns,
    name: row.name,
    job,
    group,
    queueName: row.queue,
    queue,
    pods,
    groupMissing: job !== null && group === null && isKnown(groups) && isKnown(jobs),
    queueMissing: queue === null && isKnown(queues),
  };
}

const cache = new WeakMap();

// The line of a job or of a PodGroup without one. Lines stay the same while their objects do.
function lineOf(row, cluster) {
  const facts = factsOf(row, cluster);
  const had = cache.get(row);
  if (
    had &&
    had.group === facts.group &&
    had.queue === facts.queue &&
    had.queueMissing === facts.queueMissing &&
    had.groupMissing === facts.groupMissing
  ) {
    return had.line;
  }
  const { waits, words } = whatHolds(facts);
  const ended = !waits && ['Completed', 'Failed', 'Terminated'].includes(row.phase);
  const line = {
    key: `${row.kind}/${row.key}`,
    row,
    waits,
    words,
    ended,
    min: row.min,
    replicas: row.kind === 'Job' ? row.replicas : NaN,
    running: row.running,
    over: row.succeeded + row.failed,
    rank: waits ? 0 : ended ? 2 : 1,
    search: `${row.ns}/${row.name} ${row.queue} ${row.phase} ${words}`.toLowerCase(),
  };
  cache.set(row, { line, ...facts });
  return line;
}

// Jobs, and the PodGroups that no job made or whose jobs cannot be read.
export function linesOf(cluster) {
  const lines = [];
  for (const job of cluster.jobs.rows.values()) lines.push(lineOf(job, cluster));
  const seesJobs = cluster.jobs.state !== 'refused';
  for (const group of cluster.groups.rows.values()) {
    if (group.ownerKind === 'Job' && seesJobs && group.name.startsWith(`${group.ownerName}-`))
      continue;
    lines.push(lineOf(group, cluster));
  }
  return lines;
}

const byText = (of) => (a, b) => (of(a) < of(b) ? -1 : of(a) > of(b) ? 1 : 0);
const byNumber = (of) => (a, b) => (of(a) || 0) - (of(b) || 0);
const ORDERS = {
  name: byText((line) => line.row.key),
  queue: byText((line) => line.row.queue),
  phase: byText((line) => line.row.phase),
  pods: byNumber((line) => line.running),
  age: byNumber((line) => -line.row.created),
  waits: byNumber((line) => line.rank),
};

// The lines that the filters let pass, in order; those that are equal in it, the newest first.
export function choose(lines, { search, phase, queue, order, descending }) {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found = lines.filter(
    (line) =>
      (phase === '' || line.row.phase === phase) &&
      (queue === '' || line.row.queue === queue) &&
      words.every((word) => line.search.includes(word)),
  );
  const compare = ORDERS[order] ?? ORDERS.waits;
  const sign = descending ? -1 : 1;
  return found.sort(
    (a, b) => sign * compare(a, b) || b.row.created - a.row.created || ORDERS.name(a, b),
  );
}

export function sorted(values) {
  return [...new Set(values)].filter((value) => value !== '').sort();
}
