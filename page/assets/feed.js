// One kind of object, listed and then watched, each reduced to the few fields that are shown.

import { Failure, getJson, watch } from './api.js';

const LIST_LIMIT = 500;
// A browser has six connections to a server, for all its windows: a watch ends before long, so that
// those that wait get their turn.
const WATCH_S = 25;
const WATCH_GRACE_MS = 20_000;
const PAUSE_MS_MIN = 1000;
const PAUSE_MS_MAX = 60_000;
// What only a human can mend is asked about rarely.
const REFUSED_PAUSE_MS = 60_000;
const STEADY_MS = 5000;

function pauseOf(failure, backoffMs) {
  const refused = ['unauthorized', 'forbidden', 'missing', 'bad'].includes(failure.kind);
  const base = Math.max(refused ? REFUSED_PAUSE_MS : backoffMs, failure.waitMs);
  return base * (0.75 + Math.random() / 2);
}

function sleep(ms, signal) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}

// Whether `signal` or the time ends it, one signal tells both.
function within(ms, signal) {
  return AbortSignal.any([signal, AbortSignal.timeout(ms)]);
}

// Lists and watches between start() and stop(), and keeps what it has read in between. `most`
// bounds what is kept; `changed` is called after each change, of objects or of `state`.
export class Feed {
  #source;
  #abort = null;
  #version = '';
  #rows = new Map();

  // source: { path, params, record, most, changed, gone }
  constructor(source) {
    this.#source = { params: {}, gone: () => {}, ...source };
    this.state = 'idle'; // idle, reading, live, waiting (tries again), refused
    this.failure = null;
    this.isWhole = false; // A first list has been read to its end.
    this.left = 0; // How many objects are not kept, as far as the server tells.
    this.edition = 0; // Grows with each change.
  }

  get rows() {
    return this.#rows;
  }

  get running() {
    return this.#abort !== null;
  }

  start() {
    if (this.running) return;
    this.#abort = new AbortController();
    this.#run(this.#abort.signal);
  }

  stop() {
    this.#abort?.abort();
    this.#abort = null;
    this.#tell('idle');
  }

  #changed() {
    ++this.edition;
    this.#source.changed();
  }

  #tell(state, failure = null) {
    if (this.state === state && this.failure?.message === failure?.message) return;
    this.state = state;
    this.failure = failure;
    this.#changed();
  }

  #path(params) {
    return `${this.#source.path}?${new URLSearchParams({ ...this.#source.params, ...params })}`;
  }

  async #run(signal) {
    let backoffMs = PAUSE_MS_MIN;
    while (!signal.aborted) {
      const begun = performance.now();
      try {
        if (this.#version === '') await this.#list(signal);
        await this.#watch(signal);
        // A server that ends watches at once must not be asked without end.
        if (performance.now() - begun < PAUSE_MS_MIN) await sleep(PAUSE_MS_MIN, signal);
        backoffMs = PAUSE_MS_MIN;
      } catch (error) {
        if (signal.aborted) return;
        const failure =
          error instanceof Failure
            ? error
            : new Failure('bad', `an answer cannot be used: ${error.message}`);
        // A connection that breaks after a while is made anew without a word.
        const wasSteady = performance.now() - begun > STEADY_MS;
        if (wasSteady) backoffMs = PAUSE_MS_MIN;
        await this.#pause(failure, { backoffMs, isQuiet: wasSteady, signal });
        backoffMs = Math.min(2 * backoffMs, PAUSE_MS_MAX);
      }
    }
  }

  async #pause(failure, { backoffMs, isQuiet, signal }) {
    const ms = pauseOf(failure, backoffMs);
    if (failure.kind === 'expired') {
      this.#version = '';
    } else if (failure.kind === 'away' || failure.kind === 'busy') {
      if (!isQuiet) this.#tell('waiting', failure);
    } else {
      this.#version = '';
      this.#rows = new Map(); // They are not gone, but no longer to be seen.
      this.isWhole = false;
      this.#tell('refused', failure);
    }
    await sleep(ms, signal);
  }

  async #list(signal) {
    if (this.state === 'idle') this.#tell('reading');
    const fresh = this.isWhole ? new Map() : this.#rows;
    const seen = new Set();
    let next = '';
    let left = 0;
    let version = '';
    do {
      const params = { limit: LIST_LIMIT, ...(next === '' ? {} : { continue: next }) };
      const page = await getJson(this.#path(params), signal);
      for (const object of page.items ?? []) {
        if (seen.size >= this.#source.most) break;
        seen.add(this.#keep(fresh, object));
      }
      version = page.metadata?.resourceVersion ?? '';
      next = page.metadata?.continue ?? '';
      left =
        seen.size < this.#source.most
          ? 0
          : Math.max(page.metadata?.remainingItemCount ?? 0, next === '' ? 0 : 1);
      if (fresh === this.#rows) this.#changed();
    } while (next !== '' && seen.size < this.#source.most);
    for (const key of fresh.keys()) if (!seen.has(key)) fresh.delete(key);
    this.#replace(fresh);
    this.left = left;
    this.isWhole = true;
    this.#version = version;
    this.#tell('live');
    this.#changed();
  }

  #replace(fresh) {
    for (const [key, row] of this.#rows) if (!fresh.has(key)) this.#source.gone(row);
    this.#rows = fresh;
  }

  // Puts an object's record among `rows`, and returns its key.
  #keep(rows, object) {
    const row = this.#source.record(object);
    rows.set(row.key, row);
    return row.key;
  }

  async #watch(signal) {
    const path = this.#path({
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: this.#version,
      timeoutSeconds: WATCH_S,
    });
    this.#tell('live');
    try {
      await watch(path, within(WATCH_S * 1000 + WATCH_GRACE_MS, signal), (event) =>
        this.#take(event),
      );
    } catch (error) {
      // One that the server forgot to end is taken up again like one that it ended.
      if (error.name !== 'AbortError' && error.name !== 'TimeoutError') throw error;
    }
  }

  #take({ type, object }) {
    if (type === 'ERROR') {
      const expired =
        object?.code === 410 || object?.reason === 'Expired' || object?.reason === 'Gone';
      throw new Failure(expired ? 'expired' : 'away', object?.message ?? 'the watch ended');
    }
    const version = object?.metadata?.resourceVersion;
    if (version) this.#version = version;
    if (type === 'BOOKMARK') return;
    const row = this.#source.record(object);
    if (type === 'DELETED') {
      const had = this.#rows.get(row.key);
      if (had === undefined) return;
      this.#rows.delete(row.key);
      this.#source.gone(row);
    } else if (this.#rows.has(row.key) || this.#rows.size < this.#source.most) {
      this.#rows.set(row.key, row);
    } else {
      ++this.left;
    }
    this.#changed();
  }
}
