// Kernels over all campaigns: best times, history, variants on workloads, parameters, scatter.
import { Child, h, link, put, svg } from './dom';
import { ask, PageData, Row } from './data';
import * as format from './format';
import { bar, scatter } from './charts';
import { as_table, series_chart } from './series';
import { data_links, data_table, panel, panel_with } from './table';
import { attempt_link, campaign_link, floor_cell, kernel_link, time_cell } from './parts';
import { look } from './outcome';

export function kernels_page(main: HTMLElement, data: PageData): void {
  document.title = 'kernels · harness';
  put(main, panel_with('Kernels', data_links(), data_table({
    rows: data.tables['kernels']!.rows, on_open: (row) => `/kernel/${encodeURIComponent(row['kernel'])}`, empty: ['No kernel was tried yet. ', h('code', {}, 'harness kernels'), ' lists those that are here.'],
    columns: [
      { name: 'kernel', key: 'kernel', cell: (row) => kernel_link(row['kernel']) },
      { name: 'best speedup', key: 'best_speedup', number: true, cell: (row) => h('b', {}, format.ratio(row['best_speedup'])) },
      { name: 'workloads', key: 'workloads', number: true, cell: (row) => row['workloads'] },
      { name: 'confirmed', key: 'confirmed', number: true, cell: (row) => row['confirmed'] },
      { name: 'campaigns', key: 'campaigns', number: true, cell: (row) => row['campaigns'] },
      { name: 'techniques', key: 'techniques', number: true, late: 2, cell: (row) => row['techniques'] },
      { name: 'attempts', key: 'iterations', number: true, cell: (row) => format.count(row['iterations']) },
      { name: 'devices', wide: true, late: 1, cell: (row) => (row['devices'] ?? '').replaceAll(',', ', ') },
    ],
  })));
}

function heat(rows: Row[], kernel: string): Child {
  const variants = [...new Set(rows.map((row) => row['variant']))].sort(), columns = [...new Set(rows.map((row) => row['workload']))].sort();
  const cells = new Map(rows.map((row) => [`${row['variant']}|${row['workload']}`, row]));
  return h('div', { class: 'scroll' }, h('table', { class: 'heat' }, h('thead', {}, h('tr', {}, h('th', {}, ''), columns.map((column) => h('th', { scope: 'col', title: column }, h('span', {}, format.short(column, 28)))))),
    h('tbody', {}, variants.map((variant) => h('tr', {}, h('th', { scope: 'row', title: variant }, format.short(variant, 36)), columns.map((column) => {
      const row = cells.get(`${variant}|${column}`);
      if (!row) return h('td', { class: 'empty' });
      const strength = Math.max(0, 1 - Math.log2(row['slowdown']) / 5);
      return h('td', { class: row['slowdown'] < 1.005 ? 'best' : '', title: `${variant} on ${column}: ${format.time(row['time_ns'])}, ${row['iterations']} attempts` },
        h('a', { href: `/attempts?kernel=${encodeURIComponent(kernel)}&variant=${encodeURIComponent(variant)}&workload=${encodeURIComponent(column)}&sort=time_ns` },
          h('i', { style: { opacity: String(0.06 + 0.5 * strength) } }), h('span', {}, format.ratio(row['slowdown']))));
    }))))));
}

/// What each campaign came to, a chart a workload. The newest 50 workloads are drawn; the table and the CSV have all.
function history(rows: Row[], device: string): Child {
  const by = new Map<string, Row[]>();
  for (const row of [...rows].reverse()) by.set(row['workload'], [...(by.get(row['workload']) ?? []), row]);   // the oldest first
  const unix = rows.map((row) => row['started_unix'] as number);
  const long = Math.max(...unix) - Math.min(...unix) > 7 * 86400;   // then the year says more than the minute
  const day = (x: number): string => { const at = new Date(x * 1000).toISOString(); return long ? at.slice(0, 10) : at.slice(5, 16).replace('T', ' '); };
  const several = [...by.entries()].filter(([, list]) => list.length > 1);
  const table = as_table(() => data_table({ rows: rows.slice(0, 1000), on_open: (row) => `/campaign/${row['campaign']}`, columns: [
    { name: 'begun (UTC)', key: 'started_unix', cell: (row) => row['begun'] }, { name: 'campaign', key: 'campaign', number: true, cell: (row) => campaign_link(row['campaign']) }, { name: 'name', late: 2, cell: (row) => row['name'] ?? '' },
    { name: 'workload', key: 'workload', cell: (row) => row['workload'] }, { name: 'time', key: 'time_ns', number: true, cell: (row) => format.time(row['time_ns']) },
    { name: 'confirmed', late: 1, cell: (row) => (row['confirmed'] ? h('span', { class: 'badge good' }, '✓ confirmed') : '') }, { name: 'attempt', number: true, late: 2, cell: (row) => attempt_link(row['iteration']) }] }));
  if (!several.length) return [h('p', { class: 'none' }, 'each workload was in one campaign only: a second makes a history'), table];
  return [h('p', { class: 'lead' }, `${format.count(new Set(rows.map((row) => row['campaign'])).size)} campaigns. A drag zooms, a double click goes back, a click opens the campaign.`), h('div', { class: 'charts' }, several.slice(0, 50).map(([name, list]) => series_chart({
    title: name, group: device, words: `${list.length} campaigns from ${list[0]!['begun']} to ${list.at(-1)!['begun']}, first ${format.time(list[0]!['time_ns'])}, last ${format.time(list.at(-1)!['time_ns'])}`,
    lines: [{ name, points: list.map((row) => ({ x: row['started_unix'], y: row['time_ns'], href: `/campaign/${row['campaign']}`, title: `${format.time(row['time_ns'])} · campaign ${row['campaign']} ${format.short(row['name'] ?? '', 24)} · ${row['begun']}` })) }],
    x_text: day, y_text: format.time,
  }))), table];
}

const kAxes = ['time_ns', 'speedup', 'of_floor', 'registers', 'shared_bytes', 'spill_bytes', 'build_s', 'gates_s', 'timing_s', 'wall_s', 'usd', 'iteration'];
function axis_text(name: string): (value: number) => string {
  if (name.endsWith('_ns')) return format.time;
  if (name.endsWith('_s')) return format.seconds;
  if (name === 'usd') return format.money;
  if (name === 'speedup') return format.ratio;
  if (name === 'of_floor') return format.share;
  if (name.endsWith('_bytes')) return format.bytes;
  return format.anything;
}

function scatter_panel(kernel: string): HTMLElement {
  const words = new URLSearchParams(location.search);
  let x = words.get('x') ?? 'registers', y = words.get('y') ?? 'time_ns', workload = words.get('on') ?? '';
  const place = h('div'), aside = h('span', { class: 'aside' });
  let rows: Row[] = [];
  const draw = (): void => {
    const parameters = [...new Set(rows.flatMap((row) => Object.keys(format.parsed(row['config']) ?? {})))];
    const value = (row: Row, name: string): number | null => { const found = name in row ? row[name] : (format.parsed(row['config']) ?? {})[name]; return typeof found === 'number' ? found : null; };
    const choose = (label: string, list: string[], now: string, set: (value: string) => void): HTMLElement => h('label', {}, label, h('select', { onchange: (event: Event) => {
      set((event.target as HTMLSelectElement).value);
      const kept = new URLSearchParams({ x, y, ...(workload ? { on: workload } : {}) });
      window.history.replaceState(null, '', `${location.pathname}?${kept}`);
      draw();
    } }, list.map((one) => h('option', { value: one, selected: one === now }, one || 'all workloads'))));
    put(aside, choose('across', [...kAxes, ...parameters], x, (value_) => { x = value_; }), choose('up', [...kAxes, ...parameters], y, (value_) => { y = value_; }), choose('on', ['', ...new Set(rows.map((row) => row['workload'] as string))], workload, (value_) => { workload = value_; }));
    const points = rows.filter((row) => !workload || row['workload'] === workload).map((row) => ({ row, px: value(row, x), py: value(row, y) })).filter((point) => point.px !== null && point.py !== null)
      .map(({ row, px, py }) => ({ x: px!, y: py!, tone: look(row['outcome']).tone, href: `/attempt/${row['iteration']}`, title: `#${row['iteration']} ${row['variant']} on ${row['workload']}: ${format.time(row['time_ns'])}` }));
    put(place, scatter(points, x, y, axis_text(x), axis_text(y)));
  };
  ask(`/kernel/${encodeURIComponent(kernel)}/points.json`).then((data) => { rows = data.tables['kernel_points']!.rows; draw(); }).catch((error) => put(place, h('p', { class: 'error' }, error.message)));
  return panel_with('Any two columns of the newest attempts', aside, place);
}

function parameters(rows: Row[]): Child {
  const groups = new Map<string, Row[]>();
  for (const row of rows) if (row['value_count'] > 1) groups.set(`${row['variant']} ${row['parameter']}`, [...(groups.get(`${row['variant']} ${row['parameter']}`) ?? []), row]);
  const list = [...groups.entries()].slice(0, 12);
  if (!list.length) return h('p', { class: 'none' }, 'no parameter was tried with two values');
  return h('div', { class: 'effects' }, list.map(([name, values]) => h('div', {}, h('h3', {}, name), h('ul', {}, values.map((row) =>
    h('li', { title: `${row['iterations']} attempts, best ${format.ratio(row['best'])}, worst ${format.ratio(row['worst'])}` }, h('code', {}, String(row['value'])), bar(Math.min(1, 1 / row['geomean'])), h('span', { class: 'n' }, format.ratio(row['geomean']))))))));
}

export function kernel_page(main: HTMLElement, data: PageData): void {
  const kernel = decodeURIComponent(location.pathname.split('/')[2] ?? '');
  document.title = `${kernel} · harness`;
  const bests = data.tables['kernel_bests']!.rows;
  const devices = [...new Set(data.tables['kernel_history']!.rows.map((row) => row['device_name']))];
  const heats = h('div', {}, panel('Variants on workloads', h('p', { class: 'none' }, '…')));
  ask(`/kernel/${encodeURIComponent(kernel)}/heat.json`).then((found) => {   // it reads every time of the kernel: the rest is shown first
    const rows = found.tables['kernel_heat']!.rows;
    put(heats, [...new Set(rows.map((row) => row['device_name']))].map((device) => panel(`Variants on workloads, ${device}: times slower than the best`, heat(rows.filter((row) => row['device_name'] === device), kernel))));
  }).catch((error) => put(heats, panel('Variants on workloads', h('p', { class: 'error' }, error.message))));
  put(main,
    h('header', { class: 'top' }, h('h1', {}, kernel), h('p', { class: 'soft' }, link(`/attempts?kernel=${encodeURIComponent(kernel)}`, 'all attempts')), h('span', { class: 'push line' }, data_links('kernel_bests'))),
    bests.length ? null : h('p', { class: 'caution' }, 'Nothing that has passed here counts as evidence: imported campaigns are shown, and count for nothing.'),
    panel('Best of every workload and device', data_table({ rows: bests, on_open: (row) => `/attempt/${row['iteration']}`, columns: [
      { name: 'workload', key: 'workload', cell: (row) => h('b', {}, row['workload']) }, { name: 'device', key: 'device_name', cell: (row) => row['device_name'] },
      { name: 'time', key: 'time_ns', number: true, cell: time_cell }, { name: 'speedup', key: 'speedup', number: true, cell: (row) => format.ratio(row['speedup']) },
      { name: 'of limit', key: 'of_limit', number: true, cell: (row) => floor_cell(row['of_limit'], 'limit') }, { name: 'of floor', key: 'of_floor', number: true, cell: (row) => floor_cell(row['of_floor']) }, { name: 'rival', key: 'rival_ns', number: true, cell: (row) => (row['rival_ns'] ? format.time(row['rival_ns']) : '') },
      { name: 'confirmed', late: 1, cell: (row) => (row['confirmed'] ? h('span', { class: 'badge good' }, '✓ confirmed') : h('span', { class: 'soft' }, 'not yet')) },
      { name: 'variant', key: 'variant', cell: (row) => row['variant'] }, { name: 'configuration', mono: true, late: 2, cell: (row) => h('span', { class: 'cut', title: format.config(row['config']) }, format.config(row['config'])) },
      { name: 'campaign', number: true, late: 3, cell: (row) => campaign_link(row['campaign']) }, { name: 'attempt', number: true, late: 3, cell: (row) => attempt_link(row['iteration']) }, { name: 'ended', key: 'ended', late: 2, cell: (row) => row['ended'].slice(0, 10) }] })),
    heats,
    h('div', { class: 'pair' }, scatter_panel(kernel), panel('What the values of parameters cost', parameters(data.tables['kernel_parameters']!.rows))),
    devices.map((device) => panel_with(`History of the best times, ${device}`, data_links('kernel_history'), history(data.tables['kernel_history']!.rows.filter((row) => row['device_name'] === device), device))));
}

export { svg };
