// Series of many points, with uPlot: the pointer is read in all charts of a group, a drag zooms, a double click goes back.
import uPlot from 'uplot';
import { kept } from './kept';
import { Child, h } from './dom';
import { log_range, log_ticks } from './charts';

export interface SeriesPoint { x: number; y: number; title: string; href?: string }
export interface SeriesLine { name: string; points: SeriesPoint[] }
export interface SeriesChart {
  title: string; words: string;   // what it shows, for who does not see it
  lines: SeriesLine[]; x_text: (x: number) => string; y_text: (y: number) => string;
  group?: string; stepped?: boolean; height?: number;
}

const shown = new Set<uPlot>();
function redraw(): void { for (const chart of shown) if (chart.root.isConnected) chart.redraw(); else shown.delete(chart); }
for (const media of ['print', '(prefers-color-scheme: dark)']) matchMedia(media).addEventListener('change', redraw);
new MutationObserver(redraw).observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });

/// Colours are read at each drawing: light, dark and paper have their own.
function colour(name: string): () => string { return () => getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

interface Joined { data: uPlot.AlignedData; points: Map<number, SeriesPoint>[] }

/// One list of places for all lines, as uPlot wants it.
function joined(lines: SeriesLine[], y_of: (y: number) => number): Joined {
  const xs = [...new Set(lines.flatMap((line) => line.points.map((point) => point.x)))].sort((a, b) => a - b);
  const points = lines.map((line) => new Map(line.points.map((point) => [point.x, point])));
  return { data: [xs, ...points.map((by) => xs.map((x) => { const point = by.get(x); return point ? y_of(point.y) : null; }))] as uPlot.AlignedData, points };
}

export function series_chart(chart: SeriesChart): HTMLElement {
  const values = chart.lines.flatMap((line) => line.points.map((point) => point.y));
  const last = chart.lines.length === 1 ? chart.lines[0]!.points.at(-1) : undefined;
  const usual = last ? chart.y_text(last.y) : '', told = h('span', { class: 'soft told' }, usual), place = h('div', { class: 'series' });
  const figure = h('figure', { class: 'chart', role: 'img', 'aria-label': `${chart.title}: ${chart.words}` }, h('figcaption', { 'aria-hidden': 'true' }, h('b', {}, chart.title), told), place);
  if (!values.length) return figure;
  const log = Math.min(...values) > 0 && Math.max(...values) / Math.min(...values) > 3;
  const { data, points } = joined(chart.lines, log ? Math.log10 : (y) => y);
  let now: SeriesPoint | undefined;
  const under = (plot: uPlot): void => {
    const at = plot.cursor.idx, near = at === null || at === undefined ? [] : points.map((by) => by.get(data[0][at]!)).filter((point): point is SeriesPoint => point !== undefined);
    const height = plot.cursor.top ?? 0;
    const away = (point: SeriesPoint): number => Math.abs(plot.valToPos(log ? Math.log10(point.y) : point.y, 'y') - height);
    now = near.sort((a, b) => away(a) - away(b))[0];
    told.textContent = now ? now.title : usual;
    plot.over.style.cursor = now?.href && !kept ? 'pointer' : 'crosshair';
  };
  const axis = (more: uPlot.Axis): uPlot.Axis => ({ stroke: colour('--soft'), font: '10.5px system-ui, sans-serif', ticks: { show: false }, grid: { stroke: colour('--line'), width: 1 }, gap: 4, ...more });
  const options = (width: number): uPlot.Options => ({
    width, height: chart.height ?? 150, padding: [8, 8, 0, 0],
    legend: { show: chart.lines.length > 1, live: false }, cursor: { points: { size: 7 }, drag: { x: true, y: false }, ...(chart.group ? { sync: { key: chart.group, setSeries: false } } : {}) },
    scales: { x: { time: false }, y: { range: (_, least, most) => {
      if (log) return log_range([10 ** least, 10 ** most]).map(Math.log10) as [number, number];
      const spare = (most - least) * 0.12 || Math.abs(most) * 0.02 || 1;
      return [least - spare, most + spare];
    } } },
    axes: [axis({ size: 22, space: 90, grid: { show: false }, values: (_, at) => at.map(chart.x_text) }),
      axis({ size: 56, space: 26, values: (_, at) => at.map((y) => chart.y_text(log ? 10 ** y : y)), ...(log ? { splits: (_: uPlot, __: number, least: number, most: number) => log_ticks(10 ** least, 10 ** most).map(Math.log10) } : {}) })],
    series: [{}, ...chart.lines.map((line, at): uPlot.Series => ({ label: line.name, stroke: colour(chart.lines.length === 1 ? '--accent' : `--s${at % 8}`), width: 1.6, spanGaps: true, points: { show: true, size: 4.5, fill: colour(chart.lines.length === 1 ? '--accent' : `--s${at % 8}`) }, ...(chart.stepped ? { paths: uPlot.paths.stepped!({ align: 1 }) } : {}) }))],
    hooks: { setCursor: [under] },
  });
  let plot: uPlot | undefined;
  new ResizeObserver(() => {
    const width = Math.floor(place.clientWidth);
    if (width < 60) return;
    if (plot) { if (plot.width !== width) plot.setSize({ width, height: plot.height }); return; }
    plot = new uPlot(options(width), data, place);
    shown.add(plot);
    let from = 0;
    plot.over.addEventListener('mousedown', (event) => { from = event.clientX; });
    plot.over.addEventListener('click', (event) => { if (now?.href && !kept && Math.abs(event.clientX - from) < 4) location.assign(now.href); });   // a drag zooms
  }).observe(place);
  return figure;
}

/// What a chart shows, for the keyboard and for who does not see it.
export function as_table(table: () => Child): HTMLElement {
  const place = h('div');
  return h('details', { ontoggle: (event: Event) => { if ((event.target as HTMLDetailsElement).open && !place.hasChildNodes()) place.append(...[table()].flat().filter((one): one is Node => one instanceof Node)); } }, h('summary', {}, 'as a table'), place);
}
