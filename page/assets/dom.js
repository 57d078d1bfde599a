// Elements are made here and nowhere else. Names and messages are written by tenants, so they
// become text nodes and attribute values, never markup.

const SVG = 'http://www.w3.org/2000/svg';

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'on') {
      for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    } else {
      setAttribute(node, name, value);
    }
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

// An HTML element. `on` holds listeners by event; attributes that are null or false are left out.
export function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

// Writes only what changed, so that a redraw costs and moves nothing else.
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function setAttribute(node, name, value) {
  if (value === null || value === undefined || value === false) {
    if (node.hasAttribute(name)) node.removeAttribute(name);
    return;
  }
  const text = value === true ? '' : String(value);
  if (node.getAttribute(name) !== text) node.setAttribute(name, text);
}

export function clear(node) {
  node.replaceChildren();
}

const nodesOf = new WeakMap();

// Makes the children of `parent` those of `items`, in their order: one child for each key, kept for
// as long as the key is among them. `update` is called for each child.
export function keyed(parent, items, { key, make, update }) {
  const known = nodesOf.get(parent) ?? new Map();
  const next = new Map();
  for (const item of items) {
    const name = key(item);
    if (!next.has(name)) next.set(name, { node: known.get(name)?.node ?? make(item), item });
  }
  const focused = document.activeElement;
  const had = focused !== parent && parent.contains(focused);
  for (const [name, { node }] of known) if (!next.has(name)) node.remove();
  let at = parent.firstChild;
  for (const { node, item } of next.values()) {
    if (node === at) at = at.nextSibling;
    else parent.insertBefore(node, at);
    update(node, item);
  }
  nodesOf.set(parent, next);
  // What was moved has lost the focus.
  if (had && focused.isConnected && document.activeElement !== focused) {
    focused.focus({ preventScroll: true });
  }
}

let announcer = null;

// Has a screen reader say the text. For what the reader asked for, not for what changes by itself.
export function announce(text) {
  announcer ??= document.getElementById('announcer');
  setText(announcer, text);
}
