// What counters, or counting, say of an attempt: shares, times, traffic, and what each line of the source costs.
import { Child, h, link, put } from './dom';
import type { Row } from './data';
import * as format from './format';
import { bar } from './charts';
import { data_table, panel } from './table';
import { listing } from './highlight';

type Numbers = Record<string, number>;
interface LineCost { line: number; file: string; numbers: Numbers; notes: string[] }

/// Lists of [name, value] pairs or of objects, or one object, as an object.
function numbers_of(value: any): Numbers {
  if (!Array.isArray(value)) return value ?? {};
  return Object.fromEntries(value.map((one) => (Array.isArray(one) ? one : [one.name, one.value])));
}

export function metric_name(name: string): string {
  return name.replace(/_(ns|bytes|share)$/, (ending) => (ending === '_bytes' ? ' bytes' : '')).replaceAll('_', ' ');
}

export function metric_text(name: string, value: number): string {
  if (name.endsWith('_share')) return format.share(value);
  if (name.endsWith('_ns')) return format.time(value);
  if (name.endsWith('_bytes') || name === 'least_bytes') return format.bytes(value);
  return Number.isInteger(value) || Math.abs(value) >= 100 ? format.count(value) : format.anything(value);
}

/// Shares and means say nothing when they are added up over lines.
function adds_up(name: string): boolean { return !/_share$|^active_lanes$|^stall_/.test(name); }

// What says most of a line's cost stands first.
const kLineMetrics = ['time_ns', 'predicted_ns', 'samples', 'instructions', 'global_bytes', 'shared_wavefronts', 'shared_conflicts', 'global_load_sectors', 'global_store_sectors'];

function line_costs(profile: Row): LineCost[] {
  const launches = (format.parsed(profile['launches']) ?? []) as any[];
  return launches.flatMap((launch) => (launch.lines ?? []) as any[]).filter((line) => line.line > 0)
    .map((line) => ({ line: line.line, file: line.file ?? '', numbers: numbers_of(line.numbers), notes: line.notes ?? [] }));
}

interface LineView { metrics: string[]; lines: LineCost[]; elsewhere: LineCost[] }

/// Nothing: no line of the variant's own file has a number.
export function line_view(profile: Row | undefined): LineView | null {
  if (!profile) return null;
  const all = line_costs(profile);
  const is_header = (file: string): boolean => /\.(cuh|h|hpp)$/.test(file);
  const lines = all.filter((line) => !is_header(line.file)), elsewhere = all.filter((line) => is_header(line.file));
  const names = [...new Set(lines.flatMap((line) => Object.keys(line.numbers)))].filter((name) => adds_up(name) && lines.some((line) => (line.numbers[name] ?? 0) > 0));
  const rank = (name: string): number => (kLineMetrics.indexOf(name) + 100) % 100;
  return names.length ? { metrics: names.sort((a, b) => rank(a) - rank(b)), lines, elsewhere } : null;
}

/// The source with one number of its lines at their left; which one is chosen above.
export function counted_listing(source: string, view: LineView): HTMLElement {
  const place = h('div'), choices = h('div', { class: 'linechoice' });
  const draw = (metric: string): void => {
    const sums = new Map<number, number>(), titles = new Map<number, string>();
    for (const line of view.lines) {
      sums.set(line.line, (sums.get(line.line) ?? 0) + (line.numbers[metric] ?? 0));
      const words = Object.entries(line.numbers).map(([name, value]) => `${metric_name(name)} ${metric_text(name, value)}`);
      titles.set(line.line, [titles.get(line.line), ...words, ...line.notes].filter(Boolean).join('\n'));
    }
    const whole = [...sums.values()].reduce((sum, value) => sum + value, 0) + view.elsewhere.reduce((sum, line) => sum + (line.numbers[metric] ?? 0), 0);
    const beside = new Map([...sums].map(([line, value]) => [line, { part: whole > 0 ? value / whole : 0, text: value > 0 ? metric_text(metric, value) : '', title: titles.get(line) ?? '' }]));
    put(choices, h('label', {}, 'beside the lines ', h('select', { onchange: (event: Event) => draw((event.target as HTMLSelectElement).value) },
      view.metrics.map((name) => h('option', { value: name, selected: name === metric }, metric_name(name))))),
    view.elsewhere.length ? h('small', {}, `${view.elsewhere.length} lines of headers are counted besides`) : null);
    put(place, listing(source, beside));
  };
  draw(view.metrics[0]!);
  return h('div', {}, choices, place);
}

function bars(rows: { name: string; part: number; text: string }[]): HTMLElement {
  return h('ul', { class: 'bars' }, rows.map((row) => h('li', {}, h('span', {}, row.name), bar(row.part, `${row.name} ${row.text}`), h('b', {}, row.text))));
}

interface Group { title: string; note: string; rows: { name: string; part: number; text: string }[]; used: string[] }

function groups_of(numbers: Numbers): Group[] {
  const groups: Group[] = [];
  const add = (title: string, note: string, names: string[], most: number, name_of: (name: string) => string): void => {
    const used = names.filter((name) => numbers[name] !== undefined);
    const rows = used.filter((name) => numbers[name]! > 0).map((name) => ({ name: name_of(name), part: most > 0 ? numbers[name]! / most : 0, text: metric_text(name, numbers[name]!) }));
    if (rows.length) groups.push({ title, note, rows: rows.sort((a, b) => b.part - a.part), used });
  };
  const every = Object.keys(numbers);
  const parts = every.filter((name) => /^predicted_.*_ns$/.test(name) && !/_(lo|hi)_ns$/.test(name));
  add('Parts of the predicted time', `${format.time(numbers['predicted_ns'])}, between ${format.time(numbers['predicted_lo_ns'])} and ${format.time(numbers['predicted_hi_ns'])}; parts overlap`, parts, numbers['predicted_ns'] ?? 0, (name) => metric_name(name.replace('predicted_', '')));
  add('Shares of what is possible', '', every.filter((name) => name.endsWith('_share')), 1, metric_name);
  const stalls = every.filter((name) => name.startsWith('stall_'));
  add('What warps wait for', 'cycles an instruction', stalls, stalls.reduce((sum, name) => sum + numbers[name]!, 0), (name) => metric_name(name.replace('stall_', '')));
  return groups;
}

/// Of each launch of the plan, in order: how many blocks, and its first numbers.
function launches_table(profile: Row): Child {
  const launches = ((format.parsed(profile['launches']) ?? []) as any[]).map((launch, at) => ({ at: at + 1, entry: launch.entry, blocks: launch.blocks, sampled: launch.sampled_blocks, numbers: numbers_of(launch.numbers) }));
  if (!launches.length) return null;
  const names = ['time_ns', 'predicted_ns', 'instructions', 'dram_bytes'].filter((name) => launches.some((launch) => launch.numbers[name] !== undefined));
  return [h('h3', {}, launches.length === 1 ? 'Its launch' : `Its ${launches.length} launches, in order`), data_table({ rows: launches, columns: [
    { name: '#', number: true, cell: (row) => row['at'] }, { name: 'entry', mono: true, cell: (row) => row['entry'] },
    { name: 'blocks', number: true, cell: (row) => [format.count(row['blocks']), row['sampled'] < row['blocks'] ? h('small', {}, ` ${format.count(row['sampled'])} counted`) : null] },
    ...names.map((name) => ({ name: metric_name(name), number: true, late: 1, cell: (row: Row): Child => (row['numbers'][name] === undefined ? '' : metric_text(name, row['numbers'][name])) }))] })];
}

export function profile_panel(rows: Row[]): Child {
  const row = rows[0];
  if (!row) return null;
  const numbers = numbers_of(format.parsed(row['numbers']));
  const groups = groups_of(numbers);
  const used = new Set([...groups.flatMap((group) => group.used), 'predicted_ns', 'predicted_lo_ns', 'predicted_hi_ns']);
  const rest = Object.entries(numbers).filter(([name]) => !used.has(name));
  const traffic = numbers['dram_bytes'] && numbers['least_bytes'] ? numbers['dram_bytes'] / numbers['least_bytes'] : null;
  return panel(`Profile: ${row['source']}${row['device'] ? ` for ${row['device']}` : ''}`,
    row['diagnosis'] ? h('p', { class: 'why' }, h('b', {}, row['rule'] ?? '', ' '), row['diagnosis'], row['page'] ? [' ', link(`/playbook/${encodeURIComponent(row['page'])}`, 'what to do')] : null) : null,
    row['why'] ? h('p', { class: 'soft' }, row['why']) : null,
    traffic !== null ? h('p', {}, h('b', {}, format.ratio(traffic)), h('span', { class: 'soft' }, ` of the least bytes that the contract must move (${format.bytes(numbers['dram_bytes'])} of ${format.bytes(numbers['least_bytes'])})`)) : null,
    h('div', { class: 'profiles' }, groups.map((group) => h('div', {}, h('h3', {}, group.title), group.note ? h('small', {}, group.note) : null, bars(group.rows)))),
    launches_table(row),
    rest.length ? h('details', {}, h('summary', {}, `${rest.length} more numbers`), h('dl', { class: 'metrics' }, rest.map(([name, value]) => h('div', {}, h('dt', {}, metric_name(name)), h('dd', {}, metric_text(name, value)))))) : null);
}
