// Pictures as SVG: sharp on paper, readable by screen readers, and small.
import { kept } from './kept';
import { Child, h, svg } from './dom';
import * as format from './format';

export interface StepPoint { x: number; y: number; lo: number | null; hi: number | null; href?: string; title: string }
export interface StepChart {
  title: string; subtitle?: Child; points: StepPoint[]; until: number; rival: number | null; floor: number | null;
  outside?: number | null; x_text: (x: number) => string; x_ticks: (until: number) => number[]; width?: number; height?: number;
}

/// Of a logarithmic axis: the ends, widened so that lines do not lie on the frame.
export function log_range(values: number[]): [number, number] {
  const lo = Math.min(...values), hi = Math.max(...values);
  const spare = Math.max((Math.log10(hi) - Math.log10(lo)) * 0.08, 0.04);
  return [10 ** (Math.log10(lo) - spare), 10 ** (Math.log10(hi) + spare)];
}

export function log_ticks(lo: number, hi: number): number[] {
  const found: number[] = [];
  const steps = hi / lo > 300 ? [1] : hi / lo > 12 ? [1, 3] : hi / lo > 3 ? [1, 2, 5] : [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9];
  for (let power = Math.floor(Math.log10(lo)); power <= Math.ceil(Math.log10(hi)); ++power)
    for (const step of steps) if (step * 10 ** power >= lo && step * 10 ** power <= hi) found.push(step * 10 ** power);
  const every = Math.ceil(found.length / 5);
  return found.filter((_, at) => at % every === 0);
}

export function linear_ticks(lo: number, hi: number, most = 4): number[] {
  if (!(hi > lo)) return [lo];
  const rough = (hi - lo) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((of) => of * power).find((of) => of >= rough) ?? rough;
  const found: number[] = [];
  for (let at = Math.ceil(lo / step) * step; at <= hi + step * 1e-9; at += step) found.push(at);
  return found;
}

export function time_ticks(hi: number): number[] {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400];
  const step = steps.find((of) => hi / of <= 4) ?? hi / 4;
  const found: number[] = [];
  for (let at = 0; at <= hi; at += step) found.push(at);
  return found;
}

interface Level { value: number; name: string; word: string }

/// Words beside lines that lie close: each a line of text apart.
function spread_apart(places: number[], apart: number, least: number, most: number): number[] {
  const order = places.map((_, at) => at).sort((a, b) => places[a]! - places[b]!);
  const made = [...places];
  for (let step = 1; step < order.length; ++step) made[order[step]!] = Math.max(made[order[step]!]!, made[order[step - 1]!]! + apart);
  for (let step = order.length - 1; step >= 0; --step) {
    const below = step + 1 < order.length ? made[order[step + 1]!]! - apart : most;
    made[order[step]!] = Math.max(least, Math.min(made[order[step]!]!, below));
  }
  return made;
}

/// The best time so far as a falling stair, its interval as a band, and what it is held against as lines. What is far
/// above the best or far below it is named at the edge, so that the last steps stay visible.
export function step_chart(chart: StepChart): HTMLElement {
  const width = chart.width ?? 380, height = chart.height ?? 176, left = 52, right = chart.rival || chart.floor || chart.outside ? 92 : 58, top = 10, bottom = 20;
  const caption = h('figcaption', {}, h('b', {}, chart.title), chart.subtitle);
  const times = chart.points.map((point) => point.y).filter((value) => value > 0);
  if (times.length === 0) return h('figure', { class: 'chart' }, caption, h('p', { class: 'none' }, 'no time yet'));
  const best = Math.min(...times);
  const levels: Level[] = ([{ value: chart.rival, name: 'rival', word: 'rival' }, { value: chart.outside ?? null, name: 'outside', word: 'outside' }, { value: chart.floor, name: 'floor', word: 'floor' }] as { value: number | null; name: string; word: string }[])
    .filter((level): level is Level => level.value !== null && level.value > 0);
  const highest = Math.max(best * 8, ...levels.map((level) => Math.min(level.value * 1.5, best * 40)));
  const lowest = best / 4;
  const inside = (value: number): boolean => value <= highest && value >= lowest;
  const shown = [...chart.points.flatMap((point) => [point.y, point.lo ?? point.y, point.hi ?? point.y]), ...levels.map((level) => level.value)].filter((value) => value > 0 && inside(value));
  if (times.some((value) => value > highest)) shown.push(highest);
  const [lo, hi] = log_range(shown);
  const until = Math.max(chart.until, ...chart.points.map((point) => point.x), 1e-9);
  const at_x = (x: number): number => left + (x / until) * (width - left - right);
  const at_y = (y: number): number => Math.max(top, Math.min(height - bottom, top + ((Math.log10(hi) - Math.log10(y)) / (Math.log10(hi) - Math.log10(lo))) * (height - top - bottom)));
  const parts: SVGElement[] = [];
  for (const tick of log_ticks(lo, hi))
    parts.push(svg('line', { class: 'grid', x1: left, x2: width - right, y1: at_y(tick), y2: at_y(tick) }),
      svg('text', { class: 'tick', x: left - 6, y: at_y(tick) + 3.5, 'text-anchor': 'end' }, format.time(tick)));
  for (const tick of chart.x_ticks(until))
    parts.push(svg('text', { class: 'tick', x: at_x(tick), y: height - 5, 'text-anchor': tick === 0 ? 'start' : 'middle' }, chart.x_text(tick)));
  const last = chart.points.at(-1)!;
  const named: Level[] = [{ value: last.y, name: 'best', word: 'best' }, ...levels];
  const places = spread_apart(named.map((level) => at_y(level.value)), 12, top + 4, height - bottom);
  named.forEach((level, at) => {
    if (level.name !== 'best' && inside(level.value)) parts.push(svg('line', { class: level.name, x1: left, x2: width - right, y1: at_y(level.value), y2: at_y(level.value) }));
    const edge = level.value > highest ? '↑ ' : level.value < lowest ? '↓ ' : '';
    parts.push(svg('text', { class: `${level.name}-word`, x: width - right + 6, y: places[at]! + 3.5 }, `${edge}${level.name === 'best' ? '' : `${level.word} `}${format.time(level.value)}`));
  });
  let band = '', stair = '';
  chart.points.forEach((point, at) => {
    const end = at_x(at + 1 < chart.points.length ? chart.points[at + 1]!.x : until).toFixed(1), x = at_x(point.x).toFixed(1), y = at_y(point.y).toFixed(1);
    stair += `${stair ? 'L' : 'M'}${x} ${y}L${end} ${y}`;
    if (point.lo && point.hi && inside(point.y)) band += `M${x} ${at_y(point.lo).toFixed(1)}H${end}V${at_y(point.hi).toFixed(1)}H${x}Z`;
  });
  parts.push(svg('path', { class: 'band', d: band }), svg('path', { class: 'stair', d: stair }));
  for (const point of chart.points) {
    const dot = svg('circle', { class: 'dot', cx: at_x(point.x), cy: at_y(point.y), r: 2.6 }, svg('title', {}, point.title));
    parts.push(point.href && !kept ? svg('a', { href: point.href }, dot) : dot);
  }
  const first = chart.points[0]!;
  if (first.y > highest) parts.push(svg('text', { class: 'tick', x: at_x(first.x) + 5, y: top + 13 }, `↑ from ${format.time(first.y)}`));
  return h('figure', { class: 'chart' }, caption,
    svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${chart.title}: best ${format.time(last.y)}${levels.map((level) => `, ${level.word} ${format.time(level.value)}`).join('')}` }, parts));
}

/// A curve without axes, for a line of a table.
export function spark(values: [number, number][], width = 120, height = 26): Child {
  if (values.length < 2) return '';
  const until = Math.max(...values.map(([x]) => x)) || 1;
  const logs = values.map(([, y]) => Math.log(y));
  const lo = Math.min(...logs), hi = Math.max(...logs);
  let path = '';
  values.forEach(([x], at) => {
    const px = (x / until) * (width - 4) + 2, py = hi > lo ? height - 3 - ((logs[at]! - lo) / (hi - lo)) * (height - 6) : height / 2;
    path += at === 0 ? `M${px.toFixed(1)} ${py.toFixed(1)}` : `H${px.toFixed(1)}V${py.toFixed(1)}`;
  });
  return svg('svg', { class: 'spark', viewBox: `0 0 ${width} ${height}`, width, height, 'aria-hidden': 'true' }, svg('path', { d: `${path}H${width - 2}` }));
}

export function bar(part: number, words = '', tone = ''): HTMLElement {
  const width = Math.max(0, Math.min(1, part));
  return h('span', { class: `bar ${tone}`, title: words, role: 'img', 'aria-label': words || format.share(part) },
    h('i', { style: { width: `${(width * 100).toFixed(1)}%` } }));
}

/// Shares of a whole as one bar with its parts' names below.
export function shares(parts: { name: string; value: number; text: string }[]): HTMLElement {
  const whole = parts.reduce((sum, part) => sum + part.value, 0);
  if (!(whole > 0)) return h('p', { class: 'none' }, 'nothing yet');
  return h('div', { class: 'shares' },
    h('div', { class: 'stack', role: 'img', 'aria-label': parts.map((part) => `${part.name} ${part.text}`).join(', ') },
      parts.map((part, at) => h('i', { class: `s${at % 8}`, style: { width: `${((part.value / whole) * 100).toFixed(2)}%` }, title: `${part.name} ${part.text}` }))),
    h('ul', {}, parts.map((part, at) => h('li', {}, h('i', { class: `s${at % 8}` }), h('span', {}, part.name), h('b', {}, part.text), h('small', {}, format.share(part.value / whole))))));
}

/// Samples in the order of measurement, the median, and the interval as a band.
export function samples_chart(samples: number[], median: number | null, lo: number | null, hi: number | null, clocks: number[] = []): HTMLElement {
  const width = 460, height = 150, left = 56, right = 60, top = 8, bottom = 20;
  const values = [...samples, median ?? samples[0]!, lo ?? samples[0]!, hi ?? samples[0]!];
  let least = Math.min(...values), most = Math.max(...values);
  const spare = (most - least) * 0.08 || most * 0.01;
  least -= spare; most += spare;
  const at_x = (at: number): number => left + (samples.length > 1 ? (at / (samples.length - 1)) * (width - left - right) : 0);
  const at_y = (value: number): number => top + ((most - value) / (most - least)) * (height - top - bottom);
  const parts: SVGElement[] = [];
  for (const tick of linear_ticks(least, most, 4))
    parts.push(svg('line', { class: 'grid', x1: left, x2: width - right, y1: at_y(tick), y2: at_y(tick) }),
      svg('text', { class: 'tick', x: left - 6, y: at_y(tick) + 3.5, 'text-anchor': 'end' }, format.time(tick)));
  if (lo !== null && hi !== null) parts.push(svg('rect', { class: 'band', x: left, width: width - left - right, y: at_y(hi), height: Math.max(1, at_y(lo) - at_y(hi)) }));
  if (median !== null)
    parts.push(svg('line', { class: 'median', x1: left, x2: width - right, y1: at_y(median), y2: at_y(median) }),
      svg('text', { class: 'median-word', x: width - right + 5, y: at_y(median) + 3.5 }, format.time(median)));
  samples.forEach((sample, at) => parts.push(svg('circle', { class: 'sample', cx: at_x(at), cy: at_y(sample), r: samples.length > 200 ? 1.4 : 2.2 },
    svg('title', {}, `sample ${at + 1}: ${format.time(sample)}${clocks[at] ? `, ${clocks[at]} MHz` : ''}`))));
  parts.push(svg('text', { class: 'tick', x: left, y: height - 5 }, `${samples.length} samples in order of measurement`));
  return h('figure', { class: 'chart' }, svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${samples.length} samples, median ${format.time(median)}, 95 % ${format.time(lo)} to ${format.time(hi)}` }, parts));
}

/// Two columns against each other.
export function scatter(points: { x: number; y: number; tone: string; title: string; href: string }[], x_name: string, y_name: string,
                        x_text: (x: number) => string, y_text: (y: number) => string): HTMLElement {
  const narrow = matchMedia('(max-width: 700px)').matches, width = narrow ? 380 : 640, height = narrow ? 260 : 340, left = 58, right = 14, top = 12, bottom = 34;   // its letters keep their size
  if (points.length === 0) return h('p', { class: 'none' }, 'no attempt has both numbers');
  const log = (values: number[]): boolean => Math.min(...values) > 0 && Math.max(...values) / Math.min(...values) > 20;
  const axis = (values: number[], from: number, to: number): { at: (value: number) => number; ticks: number[] } => {
    if (log(values)) {
      const [lo, hi] = log_range(values);
      return { at: (value) => from + ((Math.log10(value) - Math.log10(lo)) / (Math.log10(hi) - Math.log10(lo))) * (to - from), ticks: log_ticks(lo, hi) };
    }
    const lo = Math.min(...values), hi = Math.max(...values), spare = (hi - lo) * 0.05 || 1;
    return { at: (value) => from + ((value - lo + spare) / (hi - lo + 2 * spare)) * (to - from), ticks: linear_ticks(lo, hi, narrow ? 4 : 6) };
  };
  const x = axis(points.map((point) => point.x), left, width - right), y = axis(points.map((point) => point.y), height - bottom, top);
  return h('figure', { class: 'chart' }, svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${y_name} against ${x_name}, ${points.length} attempts` },
    y.ticks.map((tick) => [svg('line', { class: 'grid', x1: left, x2: width - right, y1: y.at(tick), y2: y.at(tick) }), svg('text', { class: 'tick', x: left - 6, y: y.at(tick) + 3.5, 'text-anchor': 'end' }, y_text(tick))]),
    x.ticks.map((tick) => svg('text', { class: 'tick', x: x.at(tick), y: height - bottom + 14, 'text-anchor': 'middle' }, x_text(tick))),
    svg('text', { class: 'tick', x: (left + width - right) / 2, y: height - 4, 'text-anchor': 'middle' }, x_name),
    points.map((point) => { const dot = svg('circle', { class: `point ${point.tone}`, cx: x.at(point.x), cy: y.at(point.y), r: 2.6 }, svg('title', {}, point.title)); return point.href ? svg('a', { href: point.href }, dot) : dot; })));
}

/// A promised range of speedups and what came, on one axis from 1x on.
export function promise(lo: number, hi: number, came: number | null): HTMLElement {
  const width = 360, height = 34, left = 4, right = 4;
  const least = Math.min(1, lo, came ?? 1) * 0.97, most = Math.max(hi, came ?? 1, 1.02) * 1.03;
  const at_x = (value: number): number => left + ((Math.log(value) - Math.log(least)) / (Math.log(most) - Math.log(least))) * (width - left - right);
  const within = came !== null && lo <= came && came <= hi;
  const words = `predicted ${format.ratio(lo)} to ${format.ratio(hi)}, ${came === null ? 'nothing passed' : `came ${format.ratio(came)}, ${within ? 'within' : 'outside'}`}`;
  return h('figure', { class: 'chart promise' }, svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': words },
    svg('line', { class: 'grid', x1: left, x2: width - right, y1: 10, y2: 10 }), svg('line', { class: 'grid', x1: at_x(1), x2: at_x(1), y1: 2, y2: 18 }),
    svg('rect', { class: 'band', x: at_x(lo), y: 5, width: Math.max(2, at_x(hi) - at_x(lo)), height: 10, rx: 2 }),
    came === null ? null : svg('circle', { class: within ? 'dot' : 'dot outside-dot', cx: at_x(came), cy: 10, r: 4 }),
    svg('text', { class: 'tick', x: left, y: height - 4 }, words)));
}
