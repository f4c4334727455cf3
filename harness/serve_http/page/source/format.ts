// Numbers with their units, as report/cell.h writes them.
export const kUnknown = '–';

type Maybe = number | null | undefined;

function digits(value: number, most = 3): string {
  if (value === 0) return '0';
  const size = Math.floor(Math.log10(Math.abs(value)) + 1e-9);
  return value.toFixed(Math.max(0, Math.min(most, most - 1 - size)));
}

export function time(ns: Maybe): string {
  if (ns === null || ns === undefined) return kUnknown;
  if (ns < 1e3) return `${digits(ns)} ns`;
  if (ns < 1e6) return `${digits(ns / 1e3)} us`;
  if (ns < 1e9) return `${digits(ns / 1e6)} ms`;
  return `${digits(ns / 1e9)} s`;
}

export function interval(lo: Maybe, hi: Maybe): string {
  if (lo === null || lo === undefined || hi === null || hi === undefined) return '';
  const middle = (lo + hi) / 2;
  return middle > 0 ? `±${digits(((hi - lo) / 2 / middle) * 100, 2)} %` : '';
}

export function seconds(s: Maybe): string {
  if (s === null || s === undefined) return kUnknown;
  if (s < 0.0995) return `${digits(s * 1000, 2)} ms`;
  if (s < 9.95) return `${s.toFixed(1)} s`;
  if (s < 120) return `${Math.round(s)} s`;
  const whole = Math.round(s);
  const two = (n: number) => String(n).padStart(2, '0');
  if (whole < 3600) return `${Math.floor(whole / 60)}m${two(whole % 60)}s`;
  if (whole < 86400) return `${Math.floor(whole / 3600)}h${two(Math.floor(whole / 60) % 60)}m`;
  return `${Math.floor(whole / 86400)}d${two(Math.floor(whole / 3600) % 24)}h`;
}

/// On an axis: "90 s", "10 min", "2 h".
export function axis_seconds(s: number): string {
  if (s === 0) return '0';
  const [size, unit]: [number, string] = s < 120 ? [1, 's'] : s < 7200 ? [60, 'min'] : s < 172800 ? [3600, 'h'] : [86400, 'd'];
  return `${Number((s / size).toPrecision(3))} ${unit}`;
}

export function axis_money(usd: number): string {
  return usd === 0 ? '0' : `$${Number(usd.toPrecision(2))}`;
}

export function money(usd: Maybe): string {
  if (usd === null || usd === undefined) return kUnknown;
  if (usd !== 0 && Math.abs(usd) < 0.00005) return '<$0.0001';
  if (usd !== 0 && usd < 0.1) return `$${usd.toFixed(4)}`;
  return `$${usd.toFixed(2)}`;
}

export function ratio(value: Maybe): string {
  return value === null || value === undefined ? kUnknown : `${digits(value)}x`;
}

export function share(value: Maybe): string {
  return value === null || value === undefined ? kUnknown : `${digits(value * 100, 2)} %`;
}

export function count(value: Maybe): string {
  return value === null || value === undefined ? kUnknown : Math.round(value).toLocaleString('en-US');
}

export function rate(value: Maybe, unit: string): string {
  if (value === null || value === undefined) return kUnknown;
  const steps: [number, string][] = [[1e15, 'P'], [1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']];
  const step = steps.find(([size]) => Math.abs(value) >= size);
  return step ? `${digits(value / step[0])} ${step[1]}${unit}` : `${digits(value)} ${unit}`;
}

export function bytes(value: Maybe): string {
  return value === null || value === undefined ? kUnknown : value < 10_000 ? `${count(value)} B` : rate(value, 'B');
}

/// Its beginning and its end: names of one kind often begin alike.
export function short(text: string, most: number): string {
  const head = Math.ceil((most - 1) * 0.6);
  return text.length <= most ? text : `${text.slice(0, head)}…${text.slice(text.length - (most - 1 - head))}`;
}

export function anything(value: unknown): string {
  if (value === null || value === undefined) return kUnknown;
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : digits(value, 4);
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return JSON.stringify(value);
}

/// "BLOCK=128 VEC=4" of a JSON object, or of its text.
export function config(value: unknown): string {
  const object = parsed(value);
  if (!object || typeof object !== 'object') return typeof value === 'string' ? value : '';
  return Object.entries(object).map(([name, of]) => `${name}=${anything(of)}`).join(' ');
}

export function parsed(value: unknown): any {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return null;
  }
}
