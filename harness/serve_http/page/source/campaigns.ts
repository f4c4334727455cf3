// All campaigns; what runs now stands first.
import { Child, h, link, put } from './dom';
import { ask, feed, Live, Moment, PageData, Row } from './data';
import * as format from './format';
import { bar, spark } from './charts';
import { data_links, data_table, panel_with } from './table';
import { geometric_mean, state_badge } from './parts';
import { now_line } from './now';

function reason_badge(row: Row, live: Live | undefined): HTMLElement {
  if (live) return state_badge(live.state === 'running' ? 'running' : 'stale', live.state === 'running' ? 'running' : 'killed');
  if (!row['ended'] && !row['reason']) return state_badge('stale', 'not ended');
  return state_badge(['goal', 'budget', 'cost', 'exhausted', 'strategy'].includes(row['reason']) ? 'ended' : 'stale', row['reason'] ?? 'ended');
}

function live_card(live: Live): HTMLElement {
  const share = live.budget_s ? live.spent_s / live.budget_s : null;
  return h('a', { class: 'livecard', href: `/campaign/${live.campaign}` },
    h('div', { class: 'line' }, state_badge(live.state === 'running' ? 'running' : 'stale', live.state === 'running' ? 'running' : 'killed'),
      h('b', {}, `campaign ${live.campaign}`, live.name ? ` · ${live.name}` : ''), h('span', { class: 'soft' }, live.kernels.join(', ')),
      h('span', { class: 'push big' }, live.speedup ? format.ratio(live.speedup) : '–')),
    now_line(live),
    h('div', { class: 'line soft' }, share === null ? null : bar(share, 'of the budget'),
      h('span', {}, format.seconds(live.spent_s), live.budget_s ? ` of ${format.seconds(live.budget_s)}` : ''),
      live.spent_usd !== null ? h('span', {}, format.money(live.spent_usd), live.max_cost_usd ? ` of ${format.money(live.max_cost_usd)}` : '') : null,
      h('span', {}, `${format.count(live.iterations)} attempts`), h('span', { class: 'push' }, live.device_name)));
}

/// What a row shows beside its sums: fetched once, when one of its places is seen.
const standings = new Map<number, Promise<PageData>>();

function lazily(campaign: number, name: string, fill: (data: PageData) => Child): HTMLElement {
  const place = h('span', { class: name }, '\u00a0');
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    seen.disconnect();
    const known = standings.get(campaign) ?? ask(`/campaign/${campaign}/curve.json`);
    standings.set(campaign, known);
    known.then((data) => put(place, fill(data))).catch(() => standings.delete(campaign));
  });
  seen.observe(place);
  return place;
}

/// The score of a campaign over its time.
function score_curve(data: PageData): Child {
  const rows = [...data.tables['curve']!.rows].sort((a, b) => a['seconds'] - b['seconds']);
  const bests = new Map<string, number>(rows.map((row) => [`${row['kernel']}/${row['workload']}`, 1]));   // a workload counts as its baseline until something passed on it
  const values: [number, number][] = [];
  for (const row of rows) {
    bests.set(`${row['kernel']}/${row['workload']}`, row['speedup'] ?? 1);
    values.push([row['seconds'], Math.exp([...bests.values()].reduce((sum, value) => sum + Math.log(value), 0) / bests.size)]);
  }
  return spark(values);
}

/// Over the workloads that have one.
function mean_of(data: PageData, of: (row: Row) => number | null): number | null {
  return geometric_mean(data.tables['workloads']!.rows.map(of).filter((value): value is number => value !== null));
}

export function campaigns_page(main: HTMLElement, data: PageData): void {
  document.title = 'campaigns · harness';
  const search = new URLSearchParams(location.search);
  const lives = new Map<number, Live>();
  let rows = data.tables['campaigns']!.rows, timer = 0, asked = 0;
  const load = async (): Promise<void> => {
    const own = ++asked;
    const next = await ask(`/campaigns.json?text=${encodeURIComponent(box.value)}`);
    if (own !== asked) return;
    rows = next.tables['campaigns']!.rows;
    draw();
    older();
  };
  const running = h('div', { class: 'livecards' }), table = h('div'), more = h('div');
  const box = h('input', {
    type: 'search', placeholder: 'filter: name, kernel, device, strategy…', value: search.get('text') ?? '', 'aria-label': 'filter campaigns',
    oninput: () => {
      const words = new URLSearchParams(location.search);
      if (box.value) words.set('text', box.value); else words.delete('text');
      history.replaceState(null, '', `${location.pathname}${words.size ? `?${words}` : ''}`);
      window.clearTimeout(timer);
      timer = window.setTimeout(() => void load(), 150);   // all campaigns, not only those that are shown
    },
  });
  const draw = (): void => {
    for (const campaign of lives.keys()) standings.delete(campaign);   // it goes on
    draw_table();
  };
  const draw_table = (): void => put(table, data_table({
    rows,
    empty: box.value ? 'no campaign fits the filter' : 'no campaign yet: harness run KERNEL --budget 60s makes one',
    on_open: (row) => `/campaign/${row['campaign']}`,
    columns: [
      { name: '#', key: 'campaign', number: true, cell: (row) => link(`/campaign/${row['campaign']}`, row['campaign']) },
      { name: 'state', key: 'reason', cell: (row) => reason_badge(row, lives.get(row['campaign'])) },
      { name: 'score', key: 'score', number: true, title: 'Geometric mean of the speedups over the baselines: of what was confirmed, where something was', cell: (row) => h('b', {}, format.ratio(lives.get(row['campaign'])?.speedup ?? row['score'])) },
      { name: 'name', key: 'name', wide: true, cell: (row) => [row['name'] ?? h('span', { class: 'soft' }, 'no name'), row['imported'] ? h('small', {}, ' imported') : null] },
      { name: 'best over time', late: 1, cell: (row) => lazily(row['campaign'], 'sparkplace', score_curve) },
      { name: 'of rival', number: true, late: 1, title: "Geometric mean of the rivals' times over the best times", cell: (row) => lazily(row['campaign'], 'lazy', (data) => { const mean = mean_of(data, (best) => (best['rival_ns'] ? best['rival_ns'] / best['time_ns'] : null)); return mean === null ? '' : format.ratio(mean); }) },
      { name: 'of floor', number: true, late: 2, title: 'Geometric mean of the shortest times that the GPU allows over the best times', cell: (row) => lazily(row['campaign'], 'lazy', (data) => { const mean = mean_of(data, (best) => best['of_floor']); return mean === null ? '' : format.share(mean); }) },
      { name: 'kernels', wide: true, late: 2, cell: (row) => ((format.parsed(row['kernels']) ?? []) as string[]).slice(0, 4).join(', ') + ((format.parsed(row['kernels']) ?? []).length > 4 ? ' …' : '') },
      { name: 'workloads', key: 'improved', number: true, late: 3, cell: (row) => (row['workloads'] === null ? '' : `${row['improved']} of ${row['workloads']}`) },
      { name: 'attempts', key: 'iterations', number: true, late: 1, cell: (row) => format.count(row['iterations']) },
      { name: 'passed', key: 'passed', number: true, late: 2, cell: (row) => (row['iterations'] ? format.share((row['passed'] + row['screened']) / row['iterations']) : '') },
      { name: 'spent', key: 'spent_s', number: true, late: 1, cell: (row) => format.seconds(lives.get(row['campaign'])?.spent_s ?? row['spent_s']) },
      { name: 'cost', key: 'cost_usd', number: true, late: 2, cell: (row) => format.money(row['cost_usd']) },
      { name: 'device', key: 'device_name', wide: true, late: 1, cell: (row) => row['device_name'] },
      { name: 'strategy', key: 'strategy', late: 3, cell: (row) => row['strategy'] },
      { name: 'begun (UTC)', key: 'begun', late: 2, cell: (row) => row['begun'] },
    ],
  }));
  const older = (): void => put(more, rows.length > 0 && rows.length % 100 === 0 ? h('button', { type: 'button', onclick: async () => {
    const next = await ask(`/campaigns.json?before=${rows.at(-1)!['campaign']}&text=${encodeURIComponent(box.value)}`);
    rows = [...rows, ...next.tables['campaigns']!.rows];
    draw();
    older();
  } }, 'older campaigns') : null);
  put(main, running, panel_with('Campaigns', h('span', { class: 'aside' }, box, data_links()), table, more));
  draw();
  older();
  let known = '';
  feed.on((moment: Moment) => {
    put(running, moment.live.map(live_card));
    lives.clear();
    for (const live of moment.live) lives.set(live.campaign, live);
    const now = JSON.stringify([moment.newest['campaign'], moment.newest['ended'], [...lives.keys()]]);
    if (known && now !== known) void load();
    else if (now !== known) draw();
    known = now;
  });
}
