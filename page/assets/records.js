// Objects of the API, reduced to what is shown. Whatever a tenant or an old server may leave out is
// absent here as an empty text, 0 or NaN.

import { parseAll } from './quantity.js';
import { timeOf } from './times.js';

const LIST_MAX = 64;
const TEXT_MAX = 1000;

const text = (value) => (typeof value === 'string' ? value.slice(0, TEXT_MAX) : '');
const number = (value, otherwise = 0) => (Number.isFinite(value) ? value : otherwise);
const list = (value) => (Array.isArray(value) ? value.slice(0, LIST_MAX) : []);

function identity({ metadata = {} }) {
  const ns = text(metadata.namespace);
  const name = text(metadata.name);
  return {
    key: ns === '' ? name : `${ns}/${name}`,
    ns,
    name,
    uid: text(metadata.uid),
    created: timeOf(metadata.creationTimestamp),
    deleting: timeOf(metadata.deletionTimestamp),
  };
}

export function queueRecord(object) {
  const { spec = {}, status = {} } = object;
  const me = identity(object);
  return {
    ...me,
    parent: text(spec.parent) || (me.name === 'root' ? '' : 'root'),
    weight: number(spec.weight, 1),
    state: text(status.state),
    reclaimable: spec.reclaimable !== false,
    allocated: parseAll(status.allocated),
    deserved: parseAll(spec.deserved),
    guarantee: parseAll(spec.guarantee?.resource),
    capability: parseAll(spec.capability),
  };
}

export function jobRecord(object) {
  const { spec = {}, status = {} } = object;
  const tasks = list(spec.tasks).map((task) => ({
    name: text(task?.name),
    replicas: number(task?.replicas, 1),
    min: number(task?.minAvailable, NaN),
  }));
  return {
    ...identity(object),
    kind: 'Job',
    queue: text(spec.queue) || 'default',
    min: number(spec.minAvailable),
    replicas: tasks.reduce((sum, task) => sum + task.replicas, 0),
    tasks,
    priorityClass: text(spec.priorityClassName),
    phase: text(status.state?.phase),
    reason: text(status.state?.reason),
    message: text(status.state?.message),
    pending: number(status.pending),
    running: number(status.running),
    succeeded: number(status.succeeded),
    failed: number(status.failed),
    unknown: number(status.unknown),
  };
}

export function groupRecord(object) {
  const { spec = {}, status = {}, metadata = {} } = object;
  const refused = list(status.conditions).find(
    (c) => c?.type === 'Unschedulable' && c?.status === 'True',
  );
  const owner = list(metadata.ownerReferences).find((o) => o?.controller) ?? {};
  return {
    ...identity(object),
    kind: 'PodGroup',
    queue: text(spec.queue) || 'default',
    min: number(spec.minMember),
    priorityClass: text(spec.priorityClassName),
    minResources: parseAll(spec.minResources),
    phase: text(status.phase),
    refusal: text(refused?.message),
    running: number(status.running),
    succeeded: number(status.succeeded),
    failed: number(status.failed),
    ownerKind: text(owner.kind),
    ownerName: text(owner.name),
  };
}

const GROUP = 'scheduling.k8s.io/group-name';
const TASK = 'volcano.sh/task-spec';

function conditionOf(status, type) {
  return list(status.conditions).find((c) => c?.type === type);
}

// "container main: ImagePullBackOff: …" of a container that cannot start.
function containerWords(status) {
  for (const container of [
    ...list(status.initContainerStatuses),
    ...list(status.containerStatuses),
  ]) {
    const { reason, message } = container?.state?.waiting ?? {};
    if (!reason || reason === 'PodInitializing' || reason === 'ContainerCreating') continue;
    const words = `container ${text(container.name)}: ${text(reason)}`;
    return message ? `${words}: ${text(message)}` : words;
  }
  return '';
}

// Why the pod has no place or does not start; empty when it runs or is over.
function podWords(spec, status) {
  if (status.phase === 'Succeeded' || status.phase === 'Failed') return '';
  if (spec.nodeName) return containerWords(status);
  const placed = conditionOf(status, 'PodScheduled') ?? {};
  return (
    text(placed.message) ||
    text(placed.reason) ||
    'no scheduler has spoken of it: is one named ' +
      `${text(spec.schedulerName) || 'default-scheduler'}?`
  );
}

const earliest = (times) => Math.min(...times.filter(Number.isFinite), Infinity);
const latest = (times) => Math.max(...times.filter(Number.isFinite), -Infinity);
const finite = (time) => (Number.isFinite(time) ? time : NaN);

function podTimes(spec, status, created) {
  const placed = conditionOf(status, 'PodScheduled');
  const states = list(status.containerStatuses).flatMap((c) => [c?.state, c?.lastState]);
  const started = earliest(
    states.flatMap((s) => [timeOf(s?.running?.startedAt), timeOf(s?.terminated?.startedAt)]),
  );
  const over = status.phase === 'Succeeded' || status.phase === 'Failed';
  const ended = latest(states.map((s) => timeOf(s?.terminated?.finishedAt)));
  const scheduled =
    placed?.status === 'True'
      ? timeOf(placed.lastTransitionTime)
      : spec.nodeName
        ? timeOf(status.startTime)
        : NaN;
  return {
    scheduled: Number.isFinite(scheduled) || !spec.nodeName ? scheduled : created,
    started: finite(started),
    ended: over ? finite(ended) : NaN,
  };
}

// A pod of the job that is shown.
export function podRecord(object) {
  const { spec = {}, status = {}, metadata = {} } = object;
  const me = identity(object);
  return {
    ...me,
    key: me.uid || me.key, // One that is made anew under its name is another one.
    group: text(metadata.annotations?.[GROUP]),
    task: text(metadata.annotations?.[TASK]),
    node: text(spec.nodeName),
    phase: text(status.phase),
    reason: text(status.reason),
    words: podWords(spec, status),
    ...podTimes(spec, status, me.created),
  };
}

function addAll(sums, amounts) {
  for (const [name, value] of amounts) sums.set(name, (sums.get(name) ?? 0) + value);
}

function raiseTo(least, amounts) {
  for (const [name, value] of amounts) least.set(name, Math.max(least.get(name) ?? 0, value));
}

// What a pod takes from its node: its containers and sidecars together, or the largest init
// container with the sidecars before it; what the pod asks for as a whole goes before both.
export function requestOf(spec) {
  const sums = new Map();
  const peaks = new Map();
  for (const container of list(spec.initContainers)) {
    const asked = parseAll(container?.resources?.requests);
    if (container?.restartPolicy === 'Always') {
      addAll(sums, asked);
      raiseTo(peaks, sums);
    } else {
      const beside = new Map(sums);
      addAll(beside, asked);
      raiseTo(peaks, beside);
    }
  }
  for (const container of list(spec.containers))
    addAll(sums, parseAll(container?.resources?.requests));
  raiseTo(sums, peaks);
  for (const [name, value] of parseAll(spec.resources?.requests)) sums.set(name, value);
  addAll(sums, parseAll(spec.overhead));
  return sums;
}

// A pod on a node, as far as the heat map counts it.
export function loadRecord(object) {
  const { spec = {} } = object;
  const me = identity(object);
  return { key: me.key, node: text(spec.nodeName), request: requestOf(spec) };
}

export function nodeRecord(object) {
  const { spec = {}, status = {} } = object;
  const ready = conditionOf(status, 'Ready') ?? {};
  const pressures = list(status.conditions)
    .filter((c) => c?.type !== 'Ready' && c?.status === 'True')
    .map((c) => text(c.type));
  return {
    ...identity(object),
    allocatable: parseAll(status.allocatable),
    ready: ready.status === 'True',
    readyWords: text(ready.message) || text(ready.reason),
    cordoned: spec.unschedulable === true,
    taints: list(spec.taints).map(
      (t) => `${text(t?.key)}${t?.value ? `=${text(t.value)}` : ''}:${text(t?.effect)}`,
    ),
    pressures,
  };
}
