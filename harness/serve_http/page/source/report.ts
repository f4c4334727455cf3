// What a report says of a campaign: its sections with their charts, as the program's view has them. A report that is a file
// holds this page with the data inside.
import { Child, h, svg } from './dom';
import * as format from './format';
import { log_range, log_ticks } from './charts';
import { data_table, panel } from './table';
import { report_cell } from './parts';
import { listing } from './highlight';
import type { Row } from './data';

/// Of the sections that the page of a campaign does not show already.
const kShownElsewhere = new Set(['bests', 'staircase', 'decisions']);

function bars_chart(chart: any): Child {
  const most = Math.max(...chart.bars.map((one: any) => one.values.reduce((sum: number, value: number) => sum + value, 0)), 1e-12);
  return h('figure', { class: 'chart barchart', role: 'img', 'aria-label': chart.title },
    chart.parts.length > 1 ? h('p', { class: 'key' }, chart.parts.map((part: string, at: number) => [h('i', { class: `square s${at % 8}` }), part])) : null,
    h('ul', {}, chart.bars.map((one: any) => h('li', {}, h('span', { class: 'cut', title: one.name }, one.name),
      h('span', { class: 'stackbar' }, one.values.map((value: number, at: number) => (value > 0 ? h('i', { class: `s${at % 8}`, style: { width: `${(value / most) * 100}%` }, title: `${chart.parts[at] ?? ''} ${format.anything(value)} ${chart.unit}` }) : null))),
      h('small', {}, report_cell(one.note))))));
}

/// 1 is full colour, four times slower none.
function heat_chart(chart: any): Child {
  const strength = (slowdown: number): number => Math.max(0, Math.min(1, 1 - Math.log(Math.max(1, slowdown)) / Math.log(4)));
  const words = (square: any): string => (square.slowdown ? (square.slowdown < 9.995 ? square.slowdown.toFixed(2) : format.count(square.slowdown)) : square.tried ? (square.only_slower ? 'slower' : 'failed') : '');
  return h('div', { class: 'scroll' }, h('table', { class: 'heat' }, h('thead', {}, h('tr', {}, h('th'), chart.columns.map((name: string) => h('th', {}, h('span', {}, name))))),
    h('tbody', {}, chart.rows.map((name: string, at: number) => h('tr', {}, h('th', { scope: 'row' }, name), chart.cells[at].map((square: any) =>
      h('td', { title: report_cell(square.label), class: square.slowdown === 1 ? 'best' : square.tried ? '' : 'empty' },
        h('div', {}, square.slowdown ? h('i', { style: { opacity: String(0.08 + 0.5 * strength(square.slowdown)) } }) : null, h('span', { class: square.slowdown ? '' : 'soft' }, words(square))))))))));
}

/// Predicted ranges as lines, and what was seen: a dot within, a cross outside.
function ranges_chart(chart: any): Child {
  const width = 940, height = 240, left = 58, right = 8, top = 10, bottom = 22;
  const values = chart.ranges.flatMap((range: any) => [range.lo, range.hi, range.seen]).filter((value: number) => value > 0);
  if (!values.length) return null;
  const [lo, hi] = log_range(values);
  const at_y = (value: number): number => top + ((Math.log(hi) - Math.log(Math.max(value, lo))) / (Math.log(hi) - Math.log(lo))) * (height - top - bottom);
  const step = (width - left - right) / chart.ranges.length;
  const held = chart.ranges.filter((range: any) => range.lo <= range.seen && range.seen <= range.hi).length;
  return h('figure', { class: 'chart' }, svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${chart.title}: ${held} of ${chart.ranges.length} held` },
    log_ticks(lo, hi).map((tick) => [svg('line', { class: 'grid', x1: left, x2: width - right, y1: at_y(tick), y2: at_y(tick) }), svg('text', { class: 'tick', x: left - 6, y: at_y(tick) + 3.5, 'text-anchor': 'end' }, format.ratio(tick))]),
    chart.ranges.map((range: any, at: number) => {
      const x = left + step * (at + 0.5), y = at_y(range.seen), within = range.lo <= range.seen && range.seen <= range.hi;
      return svg('g', {}, svg('title', {}, report_cell(range.label)), svg('line', { class: 'rangeline', x1: x, x2: x, y1: at_y(range.lo), y2: at_y(range.hi) }),
        within ? svg('circle', { class: 'dot', cx: x, cy: y, r: 3 }) : svg('path', { class: 'missed', d: `M${x - 3} ${y - 3}l6 6m0 -6l-6 6` }));
    }), svg('text', { class: 'tick', x: left, y: height - 5 }, chart.unit)));
}

function chart_of(chart: any): Child {
  return chart.kind === 'bars' ? bars_chart(chart) : chart.kind === 'heat' ? heat_chart(chart) : ranges_chart(chart);
}

function looks_like_number(rows: any[][], at: number): boolean {
  const cells = rows.map((row) => row[at]).filter((cell) => cell !== null && cell !== '');
  return cells.length > 0 && cells.every((cell) => typeof cell === 'number' || (typeof cell === 'object' && !Array.isArray(cell)));
}

function section_table(section: any): Child {
  if (!section.rows.length) return null;
  const shown = (section.columns as string[]).map((name, at) => ({ name, at })).filter(({ at }) => section.rows.some((row: any[]) => report_cell(row[at]) !== ''));
  const table = data_table({ rows: section.rows.map((cells: any[]) => Object.fromEntries(cells.map((cell, at) => [String(at), cell]))),
    columns: shown.map(({ name, at }) => ({ name, wide: !looks_like_number(section.rows, at), number: looks_like_number(section.rows, at), cell: (row: Row) => report_cell(row[String(at)]) })),
    foot: section.more_rows ? h('p', { class: 'soft' }, `${format.count(section.more_rows)} more rows: the query has them.`) : null });
  return section.charts.length ? h('details', {}, h('summary', {}, 'the table'), table) : table;
}

function section_panel(section: any): Child {
  if (!section.rows.length && !section.lines.length && !section.charts.length && !section.listings?.length) return null;
  const whole = panel(section.title, section.lead ? h('p', { class: 'lead' }, section.lead) : null, section.charts.map(chart_of), section_table(section),
    section.lines.length ? h('pre', { class: 'text' }, section.lines.join('\n')) : null,
    (section.listings ?? []).map((one: any) => h('details', { class: 'winner' }, h('summary', {}, one.title), listing(one.text))),
    section.sql ? h('details', { class: 'sql' }, h('summary', {}, 'the query'), h('pre', { class: 'text' }, section.sql)) : null);
  whole.id = section.id;   // an address within the file
  return whole;
}

export function report_head(report: any): Child {
  return [h('p', { class: 'verdictline' }, report.verdict), (report.cautions as string[]).length ? h('ul', { class: 'caution' }, (report.cautions as string[]).map((caution) => h('li', {}, caution))) : null];
}

export function report_sections(report: any): Child {
  return (report.sections as any[]).filter((section) => !kShownElsewhere.has(section.id)).map(section_panel);
}

