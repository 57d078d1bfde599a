// The page: which view is shown, when it is drawn, which feeds run.

import { token } from './api.js';
import { App } from './app.js';
import { DetailView } from './detail.js';
import { announce, el, keyed, setAttribute, setText } from './dom.js';
import { JobsView } from './jobs.js';
import { NodesView } from './nodes.js';
import { QueuesView } from './queues.js';
import { sorted } from './rows.js';
import { SignIn } from './sign_in.js';

// Changes are drawn together, this often at most, and so that drawing takes but a small share of
// the time; ages move once a second without any.
const DRAW_PAUSE_MS = 200;
const DRAW_COST_FACTOR = 8;
const TICK_MS = 1000;
// A window that nobody sees lets go of its connections.
const HIDDEN_MS = 15_000;
const NAMESPACES_MAX = 500;

const byId = (id) => document.getElementById(id);
const main = byId('main');
const app = new App(() => drawSoon());
const signIn = new SignIn(() => restart());
const kept = new Map(); // Views that are kept while others are shown, by name.
let view = null;
let nextDraw = 0;
let isDue = false;

// "#/jobs/NS/NAME" → { name: "jobs", ns, job }.
function routeOf(hash) {
  const parts = hash
    .replace(/^#\/?/, '')
    .split('/')
    .map((part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return '';
      }
    });
  const [name, ns = '', object = ''] = parts;
  const known = ['queues', 'jobs', 'podgroups', 'nodes'].includes(name) ? name : 'queues';
  if ((known === 'jobs' || known === 'podgroups') && ns !== '' && object !== '') {
    return { name: known, object: { kind: known, ns, name: object } };
  }
  return { name: known === 'podgroups' ? 'jobs' : known, object: null };
}

function viewOf({ name, object }) {
  if (object) {
    if (app.scope !== '' && app.scope !== object.ns) {
      app.setScope('');
      byId('namespace').value = '';
    }
    return new DetailView(app, object);
  }
  if (!kept.has(name)) {
    const make = { queues: QueuesView, jobs: JobsView, nodes: NodesView }[name];
    kept.set(name, new make(app));
  }
  return kept.get(name);
}

function allFeeds() {
  return new Set([
    app.queues,
    app.jobs,
    app.groups,
    app.nodes,
    app.loads,
    ...(view ? view.feeds() : []),
  ]);
}

function runFeeds() {
  const wanted = new Set(view.feeds());
  for (const feed of allFeeds()) if (!wanted.has(feed)) feed.stop();
  for (const feed of wanted) feed.start();
}

function restart() {
  for (const feed of allFeeds()) feed.stop();
  runFeeds();
  drawSoon();
}

function show(isFirst = false) {
  const route = routeOf(location.hash);
  const before = view;
  const from = before instanceof DetailView ? before.title : '';
  if (before instanceof DetailView) before.pods.stop();
  view = viewOf(route);
  main.replaceChildren(signIn.root, view.root);
  document.title = `${view.title} – Batholith`;
  for (const name of ['queues', 'jobs', 'nodes']) {
    const shown = route.name === 'podgroups' ? 'jobs' : route.name;
    setAttribute(byId(`to-${name}`), 'aria-current', shown === name ? 'page' : null);
  }
  runFeeds();
  draw();
  if (isFirst) return;
  // Back from a job: to where the reader was; else to the title of what is new.
  const links = [...view.root.querySelectorAll('tbody a')];
  const back = from === '' ? null : links.find((link) => link.textContent === from);
  (back ?? view.root.querySelector('#view-title')).focus();
}

function contactWords() {
  const feeds = view.feeds();
  if (document.hidden && !feeds.some((feed) => feed.running)) return 'Paused';
  if (feeds.some((feed) => feed.state === 'waiting')) return 'No contact, trying again';
  if (feeds.some((feed) => feed.state === 'reading')) return 'Reading…';
  if (feeds.every((feed) => feed.state === 'refused')) return 'Not allowed';
  return feeds.some((feed) => feed.state === 'live') ? 'Live' : '';
}

function renderFrame() {
  setText(byId('contact'), contactWords());
  const isAsked = view
    .feeds()
    .some((feed) => feed.state === 'refused' && feed.failure.kind === 'unauthorized');
  signIn.render(isAsked);
  byId('forget').hidden = token.get() === '';
  const namespaces = sorted(
    [...app.jobs.rows.values(), ...app.groups.rows.values()].map((row) => row.ns),
  ).slice(0, NAMESPACES_MAX);
  keyed(byId('namespaces'), namespaces, {
    key: (ns) => ns,
    make: (ns) => el('option', { value: ns }),
    update: () => {},
  });
}

function draw() {
  const begun = performance.now();
  view.render();
  renderFrame();
  app.drawn();
  const cost = performance.now() - begun;
  nextDraw = begun + Math.max(DRAW_PAUSE_MS, DRAW_COST_FACTOR * cost);
}

function drawSoon() {
  if (isDue || view === null) return;
  isDue = true;
  const wait = Math.max(0, nextDraw - performance.now());
  setTimeout(
    () =>
      requestAnimationFrame(() => {
        isDue = false;
        draw();
      }),
    wait,
  );
}

function onScope(event) {
  event.preventDefault();
  const input = byId('namespace');
  const isName = app.setScope(input.value.trim());
  setAttribute(input, 'aria-invalid', isName ? null : 'true');
  if (!isName) {
    announce('That is no name of a namespace.');
    return;
  }
  if (view instanceof DetailView) location.hash = '#/jobs';
  else runFeeds();
  app.schedule(() => announce(`Jobs${app.scopeWords() || ' of all namespaces'}`));
}

let hiddenTimer = 0;

function onVisibility() {
  clearTimeout(hiddenTimer);
  if (!document.hidden) {
    runFeeds();
    drawSoon();
    return;
  }
  hiddenTimer = setTimeout(() => {
    for (const feed of allFeeds()) feed.stop();
  }, HIDDEN_MS);
}

// A link to "#main" would be taken for a view.
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});
byId('scope').addEventListener('submit', onScope);
byId('namespace').addEventListener('change', onScope);
byId('forget').addEventListener('click', () => {
  token.set('');
  restart();
});
document.addEventListener('visibilitychange', onVisibility);
window.addEventListener('hashchange', () => show());
window.addEventListener('resize', () => drawSoon());
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => drawSoon());
setInterval(() => {
  if (!document.hidden) drawSoon();
}, TICK_MS);
show(true);
