// What the page reads, and how much of it. Views ask for feeds; those of the view that is shown
// run.

import { Feed } from './feed.js';
import {
  groupRecord,
  jobRecord,
  loadRecord,
  nodeRecord,
  podRecord,
  queueRecord,
} from './records.js';

const BATCH = '/apis/batch.volcano.sh/v1alpha1';
const SCHEDULING = '/apis/scheduling.volcano.sh/v1beta1';
const CORE = '/api/v1';

// How many of each the page keeps.
const QUEUES_MAX = 5000;
const JOBS_MAX = 10_000;
const GROUPS_MAX = 20_000;
const NODES_MAX = 20_000;
const LOADS_MAX = 50_000;
const PODS_MAX = 2000;

const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

export class App {
  #changed;
  #after = [];

  // `changed` is called whenever something that may be shown has changed.
  constructor(changed) {
    this.#changed = changed;
    this.scope = '';
    this.queues = this.#feed(`${SCHEDULING}/queues`, queueRecord, QUEUES_MAX);
    this.nodes = this.#feed(`${CORE}/nodes`, nodeRecord, NODES_MAX);
    this.loads = this.#feed(`${CORE}/pods`, loadRecord, LOADS_MAX, {
      fieldSelector: 'spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed',
    });
    this.#openScope();
  }

  #feed(path, record, most, params = {}, gone = () => {}) {
    return new Feed({ path, params, record, most, gone, changed: () => this.#changed() });
  }

  #openScope() {
    const place = this.scope === '' ? '' : `/namespaces/${this.scope}`;
    this.jobs = this.#feed(`${BATCH}${place}/jobs`, jobRecord, JOBS_MAX);
    this.groups = this.#feed(`${SCHEDULING}${place}/podgroups`, groupRecord, GROUPS_MAX);
  }

  // Only this namespace's jobs from now on; empty: all. False: that is no name of a namespace.
  setScope(scope) {
    if (scope === this.scope) return true;
    if (scope !== '' && !NAME.test(scope)) return false;
    this.jobs.stop();
    this.groups.stop();
    this.scope = scope;
    this.#openScope();
    return true;
  }

  scopeWords() {
    return this.scope === '' ? '' : ` in namespace ${this.scope}`;
  }

  // The pods of one job; of a PodGroup without one, those of its namespace, of which it names its
  // own.
  podsOf({ kind, ns, name }, gone) {
    const params = kind === 'jobs' ? { labelSelector: `volcano.sh/job-name=${name}` } : {};
    const path = `${CORE}/namespaces/${encodeURIComponent(ns)}/pods`;
    return this.#feed(path, podRecord, PODS_MAX, params, gone);
  }

  // Draws soon; `after` is called once that is done.
  schedule(after = null) {
    if (after) this.#after.push(after);
    this.#changed();
  }

  drawn() {
    for (const call of this.#after.splice(0)) call();
  }
}
