// Points in time, as milliseconds since 1970; NaN: not known.

// The server's clock, as far as its answers tell it: ages must not depend on the reader's.
export const clock = {
  offset: 0,
  learn(date) {
    const server = Date.parse(date ?? '');
    // Dates of answers are whole seconds: what is within two needs no correction.
    if (Number.isNaN(server)) return;
    const offset = server + 500 - Date.now();
    this.offset = Math.abs(offset) < 2000 ? 0 : offset;
  },
  now() {
    return Date.now() + this.offset;
  },
};

export function timeOf(text) {
  return typeof text === 'string' ? Date.parse(text) : NaN;
}

// As kubectl writes ages: "12s", "3m20s", "5h", "3d".
export function duration(ms) {
  if (!Number.isFinite(ms)) return '?';
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 120) return `${s}s`;
  const m = Math.floor(s / 60);
  if (m < 10) return s % 60 === 0 ? `${m}m` : `${m}m${s % 60}s`;
  if (m < 180) return `${m}m`;
  const h = Math.floor(m / 60);
  if (h < 8) return m % 60 === 0 ? `${h}h` : `${h}h${m % 60}m`;
  if (h < 48) return `${h}h`;
  const d = Math.floor(h / 24);
  if (d < 8) return h % 24 === 0 ? `${d}d` : `${d}d${h % 24}h`;
  return d < 730 ? `${d}d` : `${Math.floor(d / 365)}y`;
}

export function age(created) {
  return duration(clock.now() - created);
}

const two = (n) => String(n).padStart(2, '0');

// "14:03:07", in the reader's time zone.
export function clockTime(ms) {
  if (!Number.isFinite(ms)) return '–';
  const date = new Date(ms);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

// With the day, when that is not today's.
export function dayTime(ms) {
  if (!Number.isFinite(ms)) return '–';
  const date = new Date(ms);
  const today = new Date(clock.now()).toDateString() === date.toDateString();
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return today ? clockTime(ms) : `${day} ${clockTime(ms)}`;
}
