// Amounts as Kubernetes writes them: "500m", "12Gi", "1e3". Approximate: only shown and compared.

const FACTORS = new Map([
  ['n', 1e-9],
  ['u', 1e-6],
  ['m', 1e-3],
  ['', 1],
  ['k', 1e3],
  ['M', 1e6],
  ['G', 1e9],
  ['T', 1e12],
  ['P', 1e15],
  ['E', 1e18],
  ['Ki', 2 ** 10],
  ['Mi', 2 ** 20],
  ['Gi', 2 ** 30],
  ['Ti', 2 ** 40],
  ['Pi', 2 ** 50],
  ['Ei', 2 ** 60],
]);
const SHAPE =
  /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei))?$/;
const TEXT_MAX = 64;
const RESOURCES_MAX = 64;

// The number; NaN when it is none.
export function parse(amount) {
  if (typeof amount === 'number') return amount;
  if (typeof amount !== 'string' || amount.length > TEXT_MAX) return NaN;
  const found = SHAPE.exec(amount);
  if (!found) return NaN;
  return Number(found[1] + (found[2] ?? '')) * FACTORS.get(found[3] ?? '');
}

// The numbers of a list of resources, by name.
export function parseAll(amounts) {
  const out = new Map();
  for (const [name, amount] of Object.entries(amounts ?? {}).slice(0, RESOURCES_MAX)) {
    const value = parse(amount);
    if (Number.isFinite(value)) out.set(name, value);
  }
  return out;
}

function plain(value) {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return String(Number(value.toFixed(digits)));
}

function isBytes(resource) {
  return resource === 'memory' || resource.endsWith('storage') || resource.startsWith('hugepages-');
}

// "1.5", "12 Gi", "3.2 M".
export function format(resource, value) {
  if (!Number.isFinite(value)) return '?';
  const step = isBytes(resource) ? 1024 : 1000;
  const units = isBytes(resource)
    ? ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
    : ['', 'k', 'M', 'G', 'T'];
  // Thousands of cores are read best as they are.
  if (step === 1000 && Math.abs(value) < 1e5) return plain(value);
  let scaled = value;
  let unit = 0;
  while (Math.abs(scaled) >= step && unit + 1 < units.length) {
    scaled /= step;
    ++unit;
  }
  return units[unit] === '' ? plain(scaled) : `${plain(scaled)} ${units[unit]}`;
}

export function percent(share) {
  return Number.isFinite(share) ? `${Math.round(share * 100)} %` : '?';
}

// CPU and memory first, then by name.
export function inOrder(resources) {
  const rank = (name) => (name === 'cpu' ? 0 : name === 'memory' ? 1 : 2);
  return [...resources].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : a > b ? 1 : 0));
}
