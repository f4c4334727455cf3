// Compare, devices, playbook, query, and what a session of agents may see.
import { Child, h, link, put } from './dom';
import { ask, PageData, Row, table_of } from './data';
import * as format from './format';
import { bar, scatter } from './charts';
import { series_chart } from './series';
import { diff_listing } from './highlight';
import { Column, data_links, data_table, panel, panel_with } from './table';
import { attempt_link, campaign_link, facts } from './parts';
import { outcome, verdict } from './outcome';

/// A column for each of a table's, as its name says.
export function plain_columns(names: string[]): Column[] {
  return names.map((name) => ({
    name: name.replaceAll('_', ' '), key: name, number: /(_ns|_s|_usd|_bytes|speedup|iterations|registers|^iteration$|^campaign$)/.test(name), wide: /(why|message|text|detail|sql|columns|hypothesis)/.test(name),
    cell: (row: Row): Child => {
      const value = row[name];
      if (value === null || value === undefined) return h('span', { class: 'soft' }, '–');
      if (name === 'iteration' || name === 'example' || name === 'twin_iteration') return attempt_link(value, String(value));
      if (name === 'campaign') return campaign_link(value);
      if (name === 'outcome') return outcome(value);
      if (name === 'verdict') return verdict(value);
      if (name === 'kernels') return (format.parsed(value) ?? []).join(', ');
      if (name === 'config') return h('code', { class: 'cut' }, format.config(value));
      if (typeof value === 'number' && name.endsWith('_ns')) return format.time(value);
      if (typeof value === 'number' && (name === 'seconds' || name.endsWith('_s'))) return format.seconds(value);
      return format.anything(value);
    },
  }));
}

function side_input(name: string, value: string): HTMLElement {
  return h('label', {}, h('span', {}, name), h('input', { name, value, required: true, placeholder: 'number, name, latest, or #attempt' }));
}

function compared_time(row: Row, side: string): Child {
  const [low, high] = row[`${side}_ci95_ns`] ?? [null, null];
  return [format.time(row[`${side}_ns`]), ' ', h('small', {}, format.interval(low, high)), ' ', h('span', { class: 'part' }, attempt_link(row[`${side}_iteration`])), row[`${side}_confirmed`] ? h('span', { class: 'goodtext', title: 'confirmed' }, ' ✓') : null];
}

/// Score and cost of one side. A device has none of its own.
function of_side(side: string, found: any): Child {
  const cost = found.cost?.[side] ?? {};
  if (cost.spent_s === null || cost.spent_s === undefined) return null;
  return h('div', { class: 'tile' }, h('span', {}, `${side}: score`), h('b', {}, format.ratio(cost.score)), h('small', {}, `${format.count(cost.iterations)} attempts, ${format.seconds(cost.spent_s)}, ${format.money(cost.cost_usd)}`));
}

/// Names of workloads may hold spaces: a line each.
function only(workloads: Row[]): Child {
  return workloads.length ? h('ul', { class: 'soft plainlist' }, workloads.map((one) => h('li', {}, one['workload']))) : h('p', { class: 'soft' }, 'none');
}

export async function compare_page(main: HTMLElement, data: PageData): Promise<void> {
  document.title = 'compare · harness';
  const words = new URLSearchParams(location.search), a = words.get('a') ?? '', b = words.get('b') ?? '';
  put(main, panel_with('Compare', data['comparison'] || data['difference'] ? data_links() : null, h('form', { class: 'filters', method: 'get', action: '/compare' }, side_input('a', a), side_input('b', b), h('button', {}, 'compare'),
    h('p', { class: 'soft small' }, 'Two campaigns (number, name or latest), two devices by their names, or two attempts as #12 and #34.'))));
  if (data['difference']) { put(main, ...[...main.childNodes] as Node[], attempts_beside(data['difference'])); return; }
  const found = data['comparison'];
  if (!found) return;
  const rows: Row[] = found.workloads;
  put(main, ...[...main.childNodes] as Node[],
    h('div', { class: 'tiles' }, h('div', { class: 'tile' }, h('span', {}, 'b over a'), h('b', {}, format.ratio(found.score)), h('small', {}, 'geometric mean; above 1 b is faster')), ['a', 'b'].map((side) => of_side(side, found))),
    panel('Best times', data_table({ rows, empty: 'no workload is in both', columns: [
      { name: 'workload', key: 'workload', wide: true, cell: (row) => [h('span', { class: 'part', title: row['kernel'] }, format.short(row['kernel'], 36)), ' ', h('b', { title: row['workload'] }, format.short(row['workload'], 36))] },
      { name: `a: ${a}`, key: 'a_ns', number: true, cell: (row) => compared_time(row, 'a') },
      { name: `b: ${b}`, key: 'b_ns', number: true, cell: (row) => compared_time(row, 'b') },
      { name: 'b / a', key: 'ratio', number: true, cell: (row) => [row['ratio'] === null ? '–' : row['ratio'].toPrecision(3), ' ', row['ratio_ci95'] ? h('small', {}, `${row['ratio_ci95'][0].toPrecision(3)} to ${row['ratio_ci95'][1].toPrecision(3)}`) : ''] },
      { name: 'verdict', key: 'verdict', cell: (row) => [verdict(row['verdict']), row['same_contract'] === false ? h('span', { class: 'badge warn', title: 'what was computed, or how it was judged, has changed in between' }, 'other contract') : null] },
      { name: 'a variant', late: 1, cell: (row) => [row['a_variant'], ' ', h('small', { class: 'cut', title: format.config(row['a_config']) }, format.config(row['a_config']))] }, { name: 'b variant', late: 1, cell: (row) => [row['b_variant'], ' ', h('small', { class: 'cut', title: format.config(row['b_config']) }, format.config(row['b_config']))] },
      { name: 'diff', late: 2, cell: (row) => (row['a_iteration'] && row['b_iteration'] ? link(`/compare?a=%23${row['a_iteration']}&b=%23${row['b_iteration']}`, 'source') : '') }] })),
    h('div', { class: 'pair' },
      panel('Environment', data_table({ rows: found.environment, columns: [{ name: 'what', cell: (row) => row['what'] }, { name: 'a', wide: true, cell: (row) => format.anything(row['a']) }, { name: 'b', wide: true, cell: (row) => (row['a'] === row['b'] ? h('span', { class: 'soft' }, format.anything(row['b'])) : h('b', {}, format.anything(row['b']))) }] })),
      panel('In one only', h('h3', {}, 'a'), only(found.only_a), h('h3', {}, 'b'), only(found.only_b))));
}

function attempts_beside(found: any): Child {
  const times = Object.entries(found.times ?? {}) as [string, any][], resources = Object.entries(found.resources ?? {}) as [string, any][];
  const head = (side: any): Child => h('p', {}, link(`/attempt/${side.iteration}`, `#${side.iteration} ${side.variant}`), ' ', outcome(side.outcome), h('br'), h('code', {}, format.config(side.config)), h('br'), h('span', { class: 'soft' }, `${side.kernel} ${side.workload}, ${side.device}, campaign ${side.campaign}`));
  const side = (of: any, row: Row, which: string): Child => {
    const range = ({ time_ns: of.time_ci95_ns, speedup: of.speedup_ci95 } as Record<string, number[] | null>)[row['name']];
    const text = row['name'].endsWith('_ns') ? format.time : format.anything;
    return [text(row[which]), range && typeof range[0] === 'number' ? h('small', {}, ` ${text(range[0])} to ${text(range[1])}`) : null];
  };
  const around = (of: any): Record<string, unknown> => ({ campaign: of.campaign, device: of.device, card: of.device_uuid, node: of.node, compiler: of.compiler, 'times are': of.emulation ? 'not measured on a GPU' : 'measured', 'load of the machine': of.machine_load, 'gates, version': of.gates_version, contract: of.hashes?.contract?.slice(0, 12), source: of.hashes?.source?.slice(0, 12), binary: of.hashes?.binary?.slice(0, 12) });
  const environment = Object.entries(around(found.a)).map(([what, a]) => ({ what, a, b: around(found.b)[what] })).filter((row) => row.a || row.b);
  return [
    h('div', { class: 'pair' }, panel('a', head(found.a)), panel('b', head(found.b))),
    found.comparable ? null : h('p', { class: 'caution' }, 'Kernel, workload, contract or device differ: their times say nothing about each other.'),
    h('div', { class: 'pair' },
      panel('Times and resources', data_table({ rows: [...times, ...resources].map(([name, value]) => ({ name, ...value })), columns: [
        { name: 'what', cell: (row) => row['name'].replace(/_ns$/, '').replaceAll('_', ' ') },
        { name: 'a', number: true, cell: (row) => side(found.a, row, 'a') }, { name: 'b', number: true, cell: (row) => side(found.b, row, 'b') },
        { name: 'b / a', number: true, cell: (row) => (row['ratio'] ? row['ratio'].toPrecision(3) : '') }] })),
      panel('Gates that differ', data_table({ rows: (found.gates ?? []).filter((gate: Row) => gate['a'] !== gate['b']), empty: 'all gates say the same', columns: [
        { name: 'gate', cell: (row) => row['name'] }, { name: 'a', cell: (row) => (row['a'] === null ? 'not checked' : row['a'] ? '✓' : '✕') }, { name: 'b', cell: (row) => (row['b'] === null ? 'not checked' : row['b'] ? '✓' : '✕') }] }))),
    h('div', { class: 'pair' }, panel('Parameters that differ', data_table({ rows: found.parameters ?? [], empty: 'none', columns: [{ name: 'parameter', cell: (row) => row['name'] }, { name: 'a', number: true, cell: (row) => format.anything(row['a']) }, { name: 'b', number: true, cell: (row) => format.anything(row['b']) }] })),
      panel('Environment', data_table({ rows: environment, columns: [{ name: 'what', cell: (row) => row['what'] }, { name: 'a', cell: (row) => format.anything(row['a']) }, { name: 'b', cell: (row) => (row['a'] === row['b'] ? h('span', { class: 'soft' }, format.anything(row['b'])) : h('b', {}, format.anything(row['b']))) }] }))),
    panel('Source', found.source === null ? h('p', { class: 'none' }, 'one of the two is not recorded') : found.source === '' ? h('p', { class: 'none' }, 'the same text') : diff_listing(found.source)),
  ];
}

export function devices_page(main: HTMLElement, data: PageData): void {
  document.title = 'devices · harness';
  const peaks = (row: Row, key: string): Child => {
    const measured = format.parsed(row['measured']) ?? {}, theory = format.parsed(row['theoretical']) ?? {};
    const value = measured[key] as number | undefined, most = theory[key] as number | undefined;
    return value ? [format.rate(value, 'B/s'), most ? [' ', bar(value / most, `${format.share(value / most)} of ${format.rate(most, 'B/s')}`)] : ''] : '';
  };
  /// Of the type that it computes fastest with.
  const arithmetic = (row: Row): Child => {
    const measured = Object.entries((format.parsed(row['measured']) ?? {}).flops ?? {}) as [string, number][], theory = (format.parsed(row['theoretical']) ?? {}).flops ?? {};
    const [type, value] = measured.sort((a, b) => b[1] - a[1])[0] ?? ['', 0];
    return value ? [format.rate(value, 'op/s'), h('small', {}, ` ${type}`), theory[type] ? [' ', bar(value / theory[type], `${format.share(value / theory[type])} of ${format.rate(theory[type], 'op/s')}`)] : ''] : '';
  };
  const used_for = (row: Row): Child => {
    const kernels = (format.parsed(row['kernels']) ?? []) as string[];
    return kernels.slice(0, 8).map((kernel, at) => [at ? ', ' : '', link(`/attempts?device=${encodeURIComponent(row['device_name'])}&kernel=${encodeURIComponent(kernel)}`, format.short(kernel, 36))]).concat(kernels.length > 8 ? [`, ${kernels.length - 8} more`] : []);
  };
  put(main,
    panel_with('Devices', data_links(), data_table({ rows: data.tables['devices']!.rows, empty: ['No campaign has run on a device yet. ', h('code', {}, 'harness devices'), ' says what is here.'], columns: [
      { name: 'device', key: 'device_name', cell: (row) => link(`/attempts?device=${encodeURIComponent(row['device_name'])}`, row['device_name']) }, { name: 'driver', cell: (row) => row['driver'] ?? '' },
      { name: 'campaigns', key: 'campaigns', number: true, cell: (row) => row['campaigns'] }, { name: 'used', key: 'spent_s', number: true, cell: (row) => format.seconds(row['spent_s']) }, { name: 'cost', key: 'cost_usd', number: true, cell: (row) => format.money(row['cost_usd']) },
      { name: 'first', late: 2, cell: (row) => row['first'] }, { name: 'last', late: 1, cell: (row) => row['last'] }, { name: 'memory, measured', cell: (row) => peaks(row, 'bytes_per_s') }, { name: 'L2, measured', late: 1, cell: (row) => peaks(row, 'l2_bytes_per_s') }, { name: 'arithmetic, measured', late: 2, cell: arithmetic },
      { name: 'SM clock', number: true, late: 1, cell: (row) => (row['most_mhz'] === null ? '' : h('span', { title: `of the timed samples of the newest ${row['clocked']} attempts` }, row['least_mhz'] < row['most_mhz'] ? `${format.count(row['least_mhz'])} to ${format.count(row['most_mhz'])} MHz` : `${format.count(row['most_mhz'])} MHz`)) },
      { name: 'launch', number: true, cell: (row) => format.time((format.parsed(row['measured']) ?? {})['launch_ns']) }, { name: 'measured at', late: 2, cell: (row) => row['measured_at'] ?? '' },
      { name: 'used for', wide: true, cell: (row) => used_for(row) }] })),
    panel('Drivers and hosts', data_table({ rows: data.tables['drivers']!.rows, empty: 'no campaign yet', columns: [
      { name: 'device', cell: (row) => row['device_name'] }, { name: 'driver', cell: (row) => row['driver'] || 'not recorded' }, { name: 'host', late: 1, cell: (row) => row['host'] ?? 'not recorded' }, { name: 'campaigns', number: true, cell: (row) => row['campaigns'] },
      { name: 'from', cell: (row) => [row['first'], ' ', campaign_link(row['first_campaign'])] }, { name: 'to', cell: (row) => [row['last'], ' ', campaign_link(row['last_campaign'])] }] })),
    panel('Calibrations of cards', data_table({ rows: data.tables['card_checks']!.rows, empty: 'No fleet has calibrated a card in this store: only campaigns on several cards do.', columns: [
      { name: 'checked', key: 'checked', cell: (row) => row['checked'] }, { name: 'node', cell: (row) => row['node'] }, { name: 'card', mono: true, cell: (row) => h('span', { class: 'cut' }, row['card']) }, { name: 'verdict', cell: (row) => h('span', { class: `badge ${['first', 'good'].includes(row['verdict']) ? 'good' : 'bad'}` }, row['verdict']) },
      { name: 'memory', key: 'bytes_per_s', number: true, cell: (row) => format.rate(row['bytes_per_s'], 'B/s') }, { name: 'arithmetic', late: 2, key: 'operations_per_s', number: true, cell: (row) => format.rate(row['operations_per_s'], 'op/s') }, { name: 'drift', key: 'drift', number: true, cell: (row) => format.share(row['drift']) },
      { name: 'clocks', late: 2, number: true, title: 'of the multiprocessors and of the memory', cell: (row) => { const state = format.parsed(row['state']) ?? {}; return state.sm_clock_mhz ? `${format.count(state.sm_clock_mhz)} / ${format.count(state.memory_clock_mhz)} MHz` : ''; } },
      { name: 'temperature, power', late: 3, number: true, cell: (row) => { const state = format.parsed(row['state']) ?? {}; return state.temperature_celsius ? `${format.count(state.temperature_celsius)} °C, ${format.count(state.power_watts)} W` : ''; } }, { name: 'why', wide: true, cell: (row) => row['why'] }, { name: 'campaign', number: true, cell: (row) => campaign_link(row['campaign']) }] })));
}

export function playbook_page(main: HTMLElement, data: PageData): void {
  document.title = 'playbook · harness';
  const rows: Row[] = (data['patterns'] ?? []).map((row: Row) => ({ ...row, applied: row['evidence']?.applied ?? 0, improved: row['evidence']?.improved ?? 0, gain: row['evidence']?.mean_gain ?? null }));
  put(main, panel_with('Playbook', data_links(), data_table({ rows, on_open: (row) => `/playbook/${row['id']}`, empty: 'No page of the playbook was found: is the folder playbook/ where the program looks for it?', columns: [
    { name: '#', key: 'id', number: true, cell: (row) => row['id'] ?? '' }, { name: 'pattern', key: 'title', cell: (row) => (row['error'] ? h('span', { class: 'error' }, row['error']) : link(`/playbook/${row['id']}`, row['title'])) },
    { name: 'applied', key: 'applied', number: true, cell: (row) => format.count(row['applied']) }, { name: 'improved', key: 'improved', number: true, cell: (row) => format.count(row['improved']) }, { name: 'mean gain', key: 'gain', number: true, cell: (row) => format.ratio(row['gain']) },
    { name: 'techniques', wide: true, late: 2, cell: (row) => (row['techniques'] ?? []).join(', ') }, { name: 'what it is', wide: true, late: 1, cell: (row) => h('span', { class: 'soft' }, inline(row['summary'] ?? '')) }] })));
}

interface Applied { campaign: number; arm: string; row: Row; turns: number; evaluations: number; seconds: number; usd: number | null; improved: number; gain: number | null }

/// The turns to each arm of a campaign that rest on the page, summed up: what improved first, then the newest.
function applied_to(all: Row[]): Applied[] {
  const arms = new Map<string, Applied>();
  for (const row of [...all].reverse()) {
    const arm = row['kernel'] ? `${row['kernel']} ${row['workload']} ${row['technique']}` : '', key = `${row['campaign']} ${arm}`;
    const known = arms.get(key) ?? { campaign: row['campaign'], arm, row, turns: 0, evaluations: 0, seconds: 0, usd: 0, improved: 0, gain: null };
    known.turns += 1;
    known.evaluations += row['evaluations'];
    known.seconds += row['seconds'];
    known.usd = known.usd === null || row['usd'] === null ? null : known.usd + row['usd'];
    if (row['gain'] !== null) known.gain = (known.gain ?? 1) * row['gain'];   // one turn's best is the next one's beginning
    if (row['gain'] > 1) known.improved += 1;
    arms.set(key, known);
  }
  return [...arms.values()].sort((a, b) => Number(b.improved > 0) - Number(a.improved > 0));
}

function applications(all: Row[]): HTMLElement {
  const rows: Row[] = applied_to(all), most = 50, place = h('div');
  const gain = (row: Row): Child => (row['gain'] === null ? h('span', { class: 'soft' }, row['evaluations'] ? 'nothing to compare' : 'not tried') : row['gain'] > 1 ? h('b', { class: 'goodtext' }, format.ratio(row['gain']), ' ▲') : 'no faster');
  const arm = (of: Row): Child => link(`/attempts?campaign=${of['campaign']}&workload=${encodeURIComponent(of['workload'])}&technique=${encodeURIComponent(of['technique'])}`, `${of['kernel']} ${of['workload']} `, h('b', {}, of['technique']));
  const draw = (some: Row[]): void => put(place, data_table({ rows: some, empty: 'No decision rests on it yet.', columns: [
    { name: 'campaign', key: 'campaign', number: true, cell: (row) => campaign_link(row['campaign']) },
    { name: 'arm', key: 'arm', wide: true, cell: (row) => (row['arm'] ? arm(row['row']) : h('span', { class: 'soft' }, 'the campaign ended before')) },
    { name: 'best time after it', key: 'gain', number: true, cell: gain },
    { name: 'turns', key: 'turns', number: true, title: 'how often a decision that rests on this page turned to the arm', cell: (row) => format.count(row['turns']) },
    { name: 'attempts', key: 'evaluations', number: true, cell: (row) => format.count(row['evaluations']) },
    { name: 'took', key: 'seconds', number: true, late: 1, cell: (row) => format.seconds(row['seconds']) },
    { name: 'cost', key: 'usd', number: true, late: 2, cell: (row) => format.money(row['usd']) },
    { name: 'because', late: 2, cell: (row) => [row['row']['rule'] ? h('span', { class: 'badge' }, row['row']['rule']) : null, ' ', h('span', { class: 'soft cut', title: row['row']['why'] }, row['row']['why'])] },
    { name: 'device', late: 3, cell: (row) => row['row']['device_name'] }] }));
  draw(rows.slice(0, most));
  const more = rows.length > most ? h('button', { type: 'button', onclick: () => { draw(rows); more?.remove(); } }, `all ${format.count(rows.length)}`) : null;
  return h('div', {}, place, more);
}

export function pattern_page(main: HTMLElement, data: PageData): void {
  const found = data['pattern'] ?? {}, evidence = found.evidence ?? {};
  document.title = `${found.title ?? 'pattern'} · harness`;
  put(main, h('header', { class: 'top' }, h('h1', {}, h('span', { class: 'soft' }, `${found.id} `), found.title), h('p', { class: 'soft' }, inline(found.summary ?? '')), h('span', { class: 'push line' }, link('/playbook', 'all pages'), data_links())),
    h('div', { class: 'columns' }, h('div', { class: 'wide' }, panel('The page', markdown((found.text ?? '').replace(/^# .*\n/, '')))),
      h('div', { class: 'rail' }, panel('What came of it', facts([['applied', format.count(evidence.applied)], ['improved', format.count(evidence.improved)], ['mean gain', format.ratio(evidence.mean_gain)], ['against', evidence.against ?? '']])))),
    panel('Where it was applied', applications(found.applications ?? [])));
}

/// `code` within a line.
function inline(text: string): Child { return text.split(/(`[^`]+`)/).map((part) => (/^`[^`]+`$/.test(part) ? h('code', {}, part.slice(1, -1)) : part)); }

/// Headings, lists, code and paragraphs; links and everything else stay text.
function markdown(text: string): HTMLElement {
  const place = h('article', { class: 'prose' });
  let code: string[] | null = null, paragraph: string[] = [];
  const flush = (): void => { if (paragraph.length) place.append(h('p', {}, inline(paragraph.join(' ')))); paragraph = []; };
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) {
      if (code) { place.append(h('pre', { class: 'text' }, code.join('\n'))); code = null; } else { flush(); code = []; }
    } else if (code) code.push(line);
    else if (/^#+ /.test(line)) { flush(); place.append(h(line.startsWith('# ') ? 'h2' : 'h3', {}, line.replace(/^#+ /, ''))); }
    else if (/^(- |\* |\d+\. )/.test(line)) { flush(); place.append(h('p', { class: 'item' }, inline(line))); }
    else if (line.startsWith('|')) { flush(); place.append(h('pre', { class: 'row' }, line)); }
    else if (line.trim() === '') flush();
    else paragraph.push(line.trim());
  }
  flush();
  return place;
}

const kExamples: [string, string][] = [
  ['the fastest of every workload', "SELECT kernel, workload, variant, config, time_ns, speedup, of_floor, iteration FROM v_best ORDER BY kernel, workload"],
  ['techniques', 'SELECT technique, kernel, iterations, pass_rate, best_speedup, wall_s FROM v_techniques ORDER BY best_speedup DESC'],
  ['where the money went', 'SELECT stage, technique, sum(seconds) AS seconds, sum(usd) AS usd FROM v_costs GROUP BY 1, 2 ORDER BY seconds DESC LIMIT 50'],
  ['which gates reject', "SELECT g.name, count(*) AS times, max(g.iteration) AS iteration, max(g.detail) AS detail FROM gate_result g WHERE g.passed = 0 AND g.checked = 1 GROUP BY 1 ORDER BY 2 DESC"],
  ['registers against time', "SELECT registers, time_ns, variant, iteration FROM v_iterations WHERE outcome = 'passed' ORDER BY iteration DESC LIMIT 500"],
];

const kAgentExamples: [string, string][] = [
  ['the fastest attempts', "SELECT iteration, kernel, workload, variant, config, speedup, outcome FROM agent_iterations WHERE speedup IS NOT NULL ORDER BY speedup DESC LIMIT 50"],
  ['techniques', 'SELECT * FROM agent_techniques ORDER BY best_speedup DESC'],
  ['what failed', "SELECT outcome, error_class, count(*) AS times, max(iteration) AS iteration FROM agent_iterations GROUP BY 1, 2 ORDER BY 3 DESC"],
  ['notes', 'SELECT * FROM agent_notes ORDER BY note DESC LIMIT 50'],
];

/// Any two columns of an answer that are numbers, as points or as a line; what is chosen stands in the address.
function chart_of(columns: string[], rows: Row[]): Child {
  const numeric = columns.filter((name) => rows.some((row) => typeof row[name] === 'number'));
  if (rows.length < 2 || numeric.length === 0) return null;
  const words = new URLSearchParams(location.search), usual = numeric.filter((name) => name !== 'iteration');
  const known = (name: string, list: string[], otherwise: string): string => (list.includes(words.get(name) ?? '') ? words.get(name)! : otherwise);
  let x = known('x', ['row', ...numeric], usual.length > 1 ? usual[0]! : 'row'), y = known('y', numeric, usual[usual.length > 1 ? 1 : 0] ?? numeric[0]!), as = known('as', ['points', 'line'], x === 'row' ? 'line' : 'points');
  const text = (name: string) => (value: number): string => (name.endsWith('_ns') ? format.time(value) : name.endsWith('_s') ? format.seconds(value) : name.endsWith('usd') ? format.money(value) : format.anything(value));
  const place = h('div'), choices = h('div', { class: 'linechoice' });
  const draw = (): void => {
    const choose = (label: string, list: string[], now: string, set: (value: string) => void): HTMLElement => h('label', {}, label, ' ', h('select', { onchange: (event: Event) => {
      set((event.target as HTMLSelectElement).value);
      const kept = new URLSearchParams(location.search);
      for (const [name, value] of Object.entries({ chart: '1', x, y, as })) kept.set(name, value);
      history.replaceState(null, '', `/query?${kept}`);
      draw();
    } }, list.map((one) => h('option', { value: one, selected: one === now }, one))));
    put(choices, choose('across', ['row', ...numeric], x, (value) => { x = value; }), choose('up', numeric, y, (value) => { y = value; }), choose('as', ['points', 'line'], as, (value) => { as = value; }));
    const points = rows.map((row, at) => ({ x: x === 'row' ? at + 1 : row[x], y: row[y], tone: 'good', title: columns.map((name) => `${name} ${format.anything(row[name])}`).join('\n'), href: row['iteration'] ? `/attempt/${row['iteration']}` : '' })).filter((point) => typeof point.x === 'number' && typeof point.y === 'number');
    put(place, as === 'points' ? scatter(points, x, y, text(x), text(y)) : series_chart({ title: `${y} against ${x}`, words: `${points.length} rows`, height: 300, x_text: text(x), y_text: text(y),
      lines: [{ name: y, points: points.sort((a, b) => a.x - b.x).map((point) => ({ ...point, title: `${x} ${text(x)(point.x)}, ${y} ${text(y)(point.y)}` })) }] }));
  };
  const fold = h('details', { open: words.has('chart'), ontoggle: () => { if (fold.open && !place.hasChildNodes()) draw(); } }, h('summary', {}, 'chart'), choices, place);
  if (words.has('chart')) draw();
  return fold;
}

export function query_page(main: HTMLElement, data: PageData): void {
  document.title = 'query · harness';
  const words = new URLSearchParams(location.search);
  const saved = (): Record<string, string> => JSON.parse(localStorage.getItem('harness-queries') ?? '{}');
  const box = h('textarea', { rows: 7, spellcheck: 'false', 'aria-label': 'SQL', onkeydown: (event: KeyboardEvent) => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void run(); } });
  const examples: [string, string][] = data.agents ? kAgentExamples : kExamples;
  box.value = words.get('sql') ?? examples[0]![1];
  const place = h('div'), list = h('ul', { class: 'saved' });
  const run = async (): Promise<void> => {
    const kept = new URLSearchParams(location.search);
    if (kept.get('sql') !== null && kept.get('sql') !== box.value) for (const name of ['chart', 'x', 'y', 'as']) kept.delete(name);   // of another answer
    kept.set('sql', box.value);
    history.replaceState(null, '', `/query?${kept}`);
    put(place, h('p', { class: 'none' }, '…'));
    const begun = performance.now();
    try {
      const answer = table_of((await ask(`/answer.json?sql=${encodeURIComponent(box.value)}`))['answer']);
      put(place, h('p', { class: 'status', 'aria-live': 'polite' }, `${format.count(answer.rows.length)}${answer.truncated ? '+' : ''} rows in ${format.seconds((performance.now() - begun) / 1000)}`, answer.truncated ? '; more are left out: add a LIMIT, or take the CSV' : '', ' ', h('a', { href: `/answer.csv?sql=${encodeURIComponent(box.value)}` }, 'csv'), ' ', h('a', { href: `/answer.json?sql=${encodeURIComponent(box.value)}` }, 'json')),
        chart_of(answer.columns, answer.rows), data_table({ rows: answer.rows, all_columns: true, columns: plain_columns(answer.columns), empty: 'The query is right, and no row fits it.' }));
    } catch (error) {
      put(place, h('p', { class: 'error' }, (error as Error).message));
    }
  };
  const draw_saved = (): void => put(list, [...examples, ...Object.entries(saved())].map(([name, sql]) => h('li', {}, h('button', { type: 'button', class: 'plain', title: sql, onclick: () => { box.value = sql; void run(); } }, name),
    name in saved() ? h('button', { type: 'button', class: 'plain', 'aria-label': `forget ${name}`, onclick: () => { const kept = saved(); delete kept[name]; localStorage.setItem('harness-queries', JSON.stringify(kept)); draw_saved(); } }, '✕') : null)));
  const name_box = h('input', { placeholder: 'name it to keep it', 'aria-label': 'name of the query' });
  const schema = data.tables['schema']?.rows ?? [];
  put(main, h('div', { class: 'columns' }, h('div', { class: 'wide' },
    panel('Query', box, h('div', { class: 'line' }, h('button', { type: 'button', class: 'main', onclick: () => void run() }, 'run'), h('span', { class: 'soft small' }, 'Ctrl-Enter; read-only, 5 s, 2,000 rows'), h('span', { class: 'push line' }, name_box, h('button', { type: 'button', onclick: () => { if (name_box.value) { localStorage.setItem('harness-queries', JSON.stringify({ ...saved(), [name_box.value]: box.value })); draw_saved(); } } }, 'save')))),
    panel('Answer', place)),
    h('div', { class: 'rail' }, panel('Queries', list), panel('Schema', schema.map((row) => h('details', {}, h('summary', {}, h('code', {}, row['name']), row['type'] === 'view' ? '' : h('small', {}, ' table')), h('p', { class: 'small mono wrap' }, row['columns'])))))));
  draw_saved();
  void run();
}
