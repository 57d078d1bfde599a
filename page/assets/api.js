// Requests to the API server that this page came from, or came through.

import { clock } from './times.js';

const PAGE_BYTES_MAX = 64 * 2 ** 20;
const LINE_CHARS_MAX = 16 * 2 ** 20;
const WORDS_MAX = 400;
const HEAD_MS_MAX = 60_000;
const TOKEN = 'batholith-token';

// The API is at the root of this origin, or below what stands before the page's own path: the way
// of a service through the API server's proxy, or the folder of the page.
export function baseOf(path) {
  const proxied = /^(.*?)\/api\/v1\/namespaces\/[^/]+\/services\/[^/]+\/proxy\/ui(?:\/|$)/.exec(
    path,
  );
  if (proxied) return proxied[1];
  return /^(.*?)\/ui(?:\/|$)/.exec(path)?.[1] ?? '';
}

const base = baseOf(location.pathname);

// Why a request failed. `kind`: unauthorized, forbidden, missing (the server does not know the
// kind), expired (list anew), busy or away (try again).
export class Failure extends Error {
  constructor(kind, words, waitMs = 0) {
    super(words);
    this.kind = kind;
    this.waitMs = waitMs;
  }
}

const KINDS = new Map([
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'missing'],
  [410, 'expired'],
  [429, 'busy'],
  [500, 'away'],
  [502, 'away'],
  [503, 'away'],
  [504, 'away'],
]);

export function failureOf(code, words, retryAfter = null) {
  const seconds = Number(retryAfter);
  const waitMs = Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), 120) * 1000 : 0;
  return new Failure(KINDS.get(code) ?? 'bad', String(words).slice(0, WORDS_MAX), waitMs);
}

// A token that the reader gave: kept for this tab alone, and only until it is closed.
export const token = {
  get() {
    try {
      return sessionStorage.getItem(TOKEN) ?? '';
    } catch {
      return '';
    }
  },
  set(text) {
    try {
      if (text === '') sessionStorage.removeItem(TOKEN);
      else sessionStorage.setItem(TOKEN, text);
    } catch {
      // Without storage nobody can sign in; the answer to the next request says so.
    }
  },
};

async function open(path, signal) {
  const headers = { Accept: 'application/json' };
  if (token.get() !== '') headers.Authorization = `Bearer ${token.get()}`;
  // A browser has six connections to a server; a request may wait for one.
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), HEAD_MS_MAX);
  const stop = () => patience.abort();
  signal.addEventListener('abort', stop);
  let response;
  try {
    response = await fetch(base + path, {
      headers,
      signal: patience.signal,
      cache: 'no-store',
      redirect: 'error',
    });
  } catch (error) {
    signal.removeEventListener('abort', stop);
    if (signal.aborted) throw error;
    throw new Failure('away', 'the API server cannot be reached');
  } finally {
    clearTimeout(timer);
  }
  clock.learn(response.headers.get('Date'));
  return { response, close: () => signal.removeEventListener('abort', stop) };
}

// The texts of a body as they arrive.
async function* pieces(response) {
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

async function wholeText(response) {
  const parts = [];
  let chars = 0;
  for await (const piece of pieces(response)) {
    chars += piece.length;
    if (chars > PAGE_BYTES_MAX) throw new Failure('bad', 'the answer is larger than 64 MiB');
    parts.push(piece);
  }
  return parts.join('');
}

async function refuse(response) {
  let words = response.statusText || `HTTP ${response.status}`;
  try {
    words = JSON.parse(await wholeText(response)).message || words;
  } catch {
    // What stands between answers in its own form: the status must do.
  }
  throw failureOf(response.status, words, response.headers.get('Retry-After'));
}

// Failures of reading a body that has begun.
async function reading(signal, work) {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted || error instanceof Failure) throw error;
    if (error instanceof SyntaxError) throw new Failure('bad', 'the answer is not JSON');
    throw new Failure('away', 'the connection broke');
  }
}

// The object at `path`.
export async function getJson(path, signal) {
  const { response, close } = await open(path, signal);
  try {
    return await reading(signal, async () => {
      if (!response.ok) await refuse(response);
      return JSON.parse(await wholeText(response));
    });
  } finally {
    close();
  }
}

// Calls `take` for each event of a watch until the server ends it.
export async function watch(path, signal, take) {
  const { response, close } = await open(path, signal);
  try {
    await reading(signal, async () => {
      if (!response.ok) await refuse(response);
      let rest = '';
      for await (const piece of pieces(response)) {
        const lines = (rest + piece).split('\n');
        rest = lines.pop();
        if (rest.length > LINE_CHARS_MAX) throw new Failure('bad', 'an event is too large');
        for (const line of lines) if (line !== '') take(JSON.parse(line));
      }
    });
  } finally {
    close();
  }
}
