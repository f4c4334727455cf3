// One campaign: what it does, what it found, why, and what failed.
import { Child, h, link, put } from './dom';
import { kept } from './kept';
import { ask, feed, Live, PageData, Row, table_of } from './data';
import * as format from './format';
import { bar, linear_ticks, shares, step_chart, StepPoint, time_ticks } from './charts';
import { data_links, data_table, panel, panel_with } from './table';
import { attempt_link, campaign_link, columns_of, floor_cell, geometric_mean, kernel_link, state_badge, tile, time_cell, time_kind } from './parts';
import { look, outcome } from './outcome';
import { growing, now_panel } from './now';
import { proposals_table } from './proposals';
import { report_head, report_sections } from './report';

type Axis = 'time' | 'money' | 'attempts';

interface View { axis: Axis; outcomes: Set<string> }

function key_of(row: Row): string { return `${row['kernel']}/${row['workload']}`; }

function curves(data: PageData, axis: Axis, live: Live | undefined): HTMLElement[] {
  const by_workload = new Map<string, Row[]>();
  for (const row of data.tables['curve']!.rows) by_workload.set(key_of(row), [...(by_workload.get(key_of(row)) ?? []), row]);
  const bests = new Map(data.tables['workloads']!.rows.map((row) => [key_of(row), row]));
  const campaign = data.tables['campaign']!.rows[0]!;
  const first = data.tables['curve']!.rows.reduce((least, row) => Math.min(least, row['iteration']), Infinity);
  const x_of = (row: Row): number => (axis === 'time' ? row['seconds'] : axis === 'money' ? row['usd'] ?? 0 : row['iteration'] - first + 1);
  const end = axis === 'time' ? live?.spent_s ?? campaign['spent_s'] : axis === 'money' ? live?.spent_usd ?? campaign['cost_usd'] ?? 0 : (campaign['newest'] ?? first) - first + 1;
  const x_text = axis === 'time' ? format.axis_seconds : axis === 'money' ? format.axis_money : (x: number) => format.count(x);
  const x_ticks = axis === 'time' ? time_ticks : (until: number) => linear_ticks(0, until);
  const one_kernel = new Set([...by_workload.values()].map((rows) => rows[0]!['kernel'])).size === 1;
  return [...by_workload.entries()].sort(([a], [b]) => a.localeCompare(b)).map(([key, rows]) => {
    const best = bests.get(key);
    const points: StepPoint[] = rows.map((row) => ({
      x: x_of(row), y: row['time_ns'], lo: row['time_lo_ns'], hi: row['time_hi_ns'], href: `/attempt/${row['iteration']}`,
      title: `#${row['iteration']} ${row['variant']} ${format.config(row['config'])}: ${format.time(row['time_ns'])}, ${format.ratio(row['speedup'])}`,
    }));
    return step_chart({
      title: one_kernel ? rows[0]!['workload'] : `${rows[0]!['kernel']} ${rows[0]!['workload']}`,
      subtitle: best ? h('span', {}, format.ratio(best['speedup']), best['rival_ns'] ? h('span', { class: 'soft' }, ` · ${format.ratio(best['rival_ns'] / best['time_ns'])} of the rival`) : null) : null,
      points, until: end, rival: best?.['rival_ns'] ?? null, floor: best?.['floor_ns'] ?? null, outside: best?.['outside_ns'] ?? null, x_text, x_ticks,
    });
  });
}

/// What speedups of these rows are over: PyTorch as its owner wrote it, kernels, or one here and the other there.
function over_what(rows: Row[]): 'eager' | 'kernels' | 'both' {
  const eager = rows.filter((row) => row['baseline_technique'] === 'torch').length;
  return eager === 0 ? 'kernels' : eager === rows.length ? 'eager' : 'both';
}

function workloads(data: PageData): HTMLElement {
  const device = data.tables['campaign']!.rows[0]!['device_name'];
  const one_kernel = new Set(data.tables['workloads']!.rows.map((row) => row['kernel'])).size === 1;
  const known = (key: string): boolean => data.tables['workloads']!.rows.some((row) => row[key] !== null);
  const over = over_what(data.tables['workloads']!.rows);
  return data_table({
    rows: data.tables['workloads']!.rows.map((row) => ({ ...row, device_name: device, of_rival: row['rival_ns'] ? row['rival_ns'] / row['time_ns'] : null })),
    on_open: (row) => `/attempt/${row['iteration']}`,
    empty: 'no workload has a time that passed yet',
    columns: [
      { name: 'workload', key: 'workload', cell: (row) => [one_kernel ? '' : `${row['kernel']} `, h('b', {}, row['workload'])] },
      { name: 'best', key: 'time_ns', number: true, cell: time_cell },
      { name: over === 'eager' ? 'over eager' : 'speedup', key: 'speedup', number: true,
        cell: (row) => [format.ratio(row['speedup']), over === 'both' ? h('small', {}, row['baseline_technique'] === 'torch' ? ' over eager' : ' over our first') : ''] },
      ...(known('of_limit') ? [{ name: 'of limit', key: 'of_limit', number: true, cell: (row: Row) => floor_cell(row['of_limit'], 'limit') }] : []),
      ...(known('of_floor') ? [{ name: 'of floor', key: 'of_floor', number: true, cell: (row: Row) => floor_cell(row['of_floor']) }] : []),
      ...(known('rival_ns') ? [{ name: 'rival', key: 'rival_ns', number: true, cell: (row: Row) => (row['rival_ns'] ? format.time(row['rival_ns']) : '') },
      { name: "of rival's speed", key: 'of_rival', number: true, late: 1, cell: (row: Row) => (row['of_rival'] ? h('span', { class: row['of_rival'] >= 1 ? 'goodtext' : '' }, format.ratio(row['of_rival'])) : '') }] : []),
      { name: 'variant', key: 'variant', cell: (row) => row['variant'] },
      { name: 'confirmed', key: 'confirmed', late: 1, cell: (row) => (row['confirmed'] ? h('span', { class: 'badge good' }, '✓ confirmed') : h('span', { class: 'soft' }, 'not yet')) },
      { name: 'configuration', mono: true, late: 2, cell: (row) => h('span', { class: 'cut', title: format.config(row['config']) }, format.config(row['config'])) },
      { name: 'registers', key: 'registers', number: true, late: 3, cell: (row) => row['registers'] || '' },
      { name: 'attempts', key: 'iterations', number: true, late: 3, cell: (row) => format.count(row['iterations']) },
      { name: 'attempt', number: true, late: 2, cell: (row) => attempt_link(row['iteration']) },
    ],
  });
}

/// The look of an event, and its word.
const kEvents: Record<string, [string, string]> = { 'new best': ['▲', 'good'], confirmed: ['✓', 'good'], lost: ['✕', 'bad'], baseline: ['–', 'calm'], rival: ['–', 'calm'], left: ['→', 'calm'], stopped: ['■', 'calm'], proposal: ['?', 'calm'], card: ['·', 'calm'] };

function events(data: PageData): HTMLElement {
  const rows = data.tables['events']!.rows;
  if (rows.length === 0) return h('p', { class: 'none' }, 'nothing has happened yet');
  const word = (row: Row): Child => {
    const known = kEvents[row['event']];
    if (!known) return outcome(row['event']);
    const bad = row['event'] === 'card' && !['first', 'good'].includes(row['what']);
    return h('span', { class: `outcome ${bad ? 'bad' : known[1]}` }, h('i', { 'aria-hidden': 'true' }, known[0]), row['event']);
  };
  const what = (row: Row): Child => row['event'] === 'card' ? [row['workload'], ': ', row['what']]
    : row['proposal'] !== null ? [link(`/campaign/${data.tables['campaign']!.rows[0]!['campaign']}/proposal/${row['proposal']}`, `#${row['proposal']}`), ' ', row['what']]
    : row['iteration'] !== null ? [attempt_link(row['iteration']), ' ', format.short(row['what'], 36)] : row['what'];
  const item = (row: Row): HTMLElement => h('li', {}, h('div', { class: 'line' }, h('small', {}, row['at']), word(row), h('span', {}, what(row)),
    h('span', { class: 'push' }, row['time_ns'] !== null ? format.time(row['time_ns']) : '', row['speedup'] !== null && row['event'] !== 'baseline' ? h('small', {}, ` ${format.ratio(row['speedup'])}`) : '')),
  h('small', { class: 'about' }, row['event'] === 'card' ? '' : h('span', {}, format.short(row['workload'], 48)), row['why'] ? h('span', { title: row['why'] }, row['event'] === 'card' ? '' : ': ', format.short(row['why'], 140)) : null));
  const place = h('ol', { class: 'events' }, rows.slice(0, 8).map(item));
  const more = rows.length > 8 ? h('button', { type: 'button', onclick: () => { all_events = true; put(place, rows.map(item)); more?.remove(); } }, `the last ${rows.length}`) : null;
  if (all_events) { put(place, rows.map(item)); more?.remove(); return h('div', {}, place); }
  return h('div', {}, place, more);
}
let all_events = false;   // somebody asked for them: the next event does not fold them again

function decisions(data: PageData): HTMLElement {
  const rows = data.tables['decisions']!.rows;
  if (rows.length === 0) return h('p', { class: 'none' }, 'no turn to another arm yet');
  const item = (row: Row): HTMLElement => h('li', { class: row['faster'] ? 'won' : '' },
    h('div', { class: 'line' }, h('small', {}, row['decided']), h('b', {}, row['action'] === 'try' ? 'turned to' : row['action']),
      row['technique'] ? h('span', {}, row['technique']) : null, h('span', { class: 'soft' }, row['workload']),
      row['rule'] ? h('span', { class: 'badge' }, row['rule']) : null,
      h('span', { class: 'push' }, row['iterations'] ? link(`/attempts?campaign=${data.tables['campaign']!.rows[0]!['campaign']}&workload=${encodeURIComponent(row['workload'])}&technique=${encodeURIComponent(row['technique'])}`, `${row['passed']} of ${row['iterations']} passed`) : '')),
    h('p', { class: 'why' }, row['why']),
    row['predict_speedup_hi'] > row['predict_speedup_lo'] ? h('small', {}, `predicted ${format.ratio(row['predict_speedup_lo'])} to ${format.ratio(row['predict_speedup_hi'])}`,
      row['predict_probability'] !== null ? `, passing ${format.share(row['predict_probability'])}` : '', row['best_speedup'] !== null ? h('b', {}, ` → ${format.ratio(row['best_speedup'])}`, row['faster'] ? ' ▲ new best' : '') : '') : null);
  const place = h('ol', { class: 'decisions' }, rows.slice(0, 8).map(item));
  const more = rows.length > 8 ? h('button', { type: 'button', onclick: () => { put(place, rows.map(item)); more?.remove(); } }, `all ${rows.length}${data.tables['decisions']!.truncated ? '+' : ''}`) : null;
  return h('div', {}, place, more);
}

/// Outcomes with their counts; a click filters the attempts below.
function legend(data: PageData, view: View, choose: (key: string) => void): HTMLElement {
  const rows = data.tables['ends']!.rows;
  const whole = rows.reduce((sum, row) => sum + row['iterations'], 0);
  if (whole === 0) return h('p', { class: 'none' }, 'no attempt has ended yet');
  return h('div', { class: 'legend' },
    h('div', { class: 'stack', 'aria-hidden': 'true' }, rows.map((row) => h('i', { class: look(row['outcome']).tone, style: { width: `${(row['iterations'] / whole) * 100}%` } }))),
    h('ul', {}, rows.map((row) => {
      const key = `${row['outcome']}|${row['class']}`;
      return h('li', {}, h('button', { type: 'button', 'aria-pressed': String(view.outcomes.has(key)), onclick: () => choose(key) },
        outcome(row['outcome']), h('span', { class: 'soft cut' }, row['class']), h('b', {}, format.count(row['iterations'])), h('small', {}, format.seconds(row['seconds']))));
    })));
}

function header(data: PageData, live: Live | undefined): HTMLElement {
  const row = data.tables['campaign']!.rows[0]!;
  const environment = format.parsed(row['facts']) ?? {};
  const kind = time_kind(row['device_name'], row['emulation']);
  return h('header', { class: 'top' },
    h('h1', {}, `Campaign ${row['campaign']}`, row['name'] ? h('span', { class: 'soft' }, ` ${row['name']}`) : null),
    live ? state_badge(live.state === 'running' ? 'running' : 'stale', live.state === 'running' ? 'running' : 'killed') : state_badge(row['reason'] ? 'ended' : 'stale', row['reason'] ? `ended: ${row['reason']}` : 'not ended'),
    row['imported'] ? h('span', { class: 'badge' }, row['evidence'] ? 'imported as evidence' : 'imported') : null,
    kind === 'measured' ? null : h('span', { class: 'badge warn' }, `times are ${kind}, not measured`),
    h('p', { class: 'soft' }, ((format.parsed(row['kernels']) ?? []) as string[]).slice(0, 8).map((kernel, at) => [at ? ', ' : '', kernel_link(kernel)]),
      ` on ${row['device_name']}`, environment.driver_release ? `, driver ${environment.driver_release}` : '', ` · strategy ${row['strategy'] || 'none'}, search ${row['search'] || 'none'} · begun ${row['begun']} UTC`),
    kept ? null : h('span', { class: 'push line' }, link(`/compare?a=${row['campaign']}&b=`, 'compare'), link(`/campaign/${row['campaign']}/report.html`, 'report'), data_links()));
}

function tiles(data: PageData, live: Live | undefined): HTMLElement {
  const row = data.tables['campaign']!.rows[0]!, bests = data.tables['workloads']!.rows;
  const rivals = bests.filter((best) => best['rival_ns']);
  const planned = Math.max(row['workloads'] ?? 0, live?.workloads ?? 0);
  const floors = bests.map((best) => best['of_floor']).filter((value): value is number => value > 0);
  const counts = data.tables['ends']!.rows;
  const total = counts.reduce((sum, one) => sum + one['iterations'], 0);
  const right = counts.filter((one) => ['passed', 'screened', 'abandoned'].includes(one['outcome'])).reduce((sum, one) => sum + one['iterations'], 0);
  const spent = live?.spent_s ?? row['spent_s'], usd = live?.spent_usd ?? row['cost_usd'];
  return h('div', { class: 'tiles' },
    tile('score', format.ratio(live?.speedup ?? row['score']), `geometric mean over ${over_what(bests) === 'eager' ? 'eager PyTorch' : 'the baselines'}`),
    tile('confirmed', `${bests.filter((best) => best['confirmed']).length} of ${planned}`, 'bests timed again, fresh process'),
    rivals.length ? tile('ahead of the rival', `${rivals.filter((best) => best['rival_ns'] >= best['time_ns']).length} of ${rivals.length}`, `${format.ratio(geometric_mean(rivals.map((best) => best['rival_ns'] / best['time_ns'])))} of its speed`) : null,
    floors.length ? tile('of floor', format.share(geometric_mean(floors)), 'shortest time that the GPU allows') : null,
    tile('attempts', format.count(total), total ? `${format.share(right / total)} right` : ''),
    tile('time', format.seconds(spent), row['budget_s'] ? [bar(spent / row['budget_s'], 'of the budget', 'thin'), `of ${format.seconds(live?.budget_s ?? row['budget_s'])}`] : ''),
    tile('cost', format.money(usd), row['max_cost_usd'] ? [bar((usd ?? 0) / row['max_cost_usd'], 'of the limit', 'thin'), `of ${format.money(row['max_cost_usd'])}`] : row['usd_per_hour'] ? `$${row['usd_per_hour']} an hour` : ''));
}

/// What runs on a card now, and since when; nothing where it is free.
function leases(row: Row, live: Live | undefined): Child {
  const at = feed.latest?.at ?? performance.now(), flights = (live?.in_flight ?? []).filter((flight) => flight.node === row['node']);
  if (!live || live.state !== 'running') return '';
  return flights.length ? flights.map((flight) => h('div', { class: 'line' }, state_badge('running', flight.purpose), h('span', { class: 'cut', title: `${flight.kernel} ${flight.variant} ${flight.config} on ${flight.workload}` }, `${flight.variant} on ${flight.workload}`), growing(flight.age_s, at, true))) : h('span', { class: 'soft' }, 'free');
}

function cards_table(data: PageData, live: Live | undefined): Child {
  const rows = data.tables['cards']!.rows;
  if (rows.length === 0) return null;
  return panel('Cards of the fleet', data_table({ rows, columns: [
    { name: 'node', key: 'node', cell: (row) => row['node'] },
    { name: 'state', cell: (row) => [row['verdict'] ? h('span', { class: `badge ${['first', 'good'].includes(row['verdict']) ? 'good' : 'bad'}`, title: row['why'] }, row['verdict']) : '', ] },
    { name: 'leased to', cell: (row) => leases(row, live) },
    { name: 'card', mono: true, late: 3, cell: (row) => h('span', { class: 'cut' }, row['card'] ?? '') },
    { name: 'attempts', key: 'attempts', number: true, cell: (row) => format.count(row['attempts']) },
    { name: 'passed', key: 'passed', number: true, cell: (row) => format.count(row['passed']) },
    { name: 'lost', key: 'lost', number: true, cell: (row) => format.count(row['lost']) },
    { name: 'busy', key: 'seconds', number: true, late: 2, cell: (row) => format.seconds(row['seconds']) },
    { name: 'cost', key: 'usd', number: true, cell: (row) => format.money(row['usd']) },
  ] }));
}

function by_stage(rows: Row[]): { name: string; value: number; text: string }[] {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(row['stage'], (sums.get(row['stage']) ?? 0) + row['seconds']);
  return [...sums].sort(([, a], [, b]) => b - a).map(([name, value]) => ({ name, value, text: format.seconds(value) }));
}

/// What the report says besides: made when it is asked for.
function report_panel(campaign: number): HTMLElement {
  const place = h('div');
  const load = async (): Promise<void> => {
    put(place, h('p', { class: 'none' }, '…'));
    try {
      const report = (await ask(`/campaign/${campaign}/report.json`))['report'];
      put(place, report_head(report), report_sections(report));
    } catch (error) {
      put(place, h('p', { class: 'error' }, (error as Error).message));
    }
  };
  return h('details', { class: 'more', ontoggle: (event: Event) => { if ((event.target as HTMLDetailsElement).open && !place.hasChildNodes()) void load(); } },
    h('summary', {}, 'Verdict, effects of parameters, predictions, why the winners are fast, lessons, environment'), place);
}

/// Of a report that is a file: some attempts of each end, filtered here.
function kept_attempts(chosen: Set<string>): Row[] {
  const rows = kept?.attempts ? table_of(kept.attempts).rows : [];
  const fits = (row: Row): boolean => chosen.size === 0 || chosen.has(`${row['outcome']}|${row['error_class'] ?? ''}`);
  return rows.filter(fits).sort((a, b) => b['iteration'] - a['iteration']).slice(0, 40);
}

export function campaign_page(main: HTMLElement, first: PageData): void {
  const campaign = Number(first.tables['campaign']!.rows[0]?.['campaign']);
  if (!first.tables['campaign']!.rows.length) { put(main, h('p', { class: 'error' }, 'There is no such campaign in this store. ', link('/campaigns', 'All campaigns'))); return; }
  document.title = `campaign ${campaign} · harness`;
  const search = new URLSearchParams(location.search);
  const axis_word = search.get('over');
  const view: View = { axis: axis_word === 'money' || axis_word === 'attempts' ? axis_word : 'time', outcomes: new Set((search.get('outcome') ?? '').split(',').filter(Boolean)) };
  let data = first, live: Live | undefined, attempts: Row[] = [];

  const remember = (): void => {
    if (kept) return;
    const words = new URLSearchParams();
    if (view.axis !== 'time') words.set('over', view.axis);
    if (view.outcomes.size) words.set('outcome', [...view.outcomes].join(','));
    history.replaceState(null, '', `${location.pathname}${words.size ? `?${words}` : ''}`);
  };
  const places = { top: h('div'), now: h('div'), tiles: h('div'), charts: h('div', { class: 'charts' }), axes: h('span', { class: 'choices' }), workloads: h('div'),
    legend: h('div'), attempts: h('div'), events: h('div'), decisions: h('div'), spend: h('div'), techniques: h('div'), cards: h('div'), proposals: h('div') };

  const filter_words = (): string => {
    const words = new URLSearchParams({ campaign: String(campaign), limit: '25' });
    const names = [...view.outcomes].map((key) => key.split('|'));
    if (names.length) {
      words.set('outcome', [...new Set(names.map(([name]) => name!))].join(','));
      const classes = names.map(([, of]) => of!).filter(Boolean);
      if (classes.length && names.every(([, of]) => of)) words.set('class', [...new Set(classes)].join(','));
    }
    return words.toString();
  };
  const one_kernel = (): boolean => ((format.parsed(data.tables['campaign']!.rows[0]!['kernels']) ?? []) as string[]).length === 1;
  const draw_attempts = async (): Promise<void> => {
    const words = filter_words();
    attempts = kept ? kept_attempts(view.outcomes) : (await ask(`/attempts.json?${words}`)).tables['attempts']!.rows;
    put(places.attempts, data_table({
      rows: attempts, on_open: (row) => `/attempt/${row['iteration']}`, empty: view.outcomes.size ? 'no attempt fits' : 'No attempt has ended yet.',
      columns: columns_of(['iteration', 'outcome', one_kernel() ? 'workload_alone' : 'workload', 'variant', 'time_ns', 'speedup', 'verdict', 'config', 'why']),
      foot: kept ? h('p', { class: 'soft' }, 'some of each end; all: ', h('code', {}, `harness history --campaign ${campaign}`)) : link(`/attempts?${words.replace(/&?limit=\d+/, '')}`, 'all of them, with filters and columns'),
    }));
  };
  const draw_axes = (): void => put(places.axes, (['time', 'money', 'attempts'] as Axis[]).map((axis) =>
    h('button', { type: 'button', 'aria-pressed': String(view.axis === axis), onclick: () => { view.axis = axis; remember(); draw_axes(); draw_charts(); } }, axis === 'money' ? 'dollars' : axis)));
  const draw_charts = (): void => {
    const made = curves(data, view.axis, live);
    put(places.charts, made.length ? made : h('p', { class: 'none' }, 'no workload has a time that passed yet'));
  };
  const draw_legend = (): void => put(places.legend, legend(data, view, (key) => {
    if (!view.outcomes.delete(key)) view.outcomes.add(key);
    remember();
    draw_legend();
    void draw_attempts();
  }));
  const draw_top = (): void => { put(places.top, header(data, live)); put(places.tiles, tiles(data, live)); };
  const draw = (): void => {
    draw_top();
    draw_axes();
    draw_charts();
    put(places.workloads, workloads(data));
    draw_legend();
    put(places.events, events(data));
    put(places.decisions, decisions(data));
    put(places.spend, shares(by_stage(data.tables['spend']!.rows)));
    put(places.techniques, data_table({ rows: data.tables['techniques']!.rows, columns: [
      { name: 'technique', key: 'technique', cell: (row) => link(`/attempts?campaign=${campaign}&technique=${encodeURIComponent(row['technique'])}`, row['technique']) },
      { name: 'best', key: 'best_speedup', number: true, cell: (row) => format.ratio(row['best_speedup']) },
      { name: 'passed', key: 'passed', number: true, cell: (row) => `${row['passed'] + row['screened']}/${row['iterations']}` },
      { name: 'took', key: 'seconds', number: true, cell: (row) => format.seconds(row['seconds']) },
    ] }));
    put(places.cards, cards_table(data, live));
    put(places.proposals, proposals_table(data.tables['proposals']!.rows));
  };

  const key_of_line = (key: string, name: string, words: string): Child => first.tables['workloads']!.rows.some((row) => row[key] !== null) ? [h('i', { class: `k ${name}` }), words] : null;
  put(main, places.top, kept ? report_head(first['report']) : null, places.tiles, h('div', { class: 'columns' },
    h('div', { class: 'wide' },
      places.now, places.cards,
      panel_with('How the best times fell', places.axes, places.charts,
        h('p', { class: 'key' }, h('i', { class: 'k stair' }), 'best so far, with its 95 % interval', key_of_line('rival_ns', 'rival', 'rival'), key_of_line('floor_ns', 'floor', 'floor: what the GPU allows'), key_of_line('outside_ns', 'outside', 'outside program, by its own measure'))),
      panel('Best of every workload', places.workloads),
      panel('Attempts', places.attempts),
      kept ? null : h('div', { class: 'pair' }, panel('Where the seconds went', places.spend), panel('Techniques', places.techniques)),
      places.proposals, kept ? null : report_panel(campaign)),
    h('div', { class: 'rail' },
      panel('How attempts ended', places.legend),
      panel('Last events', places.events),
      panel('Decisions, the newest first', places.decisions))),
    kept ? report_sections(first['report']) : null);
  draw();
  void draw_attempts();

  let seen = -1, busy = false, again = false, was = '';
  const refresh = async (): Promise<void> => {
    if (busy) { again = true; return; }
    busy = true;
    try {
      data = await ask(`/campaign/${campaign}.json`);
      draw();
      await draw_attempts();
    } catch { /* the line at the top says that the server is lost */ }
    await new Promise((done) => setTimeout(done, 1000));
    busy = false;
    if (again) { again = false; void refresh(); }
  };
  feed.on((moment) => {
    live = moment.live.find((one) => one.campaign === campaign);
    put(places.now, live ? panel('Now', now_panel(live)) : null);
    draw_top();
    put(places.cards, cards_table(data, live));
    const newest = (live?.iterations ?? 0) + 1e7 * Number(moment.newest['ended'] ?? 0), state = live?.state ?? '';
    if (seen >= 0 && (newest !== seen || state !== was)) void refresh();
    seen = newest;
    was = state;
  });
}

export { campaign_link };
