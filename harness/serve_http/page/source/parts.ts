// What several pages show alike.
import { Child, h, link } from './dom';
import type { Row } from './data';
import * as format from './format';
import { bar } from './charts';
import { outcome, verdict } from './outcome';
import type { Column } from './table';

export function attempt_link(iteration: number | null | undefined, words?: string): Child {
  return iteration ? link(`/attempt/${iteration}`, words ?? `#${iteration}`) : '';
}
export function campaign_link(campaign: number, name?: string | null): Child {
  return link(`/campaign/${campaign}`, name ? `${campaign} ${name}` : String(campaign));
}
export function kernel_link(kernel: string): Child {
  return link(`/kernel/${encodeURIComponent(kernel)}`, kernel);
}

/// Predicted and emulated times say so wherever they stand.
export function time_kind(device_name: string | null | undefined, emulation: unknown): string {
  if (!emulation) return 'measured';
  return (device_name ?? '').includes('predicted') ? 'predicted' : 'emulated';
}

export function time_cell(row: Row): Child {
  if (row['time_ns'] === null || row['time_ns'] === undefined) return '';
  const kind = time_kind(row['device_name'], row['emulation']);
  return [format.time(row['time_ns']), ' ', h('small', {}, format.interval(row['time_lo_ns'], row['time_hi_ns'])),
    kind === 'measured' ? null : h('abbr', { class: 'kind', title: `${kind}, not measured on a GPU` }, kind[0]!)];
}

export function floor_cell(value: number | null | undefined, of = 'floor'): Child {
  return value === null || value === undefined ? '' : h('span', { class: 'floorcell' }, bar(value, `${format.share(value)} of the ${of}`), format.share(value));
}

/// Columns of attempts. Those that are shown by default come first.
export const kAttemptColumns: (Column & { id: string; usual?: boolean })[] = [
  { id: 'iteration', name: '#', key: 'iteration', number: true, usual: true, cell: (row) => attempt_link(row['iteration'], String(row['iteration'])) },
  { id: 'outcome', name: 'outcome', key: 'outcome', usual: true, cell: (row) => outcome(row['outcome']) },
  { id: 'workload', name: 'workload', key: 'workload', usual: true, cell: (row) => [h('span', { class: 'part' }, row['kernel']), ' ', h('span', { class: 'soft part' }, row['workload'])] },
  { id: 'variant', name: 'variant', key: 'variant', usual: true, late: 1, cell: (row) => row['variant'] },
  { id: 'time_ns', name: 'time', key: 'time_ns', number: true, usual: true, cell: time_cell },
  { id: 'speedup', name: 'speedup', key: 'speedup', number: true, usual: true, cell: (row) => (row['speedup'] === null ? '' : format.ratio(row['speedup'])) },
  { id: 'of_floor', name: 'of floor', key: 'of_floor', number: true, usual: true, late: 1, cell: (row) => floor_cell(row['of_floor']) },
  { id: 'verdict', name: 'verdict', usual: true, late: 1, cell: (row) => [verdict(row['verdict']), row['confirmed'] ? h('span', { class: 'badge good', title: 'timed again in a fresh process' }, 'confirmed') : null] },
  { id: 'config', name: 'configuration', mono: true, usual: true, late: 2, cell: (row) => h('span', { class: 'cut', title: format.config(row['config']) }, format.config(row['config'])) },
  { id: 'why', name: 'why', usual: true, late: 2, cell: (row) => (row['error_message'] ? h('span', { class: 'cut soft', title: row['error_message'] }, row['error_class'] ? `${row['error_class']}: ` : '', row['error_message']) : '') },
  { id: 'workload_alone', name: 'workload', cell: (row) => row['workload'] },
  { id: 'campaign', name: 'campaign', number: true, cell: (row) => campaign_link(row['campaign']) },
  { id: 'purpose', name: 'purpose', cell: (row) => row['purpose'] },
  { id: 'technique', name: 'technique', key: 'technique', cell: (row) => row['technique'] },
  { id: 'registers', name: 'registers', key: 'registers', number: true, cell: (row) => row['registers'] ?? '' },
  { id: 'shared_bytes', name: 'shared', key: 'shared_bytes', number: true, cell: (row) => (row['shared_bytes'] === null ? '' : format.bytes(row['shared_bytes'])) },
  { id: 'spill_bytes', name: 'spills', key: 'spill_bytes', number: true, cell: (row) => row['spill_bytes'] ?? '' },
  { id: 'wall_s', name: 'took', key: 'wall_s', number: true, cell: (row) => format.seconds(row['wall_s']) },
  { id: 'usd', name: 'cost', key: 'usd', number: true, cell: (row) => format.money(row['usd']) },
  { id: 'node', name: 'node', cell: (row) => row['node'] ?? '' },
  { id: 'label', name: 'label', cell: (row) => row['label'] ?? '' },
  { id: 'device', name: 'device', cell: (row) => row['device_name'] },
  { id: 'ended', name: 'ended (UTC)', key: 'ended_unix', cell: (row) => row['ended'] },
];

export function columns_of(ids: string[]): Column[] {
  return ids.map((id) => kAttemptColumns.find((column) => column.id === id)).filter((column): column is (typeof kAttemptColumns)[0] => column !== undefined);
}
export const kUsualColumns = kAttemptColumns.filter((column) => column.usual).map((column) => column.id);

export function tile(label: string, value: Child, note: Child = ''): HTMLElement {
  return h('div', { class: 'tile' }, h('span', {}, label), h('b', {}, value), h('small', {}, note));
}

export function facts(rows: [string, Child][]): HTMLElement {
  return h('dl', { class: 'facts' }, rows.filter(([, value]) => value !== '' && value !== null && value !== undefined && value !== false).map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
}

export function state_badge(state: string, words?: string): HTMLElement {
  return h('span', { class: `badge ${state}` }, state === 'running' ? h('i', { class: 'pulse', 'aria-hidden': 'true' }) : null, words ?? state);
}

export function geometric_mean(values: number[]): number | null {
  return values.length === 0 ? null : Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

/// A cell of a report's view: words, a number, a number with its unit, or several of these.
export function report_cell(cell: any): string {
  if (cell === null || cell === undefined) return '';
  if (Array.isArray(cell)) return cell.map(report_cell).join('');
  if (typeof cell !== 'object') return format.anything(cell);
  const value = cell.value as number | null;
  switch (cell.unit) {
    case 'ns': return format.time(value);
    case 's': return format.seconds(value);
    case 'usd': return format.money(value);
    case 'ratio': return format.ratio(value);
    case 'share': return format.share(value);
    case 'change': return value === null ? format.kUnknown : `${value > 0 ? '+' : ''}${(value * 100).toFixed(1)} %`;
    case 'per_s': return format.rate(value, '/s');
    default: return format.anything(value);
  }
}
